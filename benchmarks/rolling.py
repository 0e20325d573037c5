"""`rolling` beside pandas and beside a loop that subtracts: python -m benchmarks.rolling [ROWS] [WINDOW]

The loop that subtracts is the least that a rolling sum of floats can cost one row after another, and wrong after large
values. Nanoseconds of processor time per row, the least of some rounds in which each takes its turn, and their ratio.
A peer that is not installed is left out.
"""

import contextlib
import importlib
import sys
import time
from collections.abc import Callable

import numba
import numpy as np
import pandas as pd

from algorithms import rolling

ROUNDS = 7


@numba.njit(error_model="numpy")
def subtracting(x: np.ndarray, window: int) -> np.ndarray:
    """Rolling sums: what enters is added, what leaves is subtracted."""
    out, total = np.empty_like(x), 0.0
    for i in range(min(window, len(x))):
        total += x[i]
        out[i] = total if i == window - 1 else np.nan
    for i in range(window, len(x)):
        total += x[i] - x[i - window]
        out[i] = total
    return out


def shapes(rows: int, window: int) -> dict[str, np.ndarray]:
    """Columns that are easy or hard for one algorithm or another."""
    random = np.random.default_rng(1)
    values = random.random(rows)
    return {
        "random": values,
        "constant": np.full(rows, 0.1),
        "sorted up": np.sort(values),
        "sorted down": np.sort(values)[::-1].copy(),
        "sawtooth": np.arange(rows) % window * 1.0,
        "1 % missing": np.where(random.random(rows) < 0.01, np.nan, values),
        "whole": random.integers(0, 1000, rows),
    }


def peers(operator: str, x: np.ndarray, window: int) -> dict[str, Callable[[], object]]:
    """Functions that compute the same, by name."""
    column = pd.Series(x)
    functions: dict[str, Callable[[], object]] = {
        "rolling": lambda: rolling(column, window, operator),
        "pandas": lambda: getattr(column.rolling(window), operator)(),
    }
    if operator == "sum" and x.dtype.kind == "f":
        functions["subtracting"] = lambda: subtracting(x, window)
    with contextlib.suppress(ImportError):
        moving = getattr(importlib.import_module("bottleneck"), f"move_{operator}")
        options = {"ddof": 1} if operator == "std" else {}
        functions["bottleneck"] = lambda: moving(x, window, **options)
    return functions


def measured(functions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of processor time of each, the least of some rounds."""
    least = dict.fromkeys(functions, float("inf"))
    for round_ in range(ROUNDS + 1):
        for name, function in functions.items():
            begin = time.process_time()
            function()
            if round_:  # the first one compiles
                least[name] = min(least[name], time.process_time() - begin)
    return least


def main(rows: int = 2_000_000, window: int = 1000) -> None:
    for shape, x in shapes(rows, window).items():
        for operator in ("sum", "max", "mean", "std"):
            seconds = measured(peers(operator, x, window))
            cells = (f"{name} {1e9 * s / rows:6.2f} ({s / seconds['rolling']:5.2f})" for name, s in seconds.items())
            print(f"{shape:12} {operator:5}", *cells, sep="  ")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
