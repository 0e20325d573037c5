"""River: statistics of a stream, updated and asked for each row, in Python."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.peers.measuring.columns import ROWS, Column
from experiments.peers.measuring.exact import SEVERAL
from experiments.peers.measuring.libraries import Call

PACKAGE = "river"
THREADS = "1"
KINDS = (ROWS,)
TASKS = ("sum", "mean", "std", "min", "max", "median", "several")


def statistic(task: str, window: int) -> Any:
    """The statistic of a window of rows: `update(value)`, `get()`. A standard deviation is the root of what it gets."""
    from river import stats, utils

    if task in ("min", "max"):
        return {"min": stats.RollingMin, "max": stats.RollingMax}[task](window_size=window)
    if task == "median":
        return stats.RollingQuantile(q=0.5, window_size=window)
    return utils.Rolling({"sum": stats.Sum, "mean": stats.Mean, "std": stats.Var}[task], window_size=window)


def prepare(task: str, column: Column, window: int) -> Call:
    names = SEVERAL if task == "several" else (task,)
    values = column.values.tolist()

    def each(name: str) -> list[float]:
        kept, answers = statistic(name, window), []
        finish: Callable[[float], float] = (lambda v: math.sqrt(max(v, 0.0))) if name == "std" else float
        for value in values:
            kept.update(value)
            answers.append(finish(kept.get()))
        return answers

    def read(result: dict[str, list[float]]) -> dict[str, np.ndarray]:
        return {name: np.array(answers) for name, answers in result.items()}

    return Call(lambda: {name: each(name) for name in names}, read)
