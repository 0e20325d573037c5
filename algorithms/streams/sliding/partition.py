"""One partition of a stream for one operator: a window, its log, and what is carried from batch to batch.

Kernels cannot allocate. When the log is full the loop stops, and a window of twice the size is made from the tuples in
the log: amortised O(1) for each tuple, and memory proportional to the tuples in the window.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import as_slots, driver, row, slots
from algorithms.operators.monoid import lower, presents_lowered, unit, value_dtypes
from algorithms.streams.sliding.events import Events, Log, Out, run, state_dtype
from algorithms.streams.sliding.extent_trigger import NEVER, EveryTuples, WithinAnyOrder
from algorithms.streams.sliding.fired import Column
from algorithms.streams.sliding.plan import Plan
from algorithms.streams.sliding.units import FARTHEST
from algorithms.windows.contract import insert, storage


@driver
def lower_all(op, agg, numbers, n):
    """numbers[i] = the result of partial agg[i]."""
    for i in range(n):
        numbers[i] = lower(op, agg, i)


@driver
def insert_kept(e, keys, places, n):
    """Insert n tuples of the log into the window."""
    for i in range(n):
        insert(e.window, keys[i], row(e.log.values, places[i]))


def room_for(capacity: int) -> int:
    """Places in the log of a window for so many tuples: a power of two."""
    return 1 << (capacity - 1).bit_length()


def columns_of(columns: tuple) -> Any:
    """Columns of values as compiled loops take them: a single one as it is, several as a tuple."""
    return columns if len(columns) > 1 else columns[0]


class Results:
    """Room for the results of one call of the loop, shared by all partitions of an operator; pickled without them.

    It is so small that it stays in the processor's cache until the results are where they belong.
    """

    def __init__(self, op: Any):
        self.op = op
        room = min(max(2**22 // op.dtype.itemsize, 16), 2**15)
        self.out = Out(slots(room, "i8", "when"), slots(room, op.dtype, "results"), room)
        self.numbers = self._dtype() if presents_lowered(op) else None

    def __reduce__(self):
        return Results, (self.op,)

    def _dtype(self) -> np.dtype:
        identity = slots(1, self.op.dtype, "one")
        unit(self.op, identity, 0)
        return np.asarray(operators.present(self.op, identity, 0)).dtype

    def column(self, room: int) -> Column:
        """A column for the operator's results."""
        return Column(np.dtype(object) if self.numbers is None else self.numbers, room)

    def put(self, n: int, column: Column) -> None:
        """Append the first n results to a column."""
        places = column.places(n)
        if self.numbers is not None:
            lower_all(self.op, self.out.agg, as_slots(places), n)
            return
        for i in range(n):
            places[i] = operators.present(self.op, self.out.agg, i)

    def fired_by(self, n: int) -> np.ndarray:
        """The row or end that fired each of the first n results, until the next call of the loop."""
        return np.asarray(self.out.when)[:n]


class Partition:
    """A window that takes in batches of tuples."""

    def __init__(self, op: Any, plan: Plan, columns: int, capacity: int):
        self._card, self._op, self._parameters = plan.card, op, plan.parameters
        self._position, self._columns = np.dtype(plan.position.dtype), columns
        state = slots(1, state_dtype(self._position), "state")
        state[0].next, state[0].low = NEVER, -FARTHEST
        state[0].until = plan.trigger.slide if isinstance(plan.trigger, EveryTuples) else 0
        self.events = self._events(plan.extent, plan.trigger, state, capacity)

    def _events(self, extent: Any, trigger: Any, state: Any, capacity: int) -> Events:
        """An empty window and log for at least `capacity` tuples."""
        ring = room_for(capacity)
        self._card.must_fit(self._op, ring, self._parameters)
        position = slots(ring, self._position, "position")
        if isinstance(extent, WithinAnyOrder):
            position[:] = np.iinfo(np.int64).min  # no tuple is kept there
        values = tuple(slots(ring, dtype, "column") for dtype in value_dtypes(self._op, self._columns))
        log = Log(position, columns_of(values), ring - 1)
        w = self._card.new(self._op, ring + 1, **self._parameters)
        return Events(w, extent, trigger, log, state)

    def take(self, results: Results, rows: tuple, first: int, last: int, final: Any) -> Iterator[int]:
        """Take in rows first .. last - 1 of (positions, clock, columns). Yields how many results are in `results`."""
        i, fired = first, results.out.room
        while i < last or fired == results.out.room:
            i = run(self.events, results.out, *rows, i, last, final)
            fired = int(self.events.state[0].results)
            if fired:
                yield fired
            if i < last and fired < results.out.room:
                self._grow()

    def kept(self) -> np.ndarray:
        """Numbers of the tuples in the window, in order of arrival."""
        e, s = self.events, self.events.state[0]
        numbers = np.arange(max(int(s.front), int(s.end) - e.log.mask - 1), int(s.end))
        if isinstance(e.extent, WithinAnyOrder):
            numbers = numbers[np.asarray(e.log.position)[numbers & e.log.mask] >= int(s.low) + e.extent.open]
        return numbers

    def _grow(self) -> None:
        """Replace the window by one with room for twice the tuples in it."""
        self._replace(2 * len(self.kept()) + 2)

    def _replace(self, capacity: int) -> None:
        """Replace the window and its log by others with the same tuples, from the log."""
        old, numbers = self.events, self.kept()
        self.events = self._events(old.extent, old.trigger, old.state, capacity)
        self._refill(np.asarray(old.log.position), old.log.values, numbers & old.log.mask)

    def __getstate__(self) -> dict[str, Any]:
        """The state, without a window in a key-value store: two would write to one store."""
        stored = self._card.window in storage.table
        return vars(self) | ({"events": self.events._replace(window=None)} if stored else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if self.events.window is None:
            self._replace(self.events.log.mask + 1)

    def _refill(self, position: np.ndarray, values: Any, kept: np.ndarray) -> None:
        """Put tuples from the columns of a log, in order of arrival, into the new log and its empty window."""
        e, end = self.events, int(self.events.state[0].end)
        numbers = np.arange(end - len(kept), end)
        e.log.position[numbers & e.log.mask] = position[kept]
        pairs = zip(e.log.values, values, strict=True) if self._columns > 1 else ((e.log.values, values),)
        for new, old in pairs:
            new[numbers & e.log.mask] = np.asarray(old)[kept]
        keys = numbers
        if isinstance(e.extent, WithinAnyOrder):
            order = np.argsort(position[kept], kind="stable")
            keys, numbers = position[kept][order], numbers[order]
        insert_kept(e, as_slots(keys), as_slots(numbers & e.log.mask), len(kept))
