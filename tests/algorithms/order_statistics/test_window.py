"""OrderedWindow against sorting, in order and out of order, with ties and infinities; and what misuse says."""

import copy
import math
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import (
    CapacityError,
    EmptyWindowError,
    InUseError,
    MemoryEstimateError,
    OperationError,
    OrderError,
    TimeError,
    ValueKindError,
)
from algorithms.order_statistics import OrderedWindow
from algorithms.order_statistics.codes import INTERPOLATIONS, RANKS
from tests.algorithms.order_statistics import naive
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

FLOATS = st.sampled_from([-math.inf, -1e308, -2.5, -0.0, 0.0, 5e-324, 1.0, 2.5, 1e308, math.inf]) | st.floats(
    allow_nan=False
)
WHOLE = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)
ORDERS = ("in order", "any")


def ask_everything(w, model, q, stranger):
    values = model.values()
    w.check()
    assert (len(w), w.distinct()) == (len(values), len(set(values)))
    for method in RANKS:
        assert w.rank(stranger, method) == naive.rank(values, stranger, method)
    if not values:
        return
    assert (w.oldest(), w.youngest()) == (model.entries[0][0], model.entries[-1][0])
    assert w.mode() == naive.mode(values)
    assert [w.smallest(k) for k in (1, len(values))] == [min(values), max(values)]
    for interpolation in INTERPOLATIONS:
        for fraction in (q, 0, 1):
            expected = naive.quantile(values, fraction, interpolation)
            assert naive.close(w.quantile(fraction, interpolation), expected, naive.largest(values))
    assert naive.close(w.median(), naive.quantile(values, 0.5, "linear"), naive.largest(values))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("dtype", "value"), [("float64", FLOATS), ("int64", WHOLE)])
def test_like_sorting(order, dtype, value):
    @settings(max_examples=examples(60))
    @given(st.data())
    def check(data):
        w, model = OrderedWindow(40, order=order, dtype=dtype), naive.NaiveOrdered()
        operations = ["insert", "insert", "insert", "evict", "bulk_evict"] + ["evict_at"] * (order == "any")
        clock = 0
        for operation in data.draw(st.lists(st.sampled_from(operations), max_size=30)):
            clock = data.draw(st.integers(clock, clock + 1) if order == "in order" else st.integers(0, 9))
            if operation == "insert":
                x = data.draw(value)
                w.insert(clock, x)
                model.insert(clock, x)
            elif operation == "evict":
                if model.entries:
                    w.evict()
                    model.evict()
            else:
                time = data.draw(st.integers(-1, clock + 1))
                assert getattr(w, operation)(time) == getattr(model, operation)(time)
            ask_everything(w, model, data.draw(st.floats(0, 1)), data.draw(value))

    check()


@pytest.mark.parametrize("order", ORDERS)
def test_batches(order):
    rng, w, model = np.random.default_rng(4), OrderedWindow(3000, order=order), naive.NaiveOrdered()
    for batch in range(3):
        times = rng.integers(1000 * batch, 1000 * batch + 1000, 900)
        times = np.sort(times) if order == "in order" else times
        values = rng.normal(size=900).round(1)
        w.insert_many(times, values)
        for time, value in zip(times.tolist(), values.tolist(), strict=True):
            model.insert(time, value)
        assert w.bulk_evict(1000 * batch + 600) == model.bulk_evict(1000 * batch + 600)
        ask_everything(w, model, 0.3, 0.1)


def test_kinds_of_time():
    w = OrderedWindow(9, time="datetime64", dtype="int64")
    w.insert_many(["2024-05-02", "2024-05-01", "2024-05-01"], [2**62 + 1, 7, 9])
    assert w.oldest() == np.datetime64("2024-05-01") and w.youngest() == np.datetime64("2024-05-02")
    assert w.quantile(1.0, "nearest") == 2**62 + 1, "whole numbers are exact"
    assert w.evict_at("2024-05-01") == 2 and len(w) == 1
    w = OrderedWindow(9, time="float64")
    w.insert_many([0.5, -0.5, -math.inf], [1, 2, 3])
    assert (w.oldest(), w.youngest(), w.bulk_evict(-0.5)) == (-math.inf, 0.5, 2)


def test_zero_has_no_sign():
    w = OrderedWindow(3)
    w.insert_many([1, 2, 3], [0.0, -0.0, 0.0])
    assert w.distinct() == 1 and w.rank(-0.0) == 2.0
    assert math.copysign(1, w.mode()) == 1


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))], ids=["deepcopy", "pickle"])
def test_copies_go_on_alike_and_apart(order, copied):
    w = OrderedWindow(300, order=order)
    w.insert_many(np.arange(150), np.arange(150) % 7)
    other = copied(w)
    other.insert_many(np.arange(150, 160), np.full(10, 3))
    other.check()
    assert (len(w), w.mode(), len(other), other.mode()) == (150, 0, 160, 3)
    w.insert_many(np.arange(150, 160), np.full(10, 3))
    assert [w.smallest(k) for k in range(1, 161)] == [other.smallest(k) for k in range(1, 161)]


def test_two_threads_at_once():
    w = OrderedWindow(10)
    with w._in_use:
        caught = []
        thread = threading.Thread(target=lambda: caught.append(pytest.raises(InUseError, w.insert, 1, 1.0)))
        thread.start()
        thread.join()
    assert len(caught) == 1 and len(w) == 0


