"""Slicing techniques under many queries on one stream, timed. A cell's algorithm is a technique.

The clock covers the aggregator, which takes columns: marks of periodic queries are made in it, as they cost next to
nothing; those of sessions, for which every record is looked at, are made before and timed by themselves.
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
from experiments.harness.measuring.rig import clocked, compiled, lapped
from experiments.harness.traces import trace_of

LAPS = 5
"""A stream takes a few milliseconds: a single lap would tell more about what else the machine does."""


@measurement("slicing.time", unit="ns", check=check)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the whole stream, again and again until the minimum duration; an operation is a record."""
    values = as_slots(trace_of(*cell.source).values.astype(operator_called(cell.operator).takes))
    n = len(values)
    marked, discretizer = _marked(cell, n)
    seconds = compiled(lambda: _run(shared_aggregate(cell), values[:1], marked))
    s = shared_aggregate(cell)
    ended = _run(s, values, marked)  # a lap beforehand: memory is warm, all is compiled
    results = s._results([one for found, _ in ended for one in found], [one for _, ends in ended for one in ends])

    def lap() -> Callable[[], Any]:
        fresh = shared_aggregate(cell)
        return lambda: _run(fresh, values, marked)

    return {
        **lapped(lap, n, task, LAPS),
        "checksum": float(results.value.sum()),
        "compile_seconds": seconds,
        "facts": {"discretizer_ns_per_record": discretizer / n, "windows": len(results)},
    }


@measurement("slicing.fold", unit="ns", check=check)
def fold(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The time of what every technique that slices has in common: see ONE_SLICE."""
    return time(cell, task)


def _marked(cell: Cell, records: int) -> tuple[list[list[Any]], float]:
    """Marks of the queries that are not periodic, by part, and the nanoseconds that they took."""
    s, elapsed = shared_aggregate(cell), 0.0
    found: list[list[list[Any]]] = [[[] for _ in part.functions] for part in s._parts]
    if cell.asked["ask"] != SESSIONS:
        return [[] for _ in s._parts], elapsed
    for first, last, columns in pieces(cell, records):
        read = {("float64", name): as_slots(one) for name, one in columns.items()}
        read["time"] = as_slots(np.arange(first, last))
        for part, lists in zip(s._parts, found, strict=True):
            clock, marks = clocked(lambda part=part, n=last - first: part.discretize(read, n, first))  # noqa: B023
            elapsed += clock["value"]
            for one, more in zip(lists, marks, strict=True):
                one.append(more)
    return [[_joined(lists)] for lists in found], elapsed


def _joined(lists: Sequence[Sequence[Any]]) -> Any:
    """The marks of several queries in order of records and queries: what a discretizer passes downstream."""
    marks = joined([one for several in lists for one in several]).view(np.ndarray)
    return joined([marks[np.lexsort((marks["query"], marks["at"]))]])


def _run(s: SharedAggregate, values: Any, marked: Sequence[Sequence[Any]]) -> list[tuple]:
    return [part.run(values, {}, len(values), 0, given) for part, given in zip(s._parts, marked, strict=True)]
