"""One window that takes the rows of one key after the other: the loops that aggregate what fires.

State is rows, not windows, so a window is made from its rows when it fires: an insertion for each row in it, a few to
some thirty nanoseconds, and no Python for a key. Between two windows of a key that overlap only the difference goes in
and out.
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
    """Results that are shown from their partial aggregates: lists, sets, strings, tuples."""

    agg: Slots


@generic
def give(out, k, w):
    """Result k = that of the whole window."""


@generic
def give_between(out, k, w, first, last):
    """Result k = that of the entries with first <= time <= last."""


@give.of(Numbers)
def _(out, k, w):
    out.number[k] = query(w)


@give.of(Partials)
def _(out, k, w):
    aggregate(w, out.agg, k)


@give_between.of(Numbers)
def _(out, k, w, first, last):
    out.number[k] = range_query(w, first, last)


@give_between.of(Partials)
def _(out, k, w, first, last):
    aggregate_between(w, first, last, out.agg, k)


@driver
def slide_over(w, out, columns, first, last, n):
    """Results of windows 0 .. n - 1, which hold rows first[r] .. last[r] - 1; neither bound goes back."""
    front = end = 0
    bulk_evict(w, FARTHEST)
    for r in range(n):
        if first[r] >= end:  # nothing in common: another key, or a gap
            bulk_evict(w, end)
            front = end = first[r]
        elif first[r] == front + 1:  # by bulk_evict FiBA takes 59 ns a row instead of 45
            evict(w)
        elif first[r] > front:
            bulk_evict(w, first[r] - 1)
        front = first[r]
        while end < last[r]:
            insert(w, end, row(columns, end))  # by its number: equal times stay apart in every kind of window
            end += 1
        give(out, r, w)


@driver
def slide_at_ends(w, out, extent, trigger, positions, columns, begin, least, most, keys, firing):
    """As `fire_ends` and `slide_over` in one, of rows as they came, in a window of any order: nothing is sorted."""
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
                give_between(out, n, w, start, last)
                firing.key[n], firing.when[n] = g, k
                n += 1
                k += 1
            elif size(w) > 0:
                k = max(k + 1, first_end(trigger, oldest(w)))
    return n


class Scratch:
    """The window of one operator, made larger when it has to be; what is left in it is dropped by the next batch."""

    def __init__(self, card: Card, op: Any, parameters: dict[str, int]):
        self.op, self._card, self._parameters = op, card, parameters
        self._capacity, self._window = 0, None
        one = slots(1, op.dtype, "one")
        unit(op, one, 0)
        self.dtype = np.asarray(operators.present(op, one, 0)).dtype if presents_lowered(op) else np.dtype(object)

    def over(self, first: np.ndarray, last: np.ndarray, columns: tuple[np.ndarray, ...]) -> np.ndarray:
        """Results of windows that hold rows first .. last - 1 of columns of values."""
        n = len(first)
        w, out = self._for(int((last - first).max(initial=0))), self._out(n)
        slide_over(w, out, columns_of(tuple(map(as_slots, columns))), as_slots(first), as_slots(last), n)
        return self._shown(out, n)

    def nothing(self, n: int) -> np.ndarray:
        """Room for n results, all zero or None."""
        return np.zeros(n, self.dtype) if not self.dtype.hasobject else np.full(n, None)

    def at_ends(
        self, extent: Within, trigger: EveryEnd, rows: Rows, columns: tuple, least: np.ndarray, most: np.ndarray
    ) -> tuple[Firing, np.ndarray]:
        """Windows at ends number least .. most of each key, of rows in any order, and their results."""
        least, ends = bounds_of_ends(extent, trigger, rows, least, most)
        firing = room_for_firing(ends)
        out = self._out(len(firing.key))
        due = np.where(ends > 0, most, least - 1)
        w = self._for(int(np.diff(rows.begin)[ends > 0].max(initial=0)))
        numbers = (as_slots(one) for one in (rows.begin, least, due))
        values = columns_of(tuple(map(as_slots, columns)))
        n = slide_at_ends(w, out, extent, trigger, as_slots(rows.positions), values, *numbers, len(rows.codes), firing)
        return firing.cut(n), self._shown(out, n)

    def _for(self, entries: int) -> Any:
        """The window, with room for that many entries and one more."""
        if entries + 1 > self._capacity:
            capacity = room_for(entries + 1)
            self._card.must_fit(self.op, capacity, self._parameters)
            self._window, self._capacity = self._card.new(self.op, capacity, **self._parameters), capacity
        return self._window

    def _out(self, n: int) -> Numbers | Partials:
        kind, dtype = (Partials, self.op.dtype) if self.dtype.hasobject else (Numbers, self.dtype)
        must_fit_memory(n * dtype.itemsize, f"{n:,} results of {self.op.name}")
        return kind(slots(n, dtype, "results"))

    def _shown(self, out: Numbers | Partials, n: int) -> np.ndarray:
        if isinstance(out, Numbers):
            return np.asarray(out.number)[:n]
        shown = np.empty(n, object)
        for i in range(n):
            shown[i] = operators.present(self.op, out.agg, i)
        return shown