OF_NOTHING = {
    "evict of nothing": (lambda w: (w.bulk_evict(9), w.evict()), EmptyWindowError, "evict on an empty"),
    "median of nothing": (lambda w: (w.bulk_evict(9), w.median()), EmptyWindowError, "quantile on an empty"),
    "mode of nothing": (lambda w: (w.bulk_evict(9), w.mode()), EmptyWindowError, "mode on an empty"),
}
HARMLESS = {
    "nan": (lambda w: w.insert(6, math.nan), ValueKindError, r"values\[0\] is NaN"),
    "nan in a batch": (lambda w: w.insert_many([6, 7], [1, math.nan]), ValueKindError, r"values\[1\] is NaN"),
    "text": (lambda w: w.insert(6, "three"), ValueKindError, "values must be numbers"),
    "nothing": (lambda w: w.insert(6, None), ValueKindError, "values must be numbers"),
    "rank of nan": (lambda w: w.rank(math.nan), ValueKindError, "NaN"),
    "half a time": (lambda w: w.insert(6.5, 1.0), TimeError, "time 6.5 is not a whole number"),
    "back in time": (lambda w: w.insert(2, 1.0), OrderError, "time 2 is older than 5"),
    "back in a batch": (lambda w: w.insert_many([6, 5], [1, 1]), OrderError, "time 5 is older than 6"),
    "too many": (lambda w: w.insert_many([6, 7, 8], [1, 1, 1]), CapacityError, "2 entries and 3 more .* capacity 4"),
    "columns differ": (lambda w: w.insert_many([6, 7], [1]), ValueKindError, "2 times and 1 values"),
    "no evict_at": (lambda w: w.evict_at(5), OperationError, "has no evict_at"),
    "quantile 2": (lambda w: w.quantile(2), ValueError, "q must be a number from 0 to 1, not 2"),
    "quantile nan": (lambda w: w.quantile(math.nan), ValueError, "q must be a number from 0 to 1"),
    "interpolation": (lambda w: w.quantile(0.5, "midpiont"), ValueError, "did you mean midpoint"),
    "method": (lambda w: w.rank(1.0, "mean"), ValueError, "unknown method 'mean'"),
    "k": (lambda w: w.smallest(3), ValueError, "k must be at most the number of entries, 2, not 3"),
    "k 0": (lambda w: w.smallest(0), ValueError, "k must be a whole number of at least 1"),
}


@pytest.mark.parametrize("case", [*OF_NOTHING, *HARMLESS])
def test_misuse_says_what_is_wrong_and_changes_nothing(case):
    w = OrderedWindow(4, order="in order")
    w.insert_many([4, 5], [2.0, 8.0])
    do, error, said = {**OF_NOTHING, **HARMLESS}[case]
    with pytest.raises(error, match=said):
        do(w)
    w.check()
    if case in HARMLESS:
        assert (len(w), w.median(), w.oldest(), w.youngest()) == (2, 5.0, 4, 5)


def test_settings_that_are_wrong():
    with pytest.raises(ValueError, match="unknown order 'sorted'"):
        OrderedWindow(4, order="sorted")
    with pytest.raises(ValueError, match="unknown kind of time"):
        OrderedWindow(4, time="int32")
    with pytest.raises(ValueError, match="unknown dtype"):
        OrderedWindow(4, dtype="float16")
    with pytest.raises(ValueError, match="capacity must be a whole number from 1 to"):
        OrderedWindow(0)
    with pytest.raises(MemoryEstimateError, match="GiB"):
        OrderedWindow(2**31 - 1)
    whole = OrderedWindow(4, dtype="int64")
    for value in (2.5, math.inf, 2.0**63):
        with pytest.raises(ValueKindError, match=r"values\[0\] must be a whole number of at most 64 bits"):
            whole.insert(1, value)
    whole.insert(1, 3.0)
    assert whole.smallest(1) == 3
    with pytest.raises(ValueKindError, match="more than int64 holds"):
        whole.insert(1, 2**63)


def test_repr():
    assert repr(OrderedWindow(4, order="any")) == "<window of order statistics, any, 0 of 4 entries>"


@pytest.mark.parametrize("order", ORDERS)
def test_check_finds_entries_that_differ_from_values_and_a_tree_that_is_broken(order):
    def broken(spoil):
        w = OrderedWindow(capacity=50, order=order, dtype="int64")
        for time in range(20):
            w.insert(time, time % 7)
        w.check()
        spoil(w._w)
        with pytest.raises(AssertionError) as said:
            w.check()
        return str(said.value)

    def another_code(w):
        field = w.code if order == "in order" else w.times.load
        field[next(p for p in range(len(field)) if field[p])] += 1

    assert "entries and values differ" in broken(another_code)
    assert "entries" in broken(lambda w: w.values.head[0].__setattr__("entries", 3))
    if order == "in order":
        assert "times descend" in broken(lambda w: w.time.__setitem__(3, 99))
        assert "more entries than the ring holds" in broken(lambda w: w.ends[0].__setattr__("end", 1000))


@pytest.mark.parametrize("value", [(5.0, 7.0), [], np.ones((1, 1))])
def test_a_value_is_one_number(value):
    w = OrderedWindow(10)
    with pytest.raises(ValueKindError):
        w.insert(1, value)
    with pytest.raises(ValueKindError):
        w.insert_many([1, 2], [value, value])
    assert len(w) == 0
