"""FlatFAT, the flat fixed-sized aggregator: a complete binary tree of partial aggregates in an array, without pointers.

Tangwongsan, Hirzel, Schneider, Wu: General Incremental Sliding-Window Aggregation (PVLDB 8(7), 2015), section 4. Node i
has the children 2i and 2i + 1, the root is 1; the leaves are a ring of elements. What changed since the last query is
brought up to date when it is asked for, one level after the other, so that m changed leaves of n cost at most
m (1 + ceil(log2(n/m))) combines. When the ring wraps, the window is the suffix from the oldest leaf + the prefix up to
the youngest (the "inverted buffer").
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, kernel, trailing_zeros
from algorithms.operators.monoid import combine, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, Kept, aggregate, evict, insert
from algorithms.windows.in_order.ring import FIXED, check_ring, pointers, share

PREFIX, TREE = FIXED, FIXED + 1
"""agg[PREFIX] is a part of a query; node i is agg[TREE + i]."""

ENDS = pointers("front", "end", "clean_front", "clean_end")
"""Elements clean_front .. front - 1 were evicted, clean_end .. end - 1 inserted since the tree was last up to date."""

STRETCHES = 4
"""Two stretches of numbers, each of which the ring may part."""


@share
class FlatFat(NamedTuple):
    op: Any
    ends: Slots
    stretch: Slots
    time: Slots
    agg: Slots


def tree_layout(op, ring: int) -> dict:
    return {
        "ends": (1, ENDS),
        "stretch": (STRETCHES, np.dtype([("first", "i8"), ("last", "i8")])),
        "time": (ring, np.dtype("i8")),
        "agg": (TREE + 2 * ring, op.dtype),
    }


def layout(op, capacity: int) -> dict:
    return tree_layout(op, 1 << max(capacity - 1, 0).bit_length())


def fill_with_unit(w) -> None:
    """Every slot of agg the identity; where that is all zeros, memory stays untouched."""
    unit(w.op, w.agg, 0)
    slots = w.agg.view(np.ndarray)
    if slots[:1].tobytes().strip(b"\0"):
        slots[:] = slots[0]


def prepare(w, capacity: int) -> None:
    w.ends[0].mask = len(w.time) - 1
    fill_with_unit(w)


@kernel
def leaf(ends, i):
    """The slot of element i."""
    return TREE + ends.mask + 1 + (i & ends.mask)


@kernel
def join(w, i):
    """Node i from its children."""
    combine(w.op, w.agg, TREE + i, w.agg, TREE + 2 * i, w.agg, TREE + 2 * i + 1)


@kernel
def add_stretch(w, count, first, end):
    """Note the leaves of elements first .. end - 1 as one or two stretches; gives the count of stretches."""
    if first >= end:
        return count
    mask = w.ends[0].mask
    if end - first > mask:  # the whole ring
        first, end = 0, mask + 1
    a, b = first & mask, (end - 1) & mask
    if a > b:
        w.stretch[count].first, w.stretch[count].last = a, mask
        a, count = 0, count + 1
    w.stretch[count].first, w.stretch[count].last = a, b
    return count + 1


@kernel
def sort_stretches(w, count):
    for k in range(1, count):
        j = k
        while j > 0 and w.stretch[j - 1].first > w.stretch[j].first:
            a, b = w.stretch[j - 1].first, w.stretch[j - 1].last
            w.stretch[j - 1].first, w.stretch[j - 1].last = w.stretch[j].first, w.stretch[j].last
            w.stretch[j].first, w.stretch[j].last = a, b
            j -= 1


@kernel
def empty_leaves(w, first, end):
    """The identity in the leaves of evicted elements that no later element has taken."""
    for i in range(first, end):
        unit(w.op, w.agg, leaf(w.ends[0], i))


@kernel
def changed_stretches(w):
    """Note the leaves that changed since the tree was last up to date, and that it will be; gives their stretches."""
    ends = w.ends[0]
    if ends.front >= ends.clean_end:
        count = add_stretch(w, 0, ends.clean_front, ends.end)
    else:
        count = add_stretch(w, add_stretch(w, 0, ends.clean_front, ends.front), ends.clean_end, ends.end)
    sort_stretches(w, count)
    ends.clean_front, ends.clean_end = ends.front, ends.end
    return count


@kernel
def join_stretches(w, level, count):
    """The parents of the nodes in the stretches, each once. `level` is the first node of the parents' level."""
    done = -1
    for k in range(count):
        stretch = w.stretch[k]
        stretch.first >>= 1
        stretch.last >>= 1
        for i in range(max(stretch.first, done + 1), stretch.last + 1):
            join(w, level + i)
        done = max(done, stretch.last)


@kernel
def join_paths(w, a, b):
    """The ancestors of two leaves, which may be the same, each once: a slide by one, in half the time of stretches."""
    while a != b:
        a, b = a >> 1, b >> 1
        join(w, a)
        if a != b:
            join(w, b)
    while a > 1:
        a >>= 1
        join(w, a)


@kernel(inline=False)
def refresh(w):
    """Bring the tree up to date: the parents of changed leaves, level by level, each once."""
    ends = w.ends[0]
    empty_leaves(w, max(ends.clean_front, ends.end - ends.mask - 1), ends.front)
    count, level = changed_stretches(w), ends.mask + 1
    first, last = w.stretch[0], w.stretch[max(count - 1, 0)]
    if count <= 2 and first.first == first.last and last.first == last.last:
        join_paths(w, level + first.first, level + last.first)
        count = 0
    while level > 1 and count > 0:
        level >>= 1
        join_stretches(w, level, count)


@kernel
def left_child_above(j):
    """The nearest left child on the way from node j to the root, j itself included; 0 if there is none."""
    return j >> trailing_zeros(~j)


