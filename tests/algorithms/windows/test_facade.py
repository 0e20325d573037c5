"""The façade against the naive window: long random histories, compiled, for every window; and what it refuses."""

import datetime

import numpy as np
import pytest
from hypothesis.stateful import run_state_machine_as_test

from algorithms import (
    CapacityError,
    MemoryEstimateError,
    OrderError,
    TimeError,
    WindowError,
    catalogue,
    operators,
    window,
)
from algorithms.streams.window_spec import split
from algorithms.windows.contract import IN_ORDER, card
from tests.algorithms.windows.facade_machine import FUZZ, FacadeMachine
from tests.algorithms.windows.facade_subjects import MEMBERS, SUBJECTS, compiled_operators


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "operator"), [(name, operator) for name in catalogue() for operator in sorted(compiled_operators(name))]
)
def test_any_history_agrees_with_the_naive_window(name, operator):
    run_state_machine_as_test(lambda: FacadeMachine(name, operator), settings=FUZZ)


def test_bloom_members_are_told_apart():
    """What the machine relies on: no member is a false positive of all the others."""
    for left_out in MEMBERS:
        w = window("recalc", SUBJECTS["bloom"].make(), capacity=20)
        w.insert_many(range(11), sorted(MEMBERS - {left_out}))
        assert left_out not in w.query()


STORED = ("kvs_amta", "kvs_log_mta")
"""Windows that keep all but their ends in a key-value store."""


@pytest.mark.parametrize("name", catalogue())
@pytest.mark.parametrize("capacity", [0, -1, 2.5, True, "many", None])
def test_capacity_must_be_a_positive_whole_number(name, capacity):
    with pytest.raises(ValueError, match="capacity must be a whole number of at least 1, not"):
        window(name, capacity=capacity)


@pytest.mark.parametrize("name", [name for name in catalogue() if name not in STORED])
def test_more_than_the_memory_is_refused_with_the_estimate(name):
    with pytest.raises(MemoryEstimateError, match=r"needs up to [\d,.]+ GiB; this machine has [\d,.]+ GiB"):
        window(name, capacity=10**12)


