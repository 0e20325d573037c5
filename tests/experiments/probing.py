"""An experiment whose cells do what a test wants: its measurements are declared here, and the worker imports this."""

import ctypes
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np

from experiments.harness import registry
from experiments.harness.cell import Cell
from experiments.harness.grid import unnamed
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import TooSlowError
from tests import HUNG

NAME = "probe"


def config(folder: Path, **changes: Any) -> dict[str, Any]:
    """A composed configuration of the experiment, as small as can be; keywords replace parts of it."""
    profile = {"name": "smoke", "repetitions": 2, "minimum_ms": 1, "timeout": HUNG} | changes.pop("profile", {})
    return {
        "name": NAME,
        "paper": "none",
        "workload": {"name": "distance"},
        "profile": profile,
        "executor": {"name": "inline"},
        "operators": ["sum"],
        "algorithms": ["fiba", "recalc"],
        "sizes": {"smoke": {}},
        "window": 8,
        "distances": [0],
        "results": str(folder / "data"),
        "figure_folder": str(folder / "figures"),
    } | changes


def plan_of(measurement: Callable[[str], str]) -> Callable:
    """A plan of one cell for each algorithm, operator and distance; `measurement` is chosen by the algorithm's name."""

    def plan(settings: Any) -> list[Cell]:
        return [
            Cell(
                paper=settings.paper,
                experiment=settings.name,
                algorithm=algorithm["name"],
                parameters=unnamed(algorithm),
                operator=operator,
                workload="distance",
                stream={"window": settings.window, "distance": d},
                window=settings.window,
                distance=d,
                measurement=measurement(algorithm["name"]),
            )
            for operator in settings.operators
            for d in settings.distances
            for algorithm in settings.algorithms
        ]

    return plan


@contextmanager
def registered(measurement: str | Callable[[str], str]) -> Iterator[registry.Experiment]:
    """Register the experiment for the duration of a with block."""
    made = registry.Experiment(
        NAME, plan_of((lambda name: measurement) if isinstance(measurement, str) else measurement)
    )
    registry.register(made)
    try:
        yield made
    finally:
        registry.forget(NAME)


@measurement("probing.fine", unit="ns")
def fine(cell: Cell, task: dict) -> dict[str, Any]:
    return {"value": 1e6, "operations": 1000, "checksum": 7.0, "compile_seconds": 0.0}


@measurement("probing.too_slow", unit="ns")
def too_slow(cell: Cell, task: dict) -> dict[str, Any]:
    """Says so, and in which repetition it was asked."""
    raise TooSlowError(f"asked in repetition {task['round'] + 1}")


@measurement("probing.noisy", unit="ns")
def noisy(cell: Cell, task: dict) -> dict[str, Any]:
    """With fiba twice the value of all others, and a tenth more or less in turn."""
    around = 1 + (0.1 if task["round"] % 2 else -0.1) * (cell.algorithm == "fiba")
    return fine(cell, task) | {"value": (2e6 if cell.algorithm == "fiba" else 1e6) * around}


@measurement("probing.biased", unit="ns")
def biased(cell: Cell, task: dict) -> dict[str, Any]:
    """Answers that depend on the algorithm."""
    return fine(cell, task) | {"checksum": float(len(cell.algorithm))}


@measurement("probing.fails_at_first", unit="ns")
def fails_at_first(cell: Cell, task: dict) -> dict[str, Any]:
    """Raises until the file that PROBE_FIXED names exists."""
    if not os.path.exists(os.environ["PROBE_FIXED"]):
        raise ZeroDivisionError("as asked\nby the test")
    return fine(cell, task)


@measurement("probing.exits", unit="ns")
def exits(cell: Cell, task: dict) -> dict[str, Any]:
    os._exit(3)


@measurement("probing.is_killed", unit="ns")
def is_killed(cell: Cell, task: dict) -> dict[str, Any]:
    """As by the system when memory is short; the system's choice is then this process."""
    assert Path("/proc/self/oom_score_adj").read_text() == "1000\n"
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("it goes on")


@measurement("probing.eats_memory", unit="ns")
def eats_memory(cell: Cell, task: dict) -> dict[str, Any]:
    """More than it may take."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 40, before[1]))
    try:
        return fine(cell, task) | {"value": float(np.ones(1 << 40, np.int8).sum())}
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@measurement("probing.segfaults", unit="ns")
def segfaults(cell: Cell, task: dict) -> dict[str, Any]:
    ctypes.string_at(0)
    raise AssertionError("address 0 was read")


@measurement("probing.sleeps", unit="ns")
def sleeps(cell: Cell, task: dict) -> dict[str, Any]:
    time.sleep(float(os.environ.get("PROBE_SLEEP", "600")))
    return fine(cell, task)


@numba.njit
def _forever(n):
    total = 0
    while n > 0:  # n grows: never ends, and never comes back to Python
        total ^= n
        n += 1
        if n > 1 << 60:
            n = 1
    return total


@measurement("probing.never_ends", unit="ns")
def never_ends(cell: Cell, task: dict) -> dict[str, Any]:
    return fine(cell, task) | {"checksum": float(_forever(1))}


@measurement("probing.prints", unit="ns")
def prints(cell: Cell, task: dict) -> dict[str, Any]:
    os.write(1, b"a stray print")
    return fine(cell, task)


@measurement("probing.starts_another", unit="ns")
def starts_another(cell: Cell, task: dict) -> dict[str, Any]:
    """A process that does not end by itself; the value is its id."""
    return fine(cell, task) | {"value": float(subprocess.Popen(["sleep", "600"]).pid)}
