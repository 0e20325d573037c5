"""The rolling functions against sorting each window, and against pandas where both define the same."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import OrderError, TimeError, ValueKindError
from algorithms.order_statistics import (
    Extents,
    extents,
    rolling,
    rolling_distinct,
    rolling_median,
    rolling_mode,
    rolling_quantile,
    rolling_rank,
)
from algorithms.order_statistics.codes import INTERPOLATIONS, RANKS
from algorithms.order_statistics.rolling import CLOSED, quantiles_of
from tests.algorithms.order_statistics import naive
from tests.examples import examples

pytestmark = pytest.mark.smoke

VALUES = {
    "float64": st.sampled_from([math.nan, -math.inf, -0.0, 0.0, 1.0, 1.0, 2.5, math.inf]) | st.floats(-1e9, 1e9),
    "int64": st.integers(-2, 2) | st.integers(-(2**50), 2**50),
}


def windows_by_definition(n, window, times, closed):
    """The rows of each window, one by one."""
    times = list(range(n)) if times is None else times
    own = closed in ("right", "both")
    lower = (lambda t, s: t >= s) if closed in ("left", "both") else (lambda t, s: t > s)
    return [[j for j in range(i + own) if lower(times[j], times[i] - window)] for i in range(n)]


def compare(values, rows, found, answer, min_count):
    for i, window in enumerate(rows):
        present = [values[j] for j in window if values[j] == values[j]]
        expected = answer(present, values[i]) if len(present) >= min_count else math.nan
        assert naive.close(found[i], expected, naive.largest(present)), (i, present, found[i], expected)


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("timed", [False, True])
def test_like_sorting_each_window(dtype, timed):
    @settings(max_examples=examples(80))
    @given(st.data())
    def check(data):
        values = data.draw(st.lists(VALUES[dtype], max_size=25))
        gaps = data.draw(st.lists(st.sampled_from([0, 0, 1, 2, 7]), min_size=len(values), max_size=len(values)))
        times = np.cumsum(gaps, dtype=np.int64).tolist() if timed else None
        window, closed = data.draw(st.integers(1, 9)), data.draw(st.sampled_from(CLOSED))
        least, q = data.draw(st.integers(1, 3)), data.draw(st.floats(0, 1))
        rows = windows_by_definition(len(values), window, times, closed)
        column = np.array(values, dtype)
        same = {"times": times, "closed": closed, "min_count": least}
        for method in INTERPOLATIONS:
            found = rolling_quantile(column, window, q, interpolation=method, **same)
            compare(values, rows, found, lambda v, own, m=method: naive.quantile(v, q, m), least)
        compare(
            values, rows, rolling_median(column, window, **same), lambda v, own: naive.quantile(v, 0.5, "linear"), least
        )
        for method in RANKS:
            found = rolling_rank(column, window, method=method, **same)
            answer = lambda v, own, m=method: naive.rank(v, own, m) if own == own else math.nan  # noqa: E731
            compare(values, rows, found, answer, least)
        compare(values, rows, rolling_distinct(column, window, **same), lambda v, own: len(set(v)), least)
        compare(values, rows, rolling_mode(column, window, **same), lambda v, own: naive.mode(v), least)

    check()


@pytest.fixture(scope="module")
def column():
    rng = np.random.default_rng(11)
    values = np.where(rng.random(700) < 0.3, rng.integers(-3, 3, 700), rng.normal(size=700))
    values[rng.random(700) < 0.05] = np.nan
    return values


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("window", [2, 90])
def test_like_pandas_by_rows(column, window, closed):
    theirs = pd.Series(column).rolling(window, min_periods=2, closed=closed)
    same = {"closed": closed, "min_count": 2}
    for q in (0.0, 0.3, 0.5, 1.0):
        for method in INTERPOLATIONS:
            ours = rolling_quantile(column, window, q, interpolation=method, **same)
            np.testing.assert_allclose(ours, theirs.quantile(q, interpolation=method), rtol=1e-9)
    if closed in ("right", "both"):
        for method in RANKS:
            np.testing.assert_allclose(rolling_rank(column, window, method=method, **same), theirs.rank(method=method))


@pytest.mark.parametrize("closed", CLOSED)
def test_like_pandas_by_time(column, closed):
    times = np.datetime64("2024-01-01") + np.cumsum(np.random.default_rng(2).integers(1, 90, 700)).astype("m8[s]")
    theirs = pd.Series(column, index=times).rolling("10min", min_periods=1, closed=closed).median()
    ours = rolling_median(column, np.timedelta64(10, "m"), times=times, closed=closed)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    seconds = (times - times[0]).astype(np.int64) / 2
    np.testing.assert_array_equal(rolling_median(column, 300.0, times=seconds, closed=closed), ours)


def test_several_fractions_are_answered_in_one_pass(column):
    fractions = [0.9, 0.1, 0.5]
    found = rolling_quantile(column, 50, fractions)
    assert found.shape == (700, 3)
    for j, q in enumerate(fractions):
        np.testing.assert_array_equal(found[:, j], rolling_quantile(column, 50, q))


def test_blocks_of_rows_go_on_where_the_last_one_ended(column, monkeypatch):
    whole = rolling_quantile(column, 50, [0.1, 0.7])
    monkeypatch.setattr(rolling, "BLOCK", 64)
    np.testing.assert_array_equal(rolling_quantile(column, 50, [0.1, 0.7]), whole)


def test_windows_of_ones_own_may_leap_over_rows():
    values = np.arange(50.0)
    begins, ends = np.array([0, 3, 3, 20, 45, 50]), np.array([2, 3, 9, 30, 50, 50])
    found = quantiles_of(values, Extents(begins, ends), 0.0)
    np.testing.assert_array_equal(found, [0, math.nan, 3, 20, 45, math.nan])


def test_long_windows_are_of_trees_with_several_levels():
    rng = np.random.default_rng(5)
    for values in (rng.normal(size=2500), np.sort(rng.normal(size=2500)), np.sort(rng.normal(size=2500))[::-1]):
        found = rolling_quantile(values, 1200, 0.25)
        for i in (1199, 1200, 1900, 2499):
            assert found[i] == pytest.approx(np.quantile(values[i - 1199 : i + 1], 0.25), rel=1e-14)


@pytest.mark.parametrize("method", INTERPOLATIONS)
def test_quantiles_as_numpy_defines_them(method):
    rng = np.random.default_rng(6)
    for n in range(1, 40):
        values = rng.normal(size=n)
        for q in (*np.linspace(0, 1, 17), 0.1, 0.35, rng.random()):
            found = rolling_quantile(values, n, float(q), interpolation=method)[-1]
            assert found == pytest.approx(np.quantile(values, q, method=method), rel=1e-15)


def test_no_rows():
    assert rolling_median(np.array([]), 3).shape == (0,)
    assert rolling_quantile(np.array([], np.int64), 3, [0.1, 0.2]).shape == (0, 2)
    assert extents(0, 5, np.array([], np.int64)).begins.shape == (0,)


WRONG = {
    "window 0": (lambda: rolling_median([1.0], 0), ValueError, "window must be a whole number of at least 1, not 0"),
    "half a window": (lambda: rolling_median([1.0], 2.5), ValueError, "window must be a whole number"),
    "min_count": (lambda: rolling_mode([1.0], 2, min_count=0), ValueError, "min_count must be a whole number of at"),
    "q": (lambda: rolling_quantile([1.0], 2, 1.5), ValueError, "q must be a number from 0 to 1, not 1.5"),
    "one q of two": (
        lambda: rolling_quantile([1.0], 2, [0.5, -1]),
        ValueError,
        "q must be a number .*, not -1",
    ),
    "interpolation": (lambda: rolling_quantile([1.0], 2, 0.5, interpolation="up"), ValueError, "unknown interpolation"),
    "method": (lambda: rolling_rank([1.0], 2, method="dense"), ValueError, "unknown method 'dense'"),
    "closed": (lambda: rolling_median([1.0], 2, closed="rigth"), ValueError, "did you mean right"),
    "text": (lambda: rolling_median(["a"], 2), ValueKindError, "values must be numbers"),
    "a table": (lambda: rolling_median(np.ones((2, 2)), 2), ValueKindError, "one dimension"),
    "rows of a table": (lambda: rolling_median([(1.0, 2.0), (3.0, 4.0)], 2), ValueKindError, "one dimension, not of 2"),
    "too many rows": (lambda: rolling_median([1.0], 2**62 + 1), ValueError, "window must be at most 2.62, not 4"),
    "a fraction of a microsecond": (
        lambda: rolling_median([1.0], np.timedelta64(1500, "ns"), times=np.array([0], "M8[us]")),
        ValueError,
        "of whole microseconds",
    ),
    "times differ": (lambda: rolling_median([1.0], 2, times=[1, 2]), ValueKindError, "2 times and 1 values"),
    "back in time": (lambda: rolling_median([1, 2], 2, times=[2, 1]), OrderError, r"times\[1\] is older"),
    "nan time": (lambda: rolling_median([1.0], 2.0, times=[math.nan]), TimeError, "NaN"),
    "nan window": (lambda: rolling_median([1.0], math.nan, times=[0.5]), ValueError, "window must be a number above 0"),
    "no length": (
        lambda: rolling_median([1.0], 5, times=np.array(["2024-01-01"], "M8[s]")),
        ValueError,
        "numpy.timedelta64",
    ),
    "too far back": (lambda: rolling_median([1.0], 5, times=[-(2**63) + 1]), ValueError, "beyond what int64 holds"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments(case):
    do, error, said = WRONG[case]
    with pytest.raises(error, match=said):
        do()
