"""Subtract on evict: one running aggregate, from which the oldest value is taken off again.

The standard way to slide an invertible aggregate (Tangwongsan et al.: General Incremental Sliding-Window Aggregation,
PVLDB 8(7), 2015, section 3.2). Only for operators with an inverse; the card refuses the others. Rounding errors of
floating-point partials stay in the aggregate for good.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from algorithms.kernel import Slots
from algorithms.operators.monoid import combine, lift, undo
from algorithms.windows.contract import GROUP, IN_ORDER, Card, Kept, aggregate, evict, insert
from algorithms.windows.in_order.ring import (
    FIXED,
    check_ring,
    itself,
    place,
    pointers,
    ring_layout,
    set_mask_and_running,
    share,
    stretches,
)

ALL, RING = FIXED, FIXED + 1
ENDS = pointers("front", "end")


@share
class SubtractOnEvict(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots
    """The result, the aggregate of ALL, a ring of values."""


@insert.of(SubtractOnEvict)
def _(w, time, value):
    ends, i = w.ends[0], w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, w.agg, place(ends, RING, i), value)
    combine(w.op, w.agg, ALL, w.agg, ALL, w.agg, place(ends, RING, i))
    ends.end = i + 1


@evict.of(SubtractOnEvict)
def _(w):
    ends = w.ends[0]
    undo(w.op, w.agg, ALL, w.agg, ALL, w.agg, place(ends, RING, ends.front))
    ends.front += 1


@aggregate.of(SubtractOnEvict)
def _(w, dst, k):
    dst[k] = w.agg[ALL]


ROUNDING = (
    "errors of float partials stay when values leave: of a sum, up to eps times the largest sum |x| of any window so "
    "far, for each insert and evict since the window was made; of compensated_sum, up to 4 n eps^2 times that"
)


def kept(w: Any) -> Iterator[Kept]:
    """The running aggregate, and the values that are still to be taken off."""
    ends = w.ends[0]
    if ends.front < ends.end:
        yield Kept("all", 0, int(ends.end - ends.front), ALL)
    yield from stretches(w, "values", ends.front, ends.end, itself, RING)


CARD = Card(
    name="soe",
    title="Subtract on evict",
    paper="Tangwongsan et al. 2015, section 3.2",
    order=IN_ORDER,
    operations=("insert", "evict", "query"),
    time={"insert": "1", "evict": "1 undo", "query": "0"},
    space="n + 1",
    window=SubtractOnEvict,
    layout=ring_layout(ENDS, RING, 1),
    prepare=set_mask_and_running,
    check=lambda w: check_ring(w, "front", "end"),
    law=GROUP,
    rounding=ROUNDING,
    kept=kept,
)
