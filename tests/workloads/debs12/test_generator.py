"""The synthetic DEBS 2012 records: calibrated, independent of chunks, found again when they were made."""

import numpy as np
import pytest

from workloads import calibration, make, record_set, record_sets, workload
from workloads.debs12 import generator, layout
from workloads.debs12.generator import ROWS, Equipment, rates

TOLERANCE = {"median": 0.01, "deviation": 0.15, "step": 0.1, "changing": 0.02, "min": 0.03, "max": 0.02}
"""Relative: five million records have about seven hundred independent levels of energy."""


def debs12(**parameters):
    return workload({"name": "debs12", **parameters})


def states_of(equipment):
    return np.concatenate([equipment.chunk(number)["states"] for number in range(equipment.chunks)])


def test_statistics_are_the_documented_ones():
    facts = calibration({"name": "debs12", "records": 5_000_000, "seed": 1, "folder": "none"})
    assert [fact.quantity for fact in facts].count("spacing") == 6 and len(facts) == 24
    for fact in facts:
        near = 0.006 if fact.quantity == "spacing" else TOLERANCE[fact.statistic]
        if (fact.quantity, fact.statistic) == ("spacing", "min"):
            near = 0.03
        assert fact.found == pytest.approx(fact.documented, rel=near), str(fact)


def test_times_increase_in_every_unit_but_seconds():
    times = {unit: debs12(records=300_000, time_unit=unit).trace().times for unit in ("ns", "us", "ms", "s")}
    assert all((np.diff(times[unit]) > 0).all() for unit in ("ns", "us", "ms"))
    assert (np.diff(times["s"]) >= 0).all()
    assert (times["ns"] % 100 == 0).all()
    assert (times["ns"] // 10**6 == times["ms"]).all() and (times["ns"] // 10**9 == times["s"]).all()


def test_values_are_a_measure_or_the_mean_of_the_three():
    traces = {value: debs12(records=1000, value=value).trace().values for value in ("mf01", "mf02", "mf03", "mean")}
    assert traces["mean"].dtype == np.float64 and traces["mf01"].dtype == np.int64
    assert (traces["mean"] == (traces["mf01"] + traces["mf02"] + traces["mf03"]) / 3).all()


def test_a_longer_stream_begins_with_a_shorter_one():
    short, long = Equipment(ROWS + 5, 7), Equipment(2 * ROWS + 9, 7)
    for name in (layout.TIME, *layout.ENERGY):
        assert (short.column(name) == long.column(name)[: ROWS + 5]).all()
    for few, many in zip(short.all_transitions(), long.all_transitions(), strict=True):
        assert (few == many[many < ROWS + 5]).all()


def test_a_chunk_is_the_same_whatever_was_made_before():
    equipment = Equipment(3 * ROWS, 2)
    later = equipment.chunk(2)
    [equipment.chunk(number) for number in (0, 1)]
    again = Equipment(3 * ROWS, 2).chunk(2)
    assert all(np.array_equal(np.asarray(later[name]), np.asarray(again[name])) for name in later)


def test_nothing_jumps_where_chunks_meet():
    equipment = Equipment(8 * ROWS, 5)
    for name, longest in zip((layout.TIME, *layout.ENERGY), (10_200_000, 40, 40, 20)):
        column = equipment.column(name).astype(np.int64)
        meet = np.arange(ROWS, len(column), ROWS)
        assert len(meet) == 7
        assert (np.abs(column[meet] - column[meet - 1]) <= longest).all()


def test_energy_forgets_as_fast_as_it_should_within_a_chunk_and_across_chunks():
    """The mean squared difference over a lag is 2 (1 - keeps^lag): the same where a chunk's end lies between."""
    noise = np.random.default_rng(0)
    lag, keeps = 2000, 1 - 1.7e-4
    inside, across = [], []
    for _ in range(60):
        levels = noise.standard_normal(3)
        first, second = (
            generator._bridge(a, b, noise.standard_normal(ROWS), 1 - keeps) for a, b in zip(levels, levels[1:])
        )
        both = np.concatenate((first, second))
        across.append((both[ROWS + lag // 2] - both[ROWS - lag // 2]) ** 2)
        inside.append(((first[lag::lag] - first[:-lag:lag]) ** 2).mean())
        assert first[0] == levels[0]
    expected = 2 * (1 - keeps**lag)
    assert np.mean(inside) == pytest.approx(expected, rel=0.1)
    assert np.mean(across) == pytest.approx(expected, rel=0.6)


def test_transitions_are_where_the_states_change():
    equipment = Equipment(2 * ROWS + 1000, 4)
    states = states_of(equipment)
    found = [np.flatnonzero(np.diff(states >> bit & 1)) + 1 for bit in range(layout.WIDTH)]
    for sensor, (said, seen) in enumerate(zip(debs12(records=len(states), seed=4).transitions(), found, strict=True)):
        assert said.tolist() == seen.tolist(), sensor


def test_transitions_are_as_frequent_as_assumed():
    n = 5_000_000
    counts = np.array([len(places) for places in Equipment(n, 0).all_transitions()])
    expected = n * rates()
    assert expected[[0, 19, 20, 53]] == pytest.approx([25_000, 25, 1, 1])
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected) + 1).all()
    assert 10 < counts[20:].sum() < 70


def test_a_made_record_set_is_read_instead_of_generated(tmp_path, monkeypatch):
    settings = {"name": "debs12", "records": ROWS + 10, "folder": str(tmp_path)}
    generated = make(settings)
    made, folder = record_set(settings)
    assert folder == str(tmp_path)
    record_sets.make(made, folder)
    monkeypatch.setattr(Equipment, "column", lambda self, name: pytest.fail("generated"))
    trace = make(settings)
    assert (trace.hash, trace.notes) == (generated.hash, generated.notes)
    assert make({**settings, "value": "mf02"}).values.dtype == np.int64


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"records": 0}, "records is 0; it must be from 1"),
        ({"seed": -1}, "seed is -1; it must be from 0"),
        ({"value": "mf04"}, "unknown value 'mf04'; did you mean mf03"),
        ({"time_unit": "min"}, "unknown time_unit 'min'"),
        ({"on_error": "stop"}, "unknown on_error 'stop'"),
    ],
)
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        debs12(**settings)


def test_one_record_is_a_stream_but_has_no_spacing():
    assert len(debs12(records=1).trace()) == 1
    assert sum(map(len, debs12(records=1).transitions())) == 0
    with pytest.raises(ValueError, match="there are 1 records; statistics of their spacing need at least 2"):
        debs12(records=1).calibration()


def test_only_records_of_a_calibrated_kind_have_statistics():
    assert calibration({"name": "delay"}) == []
