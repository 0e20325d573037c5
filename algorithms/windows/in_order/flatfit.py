"""FlatFIT: every element points past the stretch that its partial covers, and a query shortens the paths it takes.

Shein, Chrysanthis, Labrinidis: FlatFIT: Accelerated Incremental Sliding-Window Aggregation for Real-Time Analytics
(SSDBM 2017). A query walks from the oldest element along the pointers to the end, then folds back and lets every
element on the way cover everything up to the end: amortised a constant number of combines, at worst n - 1.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, lift, unit
from algorithms.windows.contract import IN_ORDER, Card, Kept, aggregate, evict, insert
from algorithms.windows.in_order.ring import FIXED, check_ring, place, pointers, set_mask, share, stretches

RING = FIXED
ENDS = pointers("front", "end")


@share
class FlatFit(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    next: Slots
    """The number of the element after the stretch that each partial covers."""
    path: Slots
    agg: Slots


def layout(op, capacity: int) -> dict:
    ring, word = 1 << max(capacity - 1, 0).bit_length(), np.dtype("i8")
    return {
        "ends": (1, ENDS),
        "time": (ring, word),
        "next": (ring, word),
        "path": (ring, word),
        "agg": (RING + ring, op.dtype),
    }


@insert.of(FlatFit)
def _(w, time, value):
    ends, i = w.ends[0], w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, w.agg, place(ends, RING, i), value)
    w.next[i & ends.mask] = i + 1
    ends.end = i + 1


@evict.of(FlatFit)
def _(w):
    w.ends[0].front += 1


@kernel
def shorten(w):
    """Let every element on the path from the oldest cover everything up to the end."""
    ends, agg = w.ends[0], w.agg
    i, steps = ends.front, 0
    while w.next[i & ends.mask] != ends.end:
        w.path[steps] = i
        i, steps = w.next[i & ends.mask], steps + 1
    while steps > 0:
        steps -= 1
        before = w.path[steps]
        combine(w.op, agg, place(ends, RING, before), agg, place(ends, RING, before), agg, place(ends, RING, i))
        w.next[before & ends.mask] = ends.end
        i = before


@aggregate.of(FlatFit)
def _(w, dst, k):
    ends = w.ends[0]
    if ends.front == ends.end:
        unit(w.op, dst, k)
    else:
        shorten(w)
        dst[k] = w.agg[place(ends, RING, ends.front)]


def check(w) -> None:
    """Pointers of elements lead forward and not past the end."""
    check_ring(w, "front", "end")
    ends = w.ends[0]
    for i in range(ends.front, ends.end):
        assert i < w.next[i & int(ends.mask)] <= ends.end, f"element {i} points to {w.next[i & int(ends.mask)]}"


def kept(w: Any) -> Iterator[Kept]:
    """The partial of each element, up to where it points."""
    ends = w.ends[0]
    yield from stretches(w, "partials", ends.front, ends.end, lambda i: (i, w.next[i & int(ends.mask)]), RING)


CARD = Card(
    name="flatfit",
    title="FlatFIT",
    paper="Shein, Chrysanthis, Labrinidis 2017",
    order=IN_ORDER,
    operations=("insert", "evict", "query"),
    time={"insert": "0", "evict": "0", "query": "amortised at most 2, and 1 for each insert; worst n - 1"},
    space="n",
    window=FlatFit,
    layout=layout,
    prepare=set_mask,
    check=check,
    kept=kept,
)
