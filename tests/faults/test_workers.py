"""Workers that die, hang, crash or print: each is one row with a reason, and the run goes on."""

import time
from dataclasses import asdict

import pytest

from experiments.harness import engine, executors
from experiments.harness.cell import Cell
from tests import HUNG, SOON
from tests.experiments import probing


def outcome_of(tmp_path, bad, **changes):
    """A run in which fiba's cells are measured by `bad` and recalc's are fine."""
    with probing.registered(lambda name: f"probing.{bad}" if name == "fiba" else "probing.fine"):
        return engine.run(probing.config(tmp_path, **changes))


def statuses(outcome, algorithm):
    rows = outcome.rows[outcome.rows["algorithm"] == algorithm]
    return list(rows["status"]), list(rows["reason"])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("exits", "the worker process ended with code 3"),
        ("segfaults", "the worker process was ended by SIGSEGV"),
    ],
)
def test_a_worker_that_dies_fails_its_cell_only(tmp_path, bad, reason):
    outcome = outcome_of(tmp_path, bad)
    assert outcome.failed
    assert statuses(outcome, "recalc") == (["ok", "ok"], ["", ""])
    assert statuses(outcome, "fiba") == (["failed", "failed"], [reason, reason])


def test_a_measurement_that_is_not_declared_is_refused_before_anything_is_measured(tmp_path):
    with pytest.raises(LookupError, match=r"there is no measurement 'probing\.no_such_function'"):
        outcome_of(tmp_path, "no_such_function")
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_compiled_loop_that_never_ends_is_stopped_and_not_tried_again(tmp_path):
    began = time.monotonic()
    outcome = outcome_of(tmp_path, "never_ends", algorithms=["fiba"], profile={"timeout": 15})
    assert time.monotonic() - began < SOON
    assert statuses(outcome, "fiba") == (
        ["timeout", "timeout"],
        ["stopped after 15 s (profile.timeout)", "not tried: another repetition ran out of time"],
    )


def test_a_stray_print_does_not_damage_the_answer(tmp_path, capfd):
    outcome = outcome_of(tmp_path, "prints")
    assert statuses(outcome, "fiba") == (["ok", "ok"], ["", ""])
    assert "a stray print" in capfd.readouterr().err


def test_an_executor_answers_again_after_each_fault():
    executor = executors.start({"name": "inline"})
    try:
        for bad, status in [("exits", "failed"), ("fine", "ok"), ("sleeps", "timeout"), ("fine", "ok")]:
            cell = Cell("none", "probe", "fiba", {}, "sum", "distance", {}, 8, f"probing.{bad}")
            task = {
                "cell": asdict(cell),
                "module": probing.__name__,
                "label": bad,
                "operations": None,
                "minimum_ns": 1,
                "timeout": 5 if bad == "sleeps" else HUNG,
            }
            assert executor.run(task)["status"] == status
    finally:
        executor.close()
