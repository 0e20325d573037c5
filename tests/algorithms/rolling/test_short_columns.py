"""Every short column of a few values, for every operator, closed side and min_count, against the definition."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from algorithms import rolling
from algorithms.rolling.extent import CLOSED
from tests.algorithms.rolling.by_definition import LEAST, agrees, count_windows, expected, time_windows

OPERATORS = list(LEAST)
FLOATS = (1.5, -2.0, np.nan)
WHOLE = (3, -(2**62), 2**62, None)


def least_of(min_count, window, closed):
    held = window + (closed == "both") - (closed == "neither")
    return min(window, held) if min_count is None else min_count


def counts_for(window, closed):
    return (None, *range(window + (closed == "both") - (closed == "neither") + 1))


@pytest.mark.plain
@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("window", [1, 2, 3, 5])
def test_floats_in_windows_of_rows(window, closed):
    columns = [c for n in range(5) for c in itertools.product(FLOATS, repeat=n)]
    for column in columns:
        windows = count_windows(len(column), window, closed)
        for min_count in counts_for(window, closed)[: 4 if len(column) < 4 else 2]:
            got = rolling(np.array(column), window, OPERATORS, closed=closed, min_count=min_count)
            for operator in OPERATORS:
                wanted = expected(column, operator, windows, least_of(min_count, window, closed))
                assert agrees(got[operator].tolist(), wanted), (column, operator, min_count, got[operator], wanted)


@pytest.mark.plain
@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("window", [1, 2, 3])
def test_whole_numbers_and_nulls_in_windows_of_rows(window, closed):
    operators = ["sum", "count", "max", "min"]
    for column in itertools.product(WHOLE, repeat=4):
        windows = count_windows(4, window, closed)
        for min_count in counts_for(window, closed)[:3]:
            got = rolling(pa.array(column, pa.int64()), window, operators, closed=closed, min_count=min_count)
            for operator in operators:
                wanted = expected(column, operator, windows, least_of(min_count, window, closed))
                assert got.field(operator).to_pylist() == wanted, (column, operator, min_count)


@pytest.mark.plain
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("closed", CLOSED)
def test_windows_of_time(closed, late):
    """All times of five rows from 0 to 3 in order, and of four rows out of it."""
    values = (1.5, np.nan, -2.0, 4.0, 8.25)[: 4 if late else 5]
    for times in itertools.product(range(4), repeat=len(values)):
        if (list(times) != sorted(times)) != late:
            continue
        for window, min_count in ((1, None), (2, 0), (2, 2)):
            windows = time_windows(times, window, closed)
            operators = OPERATORS if sum(times) % 4 == 0 else ["sum", "max"]
            got = rolling(
                np.array(values), window, operators, times=np.array(times), closed=closed, min_count=min_count,
                lateness=3 if late else None,
            )  # fmt: skip
            for operator in operators:
                wanted = expected(values, operator, windows, 1 if min_count is None else min_count)
                assert agrees(got[operator].tolist(), wanted), (times, operator, window, min_count, got[operator])


@pytest.mark.plain
@pytest.mark.parametrize("window", [1, 2, 3])
def test_groups(window):
    values = (1.5, np.nan, -2.0, 4.0, 8.25)
    for keys in itertools.product(["ab", "c"], repeat=5):
        got = rolling(np.array(values), window, OPERATORS, by=list(keys), min_count=1)
        for operator in OPERATORS:
            wanted = expected(values, operator, count_windows(5, window, keys=keys), 1)
            assert agrees(got[operator].tolist(), wanted), (keys, operator)


@pytest.mark.plain
def test_any_operator_keeps_the_order_of_values():
    """Through `combine`: `first` and `last` do not commute, so that a wrong order shows; late rows included."""
    values = np.array([5.0, np.nan, 3.0, 9.0, 1.0, 7.0, 2.0, 8.0, 4.0, 6.0, 0.0, 10.0])
    times = np.array([0, 1, 3, 2, 4, 4, 5, 7, 6, 8, 9, 10])
    for window in (1, 2, 3, 4, 5, 12):
        for windows, arguments in (
            (count_windows(12, window), {}),
            (time_windows(sorted(times.tolist()), window), {"times": np.sort(times)}),
            (time_windows(times.tolist(), window), {"times": times, "lateness": 1}),
        ):
            known = [[values[j] for j in rows if values[j] == values[j]] for rows in windows]
            for operator, end in (("first", 0), ("last", -1)):
                got = rolling(values, window, operator, min_count=1, **arguments)
                assert agrees(got.tolist(), [each[end] if each else None for each in known]), (operator, window)
