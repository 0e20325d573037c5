"""`OrderedWindow(capacity=1_000_000)`: a sliding window that gives the median, quantiles, ranks, distinct values, mode.

The façade checks kinds of times and values, order, emptiness and capacity; misuse raises a WindowError and changes
nothing. A call costs some ten microseconds; `insert_many` takes columns, and `rolling.py` has answers for every row.
"""

from typing import Any

import numpy as np

from algorithms.arguments import time_column
from algorithms.errors import CapacityError, EmptyWindowError, OperationError, OrderError, ValueKindError
from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.kernel import as_slots, driver
from algorithms.order_statistics import codes, counted
from algorithms.order_statistics.contract import CARDS
from algorithms.times import KINDS
from algorithms.windows.contract import (
    ANY_ORDER,
    IN_ORDER,
    bulk_evict,
    evict,
    evict_at,
    insert,
    oldest,
    size,
    youngest,
)
from safeguards.wrong_input import whole

MOST = 2**31 - 1
"""The most entries, so that a count of them has 32 bits."""


@driver
def _insert_many(w, times, values, n):
    for i in range(n):
        insert(w, times[i], values[i])


@driver
def _evict(w):
    evict(w)


@driver
def _evict_at(w, time):
    count = 0
    while evict_at(w, time):
        count += 1
    return count


@driver
def _bulk_evict(w, time):
    bulk_evict(w, time)


@driver
def _size(w):
    return size(w)


@driver
def _oldest(w):
    return oldest(w)


@driver
def _youngest(w):
    return youngest(w)


@driver
def _select_two(values, k):
    return counted.select_two(values, k)


@driver
def _smaller_and_equal(values, code):
    return counted.smaller_and_equal(values, code)


@driver
def _most_frequent(values):
    return counted.most_frequent(values)


