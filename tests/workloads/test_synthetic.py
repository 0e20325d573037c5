"""The distance-d protocol and random delays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads import distances, make, workload
from workloads.delay.parameters import CHUNK, Delay
from workloads.distance.parameters import Distance

pytestmark = pytest.mark.smoke


@given(st.integers(1, 60), st.data())
def test_each_round_finds_exactly_d_younger_items(window, data):
    distance = data.draw(st.integers(0, window))
    protocol = Distance(window, distance)
    times, values = protocol.prefill()
    assert times.tolist() == [*range(2**40, 2**40 + distance), *range(window - distance)]
    held = sorted(times.tolist())
    for low in range(window - distance, 2 * window):
        held.pop(0)
        # With d = n the first eviction took a high time, so n - 1 are left above every low one.
        assert sum(time > low for time in held) == min(distance, window - 1)
        held = sorted([*held, low])
    assert len(held) == window
    assert values.tolist() == [1 + i % 101 for i in range(window)]


def test_distance_trace_is_the_prefill_and_then_low_times():
    trace = make({"name": "distance", "window": 200, "distance": 3, "items": 500})
    times, values = Distance(200, 3).prefill()
    assert trace.times[:200].tolist() == times.tolist()
    assert trace.times[200:].tolist() == list(range(197, 497))
    assert trace.values.tolist() == [1 + i % 101 for i in range(500)]
    assert distances(trace.times).tolist() == [0] * 3 + [3] * 497
    assert trace.parameters == {"window": 200, "distance": 3, "items": 500, "folder": "results/records"}
    assert Distance(200, 3).values_table().tolist() == list(range(1, 102))
    assert len(make({"name": "distance", "window": 200, "distance": 3})) == 400


def test_distance_zero_is_in_order():
    assert distances(make({"name": "distance", "window": 50, "distance": 0}).times).max() == 0


@pytest.mark.parametrize(
    ("window", "distance", "items", "message"),
    [
        (0, 0, None, "window is 0"),
        (-4, 0, None, "window is -4"),
        (4, 5, None, "distance is 5; it must be from 0 to 4"),
        (4, -1, None, "distance is -1"),
        (4, 1, 3, "items is 3; it must be from 4"),
        (2**41, 1, None, "window is 2199023255552"),
    ],
)
def test_impossible_distances_are_refused(window, distance, items, message):
    with pytest.raises(ValueError, match=message):
        Distance(window, distance, items)


DISTRIBUTIONS = ("uniform", "exponential", "pareto", "mixture")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_delays_are_determined_by_seed_and_number(distribution):
    whole = Delay(items=CHUNK + 7, distribution=distribution, seed=5)
    # Whoever makes a chunk, in any order, and however many items there are in all, an item's delay is the same.
    last, first = whole.chunk(1), whole.chunk(0)
    assert len(last[0]) == 7
    longer = Delay(items=3 * CHUNK, distribution=distribution, seed=5)
    assert (longer.chunk(1)[1][:7] == last[1]).all()
    assert (Delay(items=10, distribution=distribution, seed=5).chunk(0)[1] == first[1][:10]).all()
    assert (Delay(items=CHUNK, distribution=distribution, seed=6).chunk(0)[1] != first[1]).any()
    assert (longer.chunk(1)[1] != longer.chunk(0)[1]).any()
    assert whole.trace().hash == Delay(items=CHUNK + 7, distribution=distribution, seed=5).trace().hash


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_delay_trace_is_the_events_in_order_of_arrival(distribution):
    made = Delay(items=5000, interval=3, distribution=distribution, scale=40)
    times, delays = made.chunk(0)
    assert times.tolist() == list(range(0, 15000, 3))
    assert delays.min() >= 0
    events = sorted(range(5000), key=lambda i: (times[i] + delays[i], i))
    trace = made.trace()
    assert trace.times.tolist() == [3 * i for i in events]
    assert trace.values.tolist() == [1 + i % 101 for i in events]


def test_known_draws_stay_as_they_are():
    """Published rows name their traces by hash: a change of generator must not go unseen."""
    assert Delay(items=8, distribution="uniform", scale=1000).chunk(0)[1].tolist() == [
        241,
        564,
        277,
        986,
        195,
        131,
        255,
        760,
    ]


def test_distributions_have_their_moments():
    items = CHUNK

    def delays(**parameters):
        return Delay(items=items, scale=1000, **parameters).chunk(0)[1]

    uniform = delays(distribution="uniform")
    assert (uniform.min(), uniform.max()) == (0, 999)
    assert uniform.mean() == pytest.approx(499.5, rel=0.01)
    assert delays(distribution="exponential").mean() == pytest.approx(999.5, rel=0.02)
    pareto = delays(distribution="pareto", shape=1.5)
    for limit in (500, 5_000, 50_000):
        assert np.mean(pareto >= limit) == pytest.approx((1 + limit / 1000) ** -1.5, rel=0.15)
    mixture = delays(distribution="mixture", punctual=0.7, late="uniform")
    assert np.mean(mixture == 0) == pytest.approx(0.7, abs=0.01)
    assert mixture[mixture > 0].mean() == pytest.approx(500, rel=0.02)


def test_heaviest_tail_is_cut_off():
    delays = Delay(items=1000, distribution="pareto", shape=0.001).chunk(0)[1]
    assert delays.max() == 2**40
    assert delays.min() >= 0


def test_no_delay_is_in_order():
    assert distances(make({"name": "delay", "items": 1000, "scale": 0}).times).max() == 0
    always = {"name": "delay", "items": 1000, "distribution": "mixture", "punctual": 1}
    assert distances(make(always).times).max() == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"distribution": "normal"}, "unknown distribution 'normal'"),
        ({"late": "mixture"}, "unknown late 'mixture'"),
        ({"shape": 0}, "shape is 0.0; it must be above 0"),
        ({"punctual": 1.1}, "punctual is 1.1; it must be from 0 to 1"),
        ({"scale": -1}, "scale is -1.0"),
        ({"interval": 0}, "interval is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_impossible_delays_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        workload({"name": "delay", **parameters})


def test_chunks_outside_are_refused():
    with pytest.raises(ValueError, match="chunk is 1; it must be from 0 to 0"):
        Delay(items=CHUNK).chunk(1)
