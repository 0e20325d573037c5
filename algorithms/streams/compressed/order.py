"""Tuples in timestamp order: others are refused, or sorted by a watermark that lags behind the newest tuple.

Algorithm 1 assumes that each stream is sorted, or has been sorted by watermarks before (section 3).
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.errors import OrderError
from algorithms.streams.sliding.units import Unit


class Rows(NamedTuple):
    """Columns of equal length."""

    times: np.ndarray
    codes: np.ndarray
    values: tuple[np.ndarray, ...]

    def take(self, which: Any) -> "Rows":
        return Rows(self.times[which], self.codes[which], tuple(column[which] for column in self.values))

    def followed_by(self, later: "Rows") -> "Rows":
        columns = zip((self.times, self.codes, *self.values), (later.times, later.codes, *later.values), strict=True)
        times, codes, *values = map(np.concatenate, columns)
        return Rows(times, codes, tuple(values))


class Admitted(NamedTuple):
    """Tuples that may be processed now, in order, the watermark after them, and the state after them."""

    rows: Rows
    watermark: int | None
    newest: int | None
    held: Rows | None
    late: int


class Order:
    """State from batch to batch, which changes with `accept`. Without `lateness`, tuples must come in order."""

    def __init__(self, unit: Unit, lateness: int | None):
        self.unit, self.lateness = unit, lateness
        self.newest: int | None = None
        self.held: Rows | None = None
        self.late = 0

    def read(self, rows: Rows) -> Admitted:
        """Raises OrderError naming the first record out of order. Changes nothing. O(n log n) if it sorts."""
        times = rows.times
        if not len(times):
            return self._released(self.newest, self.held, self.late)
        newest = times[0] if self.newest is None else self.newest
        running = np.maximum.accumulate(np.concatenate([[newest], times]))
        if self.lateness is None:
            behind = np.flatnonzero(times < running[:-1])
            if len(behind):
                i = int(behind[0])
                before, now = (self.unit.shown(np.asarray(x)) for x in (running[i], times[i]))
                raise OrderError(
                    f"record {i} of the batch has time {now}, older than {before} before it; "
                    'order="sort" with lateness= takes such records'
                )
            return Admitted(rows, int(times[-1]), int(times[-1]), None, 0)
        good = times >= running[1:] - self.lateness
        held = rows if good.all() else rows.take(good)
        held = held if self.held is None else self.held.followed_by(held)
        return self._released(int(running[-1]), held, self.late + len(times) - int(good.sum()))

    def go_on(self, time: int) -> Admitted:
        """Let time advance without a tuple."""
        newest = time if self.newest is None else max(time, self.newest)
        return self._released(newest, self.held, self.late)

    def end(self) -> Rows:
        """All tuples that wait, in order. Then none waits, and later tuples may not be older than these."""
        rows, self.held = NOTHING if self.held is None else self.held, None
        rows = rows.take(np.argsort(rows.times, kind="stable"))
        if len(rows.times):
            self.close(int(rows.times[-1]))
        return rows

    def accept(self, admitted: Admitted) -> None:
        """Continue after these tuples, which are processed."""
        self.newest, self.held, self.late = admitted.newest, admitted.held, admitted.late

    def close(self, border: int) -> None:
        """Later tuples may not be older than the border."""
        self.newest = max(self.newest, border + (self.lateness or 0))

    def size(self) -> int:
        """Bytes of the tuples that wait."""
        return 0 if self.held is None else sum(x.nbytes for x in (self.held.times, self.held.codes, *self.held.values))

    def _released(self, newest: int | None, held: Rows | None, late: int) -> Admitted:
        """Release the tuples up to the watermark; those with equal times in order of arrival."""
        watermark = None if newest is None else newest - (self.lateness or 0)
        if held is None or not len(held.times):
            return Admitted(NOTHING if held is None else held, watermark, newest, held, late)
        ready = held.times <= watermark
        leaving, staying = held.take(ready), held.take(~ready)
        return Admitted(leaving.take(np.argsort(leaving.times, kind="stable")), watermark, newest, staying, late)


NOTHING = Rows(np.zeros(0, np.int64), np.zeros(0, np.int64), ())
