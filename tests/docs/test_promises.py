"""docs/promises.md says what threads, pickle, memory and time zones meet; here they meet it."""

import copy
import pickle
import re
import threading
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import algorithms
from algorithms import (
    CompressedAggregate,
    InUseError,
    OrderedWindow,
    SharedAggregate,
    SlidingAggregate,
    operators,
    policies,
    queries,
    rolling,
    window,
)
from algorithms.in_use import OneAtATime
from tests import HUNG

PAGE = Path(__file__).parents[2] / "docs" / "promises.md"
N = 100_000
TIMES, ONES = np.arange(N), np.ones(N)
BERLIN = pd.date_range("2026-10-25 00:30", periods=3, freq="15min", tz="UTC").tz_convert("Europe/Berlin")


class Kind(NamedTuple):
    """How one is made, is given columns of times and values, and shows what it has; `moments` makes one for dates."""

    make: Any
    put_in: Any
    shown: Any
    moments: Any


def a_window(name, operator="sum", **settings):
    return Kind(
        lambda: window(name, operator, capacity=N, **settings),
        lambda w, times, values: w.insert_many(times, values),
        lambda w: (len(w), w.query(), w.oldest()),
        lambda: window(name, operator, capacity=N, time="datetime64", **settings),
    )


def an_ordered_window(**settings):
    return Kind(
        lambda: OrderedWindow(N, **settings),
        lambda w, times, values: w.insert_many(times, values),
        lambda w: (len(w), w.median(), w.oldest()),
        lambda: OrderedWindow(N, time="datetime64", **settings),
    )


COUNTED = operators.product(count="count", sum="sum")
KINDS = {
    'window("two_stacks_lite")': a_window("two_stacks_lite"),
    'window("daba_lite")': a_window("daba_lite"),
    'window("amta")': a_window("amta"),
    'window("fiba")': a_window("fiba"),
    'window("two_stacks", policy=…)': a_window("two_stacks", COUNTED, policy=policies.count(N)),
    'window("kvs_amta", store=…)': a_window("kvs_amta"),
    'OrderedWindow(order="in order")': an_ordered_window(order="in order"),
    "OrderedWindow()": an_ordered_window(),
    "SlidingAggregate": Kind(
        lambda: SlidingAggregate(size=N, slide=1000),
        lambda s, times, values: s.batch(times, values),
        lambda s: copy.deepcopy(s).flush()["value"].tolist(),
        lambda: SlidingAggregate(size="30min", slide="15min"),
    ),
    "SharedAggregate": Kind(
        lambda: SharedAggregate([queries.sliding(N, 100)]),
        lambda s, times, values: s.batch(times, values),
        lambda s: [(begin, end, value) for begin, end, value in s.slices()],
        lambda: SharedAggregate([queries.tumbling(15 * 60 * 1_000_000, over="time")]),
    ),
    "CompressedAggregate": Kind(
        lambda: CompressedAggregate(WA=N, WS=N, f_K=(), f_O="sum"),
        lambda c, times, values: c.batch(times, values),
        lambda c: copy.deepcopy(c).flush()["value"].tolist(),
        lambda: CompressedAggregate(WA="15min", WS="30min", f_K=(), f_O="sum", time="datetime64"),
    ),
}
ON_SPARK = ("sliding_aggregate", "SlidingAggregateSink")


def promised() -> dict[str, list[str]]:
    """The cells of the table by the first of their row."""
    rows = [
        re.split(r" \| ", line.strip("| \n"))
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line[:1] == "|"
    ]
    return {row[0].strip("`"): row[1:] for row in rows[2:]}


PROMISED = promised()


class SlowColumn:
    """A column that is long in coming: whoever takes it is in the middle of a call."""

    def __init__(self, column):
        self.column, self.asked, self.go_on = column, threading.Event(), threading.Event()

    def __len__(self):
        return len(self.column)

    def __array__(self, dtype=None, copy=None):
        self.asked.set()
        assert self.go_on.wait(HUNG)
        return self.column


def test_the_table_has_a_row_for_all_that_keeps_state_and_no_other():
    assert list(PROMISED) == [*KINDS, "rolling", *ON_SPARK]
    public = vars(algorithms)
    with_state = {
        name for name in algorithms.__all__ if isinstance(public[name], type) and issubclass(public[name], OneAtATime)
    }
    assert with_state == {"Window" if name.startswith("window") else name.split("(")[0] for name in KINDS}


