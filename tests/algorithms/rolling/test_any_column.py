"""Columns that Hypothesis makes, compiled, against the definition: floats of all kinds, whole numbers, times, keys."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import ValueKindError, operators, rolling
from algorithms.rolling.extent import CLOSED
from tests.algorithms.rolling.by_definition import (
    agrees,
    count_windows,
    expected,
    is_missing,
    order_statistic,
    time_windows,
)

MIXED = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1e16, -1e16, math.inf, -math.inf, math.nan]) | st.floats(-100, 100)
FINITE = st.sampled_from([0.0, -0.0, 1.0, 0.1, math.nan]) | st.floats(-100, 100)
WHOLE = st.sampled_from([-(2**63), 2**63 - 1, 2**62, 0, -1]) | st.integers(-5, 5)
CLOSED_SIDES, WINDOWS = st.sampled_from(CLOSED), st.integers(2, 12) | st.just(10**9)


def columns(values):
    return st.lists(values, max_size=40)


@given(columns(MIXED), WINDOWS, CLOSED_SIDES, st.integers(0, 1))
def test_extremes_and_counts_of_any_float(column, window, closed, least):
    windows = count_windows(len(column), window, closed)
    got = rolling(np.array(column, float), window, ["max", "min", "count"], closed=closed, min_count=least)
    for operator, answers in got.items():
        assert agrees(answers.tolist(), expected(column, operator, windows, least), 0)


@given(columns(MIXED), WINDOWS, CLOSED_SIDES, st.integers(0, 2))
def test_sums_are_within_their_bound(column, window, closed, least):
    """n eps sum|x| of the window itself, whatever left before: 1e16 comes and goes."""
    got = rolling(
        np.array(column, float),
        window,
        {"total": "sum", "mean": "mean"},
        closed=closed,
        min_count=min(least, window - 1),
    )
    windows = count_windows(len(column), window, closed)
    total = expected(column, "sum", windows, min(least, window - 1))
    mean = expected(column, "mean", windows, min(least, window - 1))
    for i, rows in enumerate(windows):
        known = [column[j] for j in rows if column[j] == column[j]]
        bound = len(known) * 2**-52 * math.fsum(map(abs, known))
        for answer, exact, slack in ((got["total"][i], total[i], bound), (got["mean"][i], mean[i], 2 * bound)):
            if exact is None or math.isnan(exact):
                assert math.isnan(answer)
            else:
                assert answer == exact or abs(answer - exact) <= slack


@given(columns(FINITE), WINDOWS, CLOSED_SIDES, st.sampled_from(["std", "var", "population_stddev"]))
def test_spreads(column, window, closed, operator):
    got = rolling(np.array(column, float), window, operator, closed=closed, min_count=1)
    assert agrees(got.tolist(), expected(column, operator, count_windows(len(column), window, closed), 1), 1e-9)


@given(columns(WHOLE | st.none()), WINDOWS, CLOSED_SIDES, st.integers(0, 1))
def test_whole_numbers_are_exact(column, window, closed, least):
    windows = count_windows(len(column), window, closed)
    got = rolling(pa.array(column, pa.int64()), window, ["sum", "max", "min", "count"], closed=closed, min_count=least)
    for operator in ("sum", "max", "min", "count"):
        assert got.field(operator).to_pylist() == expected(column, operator, windows, least)


@given(st.lists(st.tuples(FINITE, st.integers(0, 20), st.sampled_from("abc")), max_size=40), st.data())
@pytest.mark.parametrize("late", [False, True])
def test_windows_of_time_by_key(late, rows, data):
    window, closed = data.draw(st.integers(1, 25)), data.draw(CLOSED_SIDES)
    if not late:
        rows.sort(key=lambda row: row[1])
    column, times, keys = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    got = rolling(
        np.array(column, float),
        window,
        ["sum", "max", "std"],
        times=np.array(times, int),
        by=np.array(keys, "U1"),
        closed=closed,
        lateness=20 if late else None,
    )
    windows = time_windows(times, window, closed, keys)
    for operator, answers in got.items():
        assert agrees(answers.tolist(), expected(column, operator, windows, 1), 1e-9), operator


@given(st.lists(st.integers(-3, 3) | st.none(), max_size=30), st.integers(1, 6), st.integers(0, 3))
def test_operators_of_the_library(column, window, least):
    windows = count_windows(len(column), window)
    known = [[column[j] for j in rows if column[j] is not None] for rows in windows]
    got = rolling(pa.array(column, pa.int64()), window, "max_count", min_count=min(least, window))
    counted = [v.count(max(v)) if v else 0 for v in known]
    wanted = [n if len(v) >= min(least, window) else None for n, v in zip(counted, known, strict=True)]
    assert got.to_pylist() == wanted


ORDER_STATISTICS = ["median", "rank", "distinct", "mode"]
TIES = st.sampled_from([1.0, 2.0, 3.0, -1.5, math.nan])


@given(st.lists(st.tuples(TIES, st.integers(0, 20), st.sampled_from("ab")), max_size=40), st.data())
@pytest.mark.parametrize("late", [False, True])
def test_order_statistics_of_rows_in_and_out_of_order(late, rows, data):
    window, closed = data.draw(st.integers(1, 25)), data.draw(CLOSED_SIDES)
    if not late:
        rows.sort(key=lambda row: row[1])
    column, times, keys = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    lateness = 20 if late else None
    given_to = {"times": np.array(times, int), "by": np.array(keys, "U1"), "closed": closed, "lateness": lateness}
    got = rolling(np.array(column, float), window, ORDER_STATISTICS, **given_to)
    for i, of_window in enumerate(time_windows(times, window, closed, keys)):
        known = [column[j] for j in of_window if not is_missing(column[j])]
        for operator in ORDER_STATISTICS:
            wanted = order_statistic(operator, known, column[i]) if known else None
            assert agrees([got[operator][i]], [wanted]), (i, operator)


def test_order_statistics_of_whole_numbers_beside_a_missing_one_are_exact():
    """Identifiers of 64 bits that are neighbours are one float."""
    column = pa.array([2**53, 2**53 + 1, None, 2**53 + 1, -(2**63)])
    for operator, wanted in {"distinct": [1, 2, 2, 1, 2], "rank": [1, 2, None, 1.5, 1], "median": None}.items():
        found = rolling(column, 3, operator, min_count=1)
        assert wanted is None or found.to_pylist() == wanted, operator


def test_keys_that_stand_twice_in_a_dictionary_are_one_key():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1]), pa.array(["x", "x"]))
    assert rolling(np.ones(4), 2, by=twice, min_count=1).tolist() == [1, 2, 2, 2]
    with_null = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array([None, "a"]))
    with pytest.raises(ValueKindError, match="is null: every row needs a key"):
        rolling(np.ones(2), 2, by=with_null)


@pytest.mark.parametrize("operator", ["null_count", operators.make("null_count")], ids=["name", "operator"])
def test_missing_values_are_counted(operator):
    column = [1.0, np.nan, np.nan, 4.0]
    np.testing.assert_array_equal(rolling(column, 2, operator), [np.nan, 1, 2, 1])
    whole = pd.array([1, None, 3], "Int64")
    assert rolling(whole, 2, operator, min_count=1).tolist() == [0, 1, 1]
    assert rolling(column, "2s", operator, times=np.arange(4).astype("M8[s]")).tolist() == [0, 1, 2, 1]