@kernel
def right_child_above(j):
    """The nearest right child on the way from node j to the root, j itself included; 1, the root, if there is none."""
    return j >> trailing_zeros(j)


@kernel
def suffix(w, i, dst, k):
    """dst[k] = element i + ... + the last leaf of the ring; at most log2 of the ring's size combines.

    A left child adds its sibling. Going from one left child to the next, not from level to level, asks no question
    that a processor could not foresee: a query of a ring that wraps takes half the time.
    """
    agg, at = w.agg, w.ends[0].mask + 1 + i
    j = left_child_above(at)
    if j == 0:
        dst[k] = agg[TREE + at]
    else:
        combine(w.op, dst, k, agg, TREE + at, agg, TREE + j + 1)
        j = left_child_above(j >> 1)
        while j > 0:
            combine(w.op, dst, k, dst, k, agg, TREE + j + 1)
            j = left_child_above(j >> 1)


@kernel
def prefix(w, i, dst, k):
    """dst[k] = the first leaf of the ring + ... + element i; at most log2 of the ring's size combines (Algorithm 3)."""
    agg, at = w.agg, w.ends[0].mask + 1 + i
    j = right_child_above(at)
    if j == 1:
        dst[k] = agg[TREE + at]
    else:
        combine(w.op, dst, k, agg, TREE + j - 1, agg, TREE + at)
        j = right_child_above(j >> 1)
        while j > 1:
            combine(w.op, dst, k, agg, TREE + j - 1, dst, k)
            j = right_child_above(j >> 1)


@kernel
def is_inverted(ends):
    """Whether the ring wraps in the window, so that the youngest leaves are on the left of the oldest."""
    return ends.front & ends.mask > (ends.end - 1) & ends.mask


@kernel
def suffix_and_prefix(w, dst, k):
    """dst[k] = the window of an inverted ring: from the oldest leaf to the right end, + from the left end on."""
    ends = w.ends[0]
    suffix(w, ends.front & ends.mask, dst, k)
    prefix(w, (ends.end - 1) & ends.mask, w.agg, PREFIX)
    combine(w.op, dst, k, dst, k, w.agg, PREFIX)


@insert.of(FlatFat)
def _(w, time, value):
    ends = w.ends[0]
    w.time[ends.end & ends.mask] = time
    lift(w.op, w.agg, leaf(ends, ends.end), value)
    ends.end += 1


@evict.of(FlatFat)
def _(w):
    w.ends[0].front += 1


@aggregate.of(FlatFat)
def _(w, dst, k):
    ends = w.ends[0]
    if ends.clean_front != ends.front or ends.clean_end != ends.end:
        refresh(w)
    if ends.front == ends.end or not is_inverted(ends):
        dst[k] = w.agg[TREE + 1]
    else:
        suffix_and_prefix(w, dst, k)


def check(w) -> None:
    """Pointers, times, and, where the tree is up to date, every node against its children."""
    check_ring(w, "front", "end")
    check_nodes(w, lambda node: True)


def check_nodes(w, used) -> None:
    """Where the tree is up to date, every used node is what those of its children make that are used."""
    from algorithms.operators.monoid import partials
    from algorithms.windows.out_of_order.tree_check import same

    ends = w.ends[0]
    if ends.clean_front == ends.front and ends.clean_end == ends.end:
        for i in filter(used, range(1, int(ends.mask) + 1)):
            combined, stored = partials(w.op, 1), partials(w.op, 1)  # new: beyond a list's end nothing counts
            unit(w.op, combined, 0)
            for child in filter(used, (2 * i, 2 * i + 1)):
                combine(w.op, combined, 0, combined, 0, w.agg, TREE + child)
            unit(w.op, stored, 0)
            combine(w.op, stored, 0, stored, 0, w.agg, TREE + i)
            assert same(combined[0], stored[0]), f"node {i}: {stored[0]}, not {combined[0]}"


def kept_nodes(w, elements: list[int]) -> Iterator[Kept]:
    """Nodes that are the aggregate of some of these elements, one after the other, if the tree is up to date.

    `elements` are the numbers of those in the window. Where the ring wraps a node may have the youngest elements before
    the oldest, and is left out.
    """
    ends = w.ends[0]
    ring, rank = int(ends.mask) + 1, {number: place for place, number in enumerate(elements)}
    by_place = {number & (ring - 1): rank[number] for number in elements}
    for level in range(ring.bit_length()):
        for node in range(ring >> level, 2 * ring >> level):
            first = (node << level) - ring
            below = [by_place[place] for place in range(first, first + (1 << level)) if place in by_place]
            if below and below == list(range(below[0], below[0] + len(below))):
                yield Kept(f"level {level}" if level else "leaves", below[0], below[-1] + 1, TREE + node)


def kept(w: Any) -> Iterator[Kept]:
    """The nodes of the tree, from the leaves to the root."""
    return kept_nodes(w, list(range(int(w.ends[0].front), int(w.ends[0].end))))


CARD = Card(
    name="flat_fat",
    title="FlatFAT, flat fixed-sized aggregator",
    paper="Tangwongsan, Hirzel, Schneider, Wu 2015, section 4",
    order=IN_ORDER,
    operations=("insert", "evict", "query", "bulk_insert", "bulk_evict"),
    time={
        "insert": "0",
        "evict": "0",
        "query": "m (1 + ceil(log2(n/m))) for m changes, and 2 log2 n if the ring wraps",
        "bulk_insert": "0",
        "bulk_evict": "0",
    },
    space="2 n, with n rounded up to a power of two",
    window=FlatFat,
    layout=layout,
    prepare=prepare,
    check=check,
    kept=kept,
)
