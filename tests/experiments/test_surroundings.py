"""What rows say of the machine around them, and when a run is restless."""

import json
from types import SimpleNamespace

import pytest

from experiments.harness import surroundings
from experiments.harness.outcome import without_their_own
from experiments.harness.plan import cells_of
from experiments.harness.settings import Settings
from tests.experiments.made_rows import frame, row
from tests.experiments.test_configurations import composed

pytestmark = pytest.mark.smoke

QUIET = {"load_before": 1.0, "load_after": 1.1, "cores": 2, "steal": 0.0, "calibration_spread": 1.05}


def rows_of(*disturbed, quiet=9):
    """Rows on a quiet machine, and one for each of these changes."""
    around = [QUIET] * quiet + [QUIET | change for change in disturbed]
    return frame(row("fiba", ns=1.0, repetition=r, surroundings=json.dumps(each)) for r, each in enumerate(around))


def test_what_surrounds_a_measurement_is_noted_beside_its_columns():
    found = surroundings.watched(lambda: {"value": 1.0})
    around = json.loads(found["surroundings"])
    assert found["value"] == 1.0 and found["process"] == surroundings.process()
    assert around["load_before"] >= 0 and around["calibration_spread"] >= 1 and around["affinity"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"load_after": 2.6}, "other load"),
        ({"steal": 0.03}, "stolen processor time"),
        ({"calibration_spread": 1.6}, "an uneven clock rate"),
    ],
)
def test_a_run_is_restless_if_more_than_a_tenth_of_it_was_disturbed(change, words):
    assert surroundings.restless(rows_of(change)) == ""
    said = surroundings.restless(rows_of(change, change))
    assert said == f"restless machine: {words} in 18% of the timed repetitions"


def test_a_session_does_not_disturb_itself():
    for change, words in (
        ({"load_after": 2.6, "calibration_spread": 1.6}, ""),
        ({"load_after": 2.6, "steal": 0.03}, "restless machine: stolen processor time in 18% of the timed repetitions"),
    ):
        rows = rows_of(change, change)
        assert surroundings.restless(without_their_own(rows, cells_named(rows["cell"], of="spark_layout"))) == words
        by_themselves = cells_named(rows["cell"], of="ra_cost")
        assert "other load" in surroundings.restless(without_their_own(rows, by_themselves))


def cells_named(ids, of):
    """A cell of an experiment under each of the ids."""
    cell, *_ = cells_of(Settings.of(composed(f"experiment={of}", "profile=smoke")))
    return [SimpleNamespace(id=name, session=cell.session) for name in ids]


def test_counts_and_rows_that_do_not_say_are_never_restless():
    assert surroundings.restless(rows_of(*[{"steal": 1.0}] * 9).assign(counted=True)) == ""
    assert surroundings.restless(rows_of().assign(surroundings="{}")) == ""


@pytest.fixture
def loop(monkeypatch):
    """The fixed loop takes the times that a test appends to this list, in turn; nothing is slept."""
    times, slept = [], []
    monkeypatch.setattr(
        surroundings, "_reference", lambda runs=1: [times.pop(0) if len(times) > 1 else times[0]] * runs
    )
    monkeypatch.setattr(surroundings._Moments, "best", float("inf"))
    monkeypatch.setattr(surroundings._Moments, "waited", 0.0)
    monkeypatch.setattr(surroundings.time, "sleep", slept.append)
    return times, slept


def test_slow_moments_are_waited_for(loop):
    times, slept = loop
    times += [100, 120, 160, 190, 110, 105]
    surroundings.wait_for_a_quick_moment()  # the first is the best so far
    surroundings.wait_for_a_quick_moment()
    assert not slept
    surroundings.wait_for_a_quick_moment()  # 160 and 190 are slow, 110 is not
    assert slept == [surroundings.PAUSE] * 2


def test_patience_ends_for_each_measurement(loop):
    times, slept = loop
    times += [100, 200]
    surroundings.wait_for_a_quick_moment()

    def measure():
        for _ in range(3):
            surroundings.wait_for_a_quick_moment()
        return {"value": 1.0}

    for _ in range(2):
        slept.clear()
        waited = json.loads(surroundings.watched(measure)["surroundings"])["waited"]
        assert waited == pytest.approx(surroundings.PATIENCE, abs=surroundings.PAUSE) == pytest.approx(sum(slept))


def test_a_profile_that_decides_nothing_does_not_wait(loop):
    times, slept = loop
    times += [100, 200]
    surroundings.wait_for_a_quick_moment()

    def measure():
        surroundings.wait_for_a_quick_moment()
        return {"value": 1.0}

    surroundings.watched(measure, surroundings.DECIDING_NS - 1)
    assert not slept
    surroundings.watched(measure, surroundings.DECIDING_NS)
    assert slept


def test_what_decides_waits_and_smoke_does_not():
    shortest = {name: Settings.of(composed("experiment=ra_cost", f"profile={name}")).profile.minimum_ms * 1e6
                for name in ("smoke", "laptop", "paper")}  # fmt: skip
    assert shortest["smoke"] < surroundings.DECIDING_NS <= min(shortest["laptop"], shortest["paper"])
