"""Windows of very many rows, from short blocks: against exact numbers and against the blocks as long as the window.

How long a window is long, and how long a block is, is set small here; one test has them as they are.
"""

import math
import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import rolling, threads
from algorithms.kernel import PLAIN
from algorithms.rolling import long_windows, methods
from algorithms.rolling.extent import CLOSED
from tests.examples import examples

OPERATORS = ["sum", "mean", "std", "var"]
EPSILON = 2.0**-52


def set_small(patched, long=20, block=7):
    """Gives a list that has an entry for each call that went this way."""
    used, whole = [], methods.in_long_windows
    patched.setattr(long_windows, "LONG", long)
    patched.setattr(long_windows, "BLOCK", block)
    patched.setattr(methods, "in_long_windows", lambda *a: (used.append(1), whole(*a))[1])
    return used


def is_right(values, length, got, rows):
    """Within the bounds that docs/rolling.md states, for windows of the given last rows."""
    for i in rows:
        window = values[i - length + 1 : i + 1].tolist()
        exact, n = [Fraction(v) for v in window], length
        bound = n * EPSILON * math.fsum(map(abs, window))
        mean = sum(exact) / n
        assert abs(Fraction(got["sum"][i]) - sum(exact)) <= bound, i
        assert abs(Fraction(got["mean"][i]) - mean) <= bound / n + EPSILON * abs(mean), i
        squares = sum((x - mean) ** 2 for x in exact)
        deviation, condition = math.sqrt(squares / (n - 1)), math.sqrt(1 + n * mean**2 / squares) if squares else 1.0
        assert abs(got["std"][i] - deviation) <= 4 * n * EPSILON * condition * deviation, i


@pytest.mark.plain
@pytest.mark.parametrize("spikes", [0, 1e16])
@pytest.mark.parametrize(("rows", "length"), [(20, 20), (21, 20), (57, 57), (64, 63), (101, 33), (300, 64), (500, 101)])
def test_errors_are_within_their_bounds(rows, length, spikes):
    values = np.random.default_rng(rows).normal(size=rows) + 3
    values[::29] += spikes
    with pytest.MonkeyPatch.context() as patched:
        used = set_small(patched)
        got = rolling(values, length, OPERATORS)
        assert len(used) == len(OPERATORS)
    assert all(np.isnan(got[name][: length - 1]).all() for name in OPERATORS)
    is_right(values, length, got, range(length - 1, rows))


@pytest.mark.plain
@settings(max_examples=examples(60), deadline=None)
@given(
    rows=st.integers(20, 200),
    length=st.integers(20, 60),
    block=st.integers(2, 30),
    closed=st.sampled_from(CLOSED),
    gap=st.none() | st.integers(0, 199),
)
def test_as_blocks_as_long_as_the_window(rows, length, block, closed, gap):
    """Missing values and short columns are left to those."""
    values = np.random.default_rng(rows).integers(-1000, 1000, rows).astype(float)  # sums of these are exact
    if gap is not None and gap < rows:
        values[gap] = np.nan
    wanted = rolling(values, length, OPERATORS, closed=closed)
    with pytest.MonkeyPatch.context() as patched:
        set_small(patched, block=block)
        got = rolling(values, length, OPERATORS, closed=closed)
    for name in OPERATORS:
        assert np.allclose(got[name], wanted[name], rtol=1e-12, atol=0, equal_nan=True)
    assert np.array_equal(got["sum"], wanted["sum"], equal_nan=True)


@pytest.mark.plain
@pytest.mark.parametrize("parts", [2, 3, 7, 1000])
def test_parts_give_the_same_to_the_last_bit(monkeypatch, parts):
    values = np.random.default_rng(7).normal(size=400)
    set_small(monkeypatch)
    whole = rolling(values, 50, OPERATORS)
    monkeypatch.setattr(methods, "parts_for", lambda rows: parts)
    divided = rolling(values, 50, OPERATORS)
    for name in OPERATORS:
        assert np.array_equal(whole[name], divided[name], equal_nan=True)


@pytest.mark.skipif(PLAIN, reason="a million rows")
@pytest.mark.thorough
def test_a_million_rows_in_threads(monkeypatch):
    values = np.random.default_rng(3).normal(size=1_000_000) + 1
    answers = []
    for cores in (4, 1):
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid, cores=cores: set(range(cores)))
        threads.pool.cache_clear()
        answers.append(rolling(values, 300_000, OPERATORS))
    threads.pool.cache_clear()
    for name in OPERATORS:
        assert np.array_equal(answers[0][name], answers[1][name], equal_nan=True)
    is_right(values, 300_000, answers[0], [299_999, 777_777, 999_999])


@pytest.mark.plain
def test_who_goes_another_way(monkeypatch):
    """Fewer values than the window has rows, keys, and operators that have no totals of blocks."""
    values = np.arange(100.0)
    used = set_small(monkeypatch)
    rolling(values, 30, "sum", min_count=1)
    rolling(values, 30, "sum", by=values > 50)
    rolling(values, 30, "max")
    rolling(values, 19, "sum")
    rolling(values, 101, "sum")
    assert used == []
