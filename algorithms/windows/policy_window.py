"""Windows that slide by themselves: `window("amta", operator=..., policy=policies.count(1000))`."""

from typing import Any

import numpy as np

from algorithms.arguments import as_columns
from algorithms.errors import CapacityError, OperationError, OrderError
from algorithms.in_use import one_at_a_time
from algorithms.kernel import as_slots, driver, kernel, row
from algorithms.windows.contract import IN_ORDER, Card, size, youngest
from algorithms.windows.facade import Window
from algorithms.windows.slide_policies import must_suit
from algorithms.windows.slider import arrive, lets_oldest_go, remember, slide, slider
from algorithms.windows.stored.stores import StoreError


@driver
def _arrive(w, s, time, value):
    arrive(w, s, time, value)


@kernel
def has_room(w, s, time, value, capacity, combines):
    """Whether the value can be inserted: there is room, it combines with an equal time, or the oldest goes for it."""
    if size(w) < capacity or (combines and youngest(w) == time):
        return True
    return lets_oldest_go(w, s, value)


@driver
def _arrive_many(w, s, times, values, first, last, capacity, combines):
    """Insert up to the first entry for which a full window has no room. Returns its index, or `last`."""
    for i in range(first, last):
        if not has_room(w, s, times[i], row(values, i), capacity, combines):
            return i
        arrive(w, s, times[i], row(values, i))
    return last


@driver
def _has_room(w, s, time, value, capacity, combines):
    return has_room(w, s, time, value, capacity, combines)


@driver
def _slide(w, s):
    slide(w, s)


class PolicyWindow(Window):
    """A window that after every insert lets go what its slide policy says. Times may not decrease.

    A window that is full takes a value if the policy lets the oldest go for it.
    """

    def __init__(
        self, window_card: Card, op: Any, capacity: int, time: str, parameters: dict[str, int], policy: Any
    ) -> None:
        must_suit(policy, op)
        super().__init__(window_card, op, capacity, time, parameters)
        self.policy = policy
        self._combines = window_card.order != IN_ORDER  # equal times
        self._s = slider(window_card, op, capacity + 1, policy)

    @one_at_a_time
    def insert(self, time: Any, value: Any) -> None:
        """Insert a value, and slide. Raises TimeError, ValueKindError, OrderError or CapacityError."""
        self._must_be_open()
        key, value = self._time.encode(time), self._value(value)
        self._in_order(key, time)
        if not _has_room(self._w, self._s, key, value, self.capacity, self._combines):
            raise self._full()
        before = self._size()
        try:
            _arrive(self._w, self._s, key, value)
        except StoreError as error:
            if self._size() == before:
                raise
            raise StoreError(f"{error}; the value is in the window, and the next insert will slide") from error

    @one_at_a_time
    def insert_many(self, times: Any, values: Any) -> None:
        """Insert a batch one by one, sliding after each. Raises as `insert`; CapacityError says how many went in."""
        keys, columns = self._ordered(times, values)
        if not len(keys):
            return
        with self._saying_how_many(len(keys)):
            inputs = as_slots(keys), as_columns(columns), 0, len(keys)
            done = _arrive_many(self._w, self._s, *inputs, self.capacity, self._combines)
        if done < len(keys):
            raise CapacityError(
                f"{self._full()}, and the policy lets none of them go for values[{done}]; those before it were inserted"
            )

    @one_at_a_time
    def bulk_insert(self, times: Any, values: Any) -> None:
        """Insert a batch in order of time, and slide once. Raises as `insert`, before anything is inserted."""
        self._needs("bulk_insert")
        if self.card.window not in remember.table:
            raise OperationError(f"{self.card.name} has no bulk_insert with a policy; insert_many slides after each")
        self._bulk_insert(times, values)
        _slide(self._w, self._s)

    def evict_at(self, time: Any) -> bool:
        """Raises OperationError: a policy lets oldest parts go, and takes them to be whole."""
        raise OperationError(f"{self.card.name} has no evict_at with a policy: only the oldest go")

    def _ordered(self, times: Any, values: Any) -> tuple[Any, Any]:
        keys, columns = self._encoded(times, values)
        falls = np.flatnonzero(keys[1:] < keys[:-1])
        if len(falls):
            raise OrderError(f"times[{falls[0] + 1}] is older than the one before; a slide policy takes order only")
        if len(keys):
            self._in_order(int(keys[0]), self._time.decode(int(keys[0])))
        return keys, columns
