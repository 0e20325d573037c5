"""The discretizer: window functions turn a stream into marks, records at which windows begin, end, or a slice is cut.

Carbone, Traub, Katsifodimos, Haridi, Markl: Cutty (CIKM 2016), sections 3.2 and 5.1. A deterministic window function
says for each record how many windows begin with it and how many ended before it. The enriched stream is sparse: records
at which nothing happens have no mark, so that the aggregator folds the stretch between two marks in one loop.

A window is the half-open stretch of records `begin` .. `end - 1`, numbered from 0. It ends at the first record that is
not in it, before that record is aggregated. Windows of one query end in the order in which they began. A window into
which no record falls never begins.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, driver, generic, kernel

MARK = np.dtype([("at", "i8"), ("query", "i8"), ("kind", "i8"), ("begins", "i8"), ("ends", "i8")])
"""At record number `at`, windows of a query begin and end. The kind says what the two numbers count."""

WINDOWS, CUT, MOVES = 0, 1, 2
"""Kinds of mark: `begins` windows begin and `ends` end; a slice is cut; the one window of a non-deterministic query
loses its `begins` oldest records and is reported `ends` times."""

LARGEST, MOST = 2**62 - 1, 2**61
"""The largest measure, either way, and the largest range, slide or origin: one plus two of these fits in 64 bits."""

PERIODIC = np.dtype([(name, "i8") for name in ("query", "kind", "range", "slide", "origin", "next", "open")])
"""Window number k covers [origin + k slide, origin + k slide + range) of a measure, k >= 0. Numbers open .. next - 1
have begun and not ended."""


class QueryError(ValueError):
    """An impossible query: parameters out of range, or a window function that returns impossible counts."""


@dataclass(frozen=True)
class Query:
    """Windows over the stream, as declared by a window function. Made by the functions of `queries`."""

    title: str
    reads: str = "value"
    """The measure of a periodic query ("count", "time" or a column), or the column that the window function reads."""
    range: int = 0
    slide: int = 0
    origin: int = 0
    """Range, slide and origin are those of a periodic query; slide 0 means that it is not periodic."""
    make: Callable[[], Any] | None = field(default=None, compare=False)
    """Makes a window function that is not periodic, in its first state."""
    deterministic: bool = True

    @property
    def periodic(self) -> bool:
        return self.slide > 0


class Position(NamedTuple):
    """The measure of count windows: the number of the record; the batch's first record has number `base`."""

    base: int


class Column(NamedTuple):
    """The measure of time and distance windows: a column that does not descend."""

    values: Slots


@generic
def measured(measure, i):
    """The measure of the batch's record i."""


@generic
def seek(measure, i, last, edge):
    """The first record from i on, before `last`, whose measure is at least `edge`; `last` if there is none."""


@measured.of(Position)
def _(measure, i):
    return measure.base + i


@seek.of(Position)
def _(measure, i, last, edge):
    return min(max(i, edge - measure.base), last)


@measured.of(Column)
def _(measure, i):
    return measure.values[i]


@seek.of(Column)
def _(measure, i, last, edge):
    step = 1  # ever larger steps, then bisection: a window of m records costs 2 log2 m comparisons, not m
    while i + step <= last and measure.values[i + step - 1] < edge:
        i += step
        step *= 2
    low, high = i, min(i + step - 1, last)
    while low < high:
        middle = (low + high) >> 1
        if measure.values[middle] < edge:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def put_mark(marks, count, at, query, kind, begins, ends):
    mark = marks[count]
    mark.at, mark.query, mark.kind, mark.begins, mark.ends = at, query, kind, begins, ends
    return count + 1


@kernel
def next_edge(source):
    """The measure at which the next window of a periodic query begins or ends."""
    edge = source.origin + source.next * source.slide
    if source.open < source.next:
        edge = min(edge, source.origin + source.open * source.slide + source.range)
    return edge


@kernel
def pass_edges(source, now):
    """Count the windows that begin and end at a record with the measure `now`. Returns (begins, ends)."""
    past = now - source.origin
    begun = max(past // source.slide + 1, source.next)
    over = (past - source.range) // source.slide + 1  # windows 0 .. over - 1 lie before this record
    ends = max(min(over, source.next) - source.open, 0)
    begins = begun - max(source.next, over)
    source.open, source.next = max(source.open, over), begun
    return max(begins, 0), ends


@driver
def mark_periodic(sources, n, measure, last, base, marks, count):
    """Append the marks of n periodic sources over records 0 .. last - 1 of a batch. Returns the number of marks."""
    for s in range(n):
        source = sources[s]
        i = seek(measure, 0, last, next_edge(source))
        while i < last:
            begins, ends = pass_edges(source, measured(measure, i))
            if source.kind == CUT or begins + ends > 0:
                count = put_mark(marks, count, base + i, source.query, source.kind, begins, ends)
            i = seek(measure, i, last, next_edge(source))
    return count


@generic
def step(function, time, x):
    """How many windows begin with a record and how many ended before it, x being what the function reads.

    For a non-deterministic function: how many of the oldest records leave its window, and whether it is reported.
    """


@driver
def mark_each(function, query, kind, times, column, first, last, base, marks):
    """The marks of a window function over records first .. last - 1 of a batch. Returns their number."""
    count = 0
    for i in range(first, last):
        begins, ends = step(function, times[i], column[i])
        if begins != 0 or ends != 0:
            count = put_mark(marks, count, base + i, query, kind, begins, ends)
    return count
