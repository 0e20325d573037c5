"""Experiments one after the other on one Spark, and what makes its jobs short."""

import subprocess
import sys

import pytest

from experiments.harness.executors import shared
from tests import HUNG
from tests.faults.commands import ROOT, environment

pytestmark = pytest.mark.slow

CHOSEN = ("fiba_walkthrough", "in_order_walkthrough", "mta_walkthrough")


@pytest.mark.parametrize(
    "several",
    [
        pytest.param(["experiment=all", f"only=[{','.join(CHOSEN)}]"], id="all"),
        pytest.param(["-m", f"experiment={','.join(CHOSEN)}"], id="a sweep", marks=pytest.mark.thorough),
    ],
)
def test_spark_starts_once(tmp_path, several):
    given = ["executor=spark", "profile=smoke", "results=data", "figure_folder=figures"]
    answer = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *several, *given],
        capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=HUNG,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    for name in CHOSEN:
        assert (tmp_path / "data" / name / "rows.parquet").is_file()
    assert answer.stderr.count("starting Spark\n") == 1, answer.stderr


def test_workers_spare_what_they_have_imported(spark):
    frozen = [spark.run({"timeout": HUNG, "label": "frozen"}, how_much_is_frozen)["objects"] for _ in range(2)]
    assert frozen[1] > 0


def how_much_is_frozen(task):
    import gc

    return {"objects": gc.get_freeze_count()}


def test_settings_for_short_jobs_are_for_an_embedded_spark_and_come_before_those_given(monkeypatch):
    given = {"name": "spark", "master": "local[1]", "options": {"spark.python.daemon.module": "pyspark.daemon"}}
    options = shared.with_short_jobs(given)["options"]
    assert options == {**shared.SHORT_JOBS, **given["options"]}
    for other in ("spark://one:7077", "sc://one:15002", "local-cluster[2,1,1024]"):
        assert shared.with_short_jobs({**given, "master": other}) == {**given, "master": other}
    assert shared.with_short_jobs({"name": "inline"}) == {"name": "inline"}
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert shared.with_short_jobs(given) == given
