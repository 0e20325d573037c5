"""Polars: expressions on a DataFrame. rolling_*(n) for windows of rows, rolling_*_by for windows of time (it sorts by
itself), .over for keys, and DataFrame.rolling for what has no expression of its own."""

from typing import Any

import numpy as np

from experiments.peers.measuring.columns import KEYED, LATE, MISSING, ROWS, TIME, Column
from experiments.peers.measuring.exact import SEVERAL
from experiments.peers.measuring.libraries import Call

PACKAGE = "polars"
THREADS = "one for each core, over expressions and groups"
KINDS = (ROWS, TIME, LATE, KEYED, MISSING)
TASKS = {
    **{name: f"rolling_{name}" for name in ("sum", "mean", "std", "min", "max", "median", "skew")},
    "argmax": "arg_max",
    "distinct": "n_unique",
    "several": "",
}
KINDS_OF = {"argmax": (ROWS,), "distinct": (ROWS, TIME), "skew": (ROWS, KEYED, MISSING)}


def prepare(task: str, column: Column, window: int) -> Call:
    import polars as pl

    values = pl.Series("v", column.values, nan_to_null=column.kind == MISSING)
    times = np.arange(len(values)) if column.times is None else column.times
    frame = pl.DataFrame({"v": values, "t": times})
    if column.keys is not None:
        frame = frame.with_columns(k=pl.Series(column.keys))
    if column.kind != LATE:
        frame = frame.with_columns(pl.col("t").set_sorted())
    if task in ("argmax", "distinct"):
        compute = getattr(pl.col("v"), TASKS[task])().alias(task)
        return Call(lambda: frame.rolling("t", period=f"{window}i").agg(compute), _reader(window))
    named = [_expression(pl, name, column, window).alias(name) for name in (SEVERAL if task == "several" else (task,))]
    return Call(lambda: frame.select(named), _reader(window))


def _expression(pl: Any, task: str, column: Column, window: int) -> Any:
    if column.times is not None:
        return getattr(pl.col("v"), f"{TASKS[task]}_by")("t", window_size=f"{window}i")
    options: dict[str, Any] = {"min_samples": 1} if column.kind in (MISSING, KEYED) else {}
    if task == "skew":
        options["bias"] = False
    expression = getattr(pl.col("v"), TASKS[task])(window, **options)
    return expression.over("k") if column.keys is not None else expression


def _reader(window: int) -> Any:
    def read(result: Any) -> dict[str, np.ndarray]:
        found = {name: result[name].cast(float).to_numpy() for name in result.columns if name != "t"}
        if "argmax" in found:
            found["argmax"] = found["argmax"] + np.maximum(0, np.arange(len(result)) + 1 - window)
        return found

    return read
