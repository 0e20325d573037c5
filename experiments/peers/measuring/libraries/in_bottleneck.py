"""Bottleneck: compiled loops over an array, a function for each task."""

from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.peers.measuring.columns import MISSING, ROWS, Column
from experiments.peers.measuring.exact import SEVERAL
from experiments.peers.measuring.libraries import Call

PACKAGE = "bottleneck"
THREADS = "1"
KINDS = (ROWS, MISSING)
TASKS = ("sum", "mean", "std", "min", "max", "argmax", "median", "several")


def prepare(task: str, column: Column, window: int) -> Call:
    import bottleneck

    least = 1 if column.kind == MISSING else None

    def function(name: str) -> Callable[[], np.ndarray]:
        move, options = getattr(bottleneck, f"move_{name}"), {"ddof": 1} if name == "std" else {}
        return lambda: move(column.values, window, least, **options)

    functions = {name: function(name) for name in (SEVERAL if task == "several" else (task,))}
    return Call(lambda: {name: compute() for name, compute in functions.items()}, _read)


def _read(result: Any) -> dict[str, np.ndarray]:
    if "argmax" in result:  # counted back from the row itself
        return {"argmax": np.arange(len(result["argmax"])) - result["argmax"]}
    return result
