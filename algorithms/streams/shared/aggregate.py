"""Many window queries over one stream, with one aggregate: `SharedAggregate([queries.sliding(10, 3)], "sum")`.

The façade of this package. It checks what the kernels do not, and takes whole columns, which compiled code processes;
`stream` takes single records.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.arguments import as_columns, length, value_columns
from algorithms.errors import OrderError, ValueKindError
from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.kernel import PLAIN, Slots, as_slots, driver, slots
from algorithms.operators.monoid import lower, unit
from algorithms.streams.shared.aggregator import OPEN, ByRecord
from algorithms.streams.shared.batch_result import Counts, Partials, Result, Results
from algorithms.streams.shared.discretize import LARGEST, Query, QueryError
from algorithms.streams.shared.query_group import Part
from algorithms.streams.shared.read_columns import moments, numbers, whole_numbers
from algorithms.streams.shared.slice_store import STORES, check, place
from algorithms.streams.shared.slicers import slicers
from algorithms.times import TimeError
from algorithms.windows.in_order.flat_fat import leaf
from safeguards.wrong_input import unknown, whole


@driver
def lower_all(op, partials, n, numbers):
    for i in range(n):
        numbers[i] = lower(op, partials, i)


@driver
def lowered(op, partials):
    return lower(op, partials, 0)


def number_type(op: Any) -> type | None:
    """The type of results, int or float, from all branches of `lower` (plain Python: from one); None if not numbers."""
    empty = slots(1, op.dtype)
    unit(op, empty, 0)
    presented = operators.present(op, empty, 0)
    if type(presented) not in (int, float):
        return None
    return type(presented if PLAIN else lowered(op, empty))


class SharedAggregate(OneAtATime):
    """The aggregate of one operator over the windows of several queries on one stream. The queries share slices.

    See `__init__` for the parameters. Use it from one thread at a time: a call during another call raises InUseError.
    Pickling and copying keep the state; functions of your own are found again if they are at the top level of a module.

    >>> from sliding_windows import SharedAggregate, queries
    >>> s = SharedAggregate([queries.tumbling(2), queries.sliding(3, 1)], "sum")
    >>> for result in s.batch([0, 1, 2, 3], [1.0, 2.0, 4.0, 8.0]):
    ...     print(result)
    Result(query=0, begin=0, end=2, value=3.0)
    Result(query=1, begin=0, end=3, value=7.0)
    """

    def __init__(
        self,
        queries: Sequence[Query],
        operator: Any = "sum",
        slicing: str = "cutty",
        store: str = "eager",
        *,
        dtype: str | None = None,
    ):
        """An aggregator before the first record.

        queries     made by the functions of `algorithms.queries`; results refer to them by their index in this list
        operator    name of an operator, or one made by `operators.make` or `operators.from_functions`
        slicing     "cutty", "pairs", "panes", "ra" (every record is stored) or "naive" (nothing is shared)
        store       "eager" (a tree over slices) or "lazy" (a ring of slices; always used by "naive")
        dtype       type of values, for an operator named by a string: "float64" (default) or "int64", exact

        With a query that is not deterministic, Cutty stores every record, as RA does. Raises QueryError for queries
        that the slicer cannot serve, ValueError for unknown names, suggesting the nearest.
        """
        queries = tuple(queries) if isinstance(queries, Iterable) else queries
        if not queries or not isinstance(queries, tuple) or not all(isinstance(query, Query) for query in queries):
            raise QueryError(
                f"queries must be a list of at least one query made by algorithms.queries, not {queries!r}"
            )
        for parameter, name, known in (("slicing", slicing, slicers()), ("store", store, STORES)):
            if name not in known:
                raise ValueError(unknown(parameter, name, known))
        self.queries, self.slicer = queries, slicers()[slicing]
        if reason := self.slicer.refusal(queries):
            raise QueryError(reason)
        self.op = operators.chosen("operator", operator, dtype)
        self.store = store if self.slicer.shared else "lazy"
        numbered = dict(enumerate(queries))
        groups = [numbered] if self.slicer.shared else [{n: query} for n, query in numbered.items()]
        self._parts = [Part(group, self.op, self.slicer, self.store) for group in groups]
        self._needs = set().union(*(part.needs() for part in self._parts))
        self._last: dict[str, int] = {}
        self._records = 0
        kinds: dict[type | None, Any] = {int: np.int64, float: np.float64}
        self._kind = kinds.get(number_type(self.op))

    def __repr__(self) -> str:
        queries = f"{len(self.queries)} quer{'y' if len(self.queries) == 1 else 'ies'}"
        return f"<{self.slicer.name}, {self.store}: {self.op.name} of {queries}, {self._records} records so far>"

    @one_at_a_time
    def batch(self, times: Any, values: Any, **columns: Any) -> Results:
        """Aggregate the next batch of records, and return the windows that ended with it.

        times       whole numbers that do not descend, or datetime64 (then time spans are microseconds); None if no
                    query needs times, or if they are the numbers of the records
        values      what is aggregated: a column; for records, a list of tuples or a tuple of columns
        columns     other columns that queries read, by name

        O(1) combines per record and per edge of a query; see Table 1. Windows that are still open continue with the
        next batch. Raises TimeError, OrderError, ValueKindError or QueryError, and then changes nothing. A later
        failure, such as a MemoryError, leaves the aggregate in the middle of the batch; every later call raises
        RuntimeError.
        """
        self._must_be_whole()
        column = as_columns(value_columns(self.op, values))
        n = length(column)
        needed = self._columns(times, column, columns, n)
        before = [(part.functions, part.open) for part in self._parts]
        try:
            marks = [part.discretize(needed, n, self._records) for part in self._parts]
        except BaseException:
            for part, (functions, still_open) in zip(self._parts, before, strict=True):
                part.functions, part.open = functions, still_open
            raise
        with self._halfway():
            ended = [part.run(column, needed, n, self._records, m) for part, m in zip(self._parts, marks, strict=True)]
            results = self._results([w for found, _ in ended for w in found], [p for _, found in ended for p in found])
        self._records += n
        for name in self._measures() if n else ():
            self._last[name] = int(needed[name][n - 1])
        return results

    def stream(self, records: Iterable[tuple[Any, Any]], size: int = 4096) -> Iterator[Result]:
        """Aggregate pairs (time, value), `size` at a time, and yield the windows that end. Raises as `batch` does."""
        size = whole("stream: size", size)
        batch: list[tuple[Any, Any]] = []
        for record in records:
            batch.append(record)
            if len(batch) == size:
                yield from self.batch(*map(list, zip(*batch, strict=True)))
                batch = []
        if batch:
            yield from self.batch(*map(list, zip(*batch, strict=True)))

    @property
    @one_at_a_time
    def counts(self) -> Counts:
        """Combines so far, for records, updates and merges."""
        parts = [part.a for part in self._parts]
        return Counts(
            sum(int(a.state[0].combines) for a in parts),
            sum(int(a.store.ends[0].update) for a in parts),
            sum(int(a.store.ends[0].merge) for a in parts),
        )

    @property
    @one_at_a_time
    def partials(self) -> Partials:
        """Partial aggregates kept, now and at most; for Naive, the sum over the queries."""
        rings = [part.a.store.ends[0] for part in self._parts]
        most = sum(int(ends.most) for ends in rings)
        open_slice = 0 if isinstance(self._parts[0].a, ByRecord) else 1
        return Partials(
            sum(int(ends.end - ends.front) for ends in rings),
            most,
            most * (2 if self.store == "eager" else 1) + open_slice,
            sum(int(ends.most_slots) for ends in rings),
        )

    @one_at_a_time
    def slices(self) -> list[tuple[int, int, Any]]:
        """Begin, end and aggregate of every stored slice, and of the open slice if it has records."""
        self._must_be_whole()
        slices: list[tuple[int, int, Any]] = []
        for a in (part.a for part in self._parts):
            ends, state = a.store.ends[0], a.state[0]
            begins = [int(a.store.slice[place(ends, i)].begin) for i in range(int(ends.front), int(ends.end))]
            stored = [
                operators.present(self.op, a.store.agg, leaf(ends, i)) for i in range(int(ends.front), int(ends.end))
            ]
            slices += zip(begins, [*begins[1:], int(state.begin)], stored)
            if state.records > 0:
                begin = int(state.begin)
                slices.append((begin, begin + int(state.records), operators.present(self.op, a.open, OPEN)))
        return slices

    @one_at_a_time
    def check(self) -> None:
        """Raise AssertionError if an invariant of a store does not hold. O(slices), in plain Python."""
        for part in self._parts:
            check(part.a.store)

    def _measures(self) -> set[str]:
        """Columns that must not descend."""
        periodic = {query.reads for query in self.queries if query.periodic} - {"count"}
        return periodic | ({"time"} & self._needs)

    def _columns(self, times: Any, values: Any, columns: dict[str, Any], n: int) -> dict[str, Any]:
        """Times and columns by name: whole numbers for measures, float64 for what window functions read."""
        needed: dict[Any, Any] = {}
        if "time" in self._needs:
            needed["time"] = as_slots(moments(np.arange(self._records, self._records + n) if times is None else times))
        known = {**columns, "value": values, **({"time": needed["time"]} if "time" in needed else {})}
        functions = {query.reads for query in self.queries if not query.periodic}
        for name in (self._needs - {"count"}) | functions:
            if name not in known or isinstance(known[name], tuple):
                existing = ", ".join(name for name, column in known.items() if not isinstance(column, tuple))
                raise QueryError(f"a query reads the column {name!r}; there is: {existing or 'none'}")
        for name in self._measures() - {"time"}:
            needed[name] = whole_numbers(name, known[name])
        for name in functions:
            needed["float64", name] = numbers(name, known[name])
        for name, column in needed.items():
            if len(column) != n:
                raise ValueKindError(f"{name}: {len(column)} records, and {n} values; there must be as many of each")
        for name in self._measures():
            self._must_ascend(name, needed[name])
        return needed

    def _must_ascend(self, name: str, column: Slots) -> None:
        array = column.view(np.ndarray)
        if len(array) and array[0] < self._last.get(name, array[0]):
            raise OrderError(f"{name}: {array[0]} follows {self._last[name]} of the batch before; it may not descend")
        if len(array) and not (array[1:] >= array[:-1]).all():
            i = int(np.flatnonzero(array[1:] < array[:-1])[0])
            raise OrderError(f"{name}[{i + 1}] is {array[i + 1]} and follows {array[i]}; it may not descend")
        for extreme in array[[0, -1]].tolist() if len(array) else ():
            if not -LARGEST <= extreme <= LARGEST:
                raise TimeError(f"{name} must be within +-2^62 - 1, not {extreme}")

    def _results(self, windows: list[Slots], partials: list[Slots]) -> Results:
        """The windows of all parts and chunks, with the values of their partial aggregates."""
        values = []
        for chunk in partials:
            if self._kind is None:
                column = np.empty(len(chunk), object)
                column[:] = [operators.present(self.op, chunk, i) for i in range(len(chunk))]
            elif PLAIN and len(chunk):
                column = np.asarray([lower(self.op, chunk, i) for i in range(len(chunk))])
            else:
                column = as_slots(np.empty(len(chunk), self._kind))
                lower_all(self.op, chunk, len(chunk), column)
            values.append(column.view(np.ndarray))
        columns = [np.concatenate([w[name] for w in windows]) if windows else np.empty(0, np.int64) for name in NAMES]
        value = np.concatenate(values) if values else np.empty(0, self._kind or object)
        results = Results(*(column.view(np.ndarray) for column in (*columns, value)))
        if len(self._parts) == 1:
            return results
        order = np.lexsort((results.query, results.end))
        return Results(results.query[order], results.begin[order], results.end[order], results.value[order])


NAMES = ("query", "begin", "end")
