"""The same answers as pandas wherever docs/rolling.md says that both agree."""

import numpy as np
import pandas as pd
import pytest

from algorithms import rolling
from algorithms.rolling.extent import CLOSED

OPERATORS = ["sum", "mean", "max", "min", "std", "var", "count", "median", "distinct", "rank"]


def by_pandas(rolled, operator):
    return getattr(rolled, "nunique" if operator == "distinct" else operator)()


def about_the_row_itself(operator, closed):
    return operator == "rank" and closed in ("left", "neither")  # pandas ranks another row then


def column(n, seed):
    random = np.random.default_rng(seed)
    values = np.round(random.normal(size=n), 2)
    values[random.random(n) < 0.1] = np.nan
    return values


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("closed", CLOSED)
def test_windows_of_rows(operator, closed):
    if about_the_row_itself(operator, closed):
        return
    series = pd.Series(column(300, 1), index=np.arange(300) * 2, name="v")
    for window, least in ((1, None), (5, None), (5, 1), (5, 2), (40, 0), (1000, 1)):
        if closed == "neither" and (least is None or window == 1):
            continue  # pandas then wants more values than the window holds
        theirs = by_pandas(series.rolling(window, min_periods=least, closed=closed), operator)
        ours = rolling(series, window, operator, min_count=least, closed=closed)
        pd.testing.assert_series_equal(ours.astype(float), theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("closed", CLOSED)
def test_windows_of_time(operator, closed):
    if about_the_row_itself(operator, closed):
        return
    seconds = np.cumsum(np.random.default_rng(2).integers(1, 90, 300))
    series = pd.Series(column(300, 2), index=pd.to_datetime(seconds, unit="s"), name="v")
    for window, least in (("30s", None), ("5min", None), ("5min", 4), ("1h", 0)):
        theirs = by_pandas(series.rolling(window, min_periods=least, closed=closed), operator)
        for ours in (
            rolling(series, window, operator, min_count=least, closed=closed),
            rolling(series, pd.Timedelta(window), operator, min_count=least, closed=closed, times=series.index),
        ):
            pd.testing.assert_series_equal(ours.astype(float), theirs, rtol=1e-9, atol=1e-12)


def test_equal_times_with_a_closed_right_end():
    """Both count the rows so far; Polars and SQL count rows at the same time that come later, too."""
    series = pd.Series([1.0, 2, 3, 4, 5], index=pd.to_datetime([0, 1, 1, 2, 5], unit="s"))
    for closed in CLOSED:
        theirs = series.rolling("1s", closed=closed).sum()
        pd.testing.assert_series_equal(rolling(series, "1s", "sum", closed=closed), theirs)


@pytest.mark.parametrize("operator", OPERATORS)
def test_groups(operator):
    keys = pd.Series(np.random.default_rng(3).choice(["a", "b", "c"], 300))
    series = pd.Series(column(300, 3), name="v")
    theirs = by_pandas(series.groupby(keys).rolling(7, min_periods=2), operator)
    ours = rolling(series, 7, operator, by=keys, min_count=2)
    pd.testing.assert_series_equal(ours.astype(float), theirs.droplevel(0).sort_index(), rtol=1e-9, atol=1e-12)


def test_after_a_spike():
    """A window that subtracts gives a mean and a deviation of 0 here."""
    values = pd.Series([1e16, 0.1, 0.2, 0.3, 0.4])
    assert rolling(values, 3, "mean").tolist()[3:] == pytest.approx([0.2, 0.3], rel=1e-15)
    assert rolling(values, 3, "std").tolist()[3:] == pytest.approx([0.1, 0.1], rel=1e-14)
