"""The aggregate store: partial aggregates of slices in order, lazy or eager, for Panes, Pairs, Cutty and RA alike.

Cutty (CIKM 2016), sections 5.2 and 5.4. Lazy keeps the slices in a ring and combines those of a window when it ends.
Eager keeps a FlatFAT over the ring: an append makes the nodes above the new leaf anew up to the root, a merge takes
O(log n) nodes. The ring is doubled when it is full and halved when a third of it or less is in use.

Slices are numbered from 0 and never renumbered; slice i lies at leaf i & mask. Each knows how many open windows begin
with it, so that the paper's removeUpTo(min(begins)) is: drop the oldest slice while no open window begins with it.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, generic, kernel, slots
from algorithms.operators.monoid import combine, fold_long, unit
from algorithms.windows.contract import RESULT
from algorithms.windows.in_order.flat_fat import PREFIX, TREE, fill_with_unit, join, leaf

LEAST = 4
"""The least size of the ring."""

ENDS = np.dtype([(name, "i8") for name in ("front", "end", "mask", "most", "most_slots", "update", "merge", "resizes")])
"""Slices front .. end - 1 are stored; the most slices and slots for partials so far; combines and resizes so far."""

SLICE = np.dtype([("begin", "i8"), ("holders", "i8")])
"""The record with which a slice begins, and how many open windows begin with it."""


class Lazy(NamedTuple):
    """A ring of slices."""

    op: Any
    ends: Slots
    slice: Slots
    agg: Slots


class Eager(NamedTuple):
    """A ring of slices and the tree over it."""

    op: Any
    ends: Slots
    slice: Slots
    agg: Slots


STORES = {"lazy": Lazy, "eager": Eager}


def new_store(kind: str, op: Any, ring: int = LEAST) -> Lazy | Eager:
    """An empty store with memory for a ring of this many slices, a power of two."""
    store = STORES[kind](op, slots(1, ENDS, "ends"), slots(2 * ring, SLICE, "slice"), slots(TREE + 2 * ring, op.dtype))
    fill_with_unit(store)
    store.ends[0].mask = LEAST - 1
    store.ends[0].most_slots = slots_of(store, LEAST)
    return store


def with_room(store: Lazy | Eager, extra: int) -> Lazy | Eager:
    """The store, or its continuation in more memory, such that `extra` slices can be appended."""
    needed, room = int(store.ends[0].end - store.ends[0].front) + extra, len(store.slice) // 2
    if needed <= room:
        return store
    ring = 1 << (needed - 1).bit_length()
    larger = type(store)(store.op, store.ends, slots(2 * ring, SLICE, "slice"), slots(TREE + 2 * ring, store.op.dtype))
    fill_with_unit(larger)
    larger.slice[: len(store.slice)] = store.slice
    larger.agg[: len(store.agg)] = store.agg
    return larger


@generic
def slots_of(s, ring):
    """Slots for partial aggregates that a ring takes."""


@generic
def update_above(s, i):
    """Update everything above slice i, which has changed."""


@generic
def build(s):
    """Update everything above the slices."""


@generic
def merge(s, first, dst, k):
    """dst[k] = slices first .. end - 1, at least one."""


@kernel
def place(ends, i):
    """Where the record of slice i is: rings of different sizes do not overlap, so that resizing needs no spare room."""
    return ends.mask + 1 + (i & ends.mask)


@kernel
def append(s, a, k, begin, holders):
    """Store a[k] as the youngest slice. Lazy: no combine; eager: log2 of the ring; ring - 1 to double it."""
    ends = s.ends[0]
    if ends.end - ends.front > ends.mask:
        resize(s, 2 * (ends.mask + 1))
    i = ends.end
    s.agg[leaf(ends, i)] = a[k]
    slice = s.slice[place(ends, i)]
    slice.begin, slice.holders = begin, holders
    ends.end += 1
    ends.most = max(ends.most, ends.end - ends.front)
    update_above(s, i)


@kernel
def hold(s, i, count):
    """`count` more open windows begin with slice i."""
    s.slice[place(s.ends[0], i)].holders += count


@kernel
def remove_unneeded(s):
    """Drop the oldest slices with which no open window begins; shrink the ring if a third or less is in use then."""
    ends = s.ends[0]
    while ends.front < ends.end and s.slice[place(ends, ends.front)].holders == 0:
        ends.front += 1
    ring = ends.mask + 1
    while ring > LEAST and 3 * (ends.end - ends.front) <= ring:
        ring >>= 1
    if ring <= ends.mask:
        resize(s, ring)


@kernel(inline=False)
def resize(s, ring):
    """Move the slices to a ring of another size."""
    ends = s.ends[0]
    mask = ends.mask
    for p in range(ring):
        unit(s.op, s.agg, TREE + ring + p)
    for i in range(ends.front, ends.end):
        s.agg[TREE + ring + (i & (ring - 1))] = s.agg[leaf(ends, i)]
        s.slice[ring + (i & (ring - 1))] = s.slice[mask + 1 + (i & mask)]
    ends.mask = ring - 1
    ends.resizes += 1
    ends.most_slots = max(ends.most_slots, slots_of(s, ring))
    build(s)


# ------------------------------------------------------------------------------------------------------ lazy and eager


@slots_of.of(Lazy)
def _(s, ring):
    return ring


@update_above.of(Lazy)
def _(s, i):
    pass


@build.of(Lazy)
def _(s):
    pass


@merge.of(Lazy)
def _(s, first, dst, k):
    ends = s.ends[0]
    start, count = leaf(ends, first), ends.end - first
    to_end = ends.mask + 1 - (first & ends.mask)
    fold_long(s.op, dst, k, s.agg, start, start + min(count, to_end))
    if count > to_end:  # the ring parts them
        start += to_end - ends.mask - 1
        fold_long(s.op, s.agg, PREFIX, s.agg, start, start + count - to_end)
        combine(s.op, dst, k, dst, k, s.agg, PREFIX)
    ends.merge += count - 1


@slots_of.of(Eager)
def _(s, ring):
    return 2 * ring - 1


@update_above.of(Eager)
def _(s, i):
    ends = s.ends[0]
    j = place(ends, i) >> 1
    while j > 0:
        join(s, j)
        ends.update += 1
        j >>= 1


@build.of(Eager)
def _(s):
    for j in range(s.ends[0].mask, 0, -1):
        join(s, j)
    s.ends[0].update += s.ends[0].mask


@kernel
def cover(s, a, b, dst, k):
    """dst[k] = leaves a .. b of the tree, by the fewest nodes that cover them, at most 2 log2 of the ring."""
    op, agg, ends, has_left, has_right = s.op, s.agg, s.ends[0], False, False
    b += 1
    while a < b:
        if a & 1:
            if has_left:
                combine(op, dst, k, dst, k, agg, TREE + a)
                ends.merge += 1
            else:
                dst[k] = agg[TREE + a]
                has_left = True
            a += 1
        if b & 1:
            b -= 1
            if has_right:
                combine(op, agg, PREFIX, agg, TREE + b, agg, PREFIX)
                ends.merge += 1
            else:
                agg[PREFIX] = agg[TREE + b]
                has_right = True
        a, b = a >> 1, b >> 1
    if has_left and has_right:
        combine(op, dst, k, dst, k, agg, PREFIX)
        ends.merge += 1
    elif has_right:
        dst[k] = agg[PREFIX]


@merge.of(Eager)
def _(s, first, dst, k):
    ends = s.ends[0]
    a, b, ring = place(ends, first), place(ends, ends.end - 1), ends.mask + 1
    if a <= b:
        cover(s, a, b, dst, k)
    else:  # the ring parts them
        cover(s, a, 2 * ring - 1, dst, k)
        cover(s, ring, b, s.agg, RESULT)
        combine(s.op, dst, k, dst, k, s.agg, RESULT)
        ends.merge += 1


def check(s: Lazy | Eager) -> None:
    """Slices fit in the ring; an open window begins with the oldest; every node is its children combined."""
    from algorithms.operators.monoid import partials
    from algorithms.windows.out_of_order.tree_check import same

    ends = s.ends[0]
    stored = int(ends.end - ends.front)
    assert 0 <= stored <= ends.mask + 1 <= len(s.slice) // 2, "more slices than the ring holds"
    assert stored == 0 or s.slice[place(ends, int(ends.front))].holders > 0, "the oldest slice is not needed"
    begins = [int(s.slice[place(ends, i)].begin) for i in range(int(ends.front), int(ends.end))]
    assert begins == sorted(set(begins)), "slices do not begin one after the other"
    for j in range(1, int(ends.mask) + 1) if isinstance(s, Eager) else ():
        combined, node = partials(s.op, 1), partials(s.op, 1)  # new: what lies beyond a list's end does not count
        combine(s.op, combined, 0, s.agg, TREE + 2 * j, s.agg, TREE + 2 * j + 1)
        unit(s.op, node, 0)
        combine(s.op, node, 0, node, 0, s.agg, TREE + j)
        assert same(combined[0], node[0]), f"node {j}: {node[0]}, not {combined[0]}"
