"""SlickDeque: a running aggregate for invertible operators, a deque of values that can still win for selective ones.

Shein, Chrysanthis, Labrinidis: SlickDeque: High Throughput and Low Latency Incremental Sliding-Window Aggregation (EDBT
2018). The operator's laws choose the variant. Where a + b is always a or b, a value a with a + b = b can never be the
answer once b has come, so it is dropped from the young end; what remains has the answer at the old end. Input that
keeps falling keeps the deque long: a single insert may drop n values.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import SELECTIVE, combine, equal, lift, unit
from algorithms.windows.contract import IN_ORDER, SELECTIVE_OR_GROUP, Card, Kept, aggregate, evict, insert
from algorithms.windows.in_order import soe
from algorithms.windows.in_order.ring import FIXED, check_ring, place, pointers, set_mask_and_running, share

NEW, BEST, RING = FIXED, FIXED + 1, FIXED + 2
"""agg[NEW] is a value on its way in, agg[BEST] it combined with the youngest kept; then the ring of values kept."""

ENDS = pointers("first", "last", "front", "end")
"""Values kept are first .. last - 1, numbered by themselves; elements in the window are front .. end - 1."""


@share
class SlickDeque(NamedTuple):
    """The variant for selective operators; the invertible one is SubtractOnEvict."""

    op: Any
    ends: Slots
    time: Slots
    number: Slots
    """Which element each value kept is."""
    agg: Slots


def layout(op, capacity: int) -> dict:
    if SELECTIVE not in op.laws:
        return soe.CARD.layout(op, capacity)
    ring, word = 1 << max(capacity - 1, 0).bit_length(), np.dtype("i8")
    return {"ends": (1, ENDS), "time": (ring, word), "number": (ring, word), "agg": (RING + ring, op.dtype)}


def window(op, *fields):
    return (SlickDeque if SELECTIVE in op.laws else soe.SubtractOnEvict)(op, *fields)


@kernel
def loses(w, i):
    """Whether the value kept at number i can no longer be the answer: with the new one it gives the new one."""
    combine(w.op, w.agg, BEST, w.agg, place(w.ends[0], RING, i), w.agg, NEW)
    return equal(w.op, w.agg, BEST, w.agg, NEW)


@insert.of(SlickDeque)
def _(w, time, value):
    ends, i = w.ends[0], w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, w.agg, NEW, value)
    while ends.last > ends.first and loses(w, ends.last - 1):
        ends.last -= 1
    w.agg[place(ends, RING, ends.last)] = w.agg[NEW]
    w.number[ends.last & ends.mask] = i
    ends.last += 1
    ends.end = i + 1


@evict.of(SlickDeque)
def _(w):
    ends = w.ends[0]
    if w.number[ends.first & ends.mask] == ends.front:
        ends.first += 1
    ends.front += 1


@aggregate.of(SlickDeque)
def _(w, dst, k):
    ends = w.ends[0]
    if ends.front == ends.end:
        unit(w.op, dst, k)
    else:
        dst[k] = w.agg[place(ends, RING, ends.first)]


def check(w) -> None:
    """Pointers and times; values kept are of elements in the window, oldest first."""
    if isinstance(w, soe.SubtractOnEvict):
        soe.CARD.check(w)
        return
    check_ring(w, "front", "end")
    ends = w.ends[0]
    numbers = [int(w.number[i & int(ends.mask)]) for i in range(ends.first, ends.last)]
    assert numbers == sorted(set(numbers)), "values kept are out of order"
    assert all(ends.front <= number < ends.end for number in numbers), "a value kept has left the window"
    assert bool(numbers) == (ends.front < ends.end), "no value is kept"


def kept(w: Any) -> Iterator[Kept]:
    """The values kept; each is the aggregate of the elements that it has beaten, and of itself."""
    if isinstance(w, soe.SubtractOnEvict):
        yield from soe.kept(w)
        return
    ends = w.ends[0]
    first = 0
    for i in range(int(ends.first), int(ends.last)):
        end = int(w.number[i & int(ends.mask)]) + 1 - int(ends.front)
        yield Kept("deque", first, end, RING + (i & int(ends.mask)))
        first = end


CARD = Card(
    name="slick_deque",
    title="SlickDeque",
    paper="Shein, Chrysanthis, Labrinidis 2018",
    order=IN_ORDER,
    operations=("insert", "evict", "query"),
    time={
        "insert": "1 (invertible); amortised at most 2, worst n (selective)",
        "evict": "1 undo (invertible); 0 (selective)",
        "query": "0",
    },
    space="n + 1 (invertible); between 1 and n (selective)",
    window=window,
    layout=layout,
    prepare=set_mask_and_running,  # which the invertible variant has, and the other does not mind
    check=check,
    kept=kept,
    law=SELECTIVE_OR_GROUP,
    rounding=f"selective: none; invertible: {soe.ROUNDING}",
)
