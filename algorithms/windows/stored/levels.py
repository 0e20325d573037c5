"""The levels of a Monoid Tree Aggregator whose nodes are mostly in a key-value store, and the few that are here.

Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced Memory Footprint and Efficient Bulk
Evictions (IEEE TPDS, 2018), sections 4.1.5 and 5.1, Figure 3. Of every level there are two rings of nodes here:

    tail     the youngest nodes: those not yet handed over to the store, and as many again
    cache    the oldest nodes, read ahead from the store; none if the tail has room for the whole level

Node j of a level is in slot j modulo the ring's size of either, so that its number says where to look. With every node
is the time of its youngest element, so that a bulk eviction by time finds its way down as a slide policy does.

Kernels take nodes from here. What is not here they ask for, by a call back to `Storage`, before they change anything:
an insert hands over before it inserts, an eviction has what it will read (`ready`) before it evicts. So an operation
that a store lets down raises StoreError and has changed nothing.
"""

from typing import Any

import numpy as np

from algorithms.kernel import call_back, generic, kernel
from algorithms.operators.monoid import combine, partials, unit
from algorithms.windows.contract import Parameter, oldest, size, storage, youngest
from algorithms.windows.in_order.amta import FOREST
from algorithms.windows.in_order.mta import at
from algorithms.windows.in_order.ring import FIXED
from algorithms.windows.out_of_order.tree_check import same
from algorithms.windows.stored.request import AHEAD, FETCH, HAND_OVER
from algorithms.windows.stored.storage import Storage, block_size
from algorithms.windows.stored.stores import StoreError

LEFT = FIXED
"""agg[LEFT + level] is the leftmost node of a level, where a window keeps it apart (Log MTA)."""
RINGS = FOREST
"""The rings begin at agg[RINGS]: the tails of all levels, then the caches."""

ENDS = np.dtype(
    [(name, "i8") for name in ("front", "end", "top", "stacked", "left", "due")]
    + [(name, "i8") for name in ("handed", "mask", "buffer", "levels", "storage")]
)
"""As in the window in memory; `handed` is the end as it was when nodes were last handed over to the store, `buffer` the
most elements since, `mask` that of a ring, and `storage` the address of what serves the calls back."""

LEVEL = np.dtype([(name, "i8") for name in ("first", "end", "asked", "stored", "trimmed")])
"""Nodes first .. end - 1 are in the cache; `asked` is 1 while more are on their way. Nodes before `stored` are with the
store, but not blocks before `trimmed`."""

PARAMETERS = {"cache": Parameter(512, 2, "pairs of each level here at the front, and pairs in the write buffer")}


def layout(op, capacity: int, cache: int) -> dict:
    """Rings of 2 `cache` nodes for every level, or of all nodes of a small window."""
    largest_ring = 1 << max(capacity - 1, 1).bit_length()
    ring, levels = ring_for(capacity, cache), largest_ring.bit_length() + 1
    nodes = RINGS + levels * ring * (1 if ring >= largest_ring else 2)
    return {"ends": (1, ENDS), "level": (levels, LEVEL), "time": (nodes, np.dtype("i8")), "agg": (nodes, op.dtype)}


def ring_of(cache: int) -> int:
    """Nodes in a ring that has room for `cache` pairs."""
    return 1 << (2 * cache - 1).bit_length()