@pytest.mark.parametrize("name", STORED)
def test_a_window_in_a_store_takes_little_memory_whatever_its_capacity(name):
    assert card(name).bytes(operators.make("sum", "int64"), 10**12) < 2**22


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fibba",), "did you mean fiba"),
        (("fiba", "summ"), "did you mean sum"),
        (("fiba", "sum", 10, {"min_aritty": 3}), "did you mean min_arity"),
        (("fiba", "sum", 10, {"min_arity": 1}), "min_arity must be a whole number of at least 2, not 1"),
        (("fiba", "sum", 10, {"min_arity": 2.5}), "min_arity must be a whole number of at least 2, not 2.5"),
        (("fiba", "sum", 10, {"time": "float"}), "did you mean float64"),
        (("fiba", "sum", 10, {"dtype": "int16"}), "no version for dtype 'int16'"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(arguments, message):
    parameters = arguments[3] if len(arguments) > 3 else {}
    with pytest.raises(ValueError, match=message):
        window(*arguments[:3], **parameters)


def test_every_refusal_of_a_window_is_a_window_error_or_a_time_error():
    w = window("two_stacks_lite", "sum", capacity=2, dtype="int64")
    w.insert_many([1, 2], [1, 2])
    for misuse in (lambda: w.insert(3, 1), lambda: w.insert(1, 1), lambda: w.evict_at(1), lambda: w.insert(2, "x")):
        with pytest.raises(WindowError):
            misuse()
    with pytest.raises(TimeError):
        w.insert(float("nan"), 1)


def test_a_batch_at_one_time_counts_every_entry_of_an_in_order_window():
    """Equal times are entries of their own there: nine of them do not fit into three places."""
    w = window("two_stacks_lite", "sum", capacity=3, dtype="int64")
    with pytest.raises(CapacityError):
        w.insert_many([1] * 9, range(9))
    assert len(w) == 0
    w.insert_many([1] * 3, [1, 2, 3])
    assert (len(w), w.query()) == (3, 6)


def test_times_with_a_zone_are_converted():
    w = window("recalc", SUBJECTS["concat"].make(), capacity=4, time="datetime64")
    zone = datetime.timezone(datetime.timedelta(hours=2))
    w.insert(datetime.datetime(2026, 1, 1, 12, tzinfo=zone), "a")
    w.insert("2026-01-01T11:00", "b")
    assert w.query() == "ab"
    assert w.oldest() == np.datetime64("2026-01-01T10:00")


def test_an_empty_batch_changes_nothing():
    w = window("recalc", "sum", capacity=4, dtype="int64")
    w.insert_many([], [])
    w.bulk_insert([], [])
    assert len(w) == 0
    w.check()


IN_MEMORY = [name for name in catalogue() if name not in STORED]
OF_ORDER = [name for name in IN_MEMORY if card(name).order == IN_ORDER]


@pytest.mark.plain
@pytest.mark.parametrize("name", IN_MEMORY)
def test_a_window_holds_as_many_entries_as_its_capacity_and_no_more(name):
    """Every capacity up to one beyond a power of two, filled twice over, with what was taken out between."""
    for capacity in range(1, 10):
        w = window(name, "sum", capacity=capacity, dtype="int64")
        for lap in (0, 1):
            w.insert_many(range(100 * lap, 100 * lap + capacity), range(capacity, 0, -1))
            assert len(w) == capacity
            with pytest.raises(CapacityError, match=f"{capacity}"):
                w.insert(100 * lap + 50, 99)
            with pytest.raises(CapacityError, match=f"{capacity}"):
                w.insert_many([100 * lap + 50], [99])
            w.check()
            for left in range(capacity, 0, -1):
                assert w.query() == left * (left + 1) // 2
                w.evict()
        assert len(w) == 0


@pytest.mark.plain
@pytest.mark.parametrize("name", OF_ORDER)
def test_a_batch_out_of_order_is_refused_where_it_falls(name):
    w = window(name, "sum", capacity=9, dtype="int64")
    w.insert(3, 1)
    with pytest.raises(OrderError, match=r"times\[2\] is older than the one before"):
        w.insert_many([5, 7, 6], [1, 2, 3])
    for put in (w.insert_many, w.bulk_insert) if "bulk_insert" in w.card.operations else (w.insert_many,):
        with pytest.raises(OrderError):
            put([2, 5], [1, 2])
    assert len(w) == 1
    w.insert_many([3, 3, 5], [2, 3, 4])
    assert (len(w), w.query()) == (4, 10)


@pytest.mark.plain
@pytest.mark.parametrize("name", [name for name in IN_MEMORY if name not in OF_ORDER])
def test_a_batch_may_be_older_where_order_does_not_matter(name):
    w = window(name, "first", capacity=9, dtype="int64")
    w.insert(3, 1)
    w.insert_many([5, 7, 6], [2, 3, 4])
    w.bulk_insert([2, 1, 4], [5, 6, 7])
    assert (len(w), w.query(), w.oldest(), w.youngest()) == (7, 6, 1, 7)


@pytest.mark.plain
def test_the_largest_int64_is_no_time_and_the_one_before_it_is():
    w = window("fiba", "sum", capacity=4, dtype="int64")
    w.insert_many([-(2**63), 2**63 - 2], [1, 2])
    assert (w.oldest(), w.youngest()) == (-(2**63), 2**63 - 2)
    for put in (lambda: w.insert(2**63 - 1, 1), lambda: w.insert_many([2**63 - 1], [1])):
        with pytest.raises(TimeError):
            put()


@pytest.mark.plain
def test_a_chosen_window_takes_what_it_is_chosen_by_and_no_other():
    assert split("auto", {"size": 9, "distance": 3, "batch": 2})[1] == {"distance": 3, "batch": 2}
    assert split("fiba", {"size": 9, "min_arity": 4})[1] == {"min_arity": 4}
    for name, parameter in (("auto", "min_arity"), ("fiba", "distance")):
        with pytest.raises(ValueError, match=f"parameter of {name} '{parameter}'"):
            split(name, {"size": 9, parameter: 4})


@pytest.mark.plain
@pytest.mark.parametrize("capacity", range(1, 10))
def test_a_window_that_collects_has_room_for_all_its_values(capacity):
    w = window("two_stacks_lite", "collect", capacity=capacity, dtype="int64")
    for lap in (0, 1):
        w.insert_many(range(10 * lap, 10 * lap + capacity), range(capacity))
        assert list(w.query()) == list(range(capacity))
        for _ in range(capacity):
            w.evict()


def test_one_time_is_no_column():
    with pytest.raises(TimeError, match=r"time \[1.0, 2.0\] is not a number"):
        window("recalc", time="float64").insert([1.0, 2.0], 3.0)
