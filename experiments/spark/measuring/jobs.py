"""Cells as Spark jobs: how much measuring a session gets done on all of its cores."""

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
    """Nanoseconds of `jobs` cells of so many rounds each, by the wall clock; operations are the rounds of all."""
    given = cell.stream
    rounds, jobs = given["rounds"], given["jobs"]
    executor = Spark(session_for(cell), mine=False)
    work = functools.partial(one, part_of(cell, rounds))
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


def part_of(cell: Cell, rounds: int) -> dict[str, Any]:
    """The task of one of the cells that are measured as jobs: rounds in order in a window of our own."""
    part = Cell(
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
    return {"cell": asdict(part), "module": rounds_of_windows.__name__, "operations": rounds, "minimum_ns": 0}


def one(task: dict[str, Any], number: int) -> float:
    """Measure one cell on a worker; its checksum. Raises RuntimeError for what is wrong with it."""
    answer = attempt(task)
    if answer["status"] != "ok":
        raise RuntimeError(answer["reason"])
    return answer["checksum"]
