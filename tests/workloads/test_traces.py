"""Traces, their hash, ties and distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads import Trace, distance_report, distance_text, distances
from workloads.traces import ties

pytestmark = pytest.mark.smoke

TIMES = st.lists(st.integers(-5, 30) | st.integers(-(2**63), 2**63 - 1), max_size=80)


def trace_of(times, **others):
    times = np.array(times, np.int64)
    return Trace("made", {}, times, np.ones(len(times), np.int64), **others)


def counted(times):
    return [sum(earlier > time for earlier in times[:item]) for item, time in enumerate(times)]


@given(TIMES)
def test_distances_are_counts_of_greater_earlier_times(times):
    measured = distances(np.array(times, np.int64))
    assert measured.dtype == np.int64
    assert measured.tolist() == counted(times)


def test_distances_of_known_orders():
    assert distances(np.arange(1000)).max() == 0
    assert distances(np.zeros(1000, np.int64)).max() == 0
    assert distances(np.arange(1000)[::-1]).tolist() == list(range(1000))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_sequence_makes_times_unique_and_keeps_distances(times):
    times = np.array(times, np.int64)
    unique, ticks = ties.resolve(times, "sequence")
    assert ticks == 2**20
    assert len(set(unique.tolist())) == len(times)
    assert (unique // ticks == times).all()
    assert distances(unique).tolist() == distances(times).tolist()
    told = [(time << 20) + times[:item].tolist().count(time) for item, time in enumerate(times.tolist())]
    assert unique.tolist() == told


def test_combine_leaves_times_alone():
    times = np.array([3, 3, 1])
    assert ties.resolve(times, "combine") == (times, 1)


@pytest.mark.parametrize("time", [2**42, -(2**42)])
def test_sequence_refuses_times_that_would_overflow(time):
    with pytest.raises(ValueError, match=f"time {time} is too large .* coarser time unit"):
        ties.resolve(np.array([0, time]), "sequence")


def test_sequence_takes_the_extreme_times_that_fit():
    unique, _ = ties.resolve(np.array([2**42 - 1, -(2**42) + 1]), "sequence")
    assert unique.tolist() == [(2**42 - 1) << 20, -(2**62) + 2**20]


def test_sequence_refuses_too_many_ties():
    enough = np.full(2**20, 7)
    assert ties.resolve(enough, "sequence")[0].max() == (7 << 20) + 2**20 - 1
    with pytest.raises(ValueError, match=rf"time 7 occurs {2**20 + 1} times"):
        ties.resolve(np.append(enough, 7), "sequence")


def test_report_and_text():
    report = distance_report(trace_of([10, 30, 20, 20, 5], time_unit="s"))
    assert report == {
        "items": 5,
        "out_of_order": 0.6,
        "mean": 6 / 5,
        "p50": 1,
        "p90": 4,
        "p99": 4,
        "p999": 4,
        "max": 4,
        "ties": pytest.approx(0.2),
        "first_time": 5,
        "last_time": 30,
        "late_by": 25,
        "time_unit": "s",
    }
    assert distance_text(report) == "60 % out of order; d: mean 1.2, p99 4, max 4"


def test_report_speaks_of_time_units_whatever_the_ties():
    times = np.array([5, 5, 9, 5, 2])
    unique, ticks = ties.resolve(times, "sequence")
    assert distance_report(trace_of(unique, ticks_per_unit=ticks)) == distance_report(trace_of(times))


def test_report_of_the_widest_lag():
    assert distance_report(trace_of([2**63 - 1, -(2**63)]))["late_by"] == 2**64 - 1


@pytest.mark.parametrize(
    ("late", "words"),
    [(0, "in order"), (5, "under 0.1 % out"), (50, "0.5 % out"), (150, "2 % out"), (9960, "over 99 % out")],
)
def test_text_of_small_and_large_shares(late, words):
    times = np.concatenate(([50_000], np.arange(late), np.full(9_999 - late, 50_000)))
    assert distance_text(distance_report(trace_of(times))).startswith(words)


def test_hash_tells_contents_apart_and_nothing_else():
    base = trace_of([1, 2, 3])
    assert len(base.hash) == 16 and int(base.hash, 16) >= 0
    assert base.hash == trace_of([1, 2, 3], notes=("other",), skipped=2).hash
    strided = np.array([1, 0, 2, 0, 3, 0])[::2]
    assert base.hash == Trace("made", {}, strided, np.ones(6, np.int64)[::2]).hash
    others = [
        trace_of([1, 2, 4]),
        trace_of([1, 2, 3, 3]),
        trace_of([1, 2, 3], time_unit="s"),
        trace_of([1, 2, 3], ticks_per_unit=2**20),
        trace_of([1, 2, 3], keys=np.array([1, 1, 1])),
        Trace("other", {}, base.times, base.values),
        Trace("made", {}, base.times, base.values.astype(float)),
        Trace("made", {}, base.times, base.values * 2),
    ]
    assert len({trace.hash for trace in [base, *others]}) == len(others) + 1


def test_a_trace_is_read_only_and_leaves_the_callers_array_alone():
    times = np.arange(3)
    trace = Trace("made", {}, times, times.astype(float))
    with pytest.raises(ValueError, match="read-only"):
        trace.times[0] = 5
    times[0] = 5


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((np.array([], np.int64), np.array([], np.int64)), "made has no items"),
        ((np.array([1.0]), np.array([1])), "times of workload made are float64"),
        ((np.array([1]), np.array([1, 2])), r"values of workload made are int64 of shape \(2,\), not .* shape \(1,\)"),
        ((np.array([1]), np.array([1]), np.array(["a"])), "keys of workload made"),
    ],
)
def test_wrong_arrays_are_refused(arrays, message):
    with pytest.raises(ValueError, match=message):
        Trace("made", {}, *arrays)