class OrderedWindow(OneAtATime):
    """A sliding window of timed numbers that answers questions about their order, exactly. O(log n) each operation.

    capacity    the largest number of entries
    order       "any": insert anywhere; "in order": times may not decrease, for two thirds of memory and time
    time        type of times: "int64", "float64" or "datetime64"
    dtype       type of values: "float64", or "int64", exact

    Entries with equal times are separate. NaN is refused; infinities are numbers like others; -0.0 is 0.0, and comes
    back so. Use it from one thread at a time. It can be pickled and copied. Raises ValueError for wrong settings, and
    MemoryEstimateError if the window would not fit into memory.

    >>> from sliding_windows import OrderedWindow
    >>> w = OrderedWindow(capacity=1000)
    >>> w.insert_many([0, 2, 1, 3], [5.0, 1.0, 9.0, 5.0])
    >>> w.median(), w.quantile(0.75), w.rank(5.0), w.distinct(), w.mode()
    (5.0, 6.0, 2.5, 3, 5.0)
    >>> w.bulk_evict(1)               # up to and including time 1; returns how many
    2
    >>> w.smallest(1)
    1.0
    """

    def __init__(
        self, capacity: int = 1_000_000, *, order: str = ANY_ORDER, time: str = "int64", dtype: str = "float64"
    ):
        codes.must_be_one_of("order", order, tuple(CARDS))
        codes.must_be_one_of("kind of time", time, tuple(KINDS))
        codes.must_be_one_of("dtype", dtype, codes.DTYPES)
        self.card, self.capacity, self.dtype = CARDS[order], whole("capacity", capacity, 1, MOST), dtype
        self._time = KINDS[time]
        self._w = self.card.make(self.capacity)

    @one_at_a_time
    def __len__(self) -> int:
        return int(_size(self._w))

    def __repr__(self) -> str:
        return f"<window of order statistics, {self.card.order}, {len(self)} of {self.capacity} entries>"

    @one_at_a_time
    def insert(self, time: Any, value: Any) -> None:
        """Insert a value. Raises TimeError, ValueKindError, OrderError or CapacityError."""
        self._insert_many([time], [value])

    @one_at_a_time
    def insert_many(self, times: Any, values: Any) -> None:
        """Insert columns of n times and n values, in their order. Raises as `insert`, before anything is inserted."""
        self._insert_many(times, values)

    @one_at_a_time
    def evict(self) -> None:
        """Evict the oldest entry. Raises EmptyWindowError."""
        self._not_empty("evict")
        _evict(self._w)

    @one_at_a_time
    def evict_at(self, time: Any) -> int:
        """Evict all entries of exactly this time, and return how many. Raises OperationError, TimeError."""
        if "evict_at" not in self.card.operations:
            raise OperationError(f'a window with order="{self.card.order}" has no evict_at; one with order="any" has')
        return int(_evict_at(self._w, self._time.encode(time)))

    @one_at_a_time
    def bulk_evict(self, time: Any) -> int:
        """Evict all entries up to and including `time`, one by one, and return how many. Raises TimeError."""
        before = _size(self._w)
        _bulk_evict(self._w, self._time.encode(time))
        return int(before - _size(self._w))

    @one_at_a_time
    def oldest(self) -> Any:
        """Time of the oldest entry. Raises EmptyWindowError."""
        self._not_empty("oldest")
        return self._time.decode(_oldest(self._w))

    @one_at_a_time
    def youngest(self) -> Any:
        """Time of the youngest entry. Raises EmptyWindowError."""
        self._not_empty("youngest")
        return self._time.decode(_youngest(self._w))

    def median(self) -> float:
        """The middle value, or the mean of the two in the middle. Raises EmptyWindowError."""
        return self.quantile(0.5)

    @one_at_a_time
    def quantile(self, q: float, interpolation: str = "linear") -> int | float:
        """The value below which the fraction q of the entries lies, as `numpy.quantile` defines it.

        interpolation: "linear", "lower", "higher", "nearest" or "midpoint", for a place between two entries; "linear"
        and "midpoint" give floats. Raises EmptyWindowError, and ValueError for a q outside of 0 .. 1.
        """
        codes.must_be_one_of("interpolation", interpolation, codes.INTERPOLATIONS)
        q = codes.must_be_fraction(q)
        self._not_empty("quantile")
        below, part = codes.neighbours(np.array([_size(self._w)]), q)
        two = codes.values_of(np.array(_select_two(self._w.values, below[0])), self.dtype)
        found: int | float = codes.interpolated(two[:1], two[1:], below, part, interpolation)[0].item()
        return found

    @one_at_a_time
    def smallest(self, k: int) -> int | float:
        """The k-th smallest entry; the smallest is number 1. Raises ValueError unless 1 <= k <= len."""
        k = whole("k", k, 1)
        if k > _size(self._w):
            raise ValueError(f"k must be at most the number of entries, {_size(self._w)}, not {k}")
        return self._value_of(_select_two(self._w.values, k - 1)[0])

    @one_at_a_time
    def rank(self, value: Any, method: str = "average") -> float:
        """The rank that the value has, or would have, among the entries; the smallest has rank 1.

        With s smaller entries and e equal ones, "min" gives s + 1, "max" s + e, "average" s + (e + 1) / 2. Raises
        ValueKindError.
        """
        codes.must_be_one_of("method", method, codes.RANKS)
        smaller, equal = _smaller_and_equal(self._w.values, self._codes([value])[0])
        return float(codes.ranked(smaller, equal, method))

    @one_at_a_time
    def distinct(self) -> int:
        """How many distinct values there are."""
        return int(self._w.values.head[0].keys)

    @one_at_a_time
    def mode(self) -> int | float:
        """The most frequent value; of several, the smallest. Raises EmptyWindowError."""
        self._not_empty("mode")
        return self._value_of(_most_frequent(self._w.values)[0])

    @one_at_a_time
    def check(self) -> None:
        """Raise AssertionError if an invariant of the structure does not hold. O(n), in plain Python."""
        self.card.check(self._w)

    def _insert_many(self, times: Any, values: Any) -> None:
        keys, encoded = time_column(self._time, times), self._codes(values)
        if len(keys) != len(encoded):
            raise ValueKindError(f"{len(keys)} times and {len(encoded)} values; there must be as many of each")
        if len(keys) > self.capacity - _size(self._w):
            raise CapacityError(
                f"{_size(self._w)} entries and {len(keys)} more are too many for capacity {self.capacity}"
            )
        if self.card.order == IN_ORDER and len(keys):
            self._in_order(keys)
        _insert_many(self._w, as_slots(keys), as_slots(encoded), len(keys))

    def _in_order(self, keys: np.ndarray) -> None:
        before = np.array([_youngest(self._w)] if _size(self._w) else [], np.int64)
        ordered = np.concatenate([before, keys])
        falls = np.flatnonzero(ordered[1:] < ordered[:-1])
        if len(falls):
            time, newest = (self._time.decode(int(ordered[falls[0] + after])) for after in (1, 0))
            raise OrderError(f'time {time} is older than {newest}, before it; order="any" takes times in any order')

    def _codes(self, values: Any) -> np.ndarray:
        """The values as codes. Raises ValueKindError for NaN and what is no number of the dtype."""
        column = codes.number_column(values)
        if column.dtype.kind == "f":
            if np.isnan(column).any():
                raise ValueKindError(f"values[{int(np.isnan(column).argmax())}] is NaN, which has no place in an order")
            if self.dtype == "int64":
                return codes.whole_column(column)
        return codes.codes_of(column.astype(self.dtype, copy=False))

    def _value_of(self, code: int) -> int | float:
        found: int | float = codes.values_of(np.array([code], np.int64), self.dtype)[0].item()
        return found

    def _not_empty(self, operation: str) -> None:
        if _size(self._w) == 0:
            raise EmptyWindowError(f"{operation} on an empty window of order statistics")
