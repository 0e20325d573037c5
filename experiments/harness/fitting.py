"""Lines through measured points, for claims on shape: straight, flat, bent."""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd

from experiments.harness.judgement import NotMeasuredError, explained

LEAST_POINTS = 3
"""Points on each side of a knee, and of any line at all."""


class Knee(NamedTuple):
    """Where two straight lines that meet fit best, and the slope of the second over that of the first."""

    x: float
    steeper: float


def each(rows: pd.DataFrame, metric: str, *keys: str) -> pd.DataFrame:
    """Value of one operation, the median over repetitions: a line for each combination of keys, columns window.

    A key is a column or a name in the JSON column `parameters`. Raises NotMeasuredError if there are no such rows.
    """
    found = rows[(rows["metric"] == metric) & rows["value"].notna()]
    if found.empty:
        raise NotMeasuredError(f"no rows with metric {metric}")
    parameters = found["parameters"].map(json.loads)
    given = {key: [one.get(key, "") for one in parameters] for key in keys if key not in found.columns}
    found = found.assign(each=found["value"] / found["operations"], **given)
    return found.pivot_table(index=list(keys), columns="window", values="each", aggfunc="median").astype(float)


def lines_of(table: pd.DataFrame, **wanted: str) -> pd.DataFrame:
    """The lines of a table of `each` that have these keys. Raises NotMeasuredError if there are none."""
    chosen = table
    for key, value in wanted.items():
        chosen = chosen[chosen.index.get_level_values(key) == value]
    if chosen.empty:
        raise NotMeasuredError("no rows of " + " ".join(wanted.values()))
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


def knee(line: pd.Series, least: int = 1) -> Knee:
    """The best knee of a line over log2 n: two straight lines that meet, by least squares. O(points) fits."""
    x, y = known(line, least)
    inner = x[LEAST_POINTS - 1 : len(x) - LEAST_POINTS + 1]
    if not len(inner):
        raise NotMeasuredError(f"needs {2 * LEAST_POINTS - 1} windows of at least {least} items")
    fits = []
    for at in inner:
        design = np.column_stack([np.ones_like(x), x, np.maximum(x - at, 0)])
        line = np.linalg.lstsq(design, y)[0]
        fits.append((float(np.sum((design @ line - y) ** 2)), at, *line[1:]))
    _, at, before, more = min(fits)
    return Knee(float(2**at), float((before + more) / before) if before > 0 else float("inf"))
