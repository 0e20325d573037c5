"""Memory usage: the same readings however they are made, the chances asked for, the controls, and the recorder."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from workloads import make, record_set, record_sets, workload
from workloads.memory_usage import recorder
from workloads.memory_usage.generator import PATTERNS, ROWS, TOTAL
from workloads.memory_usage.statistics import PUBLISHED, chances, full_evictions

pytestmark = pytest.mark.smoke


def readings(**settings):
    return make({"name": "memory_usage", **settings}).values


def test_a_longer_stream_begins_with_the_shorter_one_and_chunks_stand_for_themselves():
    made = record_set({"name": "memory_usage", "records": 3 * ROWS, "seed": 7})[0]
    long = readings(records=3 * ROWS, seed=7)
    assert np.array_equal(readings(records=ROWS + 11, seed=7), long[: ROWS + 11])
    for number in (2, 0, 1):
        assert np.array_equal(made.values(number), long[number * ROWS : (number + 1) * ROWS])
    assert not np.array_equal(readings(records=1000, seed=8), long[:1000])


@pytest.mark.parametrize(("equal", "rising"), [(0.4, 0.5), (0.0, 0.1), (0.9, 0.9), (0.6, 0.3)])
def test_steps_have_the_chances_asked_for(equal, rising):
    found = chances(readings(records=ROWS, equal=equal, rising=rising))
    assert found == pytest.approx((equal, rising), abs=0.03)


def test_usage_is_whole_megabytes_of_the_machine_with_daily_cycles_and_a_reboot():
    values = readings(records=12 * ROWS)
    assert values.dtype == np.int64 and values.min() >= 1 and values.max() <= TOTAL
    hours = values[: len(values) // 3600 * 3600].reshape(-1, 3600).mean(axis=1)
    assert hours.max() > 2 * hours.min()
    assert (np.diff(hours) < -2000).sum() == 1  # 36 days have one reboot


def test_full_windows_are_aggregated_about_as_seldom_as_the_paper_says():
    found = full_evictions(readings(records=12_000_000))
    assert PUBLISHED / 10 < found < 3 * PUBLISHED


def brute_force(values, most):
    window, touched = [values[0]], 0
    for value in values[1:]:
        window.append(value)
        top, before = max(window), len(window)
        while window and (window[0] < top and max(window) == top or len(window) > most):
            window.pop(0)
        touched += before if len(window) < before else 0
    return touched / most / len(values)


@pytest.mark.parametrize("seed", range(5))
def test_full_evictions_are_counted_as_the_policy_makes_them(seed):
    values = np.random.default_rng(seed).integers(0, 40, 2000)
    found, exact = full_evictions(values, 50), brute_force(list(values), 50)
    assert 0.5 < found / exact < 2  # what goes beside an expired maximum is not followed to the element


def test_controls():
    up, down, constant, iid = (readings(records=ROWS + 5, pattern=p) for p in ("up", "down", "constant", "iid"))
    assert (np.diff(up) == 1).all() and (np.diff(down) == -1).all() and (np.diff(constant) == 0).all()
    assert down.min() > 0 and iid.min() == 1 and iid.max() == TOTAL
    assert chances(iid) == pytest.approx((0, 0.5), abs=0.01)
    assert chances(constant) == (1, 0.5)
    assert set(PATTERNS) == {"usage", "iid", "up", "down", "constant"}


def test_a_made_record_set_gives_the_same_trace(tmp_path):
    settings = {"records": ROWS + 5, "seed": 3, "folder": str(tmp_path)}
    generated = readings(**settings)
    made, folder = record_set({"name": "memory_usage", **settings})
    assert record_sets.make(made, folder).rows == ROWS + 5
    assert np.array_equal(readings(**settings), generated)


def test_what_is_known_of_the_readings_is_said():
    facts = workload({"name": "memory_usage", "records": 1000}).calibration()
    assert [str(fact).split("  ")[0] for fact in facts] == [fact.statistic for fact in facts]
    assert "0.4 asked" in str(facts[0]) and "at most 6.9e-06" in str(facts[2])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"equal": 1.5}, "equal is 1.5; it must be from 0 to 1"),
        ({"rising": 0.0}, "rising is 0.0; it must be from 0.1 to 0.9"),
        ({"pattern": "ramp"}, "unknown pattern 'ramp'"),
        ({"records": 0}, "records is 0; it must be from 1"),
    ],
)
def test_wrong_parameters_are_named(settings, words):
    with pytest.raises(ValueError, match=words):
        workload({"name": "memory_usage", **settings})


MEMINFO = (
    "MemTotal:       16384000 kB\nMemFree:         1000 kB\nMemAvailable:    8192000 kB\nHugePages_Total:       0\n"
)


def test_the_recorder_reads_what_is_not_available():
    assert recorder.used(MEMINFO) == 8000
    with pytest.raises(ValueError, match="has no MemAvailable"):
        recorder.used(MEMINFO.replace("MemAvailable", "Other"))


def test_a_clock_that_is_set_back_does_not_stop_the_recorder(monkeypatch, tmp_path):
    clock, steady, slept = itertools.chain([5000.5], itertools.repeat(1000.5)), itertools.count(7), []
    fake = SimpleNamespace(time=lambda: next(clock), monotonic=lambda: next(steady), sleep=slept.append)
    (tmp_path / "meminfo").write_text(MEMINFO)
    monkeypatch.setattr(recorder, "time", fake)
    monkeypatch.setattr(recorder, "MEMINFO", tmp_path / "meminfo")
    assert list(recorder.readings(3)) == [(5001, 8000), (5002, 8000), (5003, 8000)]
    assert max(slept) <= 1


def test_a_recording_is_there_whole_or_not_at_all_and_can_be_read_as_a_workload(tmp_path):
    path = tmp_path / "used.csv"

    def broken():
        yield 1, 100
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        recorder.record(path, broken())
    assert list(tmp_path.iterdir()) == []
    assert list(recorder.record(path, [(10, 100), (11, 103), (12, 103)])) == [100, 103, 103]
    trace = make({"name": "file", "path": str(path), "time": "time", "value": "used"})
    assert list(trace.values) == [100, 103, 103] and list(trace.times) == [10, 11, 12]


def test_too_few_readings_have_no_steps():
    with pytest.raises(ValueError, match="there are 1 readings; the chances of their steps need at least 2"):
        chances(np.array([5]))
