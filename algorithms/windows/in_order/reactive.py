"""The Reactive Aggregator: FlatFAT that grows, shrinks, and lets any entry go, not only the oldest.

Tangwongsan, Hirzel, Schneider, Wu: General Incremental Sliding-Window Aggregation (PVLDB 8(7), 2015), section 5. The
tree knows the front and the back of the window (section 5.2): slots outside of it are skipped and never written to, so
that an eviction in order writes nothing. With `fifo=0` they hold the identity and are combined, as in section 5.1.

An entry evicted out of order leaves a hole (the identity in its leaf), whose path to the root waits for the next query
as those of all other changes do (Algorithm 2). When the ring is full it is doubled if more than three quarters are in
use, else compacted; when less than a quarter is in use it is halved. Each costs O(n) after O(n) changes. Where the
paper allocates a new tree, the bounds of this one move in memory reserved for the largest window beforehand.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import COMMUTATIVE, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, Kept, Parameter, aggregate, evict, evict_at, insert, size
from algorithms.windows.in_order.flat_fat import (
    TREE,
    check_nodes,
    fill_with_unit,
    is_inverted,
    kept_nodes,
    leaf,
    suffix_and_prefix,
    tree_layout,
)
from algorithms.windows.in_order.reactive_update import join_used, refresh
from algorithms.windows.in_order.ring import check_ring, find, share

LEAST = 8
"""The ring is not shrunk below this."""

STATE = np.dtype([("holes", "i8"), ("resizes", "i8"), ("waiting", "i8"), ("fifo", "i8"), ("root", "i8")])


@share
class Reactive(NamedTuple):
    op: Any
    ends: Slots
    stretch: Slots
    time: Slots
    agg: Slots
    state: Slots
    hole: Slots
    """1 where an element was evicted out of order, which is still between others of the window."""
    work: Slots
    """Nodes whose parents must be made anew: at first the leaves of holes, `state.waiting` of them."""
    listed: Slots
    """1 while a node is on the way into `work`, so that it comes there once."""
    spare: Slots
    """Room for the entries while the ring is laid out anew."""
    spare_time: Slots


def layout(op, capacity: int, fifo: int, root: int) -> dict:
    ring = max(LEAST, 1 << (capacity + capacity // 3).bit_length())
    return {
        **tree_layout(op, ring),
        "state": (1, STATE),
        "hole": (ring, np.dtype("i1")),
        "work": (ring, np.dtype("i8")),
        "listed": (ring, np.dtype("i1")),
        "spare": (ring, op.dtype),
        "spare_time": (ring, np.dtype("i8")),
    }


def prepare(w, capacity: int, fifo: int, root: int) -> None:
    w.ends[0].mask = LEAST - 1
    w.state[0].fifo = fifo
    w.state[0].root = root and COMMUTATIVE in w.op.laws
    fill_with_unit(w)


@size.of(Reactive)
def _(w):
    return w.ends[0].end - w.ends[0].front - w.state[0].holes


@kernel(inline=None)
def lay_out(w, ring):
    """Move the live entries to the front of a ring of the given size and build the tree anew (Algorithm 1)."""
    ends, fifo, live = w.ends[0], w.state[0].fifo, 0
    for i in range(ends.front, ends.end):
        p = i & ends.mask
        if w.hole[p] == 0:
            w.spare[live] = w.agg[leaf(ends, i)]
            w.spare_time[live] = w.time[p]
            live += 1
    ends.mask = ring - 1
    for p in range(ring):
        w.hole[p] = 0
        if p < live:
            w.agg[TREE + ring + p] = w.spare[p]
            w.time[p] = w.spare_time[p]
        elif fifo == 0:
            unit(w.op, w.agg, TREE + ring + p)
    level, back = ring, 2 * ring - 1 if fifo == 0 else ring + live - 1
    while level > 1:
        for i in range(level >> 1, (back >> 1) + 1):
            join_used(w, i, level, back, False)
        level, back = level >> 1, back >> 1
    ends.front, ends.end = 0, live
    ends.clean_front, ends.clean_end = 0, live
    w.state[0].holes, w.state[0].waiting = 0, 0
    w.state[0].resizes += 1


@kernel
def make_room(w):
    ends = w.ends[0]
    ring = ends.mask + 1
    if ends.end - ends.front == ring:
        lay_out(w, 2 * ring if 4 * size(w) > 3 * ring else ring)


@kernel
def is_sparse(w):
    """Whether less than a quarter of the ring is in use, and it may be halved."""
    ends = w.ends[0]
    return ends.mask >= LEAST and 4 * size(w) < ends.mask + 1


@kernel(inline=None)
def tidy(w):
    """Holes at either end leave the window; the ring is halved if less than a quarter of it is in use."""
    ends, state = w.ends[0], w.state[0]
    while ends.front < ends.end and w.hole[ends.front & ends.mask] == 1:
        w.hole[ends.front & ends.mask] = 0
        ends.front += 1
        state.holes -= 1
    while ends.front < ends.end and w.hole[(ends.end - 1) & ends.mask] == 1:
        ends.end -= 1
        w.hole[ends.end & ends.mask] = 0
        state.holes -= 1
    ends.clean_end = min(ends.clean_end, ends.end)
    if is_sparse(w):
        lay_out(w, (ends.mask + 1) >> 1)


@insert.of(Reactive)
def _(w, time, value):
    make_room(w)
    ends = w.ends[0]
    w.time[ends.end & ends.mask] = time
    lift(w.op, w.agg, leaf(ends, ends.end), value)
    ends.end += 1


@evict.of(Reactive)
def _(w):
    ends, state = w.ends[0], w.state[0]
    if state.fifo == 0:
        unit(w.op, w.agg, leaf(ends, ends.front))
    ends.front += 1
    if state.holes > 0 or is_sparse(w):
        tidy(w)


@evict_at.of(Reactive)
def _(w, time):
    ends, i = w.ends[0], find(w, time)  # holes keep their times
    while i < ends.end and w.time[i & ends.mask] == time and w.hole[i & ends.mask] == 1:
        i += 1
    found = i < ends.end and w.time[i & ends.mask] == time
    if found:
        in_tree, resizes = i < ends.clean_end, w.state[0].resizes
        node = ends.mask + 1 + (i & ends.mask)
        unit(w.op, w.agg, leaf(ends, i))
        w.hole[i & ends.mask] = 1
        w.state[0].holes += 1
        tidy(w)
        if in_tree and i >= ends.front and w.state[0].resizes == resizes:  # else it is in a stretch, or all is done
            w.work[w.state[0].waiting] = node
            w.state[0].waiting += 1
    return found


@aggregate.of(Reactive)
def _(w, dst, k):
    """Section 5.1.2: the root, but where the ring is inverted a suffix + a prefix."""
    ends = w.ends[0]
    if ends.front == ends.end:
        unit(w.op, dst, k)
    else:
        refresh(w)
        if w.state[0].root > 0 or not is_inverted(ends):
            dst[k] = w.agg[TREE + 1]
        else:
            suffix_and_prefix(w, dst, k)


def check(w) -> None:
    """FlatFAT's invariants where the tree is in use, and holes; the ring is neither too full nor too empty."""
    ends, state = w.ends[0], w.state[0]
    check_ring(w, "front", "end")
    holes = [int(w.hole[i & int(ends.mask)]) for i in range(ends.front, ends.end)]
    assert not w.listed.any(), "a node is marked as listed between operations"
    assert state.holes == sum(holes), f"{state.holes} holes counted"
    assert not holes or holes[0] == 0 == holes[-1], "the oldest or the youngest element is a hole"
    assert ends.mask < LEAST or 4 * int(size(w)) >= ends.mask + 1, "less than a quarter of the ring is in use"
    used = used_nodes(w)
    if state.waiting == 0 and holes:
        check_nodes(w, lambda node: node in used)


