"""pandas: Series.rolling with Cython, its default. Its manual has engine="numba" for functions of one's own, which is
what the place of the maximum is; for a single column of a million rows the engines of the others are as quick."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from experiments.peers.measuring.columns import KEYED, LATE, MISSING, ROWS, TIME, Column
from experiments.peers.measuring.exact import SEVERAL
from experiments.peers.measuring.libraries import Call

PACKAGE = "pandas"
THREADS = "1"
KINDS = (ROWS, TIME, LATE, KEYED, MISSING)
TASKS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda windows: windows.sum(),
    "mean": lambda windows: windows.mean(),
    "std": lambda windows: windows.std(),
    "min": lambda windows: windows.min(),
    "max": lambda windows: windows.max(),
    "argmax": lambda windows: windows.apply(_place, raw=True, engine="numba"),
    "median": lambda windows: windows.median(),
    "distinct": lambda windows: windows.nunique(),
    "skew": lambda windows: windows.skew(),
    "several": lambda windows: windows.agg(list(SEVERAL)),
}
KINDS_OF = {"argmax": (ROWS,)}


def _place(values: np.ndarray) -> float:
    return float(np.argmax(values))


def prepare(task: str, column: Column, window: int) -> Call:
    series = pd.Series(column.values, name="value")
    compute = TASKS[task]
    if column.times is not None:
        series.index = pd.to_datetime(column.times, unit="us")
        length = f"{window}us"
        if column.kind == LATE:
            return Call(lambda: compute(series.sort_index().rolling(length)).reindex(series.index), _reader(task, 0))
        return Call(lambda: compute(series.rolling(length)), _reader(task, 0))
    if column.keys is not None:
        frame = pd.DataFrame({"key": column.keys, "value": series})

        def run() -> Any:
            windows = frame.groupby("key", sort=False)["value"].rolling(window, min_periods=1)
            return compute(windows).droplevel("key").sort_index()

        return Call(run, _reader(task, 0))
    least = 1 if column.kind == MISSING else None
    return Call(lambda: compute(series.rolling(window, min_periods=least)), _reader(task, window))


def _reader(task: str, window: int) -> Callable[[Any], dict[str, np.ndarray]]:
    def read(result: Any) -> dict[str, np.ndarray]:
        if task == "several":
            return {name: result[name].to_numpy() for name in SEVERAL}
        answers = result.to_numpy()
        if task == "argmax":
            answers = answers + np.maximum(0, np.arange(len(answers)) + 1 - window)
        return {task: answers}

    return read
