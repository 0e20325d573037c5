"""Amortised MTA with its forest in a key-value store; result pair, stack and tails are in local memory.

Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced Memory Footprint and Efficient Bulk
Evictions (IEEE TPDS, 2018), sections 4.1.5 and 4.2, Figure 4c. The algorithms are those of `in_order.amta`, the same
functions; this module says where a node is found, and what must be at hand before an eviction.
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, lift
from algorithms.windows.contract import IN_ORDER, Card, aggregate, bulk_evict, evict, insert
from algorithms.windows.in_order.amta import AMTA, R0, R1, STACK, clear, few, leave, nodes
from algorithms.windows.in_order.mta import at, ready
from algorithms.windows.slider import head, remember, slide
from algorithms.windows.stored import levels
from algorithms.windows.stored.levels import check_fold, check_levels, final, first_after, make_room, place, share, tail


@share
class KVSAMTA(NamedTuple):
    op: Any
    ends: Slots
    level: Slots
    time: Slots
    agg: Slots


for operation in (evict, aggregate, slide, head, remember):
    operation.of(KVSAMTA)(operation.table[AMTA])


def prepare(w, capacity: int, cache: int) -> None:
    levels.prepare(w, capacity, cache)
    clear(w)


@at.of(KVSAMTA)
def _(w, level, j):
    return place(w, level, j)


@final.of(KVSAMTA)
def _(w, end, top, level):
    return ((end + 1) >> level) - 1


@insert.of(KVSAMTA)
def _(w, time, value):
    """Algorithm 3, on the tails."""
    make_room(w)
    ends, agg, level, j = w.ends[0], w.agg, 0, w.ends[0].end
    newest = tail(ends, 0, j)
    w.time[newest] = time
    lift(w.op, agg, newest, value)
    combine(w.op, agg, R1, agg, R1, agg, newest)
    ends.end += 1
    while j & 1 == 0 and (j >> 1) - 1 >= ends.front >> (level + 1):
        older, newer = tail(ends, level, j - 2), tail(ends, level, j - 1)
        level, j = level + 1, (j >> 1) - 1
        above = tail(ends, level, j)
        w.time[above] = w.time[newer]
        combine(w.op, agg, above, agg, older, agg, newer)
    if level > ends.top:
        ends.top = level
    elif level == ends.top:
        ends.due = 1


@kernel
def have_heads(w, front, most):
    """Have the oldest element and the right nodes of the first pairs of levels 0 .. most at hand."""
    ends, level = w.ends[0], 0
    if front < ends.end:
        place(w, 0, front)
    while level <= most and front >> level < nodes(ends, level):
        j = front >> level
        if j & 1 == 0 and j + 1 < nodes(ends, level):
            place(w, level, j + 1)
        level += 1


@few.of(KVSAMTA)
def _(w, front):
    """Nor more than a quarter of what a cache takes: what is at hand for the last must outlast the others."""
    ends = w.ends[0]
    return front - ends.front <= max(min(ends.top, ends.buffer // 4), 1)


@ready.of(KVSAMTA)
def _(w, front):
    """For each of a few that go, the pairs that begin with the next; for many, or all of R0, those of every level."""
    ends = w.ends[0]
    if ends.due == 1:
        have_heads(w, ends.front, ends.levels)
    singly = few(w, front)
    for i in range(ends.front + 1 if singly else front, front + 1):
        most = 0
        while most < ends.levels and ((i >> most) & 1 == 0 or not singly or i == ends.left or ends.due == 1):
            most += 1
        have_heads(w, i, most)


@bulk_evict.of(KVSAMTA)
def _(w, time):
    leave(w, first_after(w, time))


def check(w) -> None:
    """Whole nodes here and in the store, the result pair and the stack, against the elements."""
    ends = w.ends[0]
    front, left_end, end = int(ends.front), int(ends.left), int(ends.end)
    levels = [level for level in range(64) if front >> level < nodes(ends, level)]
    check_levels(w, [int(nodes(ends, level)) for level in levels], whole_only=True)
    assert ends.due == 1 or levels[-1] == ends.top, f"the top level is {levels[-1]}, not {ends.top}"
    heads = [((front >> level) + 1) << level for level in reversed(levels) if (front >> level) & 1 == 0]
    stack = [first for first in heads if first < left_end]
    assert ends.stacked == len(stack), f"{ends.stacked} aggregates on the stack, not {len(stack)}"
    for depth, first in enumerate(stack):
        check_fold(w, STACK + depth, first, left_end, f"stack[{depth}]")
    check_fold(w, R0, front, left_end, "R0")
    check_fold(w, R1, left_end, end, "R1")


CARD = Card(
    name="kvs_amta",
    title="Amortised MTA in a key-value store",
    paper="Villalba, Berral, Carrera 2018, sections 4.1.5 and 4.2",
    order=IN_ORDER,
    operations=("insert", "evict", "query", "bulk_insert", "bulk_evict"),
    time={
        "insert": "amortised 2, worst log2 n + 2",
        "evict": "amortised 1, worst 3 log2 n + 3",
        "query": "1",
        "bulk_insert": "at most 2 m + log2 n",
        "bulk_evict": "at most 3 log2 n + 3, and log2 n steps and reads of the store",
    },
    space="4 cache log2 n here, 2 n in the store",
    window=KVSAMTA,
    layout=levels.layout,
    prepare=prepare,
    check=check,
    parameters=levels.PARAMETERS,
)
