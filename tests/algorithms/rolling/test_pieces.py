"""A long group is gone through in pieces, by several threads: the answers are those of one piece."""

import math
import os
import threading

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from algorithms import rolling, threads
from algorithms.kernel import PLAIN, as_slots
from algorithms.rolling import by_count, methods
from tests.examples import examples

OPERATORS = ("sum", "mean", "max", "std", "var", "count")


def in_pieces(monkeypatch, rows):
    made = []

    def cut(bounds, length, fewest=by_count.FEWEST):
        made.append(by_count.pieces_of(bounds, max(1, length), rows, fewest=fewest))
        return made[-1]

    monkeypatch.setattr(methods, "cut", cut)
    return made


COLUMNS = st.lists(st.sampled_from([0.5, -1.0, 3.25, 1e16, np.nan]), max_size=120)
WHOLE = st.lists(st.integers(-(2**45), 2**45), max_size=120)


@pytest.mark.plain
@settings(max_examples=examples(120), deadline=None)
@given(
    values=st.one_of(COLUMNS, WHOLE),
    length=st.integers(1, 9),
    rows=st.integers(1, 40),
    keys=st.integers(1, 3),
    closed=st.sampled_from(["right", "left", "both", "neither"]),
    least=st.sampled_from([None, 0, 1, 3]),
)
def test_pieces_give_what_a_whole_group_gives(values, length, rows, keys, closed, least):
    column = np.array(values, np.int64 if all(isinstance(v, int) for v in values) else np.float64)
    arguments = {"by": np.arange(len(column)) % keys, "closed": closed, "min_count": least}
    if least is not None and least > length - (closed == "neither"):
        return
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(by_count, "STRIP", 8)
        whole = rolling(column, length, list(OPERATORS), **arguments)
        made = in_pieces(patched, rows)
        pieces = rolling(column, length, list(OPERATORS), **arguments)
    event(f"{max((len(each.begin) for each in made), default=0)} pieces")
    for name in OPERATORS:
        assert np.array_equal(whole[name], pieces[name], equal_nan=True), name


def test_a_column_is_cut(monkeypatch):
    made = in_pieces(monkeypatch, 2000)
    rolling(np.arange(20_000.0), 2, ["sum", "std"])
    assert [len(each.begin) for each in made] == [10, 10]


@pytest.mark.parametrize("length", [1, 2, 3, 7, 12, 13, 100, 1500])
@pytest.mark.parametrize("gaps", [0, 3, 500])
def test_long_columns_in_pieces(monkeypatch, length, gaps):
    """Strips of short windows without gaps, strips with gaps, and windows longer than a strip."""
    column = np.random.default_rng(length).normal(size=20_000)
    column[np.linspace(0, 19_999, gaps).astype(int)] = np.nan
    arguments = {"by": (np.arange(20_000) > 17_000).astype(int), "min_count": 1}
    whole = rolling(column, length, list(OPERATORS), **arguments)
    made = in_pieces(monkeypatch, 2048)
    pieces = rolling(column, length, list(OPERATORS), **arguments)
    assert len(made[0].begin) > 2
    for name in OPERATORS:
        assert np.array_equal(whole[name], pieces[name], equal_nan=True), name
    starts = np.maximum(np.arange(20_000) - length + 1, np.where(arguments["by"], 17_001, 0))
    for i in np.linspace(0, 19_999, 200).astype(int).tolist():
        window = column[starts[i] : i + 1]
        there = window[~np.isnan(window)]
        if len(there):
            assert whole["max"][i] == there.max()
            assert abs(whole["sum"][i] - math.fsum(there)) <= len(there) * 2.0**-52 * np.abs(there).sum()


def test_where_groups_are_cut(monkeypatch):
    monkeypatch.setattr(by_count, "STRIP", 10)
    if not PLAIN:
        monkeypatch.setattr(by_count, "strip_of", lambda length: 2 * length)
    pieces = by_count.pieces_of(as_slots(np.array([0, 7, 107, 110])), 5, 30)
    bounds, begin, end = (np.asarray(each).tolist() for each in pieces)
    assert bounds == [0, 7, 47, 87, 107, 110]
    assert begin == [0, 7, 7, 7, 107] and end == [7, 107, 107, 107, 110]
    even = by_count.pieces_of(as_slots(np.array([0, 100])), 5, 30, together=2)
    assert np.asarray(even.bounds).tolist() == [0, 50, 100], "two of 50 rows, not three of 40, 40 and 20"
    alone = by_count.pieces_of(as_slots(np.array([0, 100])), 30, 10)
    assert np.asarray(alone.bounds).tolist() == [0, 100], "fewer blocks than pay"
    none = by_count.pieces_of(as_slots(np.array([0])), 3, 10)
    assert [len(each) for each in none] == [1, 0, 0]


@pytest.mark.skipif(PLAIN, reason="plain Python has one thread")
def test_one_column_is_shared_by_threads(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(4)))
    values, fixed = np.random.default_rng(3).normal(size=1_000_003), by_count.fixed
    seen, second = set(), threading.Event()

    def met(*given):
        """The first thread waits for another, which on a busy machine may begin when all pieces would be done."""
        seen.add(threading.get_ident())
        if len(seen) > 1:
            second.set()
        assert second.wait(600), "no second thread has come"
        fixed(*given)

    monkeypatch.setattr(by_count, "fixed", met)
    threads.pool.cache_clear()
    shared = rolling(values, 1000, "std")
    assert len(seen) > 1
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    threads.pool.cache_clear()
    assert np.array_equal(shared, rolling(values, 1000, "std"), equal_nan=True)


@pytest.mark.skipif(PLAIN, reason="plain Python has one thread")
def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    values = np.arange(500_000.0)
    wanted = rolling(values, 10, "sum")[-1]
    child = os.fork()
    if child == 0:
        os._exit(0 if rolling(values, 10, "sum")[-1] == wanted else 1)
    assert os.waitpid(child, 0)[1] == 0
