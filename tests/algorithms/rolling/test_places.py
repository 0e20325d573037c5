"""argmax and argmin: the first row of the greatest or least value of each window, against the windows themselves."""

import itertools
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from algorithms import rolling, threads
from algorithms.kernel import PLAIN
from algorithms.rolling import by_count, methods
from algorithms.rolling.extent import CLOSED
from tests.algorithms.rolling.by_definition import agrees, count_windows, is_missing, time_windows
from tests.examples import examples

BOTH = ["argmax", "argmin"]
VALUES = (1.5, -np.inf, 0.0, np.nan)


def expected(values, operator, windows, least):
    """By the definition; `windows` has the rows of each window, the oldest first."""
    answers = []
    for rows in windows:
        there = [row for row in rows if not is_missing(values[row])]
        chosen = max if operator == "argmax" else min  # both keep the first of equals
        answers.append(chosen(there, key=lambda row: values[row]) if len(there) >= max(1, least) else None)
    return answers


def right(values, windows, least, got):
    for operator in BOTH:
        assert agrees(got[operator].tolist(), expected(values, operator, windows, least)), (values, operator, got)


@pytest.mark.plain
@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_every_short_column(window, closed):
    held = window + (closed == "both") - (closed == "neither")
    for column in itertools.chain.from_iterable(itertools.product(VALUES, repeat=n) for n in range(6 - (window == 4))):
        windows = count_windows(len(column), window, closed)
        for least in {0, min(1, held), held}:
            got = rolling(np.array(column), window, BOTH, closed=closed, min_count=least)
            right(column, windows, least, got)


@pytest.mark.plain
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("closed", CLOSED)
def test_windows_of_time(closed, late):
    """With late rows as well: of equal values the first is the one with the first time."""
    values = (1.5, np.nan, 4.0, 4.0, 1.5)[: 4 if late else 5]
    for times in itertools.product(range(3), repeat=len(values)):
        if (list(times) != sorted(times)) == late:
            given_lateness = {"lateness": 3} if late else {}
            got = rolling(np.array(values), 2, BOTH, times=np.array(times), closed=closed, **given_lateness)
            right(values, time_windows(times, 2, closed), 1, got)


@pytest.mark.plain
def test_rows_of_a_key_are_rows_of_the_column():
    values = (1.5, 4.0, np.nan, -2.0, 4.0, 1.5)
    for keys in itertools.product("ab", repeat=6):
        got = rolling(np.array(values), 2, BOTH, by=list(keys), min_count=1)
        right(values, count_windows(6, 2, keys=keys), 1, got)
        got = rolling(np.array(values), 3, BOTH, by=list(keys), times=np.arange(6))
        right(values, time_windows(range(6), 3, keys=keys), 1, got)


@pytest.mark.plain
@pytest.mark.parametrize("base", [0, 2**60])
def test_whole_numbers_of_any_size(base):
    """Floats would not tell the large ones apart."""
    for column in itertools.product((base, base + 1, -base, None), repeat=4):
        got = rolling(pa.array(column, pa.int64()), 3, BOTH, min_count=1)
        assert got.type == pa.struct([(name, pa.int64()) for name in BOTH])
        for name in BOTH:
            assert got.field(name).to_pylist() == expected(column, name, count_windows(4, 3), 1)


def test_what_is_given_back():
    values = np.array([3.0, 8.0, 2.0, 5.0])
    whole = rolling(values, 2, "argmax", min_count=1)
    assert whole.dtype == np.int64, "where every row has an answer, it can be used as an index"
    assert values[whole].tolist() == rolling(values, 2, "max", min_count=1).tolist()
    assert np.array_equal(rolling(values, 2, "argmax"), [np.nan, 1, 1, 3], equal_nan=True)
    assert rolling(values, 2, "arg_max", min_count=1).tolist() == whole.tolist()
    assert rolling(pa.array([3, None, None, 5]), 2, "argmin", min_count=1).to_pylist() == [0, 0, None, 3]
    series = rolling(pd.Series([3, None, None, 5], dtype="Int64"), 2, "argmax", min_count=1)
    assert (str(series.dtype), series.isna().tolist()) == ("Int64", [False, False, True, False])
    assert str(rolling(pd.Series([3, None], dtype=pd.ArrowDtype(pa.int64())), 1, "argmax").dtype) == "int64[pyarrow]"
    assert rolling(np.array([]), 2, BOTH)["argmax"].tolist() == []


COLUMNS = st.lists(st.sampled_from([0.5, -1.0, 3.25, np.inf, -np.inf, np.nan, -0.0, 0.0]), max_size=120)


@pytest.mark.plain
@settings(max_examples=examples(150), deadline=None)
@given(
    values=COLUMNS,
    length=st.integers(1, 9),
    rows=st.integers(1, 40),
    keys=st.integers(1, 3),
    closed=st.sampled_from(CLOSED),
    least=st.sampled_from([None, 0, 1, 3]),
)
def test_pieces_and_groups(values, length, rows, keys, closed, least):
    """In pieces as threads take them, whose strips are of two windows here."""
    held = length + (closed == "both") - (closed == "neither")
    if least is not None and least > held:
        return
    made, by_key = [], [i % keys for i in range(len(values))]

    def cut(bounds, longest):
        made.append(by_count.pieces_of(bounds, max(1, longest), rows))
        return made[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(by_count, "STRIP", 8)
        patched.setattr(methods, "cut", cut)
        got = rolling(np.array(values, float), length, BOTH, by=by_key, closed=closed, min_count=least)
    event(f"{max((len(each.begin) for each in made), default=0)} pieces")
    right(
        values, count_windows(len(values), length, closed, by_key), min(length, held) if least is None else least, got
    )


SHAPES = {
    "random": lambda n, window: np.random.default_rng(window).random(n),
    "ties": lambda n, window: np.random.default_rng(window).integers(0, 3, n).astype(float),
    "constant": lambda n, window: np.full(n, 0.1),
    "down": lambda n, window: np.arange(n) * -1.0,
    "sawtooth": lambda n, window: np.arange(n) % window * 1.0,
}


@pytest.mark.parametrize("window", [1, 2, 10, 999, 20_000])
@pytest.mark.parametrize("shape", list(SHAPES))
def test_long_columns_beside_numpy(shape, window):
    """NumPy counts from the first row of the window."""
    values = SHAPES[shape](30_000, window)
    view = np.lib.stride_tricks.sliding_window_view(values, window)
    begins = np.arange(len(view))
    sampled = np.unique(np.linspace(0, len(view) - 1, 300).astype(int))
    got = rolling(values, window, BOTH)
    for name in BOTH:
        assert np.isnan(got[name][: window - 1]).all()
        wanted = getattr(np, name)(view[sampled], axis=1) + begins[sampled]
        assert np.array_equal(got[name][window - 1 :][sampled], wanted)


@pytest.mark.skipif(PLAIN, reason="plain Python has one thread")
@pytest.mark.parametrize("window", [3, 1000, 150_000])
def test_several_threads_give_the_same(monkeypatch, window):
    values = np.random.default_rng(3).integers(0, 1000, 1_000_003).astype(float)
    values[::777] = np.nan
    answers = []
    for cores in (4, 1):
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid, cores=cores: set(range(cores)))
        threads.pool.cache_clear()
        answers.append(rolling(values, window, BOTH, min_count=1))
    threads.pool.cache_clear()
    for name in BOTH:
        assert np.array_equal(answers[0][name], answers[1][name], equal_nan=True)
