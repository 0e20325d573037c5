"""The Reactive Aggregator: FlatFAT that grows, shrinks, and lets any entry go, not only the oldest.

Tangwongsan, Hirzel, Schneider, Wu: General Incremental Sliding-Window Aggregation (PVLDB 8(7), 2015), section 5. An
entry evicted out of order leaves a hole (the identity in its leaf), whose path to the root waits for the next query as
those of all other changes do (Algorithm 2). When the ring is full it is doubled if more than three quarters are in use,
else compacted; when less than a quarter is in use it is halved. Each costs O(n) after O(n) changes. Memory is reserved
for the largest window beforehand; growing and shrinking move the bounds of the tree in it.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import lift, unit
from algorithms.windows.contract import IN_ORDER, Card, aggregate, evict, evict_at, insert, size
from algorithms.windows.in_order.flat_fat import (
    TREE,
    aggregate_ring,
    changed_stretches,
    check_nodes,
    fill_with_unit,
    join,
    join_stretches,
    leaf,
    tree_layout,
)
from algorithms.windows.in_order.ring import check_ring, find, share

LEAST = 8
"""The ring is not shrunk below this."""


@share
class Reactive(NamedTuple):
    op: Any
    ends: Slots
    stretch: Slots
    time: Slots
    agg: Slots
    state: Slots
    hole: Slots
    """1 where an element was evicted out of order."""
    work: Slots
    """Nodes whose parents must be made anew: at first the leaves of holes, `state.waiting` of them."""
    listed: Slots
    """1 while a node is on the way into `work`, so that it comes there once."""
    spare: Slots
    """Room for the entries while the ring is laid out anew."""
    spare_time: Slots


def layout(op, capacity: int) -> dict:
    ring = max(LEAST, 1 << (capacity + capacity // 3).bit_length())
    return {
        **tree_layout(op, ring),
        "state": (1, np.dtype([("live", "i8"), ("resizes", "i8"), ("waiting", "i8")])),
        "hole": (ring, np.dtype("i1")),
        "work": (ring, np.dtype("i8")),
        "listed": (ring, np.dtype("i1")),
        "spare": (ring, op.dtype),
        "spare_time": (ring, np.dtype("i8")),
    }


def prepare(w, capacity: int) -> None:
    w.ends[0].mask = LEAST - 1
    fill_with_unit(w)


@size.of(Reactive)
def _(w):
    return w.state[0].live


@kernel(inline=False)
def lay_out(w, ring):
    """Move the live entries to the front of a ring of the given size and build the tree anew: ring - 1 combines."""
    ends, live = w.ends[0], 0
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
        else:
            unit(w.op, w.agg, TREE + ring + p)
    for i in range(ring - 1, 0, -1):
        join(w, i)
    ends.front, ends.end = 0, live
    ends.clean_front, ends.clean_end = 0, live
    w.state[0].resizes += 1
    w.state[0].waiting = 0


@kernel
def make_room(w):
    ends = w.ends[0]
    ring = ends.mask + 1
    if ends.end - ends.front == ring:
        lay_out(w, 2 * ring if 4 * w.state[0].live > 3 * ring else ring)


@kernel
def let_go(w, i):
    """Empty the leaf of element i; drop the holes that are oldest or youngest then; shrink the ring if too large."""
    ends, state = w.ends[0], w.state[0]
    unit(w.op, w.agg, leaf(ends, i))
    w.hole[i & ends.mask] = 1
    state.live -= 1
    while ends.front < ends.end and w.hole[ends.front & ends.mask] == 1:
        w.hole[ends.front & ends.mask] = 0
        ends.front += 1
    while ends.front < ends.end and w.hole[(ends.end - 1) & ends.mask] == 1:
        ends.end -= 1
        w.hole[ends.end & ends.mask] = 0
    ends.clean_end = min(ends.clean_end, ends.end)
    if ends.mask >= LEAST and 4 * state.live < ends.mask + 1:
        lay_out(w, (ends.mask + 1) >> 1)


@insert.of(Reactive)
def _(w, time, value):
    make_room(w)
    ends = w.ends[0]
    w.time[ends.end & ends.mask] = time
    lift(w.op, w.agg, leaf(ends, ends.end), value)
    ends.end += 1
    w.state[0].live += 1


@evict.of(Reactive)
def _(w):
    let_go(w, w.ends[0].front)


@evict_at.of(Reactive)
def _(w, time):
    ends, i = w.ends[0], find(w, time)  # holes keep their times
    while i < ends.end and w.time[i & ends.mask] == time and w.hole[i & ends.mask] == 1:
        i += 1
    found = i < ends.end and w.time[i & ends.mask] == time
    if found:
        node, in_tree, resizes = ends.mask + 1 + (i & ends.mask), i < ends.clean_end, w.state[0].resizes
        let_go(w, i)
        if in_tree and i >= ends.front and w.state[0].resizes == resizes:  # else it is in a stretch, or all is done
            w.work[w.state[0].waiting] = node
            w.state[0].waiting += 1
    return found


@kernel
def in_stretches(w, count, i):
    """Whether place i of the level that was joined last is in one of the stretches."""
    inside = False
    for k in range(count):
        inside = inside or w.stretch[k].first <= i <= w.stretch[k].last
    return inside


@kernel
def join_work(w, level, count):
    """The parents of the nodes on the work list, each once, but for those in the stretches; they are the next list."""
    state, waiting = w.state[0], 0
    for k in range(state.waiting):
        node = w.work[k] >> 1
        if w.listed[node] == 0 and not in_stretches(w, count, node - level):
            w.listed[node] = 1
            w.work[waiting] = node
            waiting += 1
    for k in range(waiting):
        join(w, w.work[k])
        w.listed[w.work[k]] = 0
    state.waiting = waiting


@kernel(inline=False)
def refresh_with_holes(w):
    """As FlatFAT's refresh, with leaves anywhere in the ring."""
    count, level = changed_stretches(w), w.ends[0].mask + 1
    while level > 1:
        level >>= 1
        join_stretches(w, level, count)
        join_work(w, level, count)
    w.state[0].waiting = 0


@aggregate.of(Reactive)
def _(w, dst, k):
    if w.state[0].waiting > 0:
        refresh_with_holes(w)
    aggregate_ring(w, dst, k)


def check(w) -> None:
    """FlatFAT's invariants, and the number of live entries; the ring is neither too full nor too empty."""
    ends, state = w.ends[0], w.state[0]
    check_ring(w, "front", "end")
    if state.waiting == 0:
        check_nodes(w)
    assert not w.listed.any(), "a node is marked as listed between operations"
    holes = [int(w.hole[i & int(ends.mask)]) for i in range(ends.front, ends.end)]
    assert state.live == len(holes) - sum(holes), f"{state.live} live entries counted"
    assert not holes or holes[0] == 0 == holes[-1], "the oldest or the youngest element is a hole"
    assert ends.mask < LEAST or 4 * state.live >= ends.mask + 1, "less than a quarter of the ring is in use"


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
)