@pytest.mark.parametrize("name", KINDS)
def test_a_second_thread_is_refused_and_changes_nothing(name):
    kind = KINDS[name]
    assert PROMISED[name][0] == "gets an `InUseError`"
    subject, column = kind.make(), SlowColumn(np.array([1.0, 2.0, 4.0]))
    first = threading.Thread(target=kind.put_in, args=(subject, np.arange(3), column))
    first.start()
    assert column.asked.wait(HUNG)
    with pytest.raises(InUseError, match="in use by another call"):
        kind.put_in(subject, np.arange(3), np.ones(3))
    if PROMISED[name][1] == "keep the state":
        with pytest.raises(InUseError):
            pickle.dumps(subject)
    column.go_on.set()
    first.join()
    alone = kind.make()
    kind.put_in(alone, np.arange(3), np.array([1.0, 2.0, 4.0]))
    assert kind.shown(subject) == kind.shown(alone)


@pytest.mark.parametrize("name", KINDS)
def test_pickle_and_deepcopy_keep_the_state_or_are_refused(name):
    kind = KINDS[name]
    subject = kind.make()
    kind.put_in(subject, np.arange(5), np.arange(5) * 1.5)
    refused = PROMISED[name][1] == "`TypeError`: open it again by its store"
    assert refused or PROMISED[name][1] == "keep the state"
    for later, copied in (5, lambda x: pickle.loads(pickle.dumps(x))), (9, copy.deepcopy):
        if refused:
            with pytest.raises(TypeError, match="open kvs_amta again by its store"):
                copied(subject)
        else:
            twin, more = copied(subject), (np.arange(later, later + 4), np.ones(4))
            kind.put_in(twin, *more)
            assert kind.shown(twin) != kind.shown(subject)
            kind.put_in(subject, *more)
            assert kind.shown(twin) == kind.shown(subject)
    with pytest.raises(TypeError, match="copy"):
        copy.copy(subject)


@pytest.mark.parametrize("name", [*KINDS, "rolling"])
def test_the_bytes_are_those_measured(name):
    stated = int(PROMISED[name][2].replace(",", ""))
    if name == "rolling":
        rolling(ONES, 1000, "max")
        taken = traced(lambda: rolling(ONES, 1000, "max"))[1]
    else:
        make, put_in = KINDS[name].make, KINDS[name].put_in
        put_in(make(), TIMES, ONES)  # what is compiled stays

        def fill():
            subject = make()
            put_in(subject, TIMES, ONES)
            return subject

        taken = traced(fill)[0]
    assert stated == pytest.approx(taken, rel=0.03), f"{taken:,}"


def traced(make):
    """Bytes that are kept once something is made, and the most that were taken meanwhile."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    made = make()  # noqa: F841 - is kept
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return now - before, peak - before


@pytest.mark.parametrize("name", KINDS)
def test_time_zones(name):
    kind, stated = KINDS[name], PROMISED[name][3]
    subject = kind.moments()
    results = kind.put_in(subject, BERLIN, np.ones(3))
    if stated == "become UTC":
        alike = kind.moments()
        again = kind.put_in(alike, BERLIN.tz_convert("UTC").tz_localize(None), np.ones(3))
        if results is None:
            assert subject.oldest() == alike.oldest() == np.datetime64("2026-10-25T00:30")
        else:
            assert list(results) == list(again) and len(results) == 2
    else:
        assert stated == "one zone in a stream; results have it"
        assert str(results["time"].tz) == "Europe/Berlin"
        with pytest.raises(algorithms.TimeError, match="no time zone"):
            kind.put_in(subject, ["2026-10-25 03:30"], np.ones(1))


def test_rolling_serves_threads_at_once_is_pickled_by_name_and_goes_by_utc():
    assert PROMISED["rolling"][:2] == ["safe: several threads may call it", "a function: by its name"]
    column = SlowColumn(np.arange(1000.0))
    answers = []
    first = threading.Thread(target=lambda: answers.append(rolling(column, 10, "max")))
    first.start()
    assert column.asked.wait(HUNG)
    expected = rolling(np.arange(1000.0), 10, "max")
    column.go_on.set()
    first.join()
    assert np.array_equal(answers[0], expected, equal_nan=True)
    assert pickle.loads(pickle.dumps(rolling)) is rolling
    assert PROMISED["rolling"][3] == "become UTC; the index keeps its zone"
    answer = rolling(pd.Series(np.ones(3), index=BERLIN), "20min")
    assert answer.index.equals(BERLIN) and answer.tolist() == [1, 2, 2]
