"""Log MTA with its tree in a key-value store; the leftmost branch and the tails of the levels are in local memory.

Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced Memory Footprint and Efficient Bulk
Evictions (IEEE TPDS, 2018), sections 4.1 and 4.1.5, Figure 3. The algorithms are those of `in_order.log_mta`, the same
functions; this module says where a node is found, and what must be at hand before an eviction.

The leftmost branch, which every eviction changes, is kept apart, so that a node is written to the store once, when all
its elements are there, and never changes.
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel, row
from algorithms.operators.monoid import lift
from algorithms.windows.contract import IN_ORDER, Card, aggregate, bulk_evict, bulk_insert, evict, insert
from algorithms.windows.in_order.log_mta import LogMTA, grow, nodes_above_first, prune
from algorithms.windows.in_order.mta import at, ready
from algorithms.windows.slider import head, remember, slide
from algorithms.windows.stored import levels
from algorithms.windows.stored.levels import LEFT, check_levels, final, first_after, make_room, place, share, tail


@share
class KVSLogMTA(NamedTuple):
    op: Any
    ends: Slots
    level: Slots
    time: Slots
    agg: Slots


for operation in (evict, aggregate, slide, head, remember):
    operation.of(KVSLogMTA)(operation.table[LogMTA])


@at.of(KVSLogMTA)
def _(w, level, j):
    if level > 0 and j == w.ends[0].front >> level:
        return LEFT + level
    return place(w, level, j)


@final.of(KVSLogMTA)
def _(w, end, top, level):
    return end >> level if level <= top else 0


@kernel
def append(w, time, value):
    """A new element, with its time at every node that it completes."""
    ends, level, i = w.ends[0], 0, w.ends[0].end
    lift(w.op, w.agg, tail(ends, 0, i), value)
    w.time[tail(ends, 0, i)] = time
    while (i >> level) & 1 == 1 and level + 1 < ends.levels:
        level += 1
        w.time[tail(ends, level, i >> level)] = time
    ends.end = i + 1


@insert.of(KVSLogMTA)
def _(w, time, value):
    make_room(w)
    append(w, time, value)
    grow(w, w.ends[0].end - 1)


@bulk_insert.of(KVSLogMTA)
def _(w, times, values, first, last):
    """As many at a time as the buffer takes."""
    ends = w.ends[0]
    while first < last:
        make_room(w)
        i, until = ends.end, min(last, first + ends.buffer - (ends.end - ends.handed))
        for k in range(first, until):
            append(w, times[k], row(values, k))
        grow(w, i)
        first = until


@ready.of(KVSLogMTA)
def _(w, front):
    """The oldest element, and the right node of the first pair of every level."""
    ends, level = w.ends[0], 0
    if front < ends.end:
        place(w, 0, front)
    while level <= ends.top and front < ends.end:
        j = front >> level
        if j & 1 == 0 and j < (ends.end - 1) >> level:
            place(w, level, j + 1)
        level += 1


@bulk_evict.of(KVSLogMTA)
def _(w, time):
    front = first_after(w, time)
    if front > w.ends[0].front:
        prune(w, front)


def check(w) -> None:
    """Every node up to the top, here or in the store, and that the top is the lowest level of at most two nodes."""
    ends, top = w.ends[0], int(w.ends[0].top)
    last = int(ends.end) - 1
    if ends.end > ends.front:
        assert nodes_above_first(ends, top) <= 1, "the top level has more than two nodes"
        assert top == 0 or nodes_above_first(ends, top - 1) > 1, "the level under the top would do"
    check_levels(w, [(last >> level) + 1 for level in range(top + 1)], whole_only=False)


CARD = Card(
    name="kvs_log_mta",
    title="Log MTA in a key-value store",
    paper="Villalba, Berral, Carrera 2018, sections 4.1 and 4.1.5",
    order=IN_ORDER,
    operations=("insert", "evict", "query", "bulk_insert", "bulk_evict"),
    time={
        "insert": "at most log2 n + 2",
        "evict": "at most log2 n",
        "query": "at most 1",
        "bulk_insert": "at most m + 2 (m / cache + 1) (log2 n + 1)",
        "bulk_evict": "at most log2 n, and log2 n steps and reads of the store",
    },
    space="4 cache log2 n here, 2 n in the store",
    window=KVSLogMTA,
    layout=levels.layout,
    prepare=levels.prepare,
    check=check,
    parameters=levels.PARAMETERS,
)
