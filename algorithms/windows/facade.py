"""Windows for Python code: `window("fiba", operator="max", capacity=1_000_000)`.

The façade checks what the kernels do not: kinds of times and values, order, emptiness, capacity, memory, and that only
one thread at a time calls. Misuse raises a WindowError and changes nothing. A call costs some ten microseconds;
`insert_many` and `bulk_insert` take columns.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.arguments import as_columns, length, time_column, value_columns
from algorithms.errors import (
    CapacityError,
    EmptyWindowError,
    OperationError,
    OrderError,
    ValueKindError,
)
from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.kernel import as_slots, driver, has_nan, row
from algorithms.nulls import nulls_as_nan
from algorithms.operators.monoid import takes_nan
from algorithms.times import KINDS
from algorithms.windows.choosing.choice import Choice
from algorithms.windows.contract import (
    IN_ORDER,
    RESULT,
    Card,
    aggregate,
    aggregate_between,
    bulk_evict,
    bulk_insert,
    evict,
    evict_at,
    has_time,
    insert,
    oldest,
    size,
    storage,
    youngest,
)
from algorithms.windows.stored.stores import StoreError


@driver
def _insert(w, time, value):
    insert(w, time, value)


@driver
def _insert_many(w, times, values, first, last):
    for i in range(first, last):
        insert(w, times[i], row(values, i))


@driver
def _bulk_insert(w, times, values, first, last):
    bulk_insert(w, times, values, first, last)


@driver
def _evict(w):
    evict(w)


@driver
def _evict_at(w, time):
    return evict_at(w, time)


@driver
def _bulk_evict(w, time):
    bulk_evict(w, time)


@driver
def _aggregate(w):
    aggregate(w, w.agg, RESULT)


@driver
def _aggregate_between(w, first, last):
    aggregate_between(w, first, last, w.agg, RESULT)


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
def _count_new(w, times, n):
    """How many of n times are not in the window."""
    count = 0
    for i in range(n):
        if not has_time(w, times[i]):
            count += 1
    return count


def _take(columns: Any, order: np.ndarray) -> Any:
    """The columns in another order."""
    return tuple(_take(column, order) for column in columns) if isinstance(columns, tuple) else columns[order]


class Window(OneAtATime):
    """A sliding window of timed values, and the aggregate over it. Made by `window`.

    `card.time` has the cost of each operation in combines. In a window of any order, times are unique: a value inserted
    at a time that is already there is combined with that entry, on its right. In an in-order window, values with equal
    times are separate entries.

    Use it from one thread at a time: compiled loops let other threads run, and a call during another call raises
    InUseError. Windows share nothing with each other. Pickling and copying keep the entries. A window in a key-value
    store cannot be pickled or copied (TypeError), and pickle fails if it does not find the functions of an operator or
    a policy of your own.
    """

    choice: Choice | None = None
    """What `window("auto", ...)` chose it from; None if it was asked for by name."""

    def __init__(self, window_card: Card, op: Any, capacity: int, time: str, parameters: dict[str, int]):
        self.card, self.op, self.capacity = window_card, op, capacity
        self._time = KINDS[time]
        self._w = window_card.new(op, capacity + 1, **parameters)
        self._storage: Any = storage(self._w) if window_card.window in storage.table else None

    @one_at_a_time
    def __len__(self) -> int:
        return self._size()

    def __repr__(self) -> str:
        chosen = "" if self.choice is None else "auto: "
        return f"<window {chosen}{self.card.name} of {self.op.name}, {len(self)} of {self.capacity} entries>"

    @one_at_a_time
    def insert(self, time: Any, value: Any) -> None:
        """Insert a value. Raises TimeError, ValueKindError, OrderError or CapacityError."""
        self._must_be_open()
        key, value = self._time.encode(time), self._value(value)
        if self.card.order == IN_ORDER:
            self._in_order(key, time)
        if self._size() == self.capacity and self._new_entries(np.array([key])):
            raise self._full()
        _insert(self._w, key, value)

    @one_at_a_time
    def insert_many(self, times: Any, values: Any) -> None:
        """Insert a batch one by one, in its order. Raises the errors of `insert`, before anything is inserted.

        times     a column of times, (n,)
        values    a column of n values; for records, a list of n tuples, or a tuple of columns

        A StoreError says how many values were inserted before the store failed.
        """
        keys, columns = self._batch(times, values)
        if not len(keys):
            return
        if self.card.order == IN_ORDER:
            falls = np.flatnonzero(keys[1:] < keys[:-1])
            if len(falls):
                raise OrderError(
                    f"times[{falls[0] + 1}] is older than the one before; {self.card.name} takes order only"
                )
            self._in_order(int(keys[0]), self._time.decode(int(keys[0])))
        with self._saying_how_many(len(keys)):
            _insert_many(self._w, as_slots(keys), as_columns(columns), 0, len(keys))

    @one_at_a_time
    def bulk_insert(self, times: Any, values: Any) -> None:
        """Insert a batch, sorted by time first. Values with equal times are combined in the order of the batch.

        Raises the errors of `insert_many`.
        """
        self._needs("bulk_insert")
        self._bulk_insert(times, values)

    @one_at_a_time
    def evict(self) -> None:
        """Evict the oldest entry. Raises EmptyWindowError."""
        self._must_be_open()
        self._not_empty("evict")
        _evict(self._w)

    @one_at_a_time
    def evict_at(self, time: Any) -> bool:
        """Evict the entry at exactly this time, and return whether there was one. Raises OperationError, TimeError."""
        self._needs("evict_at")
        return bool(_evict_at(self._w, self._time.encode(time)))

    @one_at_a_time
    def bulk_evict(self, time: Any) -> int:
        """Evict all entries up to and including `time`, and return how many. Raises OperationError, TimeError."""
        self._needs("bulk_evict")
        self._must_be_open()
        before = self._size()
        _bulk_evict(self._w, self._time.encode(time))
        return before - self._size()

    @one_at_a_time
    def query(self) -> Any:
        """The aggregate of the whole window; for an empty window, the result of the operator's identity.

        Raises operators.CutOffError if the operator collects values and has no room for all of them.
        """
        _aggregate(self._w)
        return operators.present(self.op, self._w.agg, RESULT)

    @one_at_a_time
    def range_query(self, first: Any, last: Any) -> Any:
        """The aggregate of the entries with first <= time <= last.

        Raises OperationError, TimeError, and the errors of `query`.
        """
        self._needs("range_query")
        _aggregate_between(self._w, self._time.encode(first), self._time.encode(last))
        return operators.present(self.op, self._w.agg, RESULT)

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

    @property
    def storage(self) -> Any:
        """The storage of a window in a key-value store: flush(), close(), acknowledged, traffic.

        Raises OperationError for a window in memory.
        """
        if self._storage is None:
            raise OperationError(f"{self.card.name} is in memory; kvs_amta and kvs_log_mta are in a key-value store")
        return self._storage

    @one_at_a_time
    def check(self) -> None:
        """Raise AssertionError if an invariant of the structure does not hold. At least O(n), in plain Python."""
        self.card.check(self._w)

    def __getstate__(self) -> dict[str, Any]:
        if self._storage is not None:
            raise TypeError(
                f"a window in a key-value store is not pickled or copied: open {self.card.name} again by its store and "
                "its name there (store=, stored_as=)"
            )
        return super().__getstate__()

    def _bulk_insert(self, times: Any, values: Any) -> None:
        keys, columns = self._batch(times, values)
        if not len(keys):
            return
        order = np.argsort(keys, kind="stable")
        if self.card.order == IN_ORDER:
            self._in_order(int(keys[order[0]]), self._time.decode(int(keys[order[0]])))
        with self._saying_how_many(len(keys)):
            _bulk_insert(self._w, as_slots(keys[order]), as_columns(_take(columns, order)), 0, len(keys))

    def _size(self) -> int:
        return int(_size(self._w))

    def _must_be_open(self) -> None:
        """Raise StoreError if the window is in a store that was closed."""
        if self._storage is not None:
            self._storage.must_be_open()

    @contextlib.contextmanager
    def _saying_how_many(self, n: int) -> Iterator[None]:
        """Make a StoreError during the insertion of n values say how many of them were inserted."""
        before = self._storage.arrived if self._storage is not None else 0
        try:
            yield
        except StoreError as error:
            raise StoreError(f"{error}; {self._storage.arrived - before} of {n} were inserted") from error

    def _value(self, value: Any) -> Any:
        skips = takes_nan(self.op)
        try:
            encoded = operators.encode(self.op, nulls_as_nan([value])[0] if skips else value)
        except ValueError as error:
            raise ValueKindError(str(error)) from None
        if has_nan(encoded) and not skips:
            raise ValueKindError(f"{self.op.name}: the value is NaN, which has no place in an aggregate")
        return encoded

    def _batch(self, times: Any, values: Any) -> tuple[np.ndarray, Any]:
        """Keys and column (or tuple of columns) of a batch that is valid and fits as a whole."""
        keys, columns = self._encoded(times, values)
        room = self.capacity - self._size()
        if len(keys) > room and self._new_entries(keys) > room:
            raise CapacityError(
                f"{self._size()} entries and {len(keys)} more are too many for capacity {self.capacity}"
            )
        return keys, columns

    def _new_entries(self, keys: np.ndarray) -> int:
        """How many entries a batch adds: in a window of any order, values at times already there add none."""
        if self.card.order == IN_ORDER:
            return len(keys)
        distinct = np.unique(keys)
        return _count_new(self._w, as_slots(distinct), len(distinct))

    def _encoded(self, times: Any, values: Any) -> tuple[np.ndarray, Any]:
        self._must_be_open()
        keys, columns = time_column(self._time, times), value_columns(self.op, values)
        if length(columns) != len(keys):
            raise ValueKindError(f"{len(keys)} times and {length(columns)} values; there must be as many of each")
        return keys, columns

    def _needs(self, operation: str) -> None:
        if operation not in self.card.operations:
            raise OperationError(f"{self.card.name} has no {operation}; it has {', '.join(self.card.operations)}")

    def _not_empty(self, operation: str) -> None:
        if self._size() == 0:
            raise EmptyWindowError(f"{operation} on an empty {self.card.name}")

    def _in_order(self, key: int, time: Any) -> None:
        if self._size() and key < _youngest(self._w):
            newest = self._time.decode(_youngest(self._w))
            raise OrderError(f"time {time} is older than {newest}, and {self.card.name} takes order only")

    def _full(self) -> CapacityError:
        return CapacityError(f"{self.card.name} is full: it was made for {self.capacity} entries")
