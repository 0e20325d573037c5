"""Every kind of window against its definition: all sizes and slides up to 12, ties, gaps, bursts."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from algorithms.streams.sliding.events import ends_of
from algorithms.streams.sliding.extent_trigger import end_of
from tests.algorithms.streams.sliding import brute
from tests.algorithms.streams.sliding.streams import aggregate, pairs, times, values

GRID = list(itertools.product(range(1, 13), repeat=2))


def test_by_count():
    for size, slide in GRID:
        for partial in (True, False):
            v = values(size * slide, 40)
            got = aggregate(size=size, slide=slide, by="count", partial=partial).batch(None, v)
            assert pairs(got) == brute.by_count(v, size, slide, partial), (size, slide, partial)


@pytest.mark.parametrize("closed", ["left", "right", "both"])
def test_by_time(closed):
    for size, slide in GRID:
        t, v = times(13 * size + slide, 24), values(slide, 24)
        records = list(zip(t, v, strict=True))
        s = aggregate(size=size, slide=slide, closed=closed)
        got, rest = pairs(s.batch(t, v)), pairs(s.flush())
        assert got == brute.by_time(records, size, slide, closed, now=t[-1]), (size, slide)
        assert got + rest == brute.by_time(records, size, slide, closed), (size, slide)


def test_offset_shifts_the_windows():
    t, v = times(5, 30), values(5, 30)
    for size, slide, offset in ((10, 4, 1), (7, 7, 3), (3, 5, 12)):
        s = aggregate(size=size, slide=slide, offset=offset)
        got = pairs(s.batch(t, v)) + pairs(s.flush())
        assert got == brute.by_time(list(zip(t, v, strict=True)), size, slide, offset=offset)


@pytest.mark.parametrize("closed", ["right", "both"])
def test_by_time_for_each_record(closed):
    for size, slide in ((1, 1), (3, 1), (12, 1), (5, 3)):
        t, v = times(size, 40), values(size, 40)
        records = list(zip(t, v, strict=True))
        got = aggregate(size=size, slide=slide, slide_by="count", closed=closed).batch(t, v)
        assert pairs(got) == [
            (t[n - 1], brute.last_within(records, n, size, closed)) for n in range(slide, len(t) + 1, slide)
        ]


@pytest.mark.parametrize("closed", ["right", "both"])
def test_by_delta(closed):
    for size, slide in itertools.product((1, 2, 5, 12), (0, 1, 4, 12)):
        a, v = times(size + slide, 40), values(size, 40)
        got = aggregate(size=size, slide=slide, by="delta", closed=closed).batch(None, v, attributes=a)
        assert pairs(got) == brute.by_delta(list(zip(a, v, strict=True)), size, slide, closed), (size, slide)


def test_count_that_slides_by_delta():
    a, v = times(3, 40), values(3, 40)
    got = aggregate(size=5, slide=2, by="count", slide_by="delta").batch(None, v, attributes=a)
    fired = [n for n, _ in brute.by_delta(list(zip(a, v, strict=True)), 1, 2)]
    assert pairs(got) == [(n, brute.affine(v[max(0, n - 4) : n + 1])) for n in fired]


def test_by_punctuation():
    for size, slide in GRID:
        v = values(size + slide, 30)
        cuts = np.random.default_rng(size * slide).choice([0, 0, 1, 1, 2], 30)
        s = aggregate(size=size, slide=slide, by="punctuation")
        got = pairs(s.batch(None, v, punctuation=cuts))
        assert got == brute.by_punctuation(v, cuts, size, slide, flush=False), (size, slide)
        assert got + pairs(s.flush()) == brute.by_punctuation(v, cuts, size, slide, flush=True), (size, slide)


def test_by_time_fired_by_punctuation():
    t, v = times(8, 30), values(8, 30)
    cuts = np.random.default_rng(8).choice([0, 0, 1], 30)
    cuts[-1] = 0
    s = aggregate(size=6, slide=1, slide_by="punctuation")
    got = pairs(s.batch(t, v, punctuation=cuts)) + pairs(s.flush())
    marks = [*np.flatnonzero(cuts).tolist(), 29]  # `flush` is a last punctuation
    records = list(zip(t, v, strict=True))
    assert got == [(k, brute.last_within(records, n + 1, 6)) for k, n in enumerate(marks, 1)]


def test_tumbling_unless_a_slide_is_given():
    v = values(1, 30)
    assert pairs(aggregate(size=7, by="count").batch(None, v)) == brute.by_count(v, 7, 7)


@pytest.mark.parametrize("closed", ["left", "right", "both"])
def test_float_times_that_no_binary_fraction_is(closed):
    """Ends are multiples of the slide: adding up 0.1 would miss records at 0.3, 0.6 and 0.7 after a while."""
    k = np.arange(3000)
    t, v = k * 0.1, values(9, 3000)
    s = aggregate(size=0.5, slide=0.1, time="float64", closed=closed)
    got = pairs(s.batch(t, v)) + pairs(s.flush())
    assert len(got) == len({end for end, _ in got}) >= 3000
    for end, result in got[::37]:
        held = [x for at, x in zip(t, v, strict=True) if brute.inside(at, end - 0.5, end, closed)]
        assert result == brute.affine(held)


@pytest.mark.parametrize("closed", ["left", "right", "both"])
@pytest.mark.parametrize(("size", "slide"), [(5, 1), (3, 1), (7, 1), (6, 2), (6, 3)])
def test_float_windows_are_those_of_whole_tenths(size, slide, closed):
    """Times in tenths lie on the edges of such windows, just where people who write 0.3 mean them."""
    tenths, v = np.arange(-1500, 1500), values(9, 3000)
    s = aggregate(size=size / 10, slide=slide / 10, time="float64", closed=closed)
    got = pairs(s.batch(tenths / 10, v)) + pairs(s.flush())
    exact = brute.by_time(list(zip(tenths.tolist(), v, strict=True)), size, slide, closed)
    assert got == [(end / 10, result) for end, result in exact]


@pytest.mark.parametrize("slide", ["0.3", "86.400123456", "7"])
def test_compiled_ends_are_rounded_once(slide):
    """By one instruction when compiled, by a dozen in plain Python; `end_of` is the latter here."""
    trigger = aggregate(size=2.5, slide=float(slide), offset=0.1, time="float64").plan.trigger
    k = np.random.default_rng(2).integers(-(2**48), 2**48, 5000) >> np.arange(5000) % 48
    offset = (Fraction("2.5") + Fraction("0.1")) % Fraction(slide)
    exact = [float(int(n) * Fraction(slide) + offset) for n in k]
    assert ends_of(trigger, k).tolist() == exact
    assert end_of(trigger, k).tolist() == exact


def test_dates():
    minute = np.timedelta64(1, "m")
    t = np.datetime64("2026-01-01T00:00") + np.array([0, 1, 1, 4, 65]) * minute
    s = aggregate(size=2 * minute, slide=minute, time="datetime64")
    got = s.batch(t, [1, 2, 3, 4, 5])
    assert got["time"].astype(str).tolist()[:2] == ["2026-01-01T00:01:00.000000", "2026-01-01T00:02:00.000000"]
    shifted = brute.by_time([(0, 1), (1, 2), (1, 3), (4, 4), (65, 5)], 2, 1, now=65)
    assert got["value"].tolist() == [result for _, result in shifted]
