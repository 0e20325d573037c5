"""Workers that die, hang, crash or print: each is one row with a reason, and the run goes on."""

import time
from dataclasses import asdict

import pytest

from experiments.harness import engine, executors
from experiments.harness.cell import Cell
from tests import HUNG, SOON, scripts
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
        (
            "is_killed",
            "the worker process was ended by SIGKILL, as the system does with a process that takes too much memory",
        ),
        (
            "eats_memory",
            "MemoryError: Unable to allocate 1.00 TiB for an array with shape (1099511627776,) and data type int8",
        ),
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
        ["stopped after 15 s of processor time (profile.timeout)", "not tried: another repetition ran out of time"],
    )


def test_a_stray_print_does_not_damage_the_answer(tmp_path, capfd):
    outcome = outcome_of(tmp_path, "prints")
    assert statuses(outcome, "fiba") == (["ok", "ok"], ["", ""])
    assert "a stray print" in capfd.readouterr().err


def task_of(measurement, timeout=HUNG):
    cell = Cell("none", "probe", "fiba", {}, "sum", "distance", {}, 8, f"probing.{measurement}")
    return {
        "cell": asdict(cell),
        "module": probing.__name__,
        "label": measurement,
        "operations": None,
        "minimum_ns": 1,
        "timeout": timeout,
    }


def test_an_executor_answers_again_after_each_fault():
    executor = executors.start({"name": "inline"})
    try:
        for bad, status in [("exits", "failed"), ("fine", "ok"), ("sleeps", "timeout"), ("fine", "ok")]:
            assert executor.run(task_of(bad, 1 if bad == "sleeps" else HUNG))["status"] == status
    finally:
        executor.close()


def test_what_waits_for_others_is_not_stopped_before_ten_times_its_time(monkeypatch):
    monkeypatch.setenv("PROBE_SLEEP", "2")
    executor = executors.start({"name": "inline"})
    try:
        assert executor.run(task_of("fine"))["status"] == "ok"  # everything is imported
        assert executor.run(task_of("sleeps", 1))["status"] == "ok"
    finally:
        executor.close()


def test_a_worker_does_without_pandas():
    """It takes a third of the time in which a worker starts, and each repetition has one of its own."""
    modules = "experiments.harness.executors.worker, experiments.harness.measuring.replay"
    loaded = f"import json, sys, {modules}; print(json.dumps('pandas' in sys.modules))"
    assert scripts.run(["-c", loaded], {}) is False
