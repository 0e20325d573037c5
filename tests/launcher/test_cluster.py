"""A standalone cluster of two workers: multirun and cells give the rows of inline, whatever becomes of the workers."""

import contextlib
import re

import pytest

from experiments.spark.measuring.standalone import Cluster
from results import Store
from tests import HUNG, wait_for
from tests.launcher.cluster import executors, kill_executors, measuring

pytestmark = pytest.mark.slow

TIMES = [
    *("value", "cpu_seconds", "involuntary_switches", "page_faults", "compile_seconds", "started", "operations"),
    *("process", "surroundings", "config_hash", "laps", "samples"),
]
"""Columns in which rows of two runs may differ; the last has the names of folders in it."""


def rows(folder):
    return Store(folder).rows("fiba_fifo")


def same(one, other, *unequal):
    left, right = (frame.drop(columns=[*TIMES, *unequal]).astype(str) for frame in (one, other))
    return len(left) > 0 and left.equals(right)


def on(cluster, *more):
    return ("-m", "hydra/launcher=spark", f"hydra.launcher.master={cluster.master}", *more)


def cells_on(cluster):
    return ("executor=spark", f"executor.master={cluster.master}", "executor.options={spark.cores.max: 1}")


@pytest.mark.thorough
def test_multirun_and_cells_give_the_rows_of_inline_and_a_second_run_measures_nothing(cluster, finish, tmp_path):
    sizes = "window=8,16"
    assert finish("-m", sizes, "executor=inline", data="inline")[0] == 0
    code, out, err = finish(*on(cluster), sizes)
    assert code == 0, err
    assert "2 jobs on spark://" in err and out.count("3 measured now, 0 kept") == 2
    expected = rows(tmp_path / "inline")
    assert same(rows(tmp_path / "data"), expected)
    before = rows(tmp_path / "data")
    code, out, err = finish(*on(cluster), sizes)
    assert code == 0 and out.count("0 measured now, 3 kept") == 2
    assert rows(tmp_path / "data").equals(before)
    code, out, err = finish("window=8", *cells_on(cluster), data="cells")
    assert code == 0, err
    of_one_job = expected[expected["window"] == 8].reset_index(drop=True)
    assert same(rows(tmp_path / "cells"), of_one_job, "executor")


def test_jobs_that_hang_or_are_wrong_do_not_stop_the_others(cluster, finish, tmp_path):
    durations = "profile.minimum_ms=900000,1,abc,2"
    code, out, err = finish(*on(cluster, "hydra.launcher.timeout=45"), durations, "window=8")
    assert code == 1
    assert "job 0 (profile.minimum_ms=900000): stopped after 45 s (hydra.launcher.timeout)" in err
    assert "error: profile.minimum_ms is 'abc'; it must be a number above 0" in err
    assert re.search(r"Error executing job with overrides: \['profile.minimum_ms=900000'", err)
    assert "Traceback" not in err
    # The last two differ in nothing that tells cells apart, so one of them finds what the other measured.
    assert "3 measured now, 0 kept" in out and "0 measured now, 3 kept" in out
    assert set(rows(tmp_path / "data")["status"]) == {"ok"} and len(rows(tmp_path / "data")) == 3


@contextlib.contextmanager
def lost(cluster, process, happened, kill):
    """Kill what runs on a worker as soon as something happens; afterwards the cluster has two workers again."""
    try:
        with process:
            wait_for(lambda: happened() or process.poll() is not None)
            assert process.poll() is None, process.communicate()
            kill(cluster, next(name for name in ("one", "two") if executors(cluster, name)))
            yield process.communicate(timeout=HUNG)
    finally:
        process.kill()
        cluster.start_workers(*({"one", "two"} - set(cluster.processes)))


def test_a_job_whose_worker_is_lost_is_done_on_another(cluster, begin, tmp_path):
    process = begin(*on(cluster, "hydra.launcher.options={spark.cores.max: 1}"), "window=8", "profile.minimum_ms=1500")
    with lost(cluster, process, lambda: measuring(cluster), Cluster.kill) as (out, err):
        assert process.returncode == 0, err
        assert "3 measured now, 0 kept" in out
    found = rows(tmp_path / "data")
    assert len(found) == 3 and set(found["status"]) == {"ok"} and set(found["attempt"]) == {2}


@pytest.mark.thorough
def test_a_cell_whose_executor_is_lost_is_done_again_or_a_failed_row_and_the_run_goes_on(cluster, begin, tmp_path):
    """Spark tries again what it knows not to be the cell's fault, which depends on who notices the loss first."""
    process = begin(*cells_on(cluster), "window=8", "profile.minimum_ms=1500")
    first = "data/*/parts/*.parquet"
    with lost(cluster, process, lambda: list(tmp_path.glob(first)), kill_executors) as (out, err):
        assert process.returncode in (0, 1), err
    found = rows(tmp_path / "data")
    failed = found[found["status"] != "ok"]
    assert len(found) == found["cell"].nunique() == 3 and len(failed) == process.returncode
    assert failed["reason"].str.startswith("Spark: ").all()
