"""Lines through measured points, within each repetition: slopes, straightness, spreads over one key of a table."""

import itertools
from collections.abc import Callable

import numpy as np
import pandas as pd

from experiments.harness.measured import ALL, NotMeasuredError, Table, keyed, lines_of, values_of

LEAST_POINTS = 3
"""Points of a line."""


def reduced(table: Table, over: str, of: Callable[[np.ndarray, np.ndarray], np.ndarray], least: int = 1) -> Table:
    """A line for each value of the other keys: of(x, y), x the values of the key, y a row for each and many columns.

    A repetition that lacks one of the values has no result. Raises NotMeasuredError where no line has `least` values.
    """
    others = [name for name in table.index.names if name != over]
    groups = table.groupby(others, sort=True) if others else [(("",), table)]
    lines = {}
    for names, group in groups:
        x, y = group.index.get_level_values(over).to_numpy(), group.to_numpy(float)
        if len(x) >= least:
            line = np.full(y.shape[1], np.nan)
            known = ~np.isnan(y).any(axis=0)
            if known.any():
                line[known] = of(x, y[:, known])
            lines[names if isinstance(names, tuple) else (names,)] = line
    if not lines:
        raise NotMeasuredError(f"needs {least} values of {over}")
    index = pd.MultiIndex.from_tuples(list(lines), names=others) if others else ALL
    return pd.DataFrame(list(lines.values()), index, table.columns)


def largest(table: Table, over: str) -> Table:
    return reduced(table, over, lambda x, y: y.max(axis=0))


def smallest(table: Table, over: str) -> Table:
    return reduced(table, over, lambda x, y: y.min(axis=0))


def mean(table: Table, over: str) -> Table:
    return reduced(table, over, lambda x, y: y.mean(axis=0))


def geometric_mean(table: Table, over: str) -> Table:
    return reduced(table, over, lambda x, y: np.exp(np.log(y).mean(axis=0)))


def share_of(holds: Table, over: str) -> Table:
    """The share of the values of a key for which a table of truth (1.0 and 0.0) is 1."""
    return mean(holds, over)


def spread(table: Table, over: str, least: int = 2) -> Table:
    """The largest over the smallest."""
    return reduced(table, over, lambda x, y: y.max(axis=0) / y.min(axis=0), least)


def log2_of(x: np.ndarray) -> np.ndarray:
    return np.log2(x.astype(float))


def identity(x: np.ndarray) -> np.ndarray:
    return x.astype(float)


def slope(table: Table, over: str, scale: Callable[[np.ndarray], np.ndarray] = log2_of) -> Table:
    """The slope of the straight line through the points, by least squares."""
    return reduced(table, over, lambda x, y: np.polyfit(scale(x), y, 1)[0], LEAST_POINTS)


def rise(table: Table, over: str, scale: Callable[[np.ndarray], np.ndarray] = log2_of) -> Table:
    """By how much the straight line through the points rises over the whole range, as a share of the mean."""

    def of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.polyfit(scale(x), y, 1)[0] * np.ptp(scale(x)) / y.mean(axis=0)

    return reduced(table, over, of, LEAST_POINTS)


def straightness(table: Table, over: str, scale: Callable[[np.ndarray], np.ndarray] = log2_of) -> Table:
    """R^2 of the straight line through the points, with the sign of its slope; 0 for constant points."""

    def of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        scaled = scale(x) - scale(x).mean()
        centred = y - y.mean(axis=0)
        variance = (scaled**2).sum() * (centred**2).sum(axis=0)
        covariance = scaled @ centred
        # Of points that differ by rounding alone, nothing is explained.
        flat = np.ptp(y, axis=0) <= 1e-12 * np.abs(y).max(axis=0)
        return np.where(flat, 0.0, np.sign(covariance) * covariance**2 / np.where(flat, 1.0, variance))

    return reduced(table, over, of, LEAST_POINTS)


def rank_correlation(table: Table, other: Table | pd.Series) -> Table:
    """Spearman's rank correlation with the lines of another table, or of one column for all repetitions: a single line.

    NaN for a repetition in which a line of either is missing.
    """
    beside = other.loc[table.index]
    complete = table.notna().all() & beside.notna().all()
    return table.rank().corrwith(beside.rank()).where(complete).to_frame().T.set_axis(ALL, axis=0)


def growth(table: Table, over: str) -> Table:
    """The value at the largest key over that at the smallest."""

    def of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        order = np.argsort(x)
        return y[order[-1]] / y[order[0]]

    return reduced(table, over, of, 2)


def least_step(table: Table, over: str) -> Table:
    """The smallest step between neighbouring values of a key, as a share of the larger: above 0 where it only rises."""

    def of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        y = y[np.argsort(x)]
        return (np.diff(y, axis=0) / np.maximum(np.abs(y[1:]), np.abs(y[:-1]))).min(axis=0)

    return reduced(table, over, of, 2)


def neighbours(table: Table, over: str, of: Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame] = np.divide) -> Table:
    """Each value of a key compared with the next larger one: of(smaller, larger), a line for each pair.

    The key's place in the index has both, such as "2, 4". Raises NotMeasuredError where there are less than two values.
    """
    values = values_of(table, over)
    if len(values) < 2:
        raise NotMeasuredError(f"needs two values of {over}")
    pairs = []
    for smaller, larger in itertools.pairwise(values):
        one, other = lines_of(table, **{over: smaller}), lines_of(table, **{over: larger})
        both = one.index.intersection(other.index)
        pairs.append(keyed(of(one.loc[both], other.loc[both]), over, f"{smaller}, {larger}"))
    return pd.concat(pairs)
