"""`SlidingAggregate`: what `rolling` has not, the place of the maximum, and rows that come late to a stream."""

from typing import Any

import numpy as np

from algorithms.streams.sliding import SlidingAggregate
from experiments.peers.measuring.columns import LATE, ROWS, Column
from experiments.peers.measuring.libraries import Call

PACKAGE = ""
THREADS = "1"
KINDS = (ROWS, LATE)
TASKS = ("sum", "mean", "std", "min", "max", "argmax")
KINDS_OF = {"argmax": (ROWS,), **dict.fromkeys(("sum", "mean", "std", "min", "max"), (LATE,))}


def prepare(task: str, column: Column, window: int) -> Call:
    return _place(column, window) if task == "argmax" else _late(task, column, window)


def _place(column: Column, window: int) -> Call:
    rows = np.arange(len(column.values))

    def run() -> Any:
        aggregate = SlidingAggregate(size=window, by="count", slide="row", operator={"argmax": ("arg_max", ("v", "i"))})
        return aggregate.batch(None, {"v": column.values, "i": rows})

    return Call(run, lambda result: {"argmax": result["argmax"]})


def _late(task: str, column: Column, window: int) -> Call:
    """Results come in order of time, each once no row may come before it; the last ones with the end of the stream."""
    behind = int((np.maximum.accumulate(column.times) - column.times).max())

    def run() -> Any:
        aggregate = SlidingAggregate(size=window, slide="row", lateness=behind, operator={task: task})
        return aggregate.batch(column.times, column.values), aggregate.flush()

    def read(results: Any) -> dict[str, np.ndarray]:
        times = np.concatenate([result["time"] for result in results])
        answers = np.concatenate([result[task] for result in results])
        return {task: answers[np.searchsorted(times, column.times)]}

    return Call(run, read)
