"""Keys of any kinds in one stream: how they are split into batches does not matter, and equal keys are one."""

import itertools

import numpy as np
import pytest

from algorithms import CompressedAggregate, SlidingAggregate, ValueKindError
from algorithms.streams.sliding.keys import in_order

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

STREAMS = {
    "whole, then text": [1, 2, "a", 1, "b", 2, "a"],
    "text, then whole": ["a", 1, "a", 2, 1],
    "far whole numbers": [2**62, 1, 2**63 - 1, -(2**63), 2**62, 1, 2**64, 2**63 - 1],
    "tuples and None": [(1, 2), 1, None, (1, 2), None, 1],
    "equal keys": [1, 1.0, "a", True, 0, False, 2.0, 2],
    "floats": [0.5, 1.5, 0.5, 1, 1.0],
}


def split(n):
    """Every way to cut n records into at most three batches."""
    return [cuts for k in range(3) for cuts in itertools.combinations(range(1, n), k)]


def counted(make, keys, cuts):
    """How many records each key has had, as a run says it at the end."""
    aggregate, found = make(), {}
    for first, last in itertools.pairwise([0, *cuts, len(keys)]):
        columns = aggregate.batch(range(first, last), [1] * (last - first), keys[first:last])
        found |= dict(zip(columns["key"].tolist(), columns["value"].tolist(), strict=True))
    columns = aggregate.flush()
    return found | dict(zip(columns["key"].tolist(), columns["value"].tolist(), strict=True))


def by_count():
    return SlidingAggregate("two_stacks", size=100, slide=1, by="count", operator="count", key=True)


def by_time():
    return SlidingAggregate("fiba", size=100, operator="count", key=True)


def compressed():
    return CompressedAggregate(WA=100, WS=100, D=0, f_O="count")


@pytest.mark.parametrize("make", [by_count, by_time, compressed])
@pytest.mark.parametrize("stream", STREAMS)
def test_the_split_does_not_matter(stream, make):
    keys = STREAMS[stream]
    expected = {key: keys.count(key) for key in keys}
    for cuts in split(len(keys)):
        assert counted(make, keys, cuts) == expected, cuts


def test_columns_of_arrays_of_any_kind_go_together():
    batches = [
        np.array([1, 2], np.uint8),
        np.array(["a", "b"]),
        np.array([2, 2**63], np.uint64),
        np.array([True, False]),
        np.array([1.0, 2.5]),
    ]
    aggregate, found = by_count(), {}
    for i, keys in enumerate(batches):
        columns = aggregate.batch([2 * i, 2 * i + 1], [1, 1], keys)
        found |= dict(zip(columns["key"].tolist(), columns["value"].tolist(), strict=True))
    assert found == {1: 3, 2: 2, "a": 1, "b": 1, 2**63: 1, False: 1, 2.5: 1}


def test_whole_keys_alone_stay_an_array_of_them():
    assert by_count().batch([1, 2], [1, 1], [7, 8])["key"].dtype == np.int64


def test_a_key_that_can_change_is_refused_and_nothing_is_taken_in():
    aggregate = by_count()
    with pytest.raises(ValueKindError, match=r"keys\[1\]: \[1\] cannot be a key"):
        aggregate.batch([1, 2], [1, 1], ["a", [1]])
    assert aggregate.batch([1], [1], ["a"])["value"].tolist() == [1]


def test_names_of_keys_that_are_gone_are_forgotten():
    aggregate = SlidingAggregate("fiba", size=1, operator="count", key=True)
    for time in range(1000):
        aggregate.batch([time, time], [1, 1], [f"key {time}", time])
    assert len(aggregate._reader.keys._names) < 200
    assert aggregate.keys == ["key 999", 999] or aggregate.keys == [999, "key 999"]


@pytest.mark.parametrize("spread", [3, 2**20, 2**40, 2**61])
@pytest.mark.parametrize("late", [0, 10, 10**5])
def test_the_order_of_times_is_stable_however_late_rows_come(spread, late):
    """Both ways to sort are taken: rows that are late by many places are sorted by digits."""
    rng = np.random.default_rng(late)
    for n in (0, 1, 1023, 1025, 5000):
        times = np.sort(rng.integers(-spread, spread, n))
        times = times[np.argsort(np.arange(n) + rng.integers(0, late + 1, n))]
        assert in_order(times).tolist() == np.argsort(times, kind="stable").tolist()


@pytest.mark.parametrize("instant", ["2020-01-02T03:04:05.000000", "2020-01-02T03:04:05.000000006", "NaT"])
def test_dates_finer_than_a_microsecond_stay_dates(instant):
    aggregate = SlidingAggregate("two_stacks", size=2, slide=1, by="count", operator="count", key=True)
    keys = np.array([instant, "2020-01-01", "2020-01-01"], "datetime64[ns]")
    columns = aggregate.batch(None, [1.0, 1.0, 1.0], keys)
    np.testing.assert_array_equal(np.array(columns["key"].tolist(), "datetime64[ns]"), keys)
    assert columns["value"].tolist() == [1, 1, 2]
