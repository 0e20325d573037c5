"""Two-stacks: a queue of two stacks that keep the aggregate of what lies below beside every value.

Folklore (adamax: Implement a queue in which push_rear(), pop_front() and get_min() are all constant time operations,
Stack Overflow 4802038, 2011); the amortised baseline of the DABA and FiBA papers.

    front stack                                   back stack
    values      v1       v2      v3   v4          v5   v6        v7
    aggregates  v1..v4   v2..v4  v3v4 v4          v5   v5 v6     v5..v7

The window is front's first aggregate + back's last. When the front stack is empty the next evict flips the back stack
onto it: n - 1 combines once for n elements.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, Kept, aggregate, evict, insert
from algorithms.windows.in_order.ring import (
    FIXED,
    aggregate_at,
    check_ring,
    pointers,
    ring_layout,
    set_mask,
    share,
    stretches,
    value_at,
)

ENDS = pointers("front", "back", "end")
"""Elements front .. back - 1 are the front stack, back .. end - 1 the back stack."""


@share
class TwoStacks(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots
    """The result, a ring of aggregates, a ring of values."""


@kernel
def flip(w):
    """Turn the back stack into the front stack: aggregates then run from each element to the end."""
    ends, agg = w.ends[0], w.agg
    last = ends.end - 1
    agg[aggregate_at(ends, last)] = agg[value_at(ends, last)]
    for i in range(last - 1, ends.front - 1, -1):
        combine(w.op, agg, aggregate_at(ends, i), agg, value_at(ends, i), agg, aggregate_at(ends, i + 1))
    ends.back = ends.end


@insert.of(TwoStacks)
def _(w, time, value):
    ends, agg, i = w.ends[0], w.agg, w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, agg, value_at(ends, i), value)
    if ends.back == i:
        agg[aggregate_at(ends, i)] = agg[value_at(ends, i)]
    else:
        combine(w.op, agg, aggregate_at(ends, i), agg, aggregate_at(ends, i - 1), agg, value_at(ends, i))
    ends.end = i + 1


@evict.of(TwoStacks)
def _(w):
    ends = w.ends[0]
    if ends.front == ends.back:
        flip(w)
    ends.front += 1


@aggregate.of(TwoStacks)
def _(w, dst, k):
    ends, agg = w.ends[0], w.agg
    if ends.front == ends.end:
        unit(w.op, dst, k)
    elif ends.front == ends.back:
        dst[k] = agg[aggregate_at(ends, ends.end - 1)]
    elif ends.back == ends.end:
        dst[k] = agg[aggregate_at(ends, ends.front)]
    else:
        combine(w.op, dst, k, agg, aggregate_at(ends, ends.front), agg, aggregate_at(ends, ends.end - 1))


def kept(w: Any) -> Iterator[Kept]:
    """The aggregates of both stacks; those of the front one run from each element to the youngest of the stack."""
    ends = w.ends[0]
    yield from stretches(w, "front stack", ends.front, ends.back, lambda i: (i, ends.back), FIXED)
    yield from stretches(w, "back stack", ends.back, ends.end, lambda i: (ends.back, i + 1), FIXED)


CARD = Card(
    name="two_stacks",
    title="Two-stacks",
    paper="adamax 2011",
    order=IN_ORDER,
    operations=("insert", "evict", "query"),
    time={"insert": "at most 1", "evict": "amortised 1, worst n - 1", "query": "at most 1"},
    space="2 n",
    window=TwoStacks,
    layout=ring_layout(ENDS, FIXED, 2),
    prepare=set_mask,
    check=lambda w: check_ring(w, "front", "back", "end"),
    kept=kept,
)
