"""Lines through measured points, for claims on shape: straight or flat."""

import json

import numpy as np
import pandas as pd

from experiments.harness.old_judgement import NotMeasuredError, explained

LEAST_POINTS = 3
"""Points of a line."""


def each(rows: pd.DataFrame, metric: str, *keys: str) -> pd.DataFrame:
    """The value of one operation, the median over repetitions: a row for each combination of keys, a column per window.

    A key is a column or a name in the JSON column `parameters`. Raises NotMeasuredError if there are no such rows.
    """
    measured = rows[(rows["metric"] == metric) & rows["value"].notna()]
    if measured.empty:
        raise NotMeasuredError(f"no rows with metric {metric}")
    parameters = measured["parameters"].map(json.loads)
    decoded = {key: [of_row.get(key, "") for of_row in parameters] for key in keys if key not in measured.columns}
    measured = measured.assign(each=measured["value"] / measured["operations"], **decoded)
    return measured.pivot_table(index=list(keys), columns="window", values="each", aggfunc="median").astype(float)


def lines_of(table: pd.DataFrame, **keys: str) -> pd.DataFrame:
    """The lines of a table of `each` with these keys. Raises NotMeasuredError if there are none."""
    chosen = table
    for key, value in keys.items():
        chosen = chosen[chosen.index.get_level_values(key) == value]
    if chosen.empty:
        raise NotMeasuredError("no rows of " + " ".join(keys.values()))
    return chosen


def known(line: pd.Series, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """log2 n and values of a line, from the window `least` on. Raises NotMeasuredError if they are too few."""
    line = line.dropna()
    line = line[line.index >= least]
    if len(line) < LEAST_POINTS:
        raise NotMeasuredError(f"needs {LEAST_POINTS} windows of at least {least} items")
    return np.log2(line.index.to_numpy(float)), line.to_numpy(float)


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """Slope of the straight line through the points, by least squares."""
    return float(np.polyfit(x, y, 1)[0])


def straight(line: pd.Series, least: int = 1) -> tuple[float, float]:
    """Slope over log2 n, and R^2."""
    x, y = known(line, least)
    return slope(x, y), explained(x, y)


def rise(line: pd.Series, least: int = 1) -> float:
    """By how much the straight line over log2 n rises over the whole range, as a share of the mean."""
    x, y = known(line, least)
    return slope(x, y) * float(np.ptp(x)) / float(np.mean(y))
