"""The traces that cells replay, each made once per process: repetitions and algorithms share it."""

import functools
import json
from pathlib import PurePath
from typing import Any

import numpy as np

from experiments.harness.cell import Cell
from workloads import Trace, distance_report, distance_text, make


@functools.lru_cache(maxsize=1)
def trace_of(name: str, parameters: str) -> Trace:
    """The trace of a workload. Raises what the workload raises.

    One is kept: a run has one trace, and a large one takes as much memory as its file.
    """
    return make({"name": name, **json.loads(parameters)})


@functools.lru_cache(maxsize=1)
def facts_of(name: str, parameters: str) -> dict[str, Any]:
    """Facts about a trace, for the row column `facts`: its distances, as numbers and in words, and its notes."""
    trace = trace_of(name, parameters)
    report = distance_report(trace)
    source = " ".join([name, *(PurePath(text).name for text in [json.loads(parameters).get("path")] if text)])
    return {
        "distances": f"{source}, {len(trace):,} items: {distance_text(report)}",
        "notes": list(trace.notes),
        "skipped_records": trace.skipped,
        **report,
    }


def is_out_of_order(cell: Cell) -> bool:
    """Whether the cell inserts anywhere else than at the end of the window."""
    if cell.declared.replays:
        times = trace_of(*cell.source).times
        return bool((times[1:] < times[:-1]).any())
    return bool(cell.distance)


def span_of(cell: Cell) -> int:
    """The length of the window that replays the cell's trace, in ticks: at most the span of the trace."""
    trace = trace_of(*cell.source)
    return min(cell.window * trace.ticks_per_unit, int(trace.times.max()) - int(trace.times.min()) + 1)


@functools.lru_cache(maxsize=64)
def most_in_span(name: str, parameters: str, span: int) -> int:
    """The most distinct times of a trace within any stretch of `span` ticks. O(n log n) time."""
    distinct = np.unique(trace_of(name, parameters).times)
    distinct = distinct - distinct[0]  # none is negative: taking the span away stays within 64 bits
    before = np.searchsorted(distinct, distinct - span, side="right")
    return int((np.arange(len(distinct)) - before).max()) + 1
