"""Slicing techniques under many queries on one stream, timed. A cell's algorithm is a technique.

Window functions are asked about every record, and mark where windows begin and end; the aggregator takes values and
marks. `time` is of both, as a system that runs the queries has to do both. `aggregator` is of the aggregator alone. The
columns that say where sessions begin are part of the stream, and made before the clock starts.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from algorithms.kernel import as_slots
from algorithms.streams.shared.query_group import joined
from experiments.cutty.measuring.queries import SESSIONS, check, pieces, shared_aggregate
from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked, compiled, repeated, summed
from experiments.harness.traces import trace_of

LAPS = 5
"""The fewest laps: a stream takes a few milliseconds, and the machine's other work would disturb a single lap."""


@measurement("slicing.time", unit="ns", check=check)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the whole stream, again and again until the minimum duration; an operation is a record.

    The facts have the part of the window functions, for sessions. Those of periodic queries are asked only where a
    window begins or ends, within the aggregator's loop.
    """
    row, marking = _timed(cell, task, total=True)
    if cell.asked["ask"] == SESSIONS:
        row["facts"]["discretizer_ns_per_record"] = marking
    return row


@measurement("slicing.aggregator", unit="ns", check=check)
def aggregator(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """As `time`, but of the aggregator alone, on a stream that is marked already."""
    return _timed(cell, task, total=False)[0]


@measurement("slicing.fold", unit="ns", check=check)
def fold(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The time of the work that all techniques that slice share: see ONE_SLICE."""
    return time(cell, task)


def _timed(cell: Cell, task: dict[str, Any], total: bool) -> tuple[dict[str, Any], float]:
    """The row of a cell, and the nanoseconds that the window functions took of a record."""
    values = as_slots(trace_of(*cell.source).values.astype(operator_called(cell.operator).takes))
    seconds = compiled(lambda: _lap(cell, values[:1], total))
    results = _lap(cell, values, total)[2]  # a lap beforehand: memory is warm, all is compiled
    marking: list[float] = []

    def lap() -> dict[str, Any]:
        clock, of_functions, _ = _lap(cell, values, total)
        marking.append(of_functions)
        return clock

    clock = repeated(lap, len(values), task, LAPS)
    facts = {"windows": len(results)}
    row = {**clock, "checksum": float(results.value.sum()), "compile_seconds": seconds, "facts": facts}
    return row, sum(marking) / clock["operations"]


def _lap(cell: Cell, values: Any, total: bool) -> tuple[dict[str, Any], float, Any]:
    """The clock of one pass over the stream, the window functions' nanoseconds, and the windows that ended."""
    s = shared_aggregate(cell)
    of_functions, of_aggregator, windows, partials = [], [], [], []
    for first, last, columns in pieces(cell, len(values)):
        read = {("float64", name): as_slots(column) for name, column in columns.items()}
        read["time"] = as_slots(np.arange(first, last))
        piece, n = values[first:last], last - first
        for part in s._parts:
            clock, marks = clocked(lambda part=part: part.discretize(read, n, first))  # noqa: B023 - called at once
            of_functions.append(clock)
            marks = marks if total or not marks else [_in_order(marks)]
            clock, ended = clocked(lambda part=part: part.run(piece, {}, n, first, marks))  # noqa: B023
            of_aggregator.append(clock)
            windows += ended[0]
            partials += ended[1]
    clock = summed(of_aggregator + of_functions) if total else summed(of_aggregator)
    return clock, summed(of_functions)["value"], s._results(windows, partials)


def _in_order(marks: Sequence[Any]) -> Any:
    """The marks of several queries in order of records and queries, as a discretizer passes them on."""
    together = joined(marks).view(np.ndarray)
    return joined([together[np.lexsort((together["query"], together["at"]))]])
