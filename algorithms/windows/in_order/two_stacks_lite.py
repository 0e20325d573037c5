"""Two-stacks lite: a queue of two stacks that keeps one partial aggregate per element, and one more.

Two-stacks is folklore (adamax, Stack Overflow 4802038, 2011). The lite form, without the values under the aggregates of
the front stack: Tangwongsan, Hirzel, Schneider: In-Order Sliding-Window Aggregation in Worst-Case Constant Time (The
VLDB Journal 30, 2021), section on Two-Stacks Lite.

    front stack: suffixes of its values      back stack: lifted values       back
    v1..v4   v2..v4   v3..v4   v4            v5   v6   v7                    v5 + v6 + v7

The window is front's first + back. When the front stack is empty the next evict flips: it turns the whole back stack
into suffixes, oldest last, which costs n - 1 combines once for n elements.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, Kept, aggregate, evict, insert
from algorithms.windows.in_order.ring import (
    FIXED,
    check_ring,
    itself,
    pointers,
    ring_layout,
    set_mask_and_running,
    share,
    stretches,
)

BACK, RING = FIXED, FIXED + 1
"""agg[BACK] is the aggregate of the back stack; the ring of partials begins at agg[RING]."""

ENDS = pointers("front", "back", "end")
"""Elements front .. back - 1 are the front stack, back .. end - 1 the back stack."""


@share
class TwoStacksLite(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots


@kernel
def flip(w):
    """Turn the back stack into the front stack: n - 1 combines."""
    ends = w.ends[0]
    front, mask = ends.front, ends.mask
    i = ends.end - 1
    while i > front:
        older = RING + ((i - 1) & mask)
        combine(w.op, w.agg, older, w.agg, older, w.agg, RING + (i & mask))
        i -= 1
    ends.back = ends.end
    unit(w.op, w.agg, BACK)


@insert.of(TwoStacksLite)
def _(w, time, value):
    ends = w.ends[0]
    p = ends.end & ends.mask
    w.time[p] = time
    lift(w.op, w.agg, RING + p, value)
    combine(w.op, w.agg, BACK, w.agg, BACK, w.agg, RING + p)
    ends.end += 1


@evict.of(TwoStacksLite)
def _(w):
    ends = w.ends[0]
    if ends.front == ends.back:
        flip(w)
    ends.front += 1


@aggregate.of(TwoStacksLite)
def _(w, dst, k):
    ends = w.ends[0]
    if ends.front == ends.back:
        dst[k] = w.agg[BACK]
    else:
        combine(w.op, dst, k, w.agg, RING + (ends.front & ends.mask), w.agg, BACK)


def kept(w: Any) -> Iterator[Kept]:
    """Suffixes of the front stack, values of the back stack, and their aggregate."""
    ends, front = w.ends[0], int(w.ends[0].front)
    yield from stretches(w, "front stack", front, ends.back, lambda i: (i, ends.back), RING)
    yield from stretches(w, "back stack", ends.back, ends.end, itself, RING)
    if ends.back < ends.end:
        yield Kept("back", int(ends.back) - front, int(ends.end) - front, BACK)


CARD = Card(
    name="two_stacks_lite",
    title="Two-stacks lite",
    paper="Tangwongsan, Hirzel, Schneider 2021",
    order=IN_ORDER,
    operations=("insert", "evict", "query"),
    time={"insert": "1", "evict": "amortised 1, worst n - 1", "query": "at most 1"},
    space="n + 1",
    window=TwoStacksLite,
    layout=ring_layout(ENDS, RING, 1),
    prepare=set_mask_and_running,
    check=lambda w: check_ring(w, "front", "back", "end"),
    kept=kept,
)
