"""B-Int: aggregates of base intervals, of 1, 2, 4, 8 ... elements each, out of which any window is put together.

Arasu, Widom: Resource Sharing in Continuous Sliding-Window Aggregates (VLDB 2004), the algorithm for operators without
an inverse. It is what the Reactive Aggregator is compared with (Tangwongsan et al., PVLDB 8(7), 2015, Figure 11 and
Table 4). A base interval of level l has 2^l elements and begins at a multiple of 2^l:

    level 2     abcd              efgh
    level 1     ab      cd        ef      gh        ij
    level 0     a   b   c   d     e   f   g   h     i   j
                        window ............................      d + efgh + ij, after d, efgh and ij were completed

An arrival computes the intervals that it completes, each from its two halves: less than one combine an element. A query
goes from the oldest element to the youngest by the largest interval that begins here and does not end too late, at most
2 log2 n of them. Each level is an array of its own, a ring; the tops of levels that the window has left stay behind.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, highest_bit, kernel, trailing_zeros
from algorithms.operators.monoid import combine, lift, partials, unit
from algorithms.windows.contract import IN_ORDER, Card, Kept, aggregate, aggregate_between, bulk_evict, evict, insert
from algorithms.windows.in_order.ring import FIXED, check_ring, find, pointers, set_mask, share

ENDS = pointers("front", "end")


@share
class BaseIntervals(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots
    """The result, then the rings of the levels: as many partials as the ring has elements, half as many, ... , 1."""


def layout(op, capacity: int) -> dict:
    ring = 1 << max(capacity - 1, 0).bit_length()
    return {"ends": (1, ENDS), "time": (ring, np.dtype("i8")), "agg": (FIXED + 2 * ring - 1, op.dtype)}


@kernel
def interval(ends, level, i):
    """The slot of the base interval of this level that begins at element i."""
    ring = ends.mask + 1
    return FIXED + 2 * ring - (2 * ring >> level) + ((i & ends.mask) >> level)


@insert.of(BaseIntervals)
def _(w, time, value):
    ends, i = w.ends[0], w.ends[0].end
    w.time[i & ends.mask] = time
    lift(w.op, w.agg, interval(ends, 0, i), value)
    ends.end = i + 1
    complete(w)


@kernel
def complete(w):
    """Compute the base intervals that the youngest element is the last of."""
    ends, level, half = w.ends[0], 0, 1
    while half <= ends.mask and ends.end & (2 * half - 1) == 0:
        older, newer = ends.end - 2 * half, ends.end - half
        joined = interval(ends, level + 1, older)
        combine(w.op, w.agg, joined, w.agg, interval(ends, level, older), w.agg, interval(ends, level, newer))
        level, half = level + 1, 2 * half


@kernel
def largest(ends, i, end):
    """The level of the largest base interval that begins at element i and ends by `end`."""
    return min(trailing_zeros(i | (ends.mask + 1)), highest_bit(end - i))


@kernel
def look_up(w, i, end, dst, k):
    """dst[k] = elements i .. end - 1, put together from base intervals, the oldest first."""
    if i >= end:
        unit(w.op, dst, k)
        return
    ends = w.ends[0]
    level = largest(ends, i, end)
    dst[k] = w.agg[interval(ends, level, i)]
    i += 1 << level
    while i < end:
        level = largest(ends, i, end)
        combine(w.op, dst, k, dst, k, w.agg, interval(ends, level, i))
        i += 1 << level


@evict.of(BaseIntervals)
def _(w):
    w.ends[0].front += 1


@bulk_evict.of(BaseIntervals)
def _(w, time):
    w.ends[0].front = find(w, time + 1)


@aggregate.of(BaseIntervals)
def _(w, dst, k):
    look_up(w, w.ends[0].front, w.ends[0].end, dst, k)


@aggregate_between.of(BaseIntervals)
def _(w, first, last, dst, k):
    look_up(w, find(w, first), find(w, last + 1), dst, k)


def check(w) -> None:
    """Pointers, times, and every base interval of elements in the window against its halves."""
    from algorithms.windows.out_of_order.tree_check import same

    check_ring(w, "front", "end")
    ends, level, half = w.ends[0], 0, 1
    while half <= int(ends.mask):
        begin = -(-int(ends.front) // (2 * half)) * 2 * half
        for i in range(begin, int(ends.end) - 2 * half + 1, 2 * half):
            combined, stored = partials(w.op, 1), partials(w.op, 1)
            combine(w.op, combined, 0, w.agg, interval(ends, level, i), w.agg, interval(ends, level, i + half))
            unit(w.op, stored, 0)
            combine(w.op, stored, 0, stored, 0, w.agg, interval(ends, level + 1, i))
            assert same(combined[0], stored[0]), f"elements {i} to {i + 2 * half - 1}: {stored[0]}, not {combined[0]}"
        level, half = level + 1, 2 * half


def kept(w: Any) -> Iterator[Kept]:
    """The base intervals of each level that are within the window."""
    ends = w.ends[0]
    front, end, ring = int(ends.front), int(ends.end), int(ends.mask) + 1
    for level in range(highest_bit(ring) + 1):
        span = 1 << level
        for i in range(-(-front // span) * span, end - span + 1, span):
            slot = FIXED + 2 * ring - (2 * ring >> level) + ((i & (ring - 1)) >> level)
            yield Kept(f"level {level}", i - front, i + span - front, slot)


CARD = Card(
    name="b_int",
    title="B-Int, base intervals",
    paper="Arasu, Widom 2004",
    order=IN_ORDER,
    operations=("insert", "evict", "query", "bulk_insert", "bulk_evict", "range_query"),
    time={
        "insert": "amortised 1, worst log2 n",
        "evict": "0",
        "query": "at most 2 log2 n",
        "bulk_insert": "m, and log2 n",
        "bulk_evict": "0, and log2 n steps",
        "range_query": "at most 2 log2 m, and 2 log2 n steps",
    },
    space="2 n, with n rounded up to a power of two",
    window=BaseIntervals,
    layout=layout,
    prepare=set_mask,
    check=check,
    kept=kept,
)
