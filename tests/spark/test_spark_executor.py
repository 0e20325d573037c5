"""Cells as Spark jobs: answers, lost workers, time-outs, attempts; and the same answers as the inline executor's."""

import os
import time
import warnings
from dataclasses import asdict

import pytest

from experiments.harness import engine, executors
from experiments.harness.cell import Cell
from tests import HUNG, SOON
from tests.experiments import probing

pytestmark = pytest.mark.slow

UNEQUAL = [
    *(
        "executor",
        "value",
        "cpu_seconds",
        "involuntary_switches",
        "page_faults",
        "compile_seconds",
        "started",
        "operations",
    ),
    *("process", "surroundings", "laps", "samples"),
]
"""Columns in which rows of the two executors may differ, config_hash besides."""


def task(measurement="probing.fine", timeout=HUNG, **changes):
    cell = Cell("none", "probe", "fiba", {}, "sum", "distance", {}, 8, measurement)
    return {
        "cell": asdict(cell),
        "module": probing.__name__,
        "label": measurement,
        "operations": None,
        "minimum_ns": 1,
        "timeout": timeout,
        **changes,
    }


@pytest.mark.smoke
def test_an_answer_comes_back_with_the_number_of_its_attempt(spark):
    answer = spark.run(task())
    assert (answer["status"], answer["value"], answer["attempt"]) == ("ok", 1e6, 1)
    assert answer["machine"] and answer["versions"]


def test_what_a_cell_raises_is_its_answer(spark):
    answer = spark.run(task("probing.no_such_function"))
    assert (answer["status"], answer["attempt"]) == ("failed", 1)
    assert answer["reason"] == "LookupError: there is no measurement 'probing.no_such_function'"


@pytest.mark.parametrize("bad", ["exits", "segfaults"])
def test_a_lost_worker_fails_its_cell_only(spark, bad):
    answer = spark.run(task(f"probing.{bad}"))
    assert answer["status"] == "failed" and answer["reason"].startswith("Spark: ")
    assert len(answer["reason"].splitlines()) == 1
    assert spark.run(task())["status"] == "ok"


def test_a_task_that_is_lost_once_is_tried_again_and_says_so(spark, tmp_path):
    seen = str(tmp_path / "seen")

    def dies_once(task):
        if not os.path.exists(seen):
            open(seen, "w").close()
            os._exit(1)
        return {"status": "ok"}

    assert spark.run(task(), dies_once) == {"status": "ok", "attempt": 2}


def test_a_compiled_loop_that_never_ends_is_stopped_by_its_job_group(spark):
    began = time.monotonic()
    answer = spark.run(task("probing.never_ends", timeout=1))
    assert answer == {"status": "timeout", "reason": "stopped after 10 s, 10 times profile.timeout"}
    assert spark.run(task())["status"] == "ok"
    assert time.monotonic() - began < SOON


def test_nothing_is_said_about_pandas(spark):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        executors.environment.silence_here()
        assert spark.run(task(), lambda task: {"warned": _warned_by_pandas_functions()})["warned"] == []


def _warned_by_pandas_functions():
    from pyspark.sql.pandas.utils import require_minimum_pandas_version

    with warnings.catch_warnings(record=True) as caught:
        require_minimum_pandas_version()
    return [str(one.message) for one in caught]


def test_the_session_is_set_for_jobs_of_one_row(spark):
    settings = spark._session.conf
    assert settings.get("spark.sql.adaptive.enabled") == "false"
    assert settings.get("spark.sql.codegen.wholeStage") == "false"


def test_a_session_that_is_there_already_is_used_and_left_running(spark):
    guest = executors.start({"name": "spark", "master": "local[1]", "options": {}})
    assert guest.run(task())["status"] == "ok"
    guest.close()
    assert spark.run(task())["status"] == "ok"


def test_rows_of_both_executors_are_the_same_but_for_the_times(spark, tmp_path):
    frames = {}
    for executor in ({"name": "inline"}, {"name": "spark", "master": "local[1]", "options": {}}):
        settings = probing.config(tmp_path / executor["name"], executor=executor, distances=[0, 3], window=16)
        with probing.registered("rounds.time"):
            outcome = engine.run(settings)
        assert set(outcome.rows["status"]) == {"ok"}, list(outcome.rows["reason"])
        assert set(outcome.rows["executor"]) == {executor["name"]}
        frames[executor["name"]] = outcome.rows.drop(columns=[*UNEQUAL, "config_hash"])
    assert frames["inline"].astype(str).equals(frames["spark"].astype(str))