def ring_for(capacity: int, cache: int) -> int:
    """As many, or in a small window what it has, and a block: those of a block that is written anew are all there."""
    ring = ring_of(cache)
    return min(ring, 1 << (capacity + block_size(ring // 2) - 1).bit_length())


def prepare(w, capacity: int, cache: int) -> None:
    """The empty state, with its own store in a temporary folder, which is made when first needed."""
    ends, ring = w.ends[0], ring_of(cache)
    ends.levels, ends.buffer = len(w.level), ring // 2
    ends.mask = ring_for(capacity, cache) - 1
    w.ends.storage = Storage(w, RINGS, ring // 2, final.table[type(w)])
    ends.storage = w.ends.storage.address


@generic
def final(w, end, top, level):
    """The number of nodes of a level that will not change any more, counted from element 0."""


@kernel
def tail(ends, level, j):
    return RINGS + level * (ends.mask + 1) + (j & ends.mask)


@kernel(inline=False)
def ask(w, request, level, j):
    """Send a request to the window's Storage."""
    if call_back(w.ends[0].storage, request, level, j) != 0:
        raise StoreError


@kernel(inline=False)
def fetched(w, level, j):
    """Bring a node into the cache of its level, if it is not there; else more of them on their way, if few are left.

    Not both: a bulk eviction misses on every level, and the higher ones are not read again soon.
    """
    cache = w.level[level]
    if j < cache.first or j >= cache.end:
        ask(w, FETCH, level, j)
    elif cache.asked == 0 and cache.end + w.ends[0].mask < (w.ends[0].end - 1) >> level:
        ask(w, AHEAD, level, j)


@kernel
def place(w, level, j):
    """The slot of an existing node, which is brought into memory if necessary."""
    ends = w.ends[0]
    if j + ends.mask >= (ends.end - 1) >> level:
        return tail(ends, level, j)
    cache = w.level[level]
    few = cache.end - j <= ends.buffer and cache.asked == 0
    if j < cache.first or j >= cache.end or few:
        fetched(w, level, j)
    return tail(ends, ends.levels + level, j)


@kernel
def make_room(w):
    """Before an insert, hand the youngest nodes over to the store if the buffer is full."""
    ends = w.ends[0]
    if ends.end - ends.handed >= ends.buffer:
        ask(w, HAND_OVER, 0, 0)


@kernel
def first_after(w, time):
    """The first element younger than `time`: up from the oldest to ever larger nodes, then down beside the last."""
    ends, level, up = w.ends[0], 0, True
    front = ends.front
    while level >= 0 and front < ends.end:
        j = front >> level
        if j < final(w, ends.end, ends.top, level) and w.time[place(w, level, j)] <= time:
            front = (j + 1) << level
            if up:
                level += 1
        else:
            up = False
            level -= 1
    return front


def share(window: type) -> type:
    """The operations that are the same in both windows."""

    @size.of(window)
    def _(w):
        return w.ends[0].end - w.ends[0].front

    @oldest.of(window)
    def _(w):
        return w.time[place(w, 0, w.ends[0].front)]

    @youngest.of(window)
    def _(w):
        return w.time[tail(w.ends[0], 0, w.ends[0].end - 1)]

    @storage.of(window)
    def _(w):
        return w.ends.storage

    return window


def check_levels(w: Any, counts: list[int], whole_only: bool) -> None:
    """Nodes front >> level .. counts[level] - 1 of every level, here or in the store, and their times.

    `whole_only`: only those that have lost no element.
    """
    ends = w.ends[0]
    front, end, top = int(ends.front), int(ends.end), int(ends.top)
    times = [int(w.time[place(w, 0, i)]) for i in range(front, end)]
    assert times == sorted(times), "times descend"
    for level, count in enumerate(counts):
        for j in range(front >> level, count):
            first, last = max(j << level, front), min((j + 1) << level, end)
            if whole_only and j << level < front:
                continue
            check_fold(w, at(w, level, j), first, last, f"node {j} of level {level}")
            if j < final(w, end, top, level):
                assert w.time[place(w, level, j)] == times[last - 1 - front], f"time of node {j} of level {level}"


def check_fold(w: Any, k: int, first: int, last: int, name: str) -> None:
    """agg[k] is the aggregate of elements first .. last - 1. Copied by combines, without what lay there before."""
    folded, stored = partials(w.op, 1), partials(w.op, 1)
    unit(w.op, stored, 0)
    combine(w.op, stored, 0, stored, 0, w.agg, k)
    unit(w.op, folded, 0)
    for i in range(first, last):
        combine(w.op, folded, 0, folded, 0, w.agg, place(w, 0, i))
    assert same(folded[0], stored[0]), f"{name}: {stored[0]}, not {folded[0]}"
