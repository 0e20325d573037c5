"""Log MTA, the Monoid Tree Aggregator: one tree that grows on the right and is pruned on the left.

Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced Memory Footprint and Efficient Bulk
Evictions (IEEE TPDS, 2018), section 4.1, Algorithms 1 and 2. Every change is carried up one branch to the root, so that
every operation costs O(log n) combines: an insert, an evict, and an eviction of any number of elements at once.

    level 2     3 ---------- 3 .             the pair of the top level is the root
    level 1     1 1          2 2     3 .     a pair's aggregate is the node above it
    level 0     1 2    1 2   1 2             (sums: the elements are the lowest level)
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel, row
from algorithms.operators.monoid import combine, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, aggregate, bulk_evict, bulk_insert, evict, insert
from algorithms.windows.in_order.mta import at, check_nodes, level_layout, level_pointers, node, ready
from algorithms.windows.in_order.ring import FIXED, find, share
from algorithms.windows.slider import TOTAL, goes, head, remember, slide

ENDS = level_pointers("top")
"""`top` is the lowest level of at most two nodes."""


@share
class LogMTA(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots
    """The result, then the levels."""


def prepare(w, capacity: int) -> None:
    w.ends[0].mask, w.ends[0].width = len(w.time) - 1, 2 * len(w.time)


@at.of(LogMTA)
def _(w, level, j):
    return node(w.ends[0], FIXED, level, j)


@kernel
def renew(w, level, j):
    """Write node j of a level above 0: the monoid of its pair, or the one node that is left of it or there so far."""
    ends, left_node = w.ends[0], 2 * j
    to = at(w, level, j)
    if left_node < ends.front >> (level - 1):
        w.agg[to] = w.agg[at(w, level - 1, left_node + 1)]
    elif left_node == (ends.end - 1) >> (level - 1):
        w.agg[to] = w.agg[at(w, level - 1, left_node)]
    else:
        combine(w.op, w.agg, to, w.agg, at(w, level - 1, left_node), w.agg, at(w, level - 1, left_node + 1))


@kernel
def nodes_above_first(ends, level):
    """How many nodes a level has beside its first."""
    return ((ends.end - 1) >> level) - (ends.front >> level)


@kernel
def grow(w, first):
    """Carry elements first .. end - 1, the newest, up to the root (Algorithm 1). A new level is made as a whole."""
    ends, level = w.ends[0], 0
    while nodes_above_first(ends, level) > 1:
        level += 1
        changed = first >> level if level <= ends.top else ends.front >> level
        for j in range(max(changed, ends.front >> level), ((ends.end - 1) >> level) + 1):
            renew(w, level, j)
    ends.top = level


@insert.of(LogMTA)
def _(w, time, value):
    ends, i = w.ends[0], w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, w.agg, at(w, 0, i), value)
    ends.end = i + 1
    grow(w, i)


@bulk_insert.of(LogMTA)
def _(w, times, values, first, last):
    ends, i = w.ends[0], w.ends[0].end
    for k in range(first, last):
        w.time[ends.end & ends.mask] = times[k]
        lift(w.op, w.agg, at(w, 0, ends.end), row(values, k))
        ends.end += 1
    if first < last:
        grow(w, i)


@kernel
def prune(w, front):
    """Remove the elements before `front`, any number: make the nodes of the leftmost branch anew, from the leaf up."""
    ends, level = w.ends[0], 0
    ready(w, front)
    ends.front = front
    while front < ends.end and nodes_above_first(ends, level) > 1:
        level += 1
        renew(w, level, front >> level)
    ends.top = level


@evict.of(LogMTA)
def _(w):
    prune(w, w.ends[0].front + 1)


@bulk_evict.of(LogMTA)
def _(w, time):
    front = find(w, time + 1)
    if front > w.ends[0].front:
        prune(w, front)


@aggregate.of(LogMTA)
def _(w, dst, k):
    ends = w.ends[0]
    root = ends.front >> ends.top
    if ends.front == ends.end:
        unit(w.op, dst, k)
    elif nodes_above_first(ends, ends.top) == 0:
        dst[k] = w.agg[at(w, ends.top, root)]
    else:
        combine(w.op, dst, k, w.agg, at(w, ends.top, root), w.agg, at(w, ends.top, root + 1))


@remember.of(LogMTA)
def _(w, s, value, before):
    pass  # level 0 has the values


@head.of(LogMTA)
def _(w, s, dst, k):
    dst[k] = w.agg[at(w, 0, w.ends[0].front)]


@slide.of(LogMTA)
def _(w, s):
    """Algorithm 2: from the root down, the left node of the pair that did not go as a whole."""
    ends, level = w.ends[0], w.ends[0].top
    front = ends.front
    aggregate(w, s.partials, TOTAL)
    while front < ends.end and goes(w.op, s, w.agg, at(w, level, front >> level), front == ends.front):
        front = min(((front >> level) + 1) << level, ends.end)
    while level > 0 and front < ends.end:
        level -= 1
        j = front >> level
        is_half = j & 1 == 0 and j < (ends.end - 1) >> level  # else it is all of the pair
        if is_half and goes(w.op, s, w.agg, at(w, level, j), front == ends.front):
            front = (j + 1) << level
    if front > ends.front:
        prune(w, min(front, ends.end))


def check(w) -> None:
    """Every node up to the top against its elements, and that the top is the lowest level of at most two nodes."""
    ends, top = w.ends[0], int(w.ends[0].top)
    last = int(ends.end) - 1
    if ends.end > ends.front:
        assert nodes_above_first(ends, top) <= 1, "the top level has more than two nodes"
        assert top == 0 or nodes_above_first(ends, top - 1) > 1, "the level under the top would do"
    check_nodes(w, FIXED, [(last >> level) + 1 for level in range(top + 1)], whole_only=False)


CARD = Card(
    name="log_mta",
    title="Log MTA, the Monoid Tree Aggregator",
    paper="Villalba, Berral, Carrera 2018, section 4.1",
    order=IN_ORDER,
    operations=("insert", "evict", "query", "bulk_insert", "bulk_evict"),
    time={
        "insert": "at most log2 n + 2",
        "evict": "at most log2 n",
        "query": "at most 1",
        "bulk_insert": "at most m + 2 log2 n + 2",
        "bulk_evict": "at most log2 n, and log2 n steps",
    },
    space="3 n, with n rounded up to a power of two",
    window=LogMTA,
    layout=level_layout(ENDS, FIXED, 2),
    prepare=prepare,
    check=check,
)
