"""Windows for people: `window("fiba", operator="max", capacity=1_000_000)`.

The façade checks what the kernels trust: kinds of times and values, order, emptiness, capacity. Misuse raises a
WindowError and changes nothing. A call costs some ten microseconds; `bulk_insert` and `insert_many` take columns.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from algorithms import operators
from algorithms import window as windows
from algorithms.kernel import CHECKED, PLAIN, Slots, driver, slots
from algorithms.operators.monoid import partials
from algorithms.window import IN_ORDER, RESULT, Card

HIGHEST = np.iinfo(np.int64).max


class WindowError(ValueError):
    """A window was asked for something it cannot do. It is unchanged."""


class EmptyWindowError(WindowError):
    """Evict, oldest or youngest on an empty window."""


class OrderError(WindowError):
    """A time older than the youngest, in a window that takes times in order only."""


class CapacityError(WindowError):
    """More entries than the window was made for."""


class TimeError(WindowError):
    """A time of the wrong kind: NaN, not a whole number where times are int64, or out of range."""


class ValueKindError(WindowError):
    """A value of the wrong kind: NaN, not a number, or not a whole number where values are int64."""


class OperationError(WindowError):
    """An operation that the window's card does not list."""


class TooLargeError(WindowError):
    """A window that would not fit in this machine's memory."""


@driver
def _insert(w, time, value):
    windows.insert(w, time, value)


@driver
def _insert_many(w, times, values, first, last):
    for i in range(first, last):
        windows.insert(w, times[i], windows.row(values, i))


@driver
def _bulk_insert(w, times, values, first, last):
    windows.bulk_insert(w, times, values, first, last)


@driver
def _evict(w):
    windows.evict(w)


@driver
def _evict_at(w, time):
    return windows.evict_at(w, time)


@driver
def _bulk_evict(w, time):
    windows.bulk_evict(w, time)


@driver
def _aggregate(w):
    windows.aggregate(w, w.agg, RESULT)


@driver
def _aggregate_between(w, first, last):
    windows.aggregate_between(w, first, last, w.agg, RESULT)


@driver
def _size(w):
    return windows.size(w)


@driver
def _oldest(w):
    return windows.oldest(w)


@driver
def _youngest(w):
    return windows.youngest(w)