def used_nodes(w) -> set[int]:
    """The nodes that have elements below them, or with `fifo=0` all; plain Python."""
    ends = w.ends[0]
    ring = int(ends.mask) + 1
    leaves = [i & int(ends.mask) for i in range(ends.front, ends.end)] if w.state[0].fifo else range(ring)
    return {(ring + place) >> level for place in leaves for level in range(ring.bit_length())}


def kept(w: Any) -> Iterator[Kept]:
    """The nodes of the tree that have elements below them."""
    ends = w.ends[0]
    numbers = range(int(ends.front), int(ends.end))
    return kept_nodes(w, [number for number in numbers if not w.hole[number & int(ends.mask)]])


CARD = Card(
    name="reactive",
    title="Reactive Aggregator",
    paper="Tangwongsan, Hirzel, Schneider, Wu 2015",
    order=IN_ORDER,
    operations=("insert", "evict", "query", "evict_at", "bulk_insert", "bulk_evict"),
    time={
        "insert": "amortised O(1), worst O(n)",
        "evict": "amortised O(1), worst O(n)",
        "query": "m (1 + ceil(log2(n/m))) for m changes, and 2 log2 n if the ring wraps",
        "evict_at": "amortised O(1), worst O(n)",
        "bulk_insert": "amortised O(m)",
        "bulk_evict": "amortised O(m)",
    },
    space="2 n to 8 n, and half as much to resize",
    window=Reactive,
    layout=layout,
    prepare=prepare,
    check=check,
    kept=kept,
    parameters={
        "fifo": Parameter(1, 0, "1: the update skips slots outside of the window, 0: they hold the identity"),
        "root": Parameter(0, 0, "1: an operator that commutes has its answer at the root also where the ring wraps"),
    },
)
