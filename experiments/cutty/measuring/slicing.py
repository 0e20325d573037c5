"""Slicing techniques under many queries on one stream, timed. A cell's algorithm is a technique.

The clock covers the aggregator, which takes columns. It also makes the marks of periodic queries, at almost no cost;
those of sessions, for which every record is looked at, are made beforehand and timed by themselves.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from algorithms.kernel import as_slots
from algorithms.streams.shared.aggregate import SharedAggregate
from algorithms.streams.shared.query_group import joined
from experiments.cutty.measuring.queries import SESSIONS, check, pieces, shared_aggregate
from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked, compiled, timed_laps
from experiments.harness.traces import trace_of

LAPS = 5
"""The fewest laps: a stream takes a few milliseconds, and the machine's other work would disturb a single lap."""


@measurement("slicing.time", unit="ns", check=check)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the whole stream, again and again until the minimum duration; an operation is a record."""
    values = as_slots(trace_of(*cell.source).values.astype(operator_called(cell.operator).takes))
    n = len(values)
    marked, discretizer = _marked(cell, n)
    seconds = compiled(lambda: _run(shared_aggregate(cell), values[:1], marked))
    s = shared_aggregate(cell)
    ended = _run(s, values, marked)  # a lap beforehand: memory is warm, all is compiled
    windows, partials = ([chunk for chunks in lists for chunk in chunks] for lists in zip(*ended, strict=True))
    results = s._results(windows, partials)

    def lap() -> Callable[[], Any]:
        new = shared_aggregate(cell)
        return lambda: _run(new, values, marked)

    return {
        **timed_laps(lap, n, task, LAPS),
        "checksum": float(results.value.sum()),
        "compile_seconds": seconds,
        "facts": {"discretizer_ns_per_record": discretizer / n, "windows": len(results)},
    }


@measurement("slicing.fold", unit="ns", check=check)
def fold(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The time of the work that all techniques that slice share: see ONE_SLICE."""
    return time(cell, task)


def _marked(cell: Cell, records: int) -> tuple[list[list[Any]], float]:
    """Marks of the queries that are not periodic, for each part, and the nanoseconds of making them."""
    s, elapsed = shared_aggregate(cell), 0.0
    collected: list[list[list[Any]]] = [[[] for _ in part.functions] for part in s._parts]
    if cell.asked["ask"] != SESSIONS:
        return [[] for _ in s._parts], elapsed
    for first, last, columns in pieces(cell, records):
        read = {("float64", name): as_slots(column) for name, column in columns.items()}
        read["time"] = as_slots(np.arange(first, last))
        for part, lists in zip(s._parts, collected, strict=True):
            clock, marks = clocked(lambda part=part, n=last - first: part.discretize(read, n, first))  # noqa: B023
            elapsed += clock["value"]
            for of_query, new in zip(lists, marks, strict=True):
                of_query.append(new)
    return [[_joined(lists)] for lists in collected], elapsed


def _joined(lists: Sequence[Sequence[Any]]) -> Any:
    """The marks of several queries in order of records and queries, as a discretizer passes them on."""
    marks = joined([marks for of_query in lists for marks in of_query]).view(np.ndarray)
    return joined([marks[np.lexsort((marks["query"], marks["at"]))]])


def _run(s: SharedAggregate, values: Any, marked: Sequence[Sequence[Any]]) -> list[tuple]:
    return [part.run(values, {}, len(values), 0, marks) for part, marks in zip(s._parts, marked, strict=True)]
