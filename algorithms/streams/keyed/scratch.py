"""The loops that aggregate what fires, with one window that takes the rows of one key after another.

The state is rows, not windows, so a window is made from its rows when it fires: an insertion for each row in it, a few
to some thirty nanoseconds, and no Python for each key. Between overlapping windows of a key, only the rows in which
they differ are inserted and evicted.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.kernel import Slots, as_slots, driver, generic, row, slots
from algorithms.memory import must_fit_memory
from algorithms.operators.monoid import presents_lowered, unit
from algorithms.streams.keyed.firing import Firing, bounds_of_ends, room_for_firing
from algorithms.streams.keyed.rows import Rows
from algorithms.streams.sliding.extent_trigger import EveryEnd, Within, end_of, first_end, start_of
from algorithms.streams.sliding.partition import columns_of, room_for
from algorithms.streams.sliding.units import FARTHEST
from algorithms.windows.contract import (
    Card,
    aggregate,
    aggregate_between,
    bulk_evict,
    evict,
    insert,
    oldest,
    query,
    range_query,
    size,
)


class Numbers(NamedTuple):
    """Results that are numbers."""

    number: Slots


class Partials(NamedTuple):
    """Results that are made from their partial aggregates afterwards: lists, sets, strings, tuples."""

    agg: Slots


@generic
def put_result(out, k, w):
    """Put the result of the whole window at k."""


@generic
def put_result_between(out, k, w, first, last):
    """Put the result of the entries with first <= time <= last at k."""


@put_result.of(Numbers)
def _(out, k, w):
    out.number[k] = query(w)


@put_result.of(Partials)
def _(out, k, w):
    aggregate(w, out.agg, k)


@put_result_between.of(Numbers)
def _(out, k, w, first, last):
    out.number[k] = range_query(w, first, last)


@put_result_between.of(Partials)
def _(out, k, w, first, last):
    aggregate_between(w, first, last, out.agg, k)


@driver
def slide_over(w, out, columns, first, last, n):
    """Put the results of windows r = 0 .. n - 1, which hold rows first[r] .. last[r] - 1. Neither bound goes back."""
    front = end = 0
    bulk_evict(w, FARTHEST)
    for r in range(n):
        if first[r] >= end:  # no row in common: another key, or a gap
            bulk_evict(w, end)
            front = end = first[r]
        elif first[r] == front + 1:  # by bulk_evict FiBA takes 59 ns a row instead of 45
            evict(w)
        elif first[r] > front:
            bulk_evict(w, first[r] - 1)
        front = first[r]
        while end < last[r]:
            insert(w, end, row(columns, end))  # with its number as time: equal times stay distinct in every window
            end += 1
        put_result(out, r, w)


@driver
def slide_at_ends(w, out, extent, trigger, positions, columns, begin, least, most, keys, firing):
    """`fire_ends` and `slide_over` in one, for rows as they came, in a window of any order: nothing is sorted."""
    n = 0
    for g in range(keys):
        if least[g] > most[g]:
            continue
        bulk_evict(w, FARTHEST)
        last = end_of(trigger, most[g]) - 1 + trigger.closed
        for i in range(begin[g], begin[g + 1]):
            if positions[i] <= last:  # later rows wait
                insert(w, positions[i], row(columns, i))
        k = least[g]
        while k <= most[g] and size(w) > 0:
            now = end_of(trigger, k)
            start, last = start_of(extent, trigger, k, now) + extent.open, now - 1 + trigger.closed
            bulk_evict(w, start - 1)
            if size(w) > 0 and oldest(w) <= last:
                put_result_between(out, n, w, start, last)
                firing.key[n], firing.when[n] = g, k
                n += 1
                k += 1
            elif size(w) > 0:
                k = max(k + 1, first_end(trigger, oldest(w)))
    return n


class Scratch:
    """The window of one operator, made larger when needed. What a batch leaves in it is dropped by the next."""

    def __init__(self, card: Card, op: Any, parameters: dict[str, int]):
        self.op, self._card, self._parameters = op, card, parameters
        self._capacity, self._window = 0, None
        identity = slots(1, op.dtype, "one")
        unit(op, identity, 0)
        self.dtype = np.asarray(operators.present(op, identity, 0)).dtype if presents_lowered(op) else np.dtype(object)

    def over(self, first: np.ndarray, last: np.ndarray, columns: tuple[np.ndarray, ...]) -> np.ndarray:
        """Results of windows that hold rows first .. last - 1 of the columns of values."""
        n = len(first)
        w, out = self._window_for(int((last - first).max(initial=0))), self._room_for(n)
        slide_over(w, out, columns_of(tuple(map(as_slots, columns))), as_slots(first), as_slots(last), n)
        return self._results(out, n)

    def empty_results(self, n: int) -> np.ndarray:
        """Room for n results, all zero or None."""
        return np.zeros(n, self.dtype) if not self.dtype.hasobject else np.full(n, None)

    def at_ends(
        self, extent: Within, trigger: EveryEnd, rows: Rows, columns: tuple, least: np.ndarray, most: np.ndarray
    ) -> tuple[Firing, np.ndarray]:
        """Windows at ends number least .. most of each key, over rows in any order, and their results."""
        least, ends = bounds_of_ends(extent, trigger, rows, least, most)
        firing = room_for_firing(ends)
        out = self._room_for(len(firing.key))
        due = np.where(ends > 0, most, least - 1)
        w = self._window_for(int(np.diff(rows.begin)[ends > 0].max(initial=0)))
        bounds = map(as_slots, (rows.begin, least, due))
        values = columns_of(tuple(map(as_slots, columns)))
        n = slide_at_ends(w, out, extent, trigger, as_slots(rows.positions), values, *bounds, len(rows.codes), firing)
        return firing.cut(n), self._results(out, n)

    def _window_for(self, entries: int) -> Any:
        """The window, with room for that many entries and one more."""
        if entries + 1 > self._capacity:
            capacity = room_for(entries + 1)
            self._card.must_fit(self.op, capacity, self._parameters)
            self._window, self._capacity = self._card.new(self.op, capacity, **self._parameters), capacity
        return self._window

    def _room_for(self, n: int) -> Numbers | Partials:
        kind, dtype = (Partials, self.op.dtype) if self.dtype.hasobject else (Numbers, self.dtype)
        must_fit_memory(n * dtype.itemsize, f"{n:,} results of {self.op.name}")
        return kind(slots(n, dtype, "results"))

    def _results(self, out: Numbers | Partials, n: int) -> np.ndarray:
        if isinstance(out, Numbers):
            return np.asarray(out.number)[:n]
        results = np.empty(n, object)
        for i in range(n):
            results[i] = operators.present(self.op, out.agg, i)
        return results
