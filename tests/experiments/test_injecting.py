"""Streams fed at a rate, on a clock that the test sets: what falls behind and what does not."""

import math

import numpy as np
import pytest

from experiments.compressed_windows.measuring import injecting
from experiments.compressed_windows.measuring.injecting import MOST_BLOCK, block_of, in_compressed_time, in_real_time


class Clock:
    """Stands for the module `time`: only feeding and sleeping take time."""

    def __init__(self):
        self.now, self.slept = 0, 0.0

    def perf_counter_ns(self):
        return self.now

    def sleep(self, seconds):
        self.now += round(seconds * 1e9)
        self.slept += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(injecting, "time", made)
    return made


def feeding(clock, ns_per_tuple):
    """A feed that takes so long for a tuple, and the blocks that it was given."""
    blocks = []

    def feed(first, last):
        clock.now += round((last - first) * ns_per_tuple)
        blocks.append((first, last))

    return feed, blocks


@pytest.mark.parametrize("clocked", [in_compressed_time, in_real_time])
def test_what_is_faster_than_its_stream_has_the_stream_s_rate(clock, clocked):
    feed, blocks = feeding(clock, ns_per_tuple=1000)
    course = clocked(feed, 100_000, 20_000, 5, lambda done: None)
    assert course.done[-1] == 100_000 and [first for first, _ in blocks[1:]] == [last for _, last in blocks[:-1]]
    first, last = course.kept()
    rate = (course.done[last] - course.done[first]) / (course.at[last] - course.at[first]) * 1e9
    assert rate == pytest.approx(20_000, rel=1e-6)
    assert course.busy / course.at[-1] == pytest.approx(0.02, rel=0.02)
    assert (clock.slept > 4) == (clocked is in_real_time)


@pytest.mark.parametrize("clocked", [in_compressed_time, in_real_time])
def test_what_is_slower_than_its_stream_falls_behind_and_ends_in_time(clock, clocked):
    feed, _ = feeding(clock, ns_per_tuple=100_000)
    course = clocked(feed, 100_000, 20_000, 5, lambda done: None)
    first, last = course.kept()
    rate = (course.done[last] - course.done[first]) / (course.at[last] - course.at[first]) * 1e9
    assert rate == pytest.approx(10_000, rel=1e-6)
    assert course.done[-1] == pytest.approx(50_000, rel=0.02)
    assert course.busy / course.at[-1] == pytest.approx(1, rel=0.01)


@pytest.mark.parametrize("clocked", [in_compressed_time, in_real_time])
def test_a_burst_delays_those_behind_it_until_it_is_made_up_for(clock, clocked):
    calls = []

    def feed(first, last):
        calls.append(first)
        clock.now += 1_000_000_000 if len(calls) == 3 else 1_000_000

    course = clocked(feed, 51_200, 12_800, 4, lambda done: None)  # blocks of 256 each 20 ms
    late = course.at - course.done / 12_800 * 1e9
    assert late[1] == pytest.approx(1e6) and late[2] == pytest.approx(1e9)
    assert (np.diff(late[2:]) <= 1).all() and late[-1] == pytest.approx(1e6)
    assert course.began[3] == pytest.approx(course.at[2]) and course.began[1] == pytest.approx(40e6)


@pytest.mark.parametrize("clocked", [in_compressed_time, in_real_time])
def test_without_a_rate_no_tuple_is_waited_for(clock, clocked):
    feed, _ = feeding(clock, ns_per_tuple=100)
    course = clocked(feed, 100_000, math.inf, 1, lambda done: None)
    assert course.done[-1] == 100_000 and course.at[-1] == pytest.approx(1e7) and clock.slept == 0


def test_what_is_looked_at_after_a_block_is_outside_the_compressed_clock(clock):
    feed, _ = feeding(clock, ns_per_tuple=100)
    looked = []

    def after(done):
        looked.append(done)
        clock.now += 10**9

    course = in_compressed_time(feed, 10_000, math.inf, 1, after)
    assert looked == course.done.tolist() and course.at[-1] == pytest.approx(1e6)


def test_the_first_and_the_last_tenth_of_the_time_are_dropped(clock):
    feed, _ = feeding(clock, ns_per_tuple=1000)
    course = in_compressed_time(feed, 256 * 100, math.inf, 1, lambda done: None)
    first, last = course.kept()
    assert (first, last) == (9, 89) and course.done[first] == 256 * 10


def test_too_few_blocks_are_told():
    course = injecting.Course(np.array([256]), np.array([1e6]), 1e6, np.array([0.0]))
    with pytest.raises(ValueError, match="1 blocks of tuples were done in 0.001 s, .* choose a longer sizes.duration"):
        course.kept()


def test_blocks_are_a_fiftieth_of_a_second_or_a_two_hundredth_of_the_stream_within_bounds():
    assert [block_of(rate, 10**7) for rate in (10, 40_000, 10**6, math.inf)] == [256, 800, MOST_BLOCK, MOST_BLOCK]
    assert block_of(math.inf, 100_000) == 500
