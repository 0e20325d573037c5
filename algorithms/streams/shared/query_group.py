"""One aggregator and the window functions that feed it: all queries of a stream, or for Naive one of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from algorithms.kernel import Slots, slots
from algorithms.streams.shared.aggregator import (
    RESULT,
    ByRecord,
    aggregate,
    begin_windows,
    new_aggregator,
    with_windows,
)
from algorithms.streams.shared.discretize import (
    CUT,
    MARK,
    MOVES,
    PERIODIC,
    WINDOWS,
    Column,
    Position,
    Query,
    QueryError,
    mark_each,
    mark_periodic,
)
from algorithms.streams.shared.slice_store import new_store, with_room
from algorithms.streams.shared.slicers import Slicer
from algorithms.streams.shared.user_defined import Interpreted

MOST_MARKS, LEAST_RECORDS, MOST_RECORDS = 1 << 22, 1 << 10, 1 << 18
"""A chunk has as many records as can be marked in this much memory, of which only what is written is taken."""

MOST_AT_ONCE = 1 << 22
"""The most windows of a query that may begin at one record; 24 bytes each."""


class Part:
    """The state of one aggregator. Queries keep their numbers among all queries of the stream."""

    def __init__(self, queries: Mapping[int, Query], op: Any, slicer: Slicer, store: str):
        self.queries = queries
        by_record = not all(query.deterministic for query in queries.values())
        kind = ByRecord if by_record else slicer.aggregator
        self.a = new_aggregator(kind, op, new_store(store, op), max(queries) + 1)
        self.periodic = periodic_sources(queries, slicer)
        self.functions = {n: query.make() for n, query in queries.items() if not query.periodic}
        self.open = dict.fromkeys(self.functions, 0)
        """Open windows of a deterministic function; records that left, of another."""
        for n, query in queries.items():
            if not query.deterministic:
                self.a = with_windows(self.a, 1)
                begin_windows(self.a, n, 1)
        self.chunk = MOST_RECORDS
        while self.chunk > LEAST_RECORDS and self._most_marks() > MOST_MARKS:
            self.chunk >>= 1
        self.marks = slots(self._most_marks(), MARK, "marks")

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"marks": None}  # memory for 2^22 of them, rewritten for each batch

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.marks = slots(self._most_marks(), MARK, "marks")

    def _most_marks(self) -> int:
        """The most marks of a chunk: one per record for each source, or by its slide if that is in records."""
        by_count = self.periodic.get("count", np.empty(0, PERIODIC))
        others = len(self.functions) + sum(len(rows) for reads, rows in self.periodic.items() if reads != "count")
        return others * self.chunk + int(np.minimum(2 * self.chunk // by_count["slide"] + 2, self.chunk).sum())

    def needs(self) -> set[str]:
        """The measures and columns that window functions read."""
        read = {self.queries[n].reads for n in self.functions}
        return read | set(self.periodic) | ({"time"} if self.functions else set())

    def discretize(self, columns: Mapping[Any, Slots], n: int, base: int) -> list[Slots]:
        """The marks of functions that are not periodic, over a batch. Raises QueryError and then changes nothing.

        Also refuses too many windows of a periodic query at once: in `run` it would be too late.
        """
        for reads, sources in self.periodic.items():
            column = np.arange(base, base + min(n, 2)) if reads == "count" else columns[reads].view(np.ndarray)
            self._must_not_begin_at_once(column, sources.view(np.ndarray))
        functions = {number: copied(function) for number, function in self.functions.items()}
        marks = [self._marks_of(number, function, columns, n, base) for number, function in functions.items()]
        still_open = [checked(self.queries[q], m, self.open[q]) for q, m in zip(functions, marks, strict=True)]
        self.functions, self.open = functions, dict(zip(functions, still_open, strict=True))
        return marks

    def _must_not_begin_at_once(self, measure: np.ndarray, sources: np.ndarray) -> None:
        """Raise QueryError where the measure grows so much that too many windows begin at one record."""
        if not len(measure):
            return
        first = measure[0] - sources["origin"] - sources["next"] * sources["slide"] + sources["slide"]
        grows = np.maximum(first, np.diff(measure).max(initial=0))
        begin = np.where(sources["kind"] == WINDOWS, np.minimum(grows, sources["range"]) // sources["slide"], 0)
        if begin.max() > MOST_AT_ONCE:
            s = int(begin.argmax())
            raise too_many(self.queries[int(sources["query"][s])], begin[s])

    def _marks_of(self, number: int, function: Any, columns: Mapping[Any, Slots], n: int, base: int) -> Slots:
        query, chunks = self.queries[number], []
        kind, times, column = (
            WINDOWS if query.deterministic else MOVES,
            columns["time"],
            columns["float64", query.reads],
        )
        for first in range(0, n, self.chunk):
            last = min(first + self.chunk, n)
            if isinstance(function, Interpreted):
                count = function.marks(number, kind, times, column, first, last, base, self.marks)
            else:
                count = mark_each(function, number, kind, times, column, first, last, base, self.marks)
            chunks.append(self.marks[:count].copy())
        return joined(chunks or [self.marks[:0]])

    def run(self, values: Any, columns: Mapping[str, Slots], n: int, base: int, marked: Sequence[Slots]) -> tuple:
        """Aggregate a batch of n records. Returns the windows that ended, and their partial aggregates."""
        windows, partials = [], []
        for first in range(0, n, self.chunk):
            last = min(first + self.chunk, n)
            marks = self._marks(columns, first, last, base, marked)
            ended = self._aggregate(between(values, first, last), last - first, base + first, marks)
            windows.append(ended[0])
            partials.append(ended[1])
        return windows, partials

    def _marks(self, columns: Mapping[str, Slots], first: int, last: int, base: int, marked: Sequence[Slots]) -> Slots:
        """All marks of a chunk in order of records; of queries in order of number at the same record."""
        count = 0
        for reads, sources in self.periodic.items():
            measure = Position(base + first) if reads == "count" else Column(columns[reads][first:last])
            count = mark_periodic(sources, len(sources), measure, last - first, base + first, self.marks, count)
        marks = [self.marks[:count]]
        for sorted_marks in marked:
            start, stop = np.searchsorted(sorted_marks["at"], [base + first, base + last])
            marks.append(sorted_marks[start:stop])
        if len(marked) + sum(map(len, self.periodic.values())) == 1:
            return max(marks, key=len)  # one source, so they are in order
        unordered = np.concatenate([sorted_marks.view(np.ndarray) for sorted_marks in marks])
        key = unordered["at"] * (max(self.queries) + 1) + unordered["query"]
        return joined([unordered[np.argsort(key, kind="stable")]])  # merges runs, each in order, in one pass

    def _aggregate(self, values: Any, n: int, base: int, marks: Slots) -> tuple[Slots, Slots]:
        columns = marks.view(np.ndarray)
        a = with_windows(self.a, int(columns["begins"][columns["kind"] != MOVES].sum()))
        a = a._replace(store=with_room(a.store, n if isinstance(a, ByRecord) else len(marks)))
        ending = int(columns["ends"].sum())
        windows, partials = slots(ending, RESULT, "windows"), slots(ending, a.op.dtype, "partials")
        a.state[0].emitted = 0
        aggregate(a, values, n, base, marks, len(marks), windows, partials)
        self.a = a
        return windows, partials


def periodic_sources(queries: Mapping[int, Query], slicer: Slicer) -> dict[str, Slots]:
    """Queries and cuts by the measure that they are periodic in, as compiled code reads them."""
    rows: dict[str, list[tuple]] = {}
    for n, query in queries.items():
        if query.periodic:
            rows.setdefault(query.reads, []).append((n, WINDOWS, query.range, query.slide, query.origin, 0, 0))
    for cut in slicer.cuts(list(queries.values())):
        rows.setdefault(cut.reads, []).append((0, CUT, 0, cut.slide, cut.origin, 0, 0))
    by_measure = {}
    for reads, sources in rows.items():
        by_measure[reads] = slots(len(sources), PERIODIC, "periodic")
        by_measure[reads][:] = np.array(sources, PERIODIC)
    return by_measure


def copied(function: Any) -> Any:
    """A copy of the window function in its present state."""
    if isinstance(function, Interpreted):
        return function.copy()
    return function._make(field.copy() if isinstance(field, Slots) else field for field in function)


def joined(marks: Sequence[np.ndarray]) -> Slots:
    """Marks one after the other, as compiled code reads them."""
    together = slots(sum(map(len, marks)), MARK, "marks")
    np.concatenate(marks, out=together.view(np.ndarray))
    return together


def between(values: Any, first: int, last: int) -> Any:
    """Records first .. last - 1 of a column, or of a tuple of columns."""
    return tuple(column[first:last] for column in values) if isinstance(values, tuple) else values[first:last]


def too_many(query: Query, begin: int, at: int | None = None) -> QueryError:
    where = "one record" if at is None else f"record {at}"
    return QueryError(f"{query.title}: {begin} windows begin at {where}; at most {MOST_AT_ONCE} may")


def checked(query: Query, marks: np.ndarray, before: int) -> int:
    """The open windows (or the records that left) after these marks. Raises QueryError for impossible marks."""
    begins, ends = np.asarray(marks["begins"]), np.asarray(marks["ends"])
    after = before + np.cumsum(begins - ends if query.deterministic else begins)
    wrong = (begins < 0) | (ends < 0)
    if query.deterministic:
        wrong |= (begins > MOST_AT_ONCE) | (ends > after - begins + ends)
    else:  # the window is empty when as many records left as there were
        wrong |= (after > marks["at"]) | (ends > 1) | ((ends > 0) & (after >= marks["at"]))
    if wrong.any():
        m = int(np.flatnonzero(wrong)[0])
        if query.deterministic and begins[m] > MOST_AT_ONCE:
            raise too_many(query, begins[m], int(marks["at"][m]))
        begin, end = ("windows begin", "windows end") if query.deterministic else ("records leave", "reports")
        state = f"{before if m == 0 else after[m - 1]} {'were open' if query.deterministic else 'had left'}"
        raise QueryError(
            f"{query.title}: at record {marks['at'][m]}, {begins[m]} {begin} and {ends[m]} {end}, but {state} before it"
        )
    return int(after[-1]) if len(after) else before
