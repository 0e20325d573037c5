"""Float times: edges of windows are exact multiples of the slide, rounded once. Expected are exact Fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import TimeError
from algorithms.streams.sliding.extent_trigger import end_of, first_end
from tests.algorithms.streams.sliding import brute
from tests.algorithms.streams.sliding.streams import aggregate, pairs
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.slow]

CLOSED = ["left", "right", "both"]


def fired(records: list[tuple], size: float, slide: float, offset: float = 0.0, closed: str = "left") -> list[tuple]:
    s = aggregate(size=size, slide=slide, offset=offset, closed=closed, time="float64")
    t, v = zip(*records, strict=True)
    return pairs(s.batch(t, v)) + pairs(s.flush())


def as_floats(records: list[tuple]) -> list[tuple]:
    return [(float(at), x) for at, x in records]


def test_a_record_at_an_end_is_not_in_the_window_that_ends_there():
    """17 * 0.3 + 0.1 is 5.8, but 5.800000000000001 where each step is rounded."""
    s = aggregate(size=2.5, slide=0.3, time="float64", operator="count", dtype="int64")
    s.batch([5.8], [1])
    assert pairs(s.flush()) == [(end, 1) for end in (6.1, 6.4, 6.7, 7.0, 7.3, 7.6, 7.9, 8.2)]


def decimals(least: int, most: int):
    """Decimals of up to three places, as Fractions."""
    return st.builds(lambda n, places: Fraction(n, 10**places), st.integers(least, most), st.integers(1, 3))


@settings(max_examples=examples(400), deadline=None)
@given(st.data())
def test_edges_are_the_decimals_that_people_write(data):
    """Records lie on beginnings and ends and just beside them; slides may be longer than windows."""
    size, slide, offset = data.draw(decimals(1, 60)), data.draw(decimals(1, 60)), data.draw(decimals(0, 90))
    if size > 200 * slide:  # each record would be in more windows than is worth the time
        size = slide * 200 - Fraction(1, 1000)
    around = data.draw(st.integers(-(10**6), 10**6))
    places = st.tuples(st.integers(around, around + 12), st.sampled_from([Fraction(0), size]), st.integers(-1, 1))
    drawn = data.draw(st.lists(places, min_size=1, max_size=8))
    records = sorted((k * slide + offset + more + aside * Fraction(1, 1000), k % 7) for k, more, aside in drawn)
    closed = data.draw(st.sampled_from(CLOSED))
    expected = brute.by_time(records, size, slide, closed, offset)
    got = fired(as_floats(records), float(size), float(slide), float(offset), closed)
    assert got == as_floats(expected), (size, slide, offset, closed, records)


PI, MICROSECOND = Fraction(math.pi), Fraction(1, 10**6)
MEANT = {
    "decimals": ((2.5, 0.3, 7.1), (Fraction("2.5"), Fraction("0.3"), Fraction("7.1"))),
    "a computed size": ((3 * 0.1, 0.1, 0.05), (Fraction("0.3"), Fraction("0.1"), Fraction("0.05"))),
    "thirds": ((1.0, 1 / 3, 1 / 6), (Fraction(1), Fraction(1, 3), Fraction(1, 6))),
    "no part of anything": ((2.0, math.pi, 0.1), (Fraction(2), PI, Fraction("0.1"))),
    "a tenth of it": ((math.pi, math.pi / 10, 0.0), (10 * Fraction(math.pi / 10), Fraction(math.pi / 10), Fraction(0))),
    "many digits": ((100.0, 86.400123456, 50.0), (Fraction(100), Fraction("86.400123456"), Fraction(50))),
    "microseconds": ((25e-6, 3e-6, 1e-6), (25 * MICROSECOND, 3 * MICROSECOND, MICROSECOND)),
    "long ones": ((1e12, 1e11, 1.5), (Fraction(10**12), Fraction(10**11), Fraction("1.5"))),
}


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("name", MEANT)
def test_edges_are_rounded_once_and_records_are_where_floats_say(name, closed):
    """Records are the floats at edges and on either side of them, up to a billion slides and more from 0."""
    settings, (size, slide, offset) = MEANT[name]
    for k in (-(10**12), -(10**9), -5, -1, 0, 1, 17, 123_456_789, 2**40 + 1):
        edges = [float(k * slide + offset + more) for more in (0, slide, size)]
        near = {at for edge in edges for at in (math.nextafter(edge, -math.inf), edge, math.nextafter(edge, math.inf))}
        records = [(at, n) for n, at in enumerate(sorted(near))]
        exact = [(Fraction(at), n) for at, n in records]
        assert fired(records, *settings, closed) == brute.by_time(exact, size, slide, closed, offset, edge=float), k


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_each_record_is_in_just_one_tumbling_window(data):
    """Whatever the float, near 0 or as far away as ends are told apart, on an edge or not."""
    size = data.draw(st.floats(1e-9, 1e9))
    closed = data.draw(st.sampled_from(["left", "right"]))
    offset = data.draw(st.sampled_from([0.0, 0.1, size / 3]))
    s = aggregate(size=size, offset=offset, closed=closed, time="float64", operator="count", dtype="int64")
    k = data.draw(st.lists(st.integers(-(2**52) + 4, 2**52 - 4), min_size=1, max_size=5))
    t = sorted(data.draw(st.sampled_from([n * size, end_of(s.plan.trigger, n), (n + 0.5) * size])) for n in k)
    got = pairs(s.batch(t, np.zeros(len(t)))) + pairs(s.flush())
    assert sum(count for _, count in got) == len(t)


@settings(max_examples=examples(300), deadline=None)
@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.integers(-(2**51), 2**51), st.sampled_from(CLOSED), st.data())
def test_the_first_end_is_the_first(size, slide, k, closed, data):
    trigger = aggregate(size=size, slide=slide, closed=closed, time="float64").plan.trigger
    near = end_of(trigger, k)
    position = data.draw(st.sampled_from([near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)]))
    first = first_end(trigger, position)
    before, end = end_of(trigger, first - 1), end_of(trigger, first)
    assert before < position <= end if trigger.closed else before <= position < end


def test_times_too_far_for_ends_that_are_apart():
    for size, slide in ((1.0, 0.5), (1e6, 0.3), (0.1, 7.7)):
        s = aggregate(size=size, slide=slide, time="float64")
        farthest = 2**52 * slide - size
        for refused in (math.nextafter(farthest, math.inf), -math.nextafter(farthest, math.inf)):
            with pytest.raises(TimeError, match=f"more than 2..52 slides of {slide} from 0"):
                s.batch([refused], [1])
        first, last = first_end(s.plan.trigger, farthest), first_end(s.plan.trigger, farthest + size)
        for some in (np.arange(first, first + 50), np.arange(last - 50, last)):
            assert (np.diff(end_of(s.plan.trigger, some)) > 0).all()
            assert end_of(s.plan.trigger, some).tolist() == [end_of(s.plan.trigger, k) for k in some.tolist()]


@pytest.mark.parametrize("size", [5e-324, 1e-300, 2.0**988])
def test_windows_as_short_and_as_long_as_can_be(size):
    s = aggregate(size=size, time="float64", operator="count", dtype="int64")
    fired = pairs(s.batch([-3 * size, -size, 0.0, 0.0, size], np.zeros(5))) + pairs(s.flush())
    assert fired == [(-2 * size, 1), (0.0, 1), (size, 2), (2 * size, 1)]
    with pytest.raises(TimeError, match="2..52 slides of .* from 0, or 2..990"):
        s.batch([1.7e308], [1])
