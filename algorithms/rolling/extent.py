"""What is in a window: a number of rows, or the rows of a length of time."""

import functools
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from algorithms import moments
from algorithms.errors import OrderError
from algorithms.kernel import Slots, as_slots, driver, slots
from algorithms.order_statistics.rolling import rows_of_window
from safeguards.wrong_input import unknown, whole

CLOSED = ("right", "left", "both", "neither")
"""Which ends of a window belong to it."""


class ByCount:
    """Windows of `window` rows. The last is the row that is answered for, or with `shift` 1 the one before it."""

    late = False

    def __init__(self, window: Any, closed: str, bounds: Slots):
        self.window = rows_of_window(window)
        self.length = self.window + (closed == "both") - (closed == "neither")
        self.shift = int(closed in ("left", "neither"))
        self.bounds = bounds

    def least(self, min_count: Any) -> int:
        """How many values an answer needs: `window`, if it is not said, or fewer where a window never has so many."""
        if min_count is None:
            return min(self.window, self.length)
        return whole("min_count", min_count, 0, self.length)

    @functools.cached_property
    def spans(self) -> tuple[Slots, Slots]:
        """The first row of the window of each row, and the row after its last."""
        bounds = np.asarray(self.bounds)
        begins = np.repeat(bounds[:-1], np.diff(bounds))
        stop = np.maximum(np.arange(bounds[-1]) + (1 - self.shift), begins)
        return as_slots(np.maximum(stop - self.length, begins)), as_slots(stop)


class ByTime:
    """Windows of the rows so far whose times are at most `reach` before the time of the row that is answered for.

    times    int64, group after group
    reach    in their unit, at least 0
    late     whether some row of a group came after one with a later time
    Raises OrderError for the first row that is late by more than `lateness`, None for 0.
    """

    def __init__(self, times: Slots, reach: int, closed: str, bounds: Slots, lateness: int | None):
        self.times, self.reach, self.bounds = times, reach, bounds
        self.to_the_end = closed in ("right", "both")
        worst, self.late = _lateness(times, bounds, lateness or 0)
        if worst >= 0:
            raise LateError(worst)

    def least(self, min_count: Any) -> int:
        """How many values an answer needs; 1, if it is not said."""
        return 1 if min_count is None else whole("min_count", min_count, 0)

    @functools.cached_property
    def spans(self) -> tuple[Slots, Slots]:
        """The first row of the window of each row, and the row after its last. For times in order only."""
        start, stop = (as_slots(np.empty(len(self.times), np.int64)) for _ in range(2))
        time_spans(self.times, self.bounds, len(self.bounds) - 1, self.reach, self.to_the_end, start, stop)
        return start, stop


class LateError(OrderError):
    """A row, by its number in the order of groups, is later than allowed."""

    def __init__(self, row: int):
        super().__init__(row)
        self.row = row


def _lateness(times: Slots, bounds: Slots, allowed: int) -> tuple[int, bool]:
    """The first row that is late by more than allowed, or -1, and whether any is late."""
    found = slots(2, "i8", "found")
    find_late(times, bounds, len(bounds) - 1, allowed, found)
    return int(found[0]), bool(found[1])


@driver
def find_late(times, bounds, groups, allowed, found):
    """found[0] = the first row that is later than `allowed` in its group, or -1; found[1] = whether any is late."""
    found[0], found[1] = -1, 0
    for g in range(groups):
        latest = times[bounds[g]]
        for i in range(bounds[g], bounds[g + 1]):
            if times[i] >= latest:
                latest = times[i]
            else:
                found[1] = 1
                if latest - times[i] > allowed:
                    found[0] = i
                    return


@driver
def time_spans(times, bounds, groups, reach, to_the_end, start, stop):
    """Rows start[i] .. stop[i] - 1 are those up to i whose times are at most `reach` before times[i], in order.

    Without `to_the_end` rows at times[i] itself are left out.
    """
    for g in range(groups):
        front = back = bounds[g]
        for i in range(bounds[g], bounds[g + 1]):
            while times[i] - times[front] > reach:
                front += 1
            if to_the_end:
                back = i + 1
            else:
                while times[back] < times[i]:
                    back += 1
            start[i] = front
            stop[i] = back


def must_be_closed(closed: Any) -> str:
    """The ends that are closed. Raises ValueError for what is no such word."""
    if closed not in CLOSED:
        raise ValueError(unknown("value of closed", closed, CLOSED))
    return str(closed)


def reach_of(length: Fraction, closed: str) -> int:
    """How far back a window goes at most, in whole units of time; less than `length` where its left end is open."""
    return floor(length) if closed in ("left", "both") else ceil(length) - 1


def nanoseconds(field: str, length: Any, least: int = 1) -> int:
    """A length of time, as text such as "5min" or a timedelta, in nanoseconds.

    Raises ValueError naming the field for another form, and for one of less than `least`.
    """
    value = moments.nanoseconds(field, length)
    if value < least:
        raise ValueError(f"{field} must be a length of time above 0, not {length!r}")
    return value
