"""advise: the window of the catalogue that is the fastest on a sample of one's own data."""

import statistics
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.advice.disorder import Disorder, disorder_of
from algorithms.arguments import as_columns, length, value_columns
from algorithms.errors import ValueKindError
from algorithms.kernel import driver, row
from algorithms.rolling.extent import nanoseconds
from algorithms.rolling.time_axis import Axis, axis_of
from algorithms.streams.window_spec import COUNT, TIME
from algorithms.windows.choosing.candidates import Candidate
from algorithms.windows.choosing.choice import choice
from algorithms.windows.choosing.operator_cost import OperatorCost, cost_of
from algorithms.windows.contract import evict, insert, oldest, query
from algorithms.windows.contract import size as entries_in
from safeguards.wrong_input import unknown, whole

WITHIN, MOST = 3.0, 8
"""Windows are timed that the table expects within so many times of the fastest, and so many at most."""

LAPS = 5


@driver
def replay(w, times, values, count, span, entries, batch):
    """Every row enters, what is older than newest - span or beyond `entries` leaves; a query after `batch` rows.

    A span of 0 is none. Rows that are older than the window when they come are left out.
    """
    total, newest, due = 0.0, times[0], batch
    for i in range(count):
        newest = max(newest, times[i])
        if span == 0 or times[i] > newest - span:
            insert(w, times[i], row(values, i))
        if span == 0:
            if entries_in(w) > entries:
                evict(w)
        else:
            while oldest(w) <= newest - span:
                evict(w)
        due -= 1
        if due == 0:
            total += query(w)
            due = batch
    return total


@dataclass(frozen=True)
class Timed:
    """A window on the sample: nanoseconds a row (median, fewest and most of the laps), and the bytes that it takes."""

    candidate: Candidate
    ns: float
    least: float
    most: float
    bytes: int


@dataclass(frozen=True, repr=False)
class Advice:
    """What was found in the data, what was timed, the fastest first, and the line to write. Its text is a table."""

    operator: str
    disorder: Disorder
    cost: OperatorCost
    timed: tuple[Timed, ...]
    capacity: int
    unit: str

    @property
    def best(self) -> Candidate:
        """The window that is recommended."""
        return self.timed[0].candidate

    @property
    def code(self) -> str:
        """The line that makes it."""
        return self.best.code(self.operator, self.capacity)

    def __repr__(self) -> str:
        found, widest = self.disorder, max(len(str(each.candidate)) for each in self.timed)
        mean, most_but_1, most = found.distance
        fewest, median, many = found.entries
        order = "in order" if not found.late else (
            f"{found.late / found.rows:.2%} of the rows late, by {found.late_by:,}{self.unit} at most; younger rows "
            f"there when one comes: {mean:,} in the mean, {most_but_1:,} for 99 %, {most:,} at most"
        )  # fmt: skip
        lines = [
            f"{found.rows:,} rows: {order}; {found.ties / found.rows:.1%} have the time of an earlier one",
            f"entries in the window: {fewest:,} to {many:,}, median {median:,}; "
            f"a combine of {self.operator} takes {self.cost.combine:.1f} ns",
            "",
            f"{'':<{widest}}  {'ns a row':>9}  {'laps':>15}  {'bytes':>13}",
            *(
                f"{each.candidate!s:<{widest}}  {each.ns:9.1f}  "
                f"{f'{each.least:.1f} to {each.most:.1f}':>15}  {each.bytes:13,}"
                for each in self.timed
            ),
            "",
            self.code,
        ]
        return "\n".join(lines)


def advise(
    times: Any,
    values: Any,
    operator: Any = "sum",
    *,
    size: Any,
    by: str = TIME,
    batch: int = 1,
    calls: Collection[str] = (),
    sample: int = 200_000,
    dtype: str | None = None,
) -> Advice:
    """The fastest window for these data, timed on their first rows, with the runners-up.

    times      a column of dates or whole numbers, in the order in which the rows come
    values     a column, as the operator takes it
    operator   a name, or an operator of your own
    size       of the window: a length of time, such as "5min" or a timedelta for dates, or a whole number of the
               times' unit; or with by="count" a number of rows
    batch      rows between two queries
    calls      operations that will be called besides insert, evict and query, such as ["range_query"]
    sample     rows that are looked at
    dtype      type of values, for an operator named by a string

    If a row comes after one with a later time, windows of any order are compared, else those in order as well. The
    table of `window("auto", ...)` says which may be the fastest; these are compiled and timed, in laps that take turns.
    Some seconds, the longest for an operator that was not compiled before. Raises ValueError that names the argument.

    >>> from sliding_windows import advise
    >>> advice = advise(range(1000), [1.0] * 1000, "max", size=100)
    >>> advice.disorder.late, advice.capacity
    (0, 101)
    >>> advice.best.algorithm == advice.timed[0].candidate.algorithm
    True
    """
    batch, sample = whole("batch", batch), whole("sample", sample, 16)
    axis = axis_of(times)
    count = min(sample, len(axis.times))
    if count < 16:
        raise ValueKindError(f"times has {count} rows; to time windows takes 16 at least")
    op = operators.chosen("operator", operator, dtype, None)
    columns = value_columns(op, values)
    if length(columns) != len(axis.times):
        raise ValueKindError(f"times has {len(axis.times)} rows, and values have {length(columns)}")
    if by not in (TIME, COUNT):
        raise ValueError(unknown("by", by, (TIME, COUNT)))
    span, entries = (_span(size, axis), 0) if by == TIME else (0, whole("size", size))
    keys = np.ascontiguousarray(axis.times[:count] - axis.times[:count].min())
    found = disorder_of(keys, span, entries)
    median, most = found.entries[1:]
    distance = found.distance[0] if found.late else 0
    by_table = choice(op, median, distance, min(batch, median), calls, trial=1)
    near = [each for each, ns in by_table.expected if ns <= WITHIN * by_table.expected[0][1]][:MOST]
    near += by_table.new
    inputs = keys, columns, count, span, entries, batch
    timed = sorted(_timed(op, near, most + 1, inputs), key=lambda each: each.ns)
    name = repr(operator) if isinstance(operator, str) else op.name
    return Advice(name, found, cost_of(op), tuple(timed), most + 1, " ns" if axis.unit == 1 else "")


def _span(size: Any, axis: Axis) -> int:
    """A length of time in units of the times."""
    if axis.unit is None:
        return whole("size, where times are whole numbers,", size)
    return max(1, int(nanoseconds("size", size) / axis.unit))


def _timed(op: Any, near: list[Candidate], capacity: int, inputs: tuple[Any, ...]) -> list[Timed]:
    """The windows, timed on the sample, lap by lap in turn. The first lap of each compiles and does not count."""
    times, values, count, *rest = inputs
    columns = as_columns(times), as_columns(values)
    laps: dict[Candidate, list[float]] = {each: [] for each in near}
    for number in range(LAPS + 1):
        for each in near:
            w = each.card.new(op, capacity + 1, **dict(each.parameters))
            replay(w, *columns, 0, *rest)
            start = time.perf_counter_ns()
            replay(w, *columns, count, *rest)
            if number:
                laps[each].append((time.perf_counter_ns() - start) / count)
    return [
        Timed(each, statistics.median(ns), min(ns), max(ns), each.card.bytes(op, capacity, **dict(each.parameters)))
        for each, ns in laps.items()
    ]
