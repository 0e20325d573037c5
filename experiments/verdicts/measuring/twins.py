"""The same window under two names, with or without load from beside; one of the two may be slowed down."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from algorithms.windows.contract import IN_ORDER, card
from experiments.harness.cell import Cell
from experiments.harness.executors.worker import end_with_parent
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import table_of
from experiments.harness.measuring.rig import new_window, timed
from experiments.harness.measuring.rounds import rig_of_rounds
from workloads import workload

BURSTS = """
import random, time
while True:
    end = time.perf_counter() + random.uniform(0.001, 0.02)
    while time.perf_counter() < end:
        sum(range(1000))
    time.sleep(random.uniform(0.001, 0.02))
"""
"""A program that computes about half of the time, in bursts of 1 to 20 ms."""


@contextlib.contextmanager
def load_from_beside() -> Iterator[None]:
    """For the duration of the block, a process on each core but one computes in bursts."""
    command = [sys.executable, "-S", "-E", "-c", BURSTS]
    started = [subprocess.Popen(command, preexec_fn=end_with_parent) for _ in range(max(1, (os.cpu_count() or 1) - 1))]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


@measurement("twins.time", unit="ns")
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of rounds of the distance protocol. A slowdown of 0.1 does a tenth more rounds than it tells."""
    with load_from_beside() if cell.asked["beside"] else contextlib.nullcontext():
        return _timed(cell, task)


def _timed(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """The load is there before the window: after a fork the first write to each page would be a fault."""
    protocol, w = workload(cell.workload_settings), new_window(cell)
    rig = rig_of_rounds(w, table_of(cell), protocol.window, protocol.distance)
    rig.check()
    slowdown = cell.asked["slowdown"]

    def run(count: int) -> Any:
        return rig.run(count + round(slowdown * count))

    burst = protocol.window if card(cell.algorithm).order == IN_ORDER else 1
    return rig.row | timed(run, task, burst=burst)
