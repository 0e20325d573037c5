"""Cells as Spark jobs: how many rounds a session measures in a time, on all of its cores."""

import functools
import time as clock_time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.executors.spark import Spark
from experiments.harness.executors.worker import attempt
from experiments.harness.measurement import measurement
from experiments.harness.measuring import rounds as rounds_of_windows
from experiments.harness.measuring.rig import compiled
from experiments.spark.measuring.session import cores_of, session_for, window_of


@measurement("spark_jobs.time", unit="ns", session=cores_of, takes=window_of)
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of `jobs` cells of `rounds` rounds each, by the wall clock; operations are the rounds of all."""
    rounds, jobs = cell.stream["rounds"], cell.stream["jobs"]
    executor = Spark(session_for(cell), owned=False)
    work = functools.partial(measure_job, task_of_job(cell, rounds))
    seconds = compiled(lambda: list(executor.each(work, range(jobs))))
    start = clock_time.perf_counter_ns()
    checksums = set(executor.each(work, range(jobs)))
    elapsed = clock_time.perf_counter_ns() - start
    if len(checksums) > 1:
        raise ValueError(f"the same cell gave different answers: {sorted(checksums)}")
    return {
        "value": float(elapsed),
        "operations": jobs * rounds,
        "checksum": checksums.pop(),
        "compile_seconds": seconds,
    }


def task_of_job(cell: Cell, rounds: int) -> dict[str, Any]:
    """The task of one of the cells that are measured as jobs: rounds in order in a window of this project."""
    job = Cell(
        paper=cell.paper,
        experiment=cell.experiment,
        algorithm=cell.parameters["window"],
        parameters={},
        operator=cell.operator,
        workload="distance",
        stream={"window": cell.window, "distance": 0},
        window=cell.window,
        distance=0,
    )
    return {"cell": asdict(job), "module": rounds_of_windows.__name__, "operations": rounds, "laps": 0, "minimum_ns": 0}


def measure_job(task: dict[str, Any], number: int) -> float:
    """Measure one cell on a worker and return its checksum. Raises RuntimeError if that fails."""
    answer = attempt(task)
    if answer["status"] != "ok":
        raise RuntimeError(answer["reason"])
    return answer["checksum"]
