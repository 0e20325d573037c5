"""Quantiles of windows of a fixed number of rows, from sorted blocks: every window is sorted again and looked at."""

import itertools

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from algorithms import rolling, threads
from algorithms.order_statistics import codes, sorted_blocks
from algorithms.order_statistics.rolling import rolling_median, rolling_quantile
from tests.examples import examples

VALUES = st.sampled_from([0.0, -0.0, 1.5, -2.0, 3.25, 1e300, -1e300, -np.inf, 7.0])
"""None is infinite, which stands for the end of a list."""

LENGTHS_AND_VALUES = st.integers(1, 12).flatmap(
    lambda length: st.tuples(st.just(length), st.lists(VALUES, min_size=4 * length, max_size=4 * length + 40))
)
"""Fewer than four blocks are not worth it."""


def sorted_again(column, length, fraction, interpolation):
    below, part = codes.neighbours(np.array(length), fraction)
    windows = [np.sort(column[i - length + 1 : i + 1]) for i in range(length, len(column))]
    low = np.array([window[below] for window in windows])
    high = np.array([window[min(below + 1, length - 1)] for window in windows])
    return codes.interpolated(low, high, below, part, interpolation)


@pytest.mark.smoke
@pytest.mark.plain
def test_every_short_sequence():
    """Of three values, so that many are equal; the last block is whole in some and not in others."""
    for length, n in ((1, 4), (2, 7), (3, 8)):
        for values in itertools.product((0.0, 1.0, 2.0), repeat=n):
            column = np.array(values)
            got = sorted_blocks.quantiles(column, length, [0.5, 0.0, 1.0, 0.3], "linear")
            for j, fraction in enumerate((0.5, 0.0, 1.0, 0.3)):
                assert got[:, j].tolist() == sorted_again(column, length, fraction, "linear").tolist(), values


@pytest.mark.plain
@settings(max_examples=examples(150), deadline=None)
@given(
    drawn=LENGTHS_AND_VALUES,
    together=st.integers(1, 60),
    fraction=st.floats(0, 1),
    interpolation=st.sampled_from(codes.INTERPOLATIONS),
)
def test_windows_are_those_that_are_sorted_again(drawn, together, fraction, interpolation):
    length, column = drawn[0], np.array(drawn[1])
    assert sorted_blocks.suits(column, length)
    event(f"{len(column) // length // 5 * 5} blocks or more")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sorted_blocks, "TOGETHER", together)
        got = sorted_blocks.quantiles(column, length, [fraction], interpolation)[:, 0]
    np.testing.assert_array_equal(got, sorted_again(column, length, fraction, interpolation))


@pytest.mark.parametrize("length", [1, 2, 3, 10, 999, 1000])
@pytest.mark.parametrize("shape", ["random", "up", "down", "ties", "saw"])
def test_long_columns_by_several_threads(monkeypatch, length, shape):
    n = 25_000
    column = {
        "random": np.random.default_rng(length).normal(size=n),
        "up": np.arange(float(n)),
        "down": -np.arange(float(n)),
        "ties": np.random.default_rng(length).integers(0, 3, n).astype(float),
        "saw": np.arange(n) % length * 1.0,
    }[shape]
    monkeypatch.setattr(threads, "threads_for", lambda rows: 3)
    monkeypatch.setattr(sorted_blocks, "threads_for", lambda rows: 3)
    got = rolling(column, length, "median")
    assert np.isnan(got[: length - 1]).all()
    for i in np.linspace(length - 1, n - 1, 300).astype(int).tolist():
        assert got[i] == np.quantile(column[i - length + 1 : i + 1], 0.5)


def test_rolling_and_rolling_quantile_take_them():
    whole = np.random.default_rng(1).integers(-(2**40), 2**40, 300)
    assert rolling(whole, 7, "median", min_count=1).tolist() == rolling_median(whole, 7).tolist()
    some = rolling_quantile(whole, 8, [0.1, 0.9], min_count=8)
    for i in range(8, 300):
        assert some[i].tolist() == np.quantile(whole[i - 7 : i + 1], [0.1, 0.9]).tolist()
    assert np.isnan(some[:7]).all()


def test_what_does_not_suit():
    assert not sorted_blocks.suits(np.arange(39.0), 10) and sorted_blocks.suits(np.arange(40.0), 10)
    assert not sorted_blocks.suits(np.array([1.0, np.nan] * 10), 2)
    assert not sorted_blocks.suits(np.array([2**53 + 1] * 10), 2) and sorted_blocks.suits(np.array([-(2**53)] * 10), 2)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinite_values_are_greater_and_less_than_all_others(infinite):
    """The end of a list stands for infinity, so a value that is infinite must not be told from it by its size."""
    for number in range(200):
        random = np.random.default_rng(number)
        column, length = random.choice([0.0, 1.0, infinite, infinite], 18), int(random.integers(1, 5))
        assert sorted_blocks.suits(column, length) == (infinite < 0 or not np.isinf(column).any())
        for fraction in (0.0, 0.3, 0.5, 1.0):
            got = rolling_quantile(column, length, fraction, interpolation="lower")
            for i in range(length - 1, len(column)):
                expected = np.quantile(column[i - length + 1 : i + 1], fraction, method="lower")
                assert got[i] == expected, (column, length, fraction)
