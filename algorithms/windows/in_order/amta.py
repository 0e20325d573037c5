"""Amortised MTA: a forest whose nodes are computed once, a stack of what is left when the oldest go, a result pair.

Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced Memory Footprint and Efficient Bulk
Evictions (IEEE TPDS, 2018), section 4.2, Algorithms 3 to 7. Only a pair that is not the last of its level has a node
above it (so that node is final, and the last pair of each level is the root of its own tree, Invariant 3):

    level 2     7 .                                      R0 = 7, the leftmost tree, of the top level
    level 1     4 3          3 1                         R1 = (3 + 1) + (3 + 1), the other trees
    level 0     1 3    2 1   2 1    1 0    3 1           stack: 3, and 3 + 3: R0 without the head of level 1, of level 0

The window is R0 + R1. An insert adds to R1, and an evict takes the next R0 from the stack; both amortised O(1). Node j
of level l exists as soon as element (j + 2) 2^l - 2 does. Nodes that have lost elements are not recomputed: they are
never read again, since every look at the left side begins with the oldest element.
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots, generic, kernel
from algorithms.operators.monoid import combine, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, aggregate, bulk_evict, evict, insert
from algorithms.windows.in_order.mta import at, check_fold, check_nodes, level_layout, level_pointers, node, ready
from algorithms.windows.in_order.ring import FIXED, find, share
from algorithms.windows.slider import TOTAL, goes, head, remember, slide

R0, R1, STACK = FIXED, FIXED + 1, FIXED + 2
"""agg[R0] and agg[R1] are the result pair; the stack begins at agg[STACK], and at agg[FOREST] the levels."""
FOREST = STACK + 64

ENDS = level_pointers("top", "stacked", "left", "due")
"""`top` is the highest level, `stacked` the height of the stack, `left` the element after those in R0. `due` is 1 when
the leftmost tree has changed, so that R0, R1 and stack must be made anew before the next eviction."""


@share
class AMTA(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots


def prepare(w, capacity: int) -> None:
    w.ends[0].mask, w.ends[0].width = len(w.time) - 1, len(w.time)
    clear(w)


@at.of(AMTA)
def _(w, level, j):
    return node(w.ends[0], FOREST, level, j)


@kernel
def nodes(ends, level):
    """The number of the first node of a level that does not exist yet."""
    return ((ends.end + 1) >> level) - 1


@kernel
def clear(w):
    """Make the window empty."""
    ends = w.ends[0]
    unit(w.op, w.agg, R0)
    unit(w.op, w.agg, R1)
    ends.top, ends.stacked, ends.left, ends.due = 0, 0, ends.end, 1


@insert.of(AMTA)
def _(w, time, value):
    """Algorithm 3. A pair gets its node when the next pair of its level begins."""
    ends, agg, level, j = w.ends[0], w.agg, 0, w.ends[0].end
    w.time[j & ends.mask] = time
    lift(w.op, agg, at(w, 0, j), value)
    combine(w.op, agg, R1, agg, R1, agg, at(w, 0, j))
    ends.end += 1
    while j & 1 == 0 and (j >> 1) - 1 >= ends.front >> (level + 1):
        older, newer = at(w, level, j - 2), at(w, level, j - 1)  # the pair before; half of it may have left
        level, j = level + 1, (j >> 1) - 1
        combine(w.op, agg, at(w, level, j), agg, older, agg, newer)
    if level > ends.top:
        ends.top = level
    elif level == ends.top:  # the leftmost tree has got its right half
        ends.due = 1


@kernel
def push(w, level, j):
    """Stack node j of a level in front of what is stacked (Algorithms 4 and 7)."""
    ends = w.ends[0]
    top = STACK + ends.stacked
    if ends.stacked == 0:
        w.agg[top] = w.agg[at(w, level, j)]
    else:
        combine(w.op, w.agg, top, w.agg, at(w, level, j), w.agg, top - 1)
    ends.stacked += 1


@kernel
def compute_left_result(w):
    """Algorithm 4: the stack from the heads of the levels, the highest first, and R0, the oldest element before it."""
    ends, level = w.ends[0], w.ends[0].top
    ends.stacked, ends.left = 0, nodes(ends, level) << level
    while level >= 0:
        j = ends.front >> level
        if j & 1 == 0 and j + 1 < nodes(ends, level):
            push(w, level, j + 1)
        level -= 1
    oldest = at(w, 0, ends.front)
    if ends.stacked == 0:
        w.agg[R0] = w.agg[oldest]
    else:
        combine(w.op, w.agg, R0, w.agg, oldest, w.agg, STACK + ends.stacked - 1)


@kernel
def compute_right_result(w):
    """Algorithm 5: the last pairs of all levels below the top. Those of higher levels are older."""
    ends, agg = w.ends[0], w.agg
    unit(w.op, agg, R1)
    for level in range(ends.top):
        last = nodes(ends, level) - 1
        combine(w.op, agg, R1, agg, at(w, level, last), agg, R1)
        if last & 1 == 1:
            combine(w.op, agg, R1, agg, at(w, level, last - 1), agg, R1)


@kernel(inline=False)
def compute_results(w):
    """Make the result pair and the stack anew: O(log n) combines."""
    ends = w.ends[0]
    ends.top = 0
    while ends.front >> (ends.top + 1) < nodes(ends, ends.top + 1):
        ends.top += 1
    compute_left_result(w)
    compute_right_result(w)
    ends.due = 0


@evict.of(AMTA)
def _(w):
    """Algorithm 6. The heads that follow the pairs removed go on the stack, the highest first (Algorithm 7)."""
    ends = w.ends[0]
    ready(w, ends.front + 1)
    if ends.due == 1:
        compute_results(w)
    ends.front += 1
    front, level = ends.front, 0
    if front == ends.left:
        renew(w)
        return
    ends.stacked -= 1
    w.agg[R0] = w.agg[STACK + ends.stacked]
    while (front >> level) & 1 == 0:  # the pair before on this level has lost both
        level += 1
    while level > 0:
        level -= 1
        push(w, level, (front >> level) + 1)


@kernel
def renew(w):
    """The results after more elements than one, or all of R0, were removed."""
    ends = w.ends[0]
    if ends.front == ends.end:
        clear(w)
    elif ends.front < ends.left and ends.due == 0:
        compute_left_result(w)
    else:
        compute_results(w)


@generic
def few(w, front):
    """Whether the elements before `front` are so few that they go one by one."""


@few.default
def _(w, front):
    return front - w.ends[0].front <= w.ends[0].top


@kernel
def leave(w, front):
    """Remove the elements before `front`: one by one if they are few, else all at once (section 4.2.4)."""
    ends = w.ends[0]
    ready(w, front)
    if few(w, front):
        while ends.front < front:
            evict(w)
    else:
        ends.front = front
        renew(w)


@bulk_evict.of(AMTA)
def _(w, time):
    leave(w, find(w, time + 1))


@aggregate.of(AMTA)
def _(w, dst, k):
    combine(w.op, dst, k, w.agg, R0, w.agg, R1)


@remember.of(AMTA)
def _(w, s, value, before):
    pass  # level 0 has the values


@head.of(AMTA)
def _(w, s, dst, k):
    dst[k] = w.agg[at(w, 0, w.ends[0].front)]


@kernel
def exists(ends, level, front):
    """Whether the node of a level that contains element `front` exists."""
    return front >> level < nodes(ends, level)


@slide.of(AMTA)
def _(w, s):
    """Up from the oldest element to ever larger trees, and down from the first that does not go as a whole."""
    ends, level, up = w.ends[0], 0, True
    front = ends.front
    aggregate(w, s.partials, TOTAL)
    while level >= 0 and front < ends.end:
        first = at(w, level, front >> level)
        if exists(ends, level, front) and goes(w.op, s, w.agg, first, front == ends.front):
            front += 1 << level
            is_left = (front >> level) & 1 == 0
            if up and is_left and front > ends.front + 1:  # most often one element goes, and the next stays
                level += 1
            elif not up and not is_left and exists(ends, level + 1, front):  # the pair as a whole did not go
                level -= 1
        else:
            up = False
            level -= 1
    leave(w, front)


def check(w) -> None:
    """Whole nodes, the result pair and the stack against the elements."""
    ends = w.ends[0]
    front, left_end, end = int(ends.front), int(ends.left), int(ends.end)
    levels = [level for level in range(64) if front >> level < nodes(ends, level)]
    check_nodes(w, FOREST, [int(nodes(ends, level)) for level in levels], whole_only=True)
    assert ends.due == 1 or levels[-1] == ends.top, f"the top level is {levels[-1]}, not {ends.top}"
    heads = [((front >> level) + 1) << level for level in reversed(levels) if (front >> level) & 1 == 0]
    stack = [head for head in heads if head < left_end]
    assert ends.stacked == len(stack), f"{ends.stacked} aggregates on the stack, not {len(stack)}"
    for place, first in enumerate(stack):
        check_fold(w, FOREST, range(first, left_end), STACK + place, f"place {place} of the stack")
    check_fold(w, FOREST, range(front, left_end), R0, "R0")
    check_fold(w, FOREST, range(left_end, end), R1, "R1")


CARD = Card(
    name="amta",
    title="Amortised MTA, the Monoid Tree Aggregator in constant time",
    paper="Villalba, Berral, Carrera 2018, section 4.2",
    order=IN_ORDER,
    operations=("insert", "evict", "query", "bulk_insert", "bulk_evict"),
    time={
        "insert": "amortised 2, worst log2 n + 2",
        "evict": "amortised 1, worst 3 log2 n + 3",
        "query": "1",
        "bulk_insert": "at most 2 m + log2 n",
        "bulk_evict": "at most 3 log2 n + 3, and log2 n steps",
    },
    space="2 n + 67, with n rounded up to a power of two",
    window=AMTA,
    layout=level_layout(ENDS, FOREST, 1),
    prepare=prepare,
    check=check,
)
