"""DABA, the de-amortised banker's aggregator: at most four combines an insert or evict, and one a query.

Tangwongsan, Hirzel, Schneider: Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time (DEBS 2017); with
proofs in In-Order Sliding-Window Aggregation in Worst-Case Constant Time (The VLDB Journal 30, 2021). Two-stacks, but
the flip is done one step an operation. Six pointers (the papers' F, L, R, A, B, E; F is `front`, E is `end`) part the
elements; written above each part is what the aggregate of its element i stands for:

    i..B-1      i..R-1      R..i        i..B-1      B..i
    front ....  L ........  R ........  A ........  B ........  end
    done        left        right       accumulator back

Invariants: left and right have the same length; front (F to B) minus back is left + right + accumulator + 1, unless all
are empty. So when front and back have grown equal, everything in front is done, and the two are made the left and the
right of a new front.
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

POINTERS = ("front", "L", "R", "A", "B", "end")
ENDS = pointers(*POINTERS)


@share
class Daba(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots
    """The result, a ring of aggregates, a ring of values."""


@kernel
def fix_up(w):
    """One step of the work that a flip would do at once."""
    ends, agg = w.ends[0], w.agg
    if ends.front == ends.B:  # one element, or none: done
        ends.L = ends.R = ends.A = ends.B = ends.end
        return
    if ends.L == ends.B:  # flip
        ends.L, ends.R = ends.front, ends.B
        ends.A = ends.B = ends.end
    if ends.L == ends.R:  # shift: what the accumulator holds is done already
        ends.L += 1
        ends.R += 1
        ends.A += 1
    else:  # shrink: one element of left gets done, one of right joins the accumulator
        left = aggregate_at(ends, ends.L)
        combine(w.op, agg, left, agg, left, agg, aggregate_at(ends, ends.A - 1))
        joins = aggregate_at(ends, ends.A - 1)
        if ends.A < ends.B:
            combine(w.op, agg, left, agg, left, agg, aggregate_at(ends, ends.A))
            combine(w.op, agg, joins, agg, value_at(ends, ends.A - 1), agg, aggregate_at(ends, ends.A))
        else:
            agg[joins] = agg[value_at(ends, ends.A - 1)]
        ends.L += 1
        ends.A -= 1


@insert.of(Daba)
def _(w, time, value):
    ends, agg, i = w.ends[0], w.agg, w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, agg, value_at(ends, i), value)
    if i == ends.B:
        agg[aggregate_at(ends, i)] = agg[value_at(ends, i)]
    else:
        combine(w.op, agg, aggregate_at(ends, i), agg, aggregate_at(ends, i - 1), agg, value_at(ends, i))
    ends.end = i + 1
    fix_up(w)


@evict.of(Daba)
def _(w):
    w.ends[0].front += 1
    fix_up(w)


@aggregate.of(Daba)
def _(w, dst, k):
    ends, agg = w.ends[0], w.agg
    if ends.front == ends.end:
        unit(w.op, dst, k)
    elif ends.end == ends.B:
        dst[k] = agg[aggregate_at(ends, ends.front)]
    else:
        combine(w.op, dst, k, agg, aggregate_at(ends, ends.front), agg, aggregate_at(ends, ends.end - 1))


def check_parts(w) -> None:
    """Pointers in order, and the two invariants on lengths."""
    check_ring(w, *POINTERS)
    f, left, right, accumulator, b, e = (int(w.ends[0][name]) for name in POINTERS)
    assert right - left == accumulator - right or left == b, "left and right differ in length"
    assert f == e or (b - f) - (e - b) == b - left + 1, "front, back and the work left to do do not balance"


def kept(w: Any) -> Iterator[Kept]:
    """The aggregates of the five parts."""
    front, left, right, accumulator, back, end = (int(w.ends[0][name]) for name in POINTERS)
    yield from stretches(w, "done", front, left, lambda i: (i, back), FIXED)
    yield from stretches(w, "left", left, right, lambda i: (i, right), FIXED)
    yield from stretches(w, "right", right, accumulator, lambda i: (right, i + 1), FIXED)
    yield from stretches(w, "accumulator", accumulator, back, lambda i: (i, back), FIXED)
    yield from stretches(w, "back", back, end, lambda i: (back, i + 1), FIXED)


CARD = Card(
    name="daba",
    title="DABA, de-amortised banker's aggregator",
    paper="Tangwongsan, Hirzel, Schneider 2017",
    order=IN_ORDER,
    operations=("insert", "evict", "query"),
    time={"insert": "at most 4", "evict": "at most 3", "query": "at most 1"},
    space="2 n",
    window=Daba,
    layout=ring_layout(ENDS, FIXED, 2),
    prepare=set_mask,
    check=check_parts,
    kept=kept,
)
