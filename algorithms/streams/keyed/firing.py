"""Which windows of many keys fire, and which rows are in each. It is computed once, being the same for every operator.

Rows of a key are in order of time here. A window that fires is a range of them, first .. last - 1, and neither bound
goes back from one window of a key to the next.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, as_slots, driver, generic, slots
from algorithms.memory import must_fit_memory
from algorithms.streams.keyed.rows import Rows
from algorithms.streams.sliding.extent_trigger import EveryEnd, Last, Within, end_of, first_end, outside, start_of

MOST_ENDS = 2**36
"""The most windows that a row can be in: more do not fit into memory, and numbers must stay within 64 bits."""


class Firing(NamedTuple):
    """Windows in the order of firing: the key, the row (or number of the end) at which it fires, and its rows."""

    key: Slots
    when: Slots
    first: Slots
    last: Slots

    def cut(self, n: int) -> "Firing":
        """The first n."""
        return Firing(*(as_slots(field[:n]) for field in self))


def room_for_firing(windows: np.ndarray) -> Firing:
    """Room for so many windows of each key. Only what is written takes memory. Raises MemoryEstimateError."""
    n = float(windows.sum(dtype=np.float64))
    must_fit_memory(8 * len(Firing._fields) * n, f"a batch whose watermark lets {n:,.0f} windows fire")
    return Firing(*(slots(int(n), "i8", f"firing.{name}") for name in Firing._fields))


@generic
def front_of(extent, positions, front, i):
    """The first row in the window of row i, not before `front`."""


@front_of.of(Last)
def _(extent, positions, front, i):
    return max(front, i + 1 - extent.size)


@front_of.of(Within)
def _(extent, positions, front, i):
    start = positions[i] - extent.size
    while outside(extent, positions[front], start):
        front += 1
    return front


@driver
def fire_rows(extent, slide, peers, positions, begin, done, until, turn, keys, firing):
    """Put the windows that fire after rows done[g] .. until[g] - 1 of each key g into `firing`; return how many.

    Every `slide`-th row fires, where the first row of key g has number turn[g]. With `peers`, rows of equal time are in
    each other's window.
    """
    n = 0
    for g in range(keys):
        front, i = begin[g], begin[g] + done[g]
        stop, end = i, begin[g] + until[g]
        while i < end:
            front = front_of(extent, positions, front, i)
            stop = max(stop, i + 1)  # it never goes back, or equal times would cost their square
            while peers and stop < end and positions[stop] == positions[i]:
                stop += 1
            if (turn[g] + i - begin[g]) % slide == 0:
                firing.key[n], firing.when[n], firing.first[n], firing.last[n] = g, i, front, stop
                n += 1
            i += 1
    return n


@driver
def fire_ends(extent, trigger, positions, begin, least, most, keys, firing):
    """Put the windows at ends least[g] .. most[g] of each key g that hold a row into `firing`; return how many."""
    n = 0
    for g in range(keys):
        front = stop = begin[g]
        k, end = least[g], begin[g + 1]
        while k <= most[g] and front < end:
            now = end_of(trigger, k)
            start = start_of(extent, trigger, k, now)
            while front < end and outside(extent, positions[front], start):
                front += 1
            while stop < end and positions[stop] < now + trigger.closed:
                stop += 1
            if front < stop:
                firing.key[n], firing.when[n], firing.first[n], firing.last[n] = g, k, front, stop
                n += 1
                k += 1
            elif front < end:
                k = max(k + 1, first_end(trigger, positions[front]))
    return n


def number_of_end(trigger: EveryEnd, time: int) -> int:
    """The number of the last end at or before a time."""
    return (time - trigger.offset) // trigger.slide


def bounds_of_ends(
    extent: Within, trigger: EveryEnd, rows: Rows, least: np.ndarray, most: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each key, all of which have rows: the first end that can fire, and how many ends fire at most."""
    oldest, newest = (extreme.reduceat(rows.positions, rows.begin[:-1]) for extreme in (np.minimum, np.maximum))
    windows = min(extent.size // trigger.slide + 1, MOST_ENDS)  # that a row can be in
    least = np.maximum(least, _first_ends(trigger, oldest))
    ends = np.minimum(most + 1, _first_ends(trigger, newest) + windows) - least
    return least, np.clip(ends, 0, np.diff(rows.begin) * windows)


def _first_ends(trigger: EveryEnd, positions: np.ndarray) -> np.ndarray:
    """`first_end` for a column."""
    if trigger.closed:
        return -((trigger.offset - positions) // trigger.slide)
    return (positions - trigger.offset) // trigger.slide + 1


def windows_at_ends(extent: Within, trigger: EveryEnd, rows: Rows, least: np.ndarray, most: np.ndarray) -> Firing:
    """Windows at ends number least .. most of each key. O(rows + windows)."""
    least, ends = bounds_of_ends(extent, trigger, rows, least, most)
    firing = room_for_firing(ends)
    due = np.where(ends > 0, most, least - 1)
    columns = map(as_slots, (rows.positions, rows.begin, least, due))
    return firing.cut(fire_ends(extent, trigger, *columns, len(rows.codes), firing))


def windows_after_rows(extent: Any, slide: int, peers: bool, rows: Rows, released: np.ndarray) -> Firing:
    """Windows that fire after rows `done` .. `released` - 1 of each key. O(rows)."""
    firing = room_for_firing(np.maximum(released - rows.done, 0))
    turn = rows.counts - rows.done + 1
    columns = map(as_slots, (rows.positions, rows.begin, rows.done, released, turn))
    return firing.cut(fire_rows(extent, slide, peers, *columns, len(rows.codes), firing))
