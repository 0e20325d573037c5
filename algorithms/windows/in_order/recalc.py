"""Recalculation: keep the lifted values and combine them all for every query. The oracle of the tests.

The baseline ISS of Tangwongsan et al.: General Incremental Sliding-Window Aggregation (PVLDB 8(7), 2015), section 6,
made to take any order: entries lie in a ring sorted by time, an insert at distance d moves d of them.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, fold_long, lift, unit
from algorithms.windows.contract import (
    ANY_ORDER,
    RESULT,
    SEMIGROUP,
    Card,
    Kept,
    aggregate,
    aggregate_between,
    evict,
    evict_at,
    has_time,
    insert,
    oldest,
    size,
    youngest,
)

LIFTED, RING = RESULT + 1, RESULT + 2
"""agg[LIFTED] is a value on its way in, or a part of a query; the ring of entries begins at agg[RING]."""

ENDS = np.dtype([("first", "i8"), ("entries", "i8"), ("mask", "i8")])


class Recalc(NamedTuple):
    op: Any
    ends: Slots
    time: Slots
    agg: Slots


def layout(op, capacity: int) -> dict:
    ring = 1 << capacity.bit_length()  # one place more than entries, a power of two
    return {"ends": (1, ENDS), "time": (ring, np.dtype("i8")), "agg": (RING + ring, op.dtype)}


def prepare(w, capacity: int) -> None:
    w.ends[0].mask = len(w.time) - 1


@kernel
def place(w, i):
    """Where in the ring the i-th oldest entry lies."""
    return (w.ends[0].first + i) & w.ends[0].mask


@kernel
def rank(w, time):
    """How many entries are older than `time`: looked for from the young end, where it usually is."""
    i = w.ends[0].entries
    while i > 0 and w.time[place(w, i - 1)] >= time:
        i -= 1
    return i


@kernel
def move(w, to, i):
    w.time[to] = w.time[i]
    w.agg[RING + to] = w.agg[RING + i]


@insert.of(Recalc)
def _(w, time, value):
    ends, i = w.ends[0], rank(w, time)
    lift(w.op, w.agg, LIFTED, value)
    p = place(w, i)
    if i < ends.entries and w.time[p] == time:
        combine(w.op, w.agg, RING + p, w.agg, RING + p, w.agg, LIFTED)
    else:
        for j in range(ends.entries, i, -1):
            move(w, place(w, j), place(w, j - 1))
        w.time[p] = time
        w.agg[RING + p] = w.agg[LIFTED]
        ends.entries += 1


@evict.of(Recalc)
def _(w):
    w.ends[0].first += 1
    w.ends[0].entries -= 1


@evict_at.of(Recalc)
def _(w, time):
    ends, i = w.ends[0], rank(w, time)
    found = i < ends.entries and w.time[place(w, i)] == time
    if found:
        for j in range(i, ends.entries - 1):
            move(w, place(w, j), place(w, j + 1))
        ends.entries -= 1
    return found


@has_time.of(Recalc)
def _(w, time):
    i = rank(w, time)
    return i < w.ends[0].entries and w.time[place(w, i)] == time


@kernel
def fold_ranks(w, first, last, dst, k):
    """dst[k] = the entries of rank first .. last - 1: one or two stretches of the ring."""
    if first >= last:
        unit(w.op, dst, k)
        return
    p, count, to_end = place(w, first), last - first, w.ends[0].mask + 1 - place(w, first)
    fold_long(w.op, dst, k, w.agg, RING + p, RING + p + min(count, to_end))
    if count > to_end:  # folded as well: what a query costs must not depend on where in the ring the window lies
        fold_long(w.op, w.agg, LIFTED, w.agg, RING, RING + count - to_end)
        combine(w.op, dst, k, dst, k, w.agg, LIFTED)


@aggregate.of(Recalc)
def _(w, dst, k):
    fold_ranks(w, 0, w.ends[0].entries, dst, k)


@aggregate_between.of(Recalc)
def _(w, first, last, dst, k):
    start, end = rank(w, first), rank(w, last)
    if end < w.ends[0].entries and w.time[place(w, end)] == last:
        end += 1
    fold_ranks(w, start, end, dst, k)


@size.of(Recalc)
def _(w):
    return w.ends[0].entries


@oldest.of(Recalc)
def _(w):
    return w.time[place(w, 0)]


@youngest.of(Recalc)
def _(w):
    return w.time[place(w, w.ends[0].entries - 1)]


def check(w) -> None:
    """Entries fit in the ring and their times ascend strictly."""
    ends = w.ends[0]
    assert 0 <= ends.entries <= ends.mask and ends.first >= 0
    times = [int(w.time[place(w, i)]) for i in range(ends.entries)]
    assert times == sorted(set(times)), "times are not in strictly ascending order"


def kept(w: Any) -> Iterator[Kept]:
    """The lifted values, and nothing else."""
    ends = w.ends[0]
    for i in range(int(ends.entries)):
        yield Kept("values", i, i + 1, RING + ((int(ends.first) + i) & int(ends.mask)))


CARD = Card(
    name="recalc",
    title="Recalculation from scratch",
    paper="Tangwongsan et al. 2015, section 6 (ISS)",
    order=ANY_ORDER,
    operations=("insert", "evict", "query", "evict_at", "bulk_evict", "bulk_insert", "range_query"),
    time={
        "insert": "0, and d entries moved",
        "evict": "0",
        "query": "n - 1",
        "evict_at": "0, and d entries moved",
        "bulk_evict": "0, and m steps",
        "bulk_insert": "0, and d entries moved for each",
        "range_query": "m - 1, and d steps",
    },
    space="n",
    window=Recalc,
    layout=layout,
    prepare=prepare,
    check=check,
    law=SEMIGROUP,
    kept=kept,
)
