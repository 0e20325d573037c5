"""Record sets of the synthetic disordered streams: exactly their traces, whatever the delays and the cuts."""

import contextlib
import dataclasses

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workloads import make, record_set, record_sets
from workloads.delay import generator as arrivals
from workloads.delay import parameters as delay
from workloads.delay.parameters import Delay
from workloads.distance import generator as rounds
from workloads.distance.parameters import Distance


def joined(made):
    parts = [made.chunk(number) for number in range(made.chunks)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def agrees(stream):
    trace, columns = stream.trace(), joined(stream.record_set())
    assert np.array_equal(columns["time"], trace.times)
    assert np.array_equal(columns["value"], trace.values)


@contextlib.contextmanager
def sizes(drawn, rows, late):
    """Chunks as small as can be, with nothing remembered of others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delay, "CHUNK", drawn)
        patch.setattr(arrivals, "ROWS", rows)
        patch.setattr(arrivals, "LATE", late)
        for remembered in (arrivals.cuts, arrivals.late):
            remembered.cache_clear()
        yield
    for remembered in (arrivals.cuts, arrivals.late):
        remembered.cache_clear()


SIZES = st.sampled_from([(1, 3, 1), (2, 7, 1), (5, 5, 5), (10, 50, 1000), (10, 3, 2)])
STREAMS = st.builds(
    Delay,
    items=st.integers(1, 60),
    interval=st.sampled_from([1, 2, 7]),
    distribution=st.sampled_from(["uniform", "exponential", "pareto", "mixture"]),
    late=st.sampled_from(["uniform", "exponential", "pareto"]),
    scale=st.sampled_from([0.0, 1.0, 3.5, 20.0, 400.0, 1e6]),
    shape=st.sampled_from([0.001, 0.1, 0.5, 1.5, 4.0]),
    punctual=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    seed=st.integers(0, 9),
)


@settings(max_examples=examples(100), deadline=None)
@given(SIZES, STREAMS)
@example((1, 1, 1), Delay(items=3, distribution="pareto", scale=0.0, shape=0.001))
def test_chunks_of_arrivals_are_the_trace(drawn, stream):
    with sizes(*drawn):
        agrees(stream)


@pytest.mark.parametrize("distribution", ["uniform", "exponential", "pareto", "mixture"])
@pytest.mark.parametrize("scale", [1000.0, 1e9])
def test_chunks_of_arrivals_of_the_real_size_are_the_trace(distribution, scale):
    """From small delays to such that nearly all items arrive after the last one has happened."""
    stream = Delay(items=1_234_567, interval=3, distribution=distribution, scale=scale, seed=4)
    agrees(stream)
    rows = [len(stream.record_set().chunk(number)["time"]) for number in (0, 2)]
    assert rows == pytest.approx([1_234_567 / 3] * 2, rel=0.05)


def test_few_items_are_kept_for_being_late():
    stream = Delay(items=3_000_000, distribution="pareto", scale=1000.0, shape=1.5)
    near = arrivals.near_of(stream)
    kept = len(arrivals.late(stream, near)[0])
    assert near == 100_000 and 1000 < kept < 6000  # 101^-1.5 of all: 2,956
    heavy = Delay(items=3_000_000, distribution="pareto", scale=1000.0, shape=0.2)
    assert 0.9 * arrivals.LATE < len(arrivals.late(heavy, arrivals.near_of(heavy))[0]) < 1.1 * arrivals.LATE


@pytest.mark.parametrize("distribution", ["uniform", "exponential", "pareto", "mixture"])
def test_the_longest_delay_is_exceeded_by_the_share_that_is_said(distribution):
    stream = Delay(items=delay.CHUNK, distribution=distribution, late="pareto", punctual=0.5, scale=1e6)
    delays = stream.chunk(0)[1]
    assert delays.max() <= stream.longest(0)
    for share in (0.3, 0.01, 0.001):
        assert np.mean(delays > stream.longest(share)) == pytest.approx(share, rel=0.4)
    assert stream.longest(1) == 0 and dataclasses.replace(stream, punctual=1.0, distribution="mixture").longest(0) == 0


@given(st.integers(1, 40), st.data(), st.sampled_from([1, 3, 16]))
def test_chunks_of_rounds_are_the_trace(window, data, rows):
    stream = Distance(window, data.draw(st.integers(0, window)), window + data.draw(st.integers(0, 40)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "ROWS", rows)
        agrees(stream)


@pytest.mark.parametrize(
    "settings",
    [
        {"name": "delay", "items": 600_000, "distribution": "mixture"},
        {"name": "distance", "window": 1000, "distance": 10, "items": 300_000},
    ],
)
def test_a_made_record_set_is_read_instead_of_generated(tmp_path, monkeypatch, settings):
    settings = {**settings, "folder": str(tmp_path)}
    generated = make(settings)
    made, folder = record_set(settings)
    manifest = record_sets.make(made, folder)
    assert (manifest.rows, len(manifest.chunks)) == (len(generated), 2)
    assert manifest.parameters == {k: v for k, v in generated.parameters.items() if k != "folder"}
    for generator in (Delay, rounds.Rounds):
        monkeypatch.setattr(generator, "chunk", lambda self, number: pytest.fail("generated"))
    monkeypatch.setattr(rounds.Rounds, "times", lambda self, serial: pytest.fail("generated"))
    trace = make(settings)
    assert (trace.hash, trace.notes, trace.parameters) == (generated.hash, generated.notes, generated.parameters)
