"""DABA lite: DABA with one partial aggregate an element and two more, and one combine less a step.

Tangwongsan, Hirzel, Schneider: In-Order Sliding-Window Aggregation in Worst-Case Constant Time (The VLDB Journal 30,
2021), section on DABA Lite. The parts are those of daba.py; an element holds either its value or an aggregate:

    i..B-1      i..R-1      value       i..B-1      value
    front ....  L ........  R ........  A ........  B ........  end

The values of right and of back are needed only as a whole: R..B-1 does not change while elements move from right to the
accumulator (MIDDLE), and B..E-1 is summed up as it grows (BACK).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, Kept, aggregate, evict, insert
from algorithms.windows.in_order.daba import ENDS, POINTERS, check_parts
from algorithms.windows.in_order.ring import FIXED, itself, place, ring_layout, set_mask_and_running, share, stretches

BACK, MIDDLE, RING = FIXED, FIXED + 1, FIXED + 2


@share
class DabaLite(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots
    """The result, BACK, MIDDLE, a ring of elements."""


@kernel
def fix_up(w):
    """One step of the work that a flip would do at once."""
    ends, agg = w.ends[0], w.agg
    if ends.front == ends.B:  # one element, or none: done
        ends.L = ends.R = ends.A = ends.B = ends.end
        unit(w.op, agg, BACK)
        return
    if ends.L == ends.B:  # flip
        ends.L, ends.R = ends.front, ends.B
        ends.A = ends.B = ends.end
        agg[MIDDLE] = agg[BACK]
        unit(w.op, agg, BACK)
    if ends.L == ends.R:  # shift
        ends.L += 1
        ends.R += 1
        ends.A += 1
    else:  # shrink
        combine(w.op, agg, place(ends, RING, ends.L), agg, place(ends, RING, ends.L), agg, MIDDLE)
        if ends.A < ends.B:
            joins = place(ends, RING, ends.A - 1)
            combine(w.op, agg, joins, agg, joins, agg, place(ends, RING, ends.A))
        ends.L += 1
        ends.A -= 1


@insert.of(DabaLite)
def _(w, time, value):
    ends, i = w.ends[0], w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, w.agg, place(ends, RING, i), value)
    combine(w.op, w.agg, BACK, w.agg, BACK, w.agg, place(ends, RING, i))
    ends.end = i + 1
    fix_up(w)


@evict.of(DabaLite)
def _(w):
    w.ends[0].front += 1
    fix_up(w)


@aggregate.of(DabaLite)
def _(w, dst, k):
    ends, agg = w.ends[0], w.agg
    if ends.front == ends.B:
        dst[k] = agg[BACK]
    else:
        combine(w.op, dst, k, agg, place(ends, RING, ends.front), agg, BACK)


def kept(w: Any) -> Iterator[Kept]:
    """The aggregates and values of the five parts, and the two aggregates of right and back."""
    front, left, right, accumulator, back, end = (int(w.ends[0][name]) for name in POINTERS)
    yield from stretches(w, "done", front, left, lambda i: (i, back), RING)
    yield from stretches(w, "left", left, right, lambda i: (i, right), RING)
    yield from stretches(w, "right", right, accumulator, itself, RING)
    yield from stretches(w, "accumulator", accumulator, back, lambda i: (i, back), RING)
    yield from stretches(w, "back", back, end, itself, RING)
    if left < right:
        yield Kept("middle", right - front, back - front, MIDDLE)
    if back < end:
        yield Kept("back as a whole", back - front, end - front, BACK)


CARD = Card(
    name="daba_lite",
    title="DABA lite",
    paper="Tangwongsan, Hirzel, Schneider 2021",
    order=IN_ORDER,
    operations=("insert", "evict", "query"),
    time={"insert": "at most 3", "evict": "at most 2", "query": "at most 1"},
    space="n + 2",
    window=DabaLite,
    layout=ring_layout(ENDS, RING, 1),
    prepare=set_mask_and_running,
    check=check_parts,
    kept=kept,
)
