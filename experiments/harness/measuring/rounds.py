"""Rounds of the distance protocol: evict the oldest, insert at the distance, query."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.kernel import Slots, slots
from algorithms.windows.contract import IN_ORDER, card
from experiments.harness.cell import LATENCY, ROUNDS, Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.rig import (
    CHECKED_ROUNDS,
    MOST_SAMPLES,
    calibrated,
    clocked,
    column,
    compiled,
    new_window,
    timed,
)
from workloads import workload
from workloads.distance.generator import FIRST_HIGH


@measurement(ROUNDS, unit="ns")
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of all rounds together."""
    return measure_rounds(cell, task)


@measurement(LATENCY, unit="cycles")
def latency(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Cycles of each round."""
    return measure_rounds(cell, task, sampled=True)


def measure_rounds(cell: Cell, task: Mapping[str, Any], sampled: bool = False) -> dict[str, Any]:
    """Rounds of the distance protocol, timed as a whole or, for latencies, one by one."""
    protocol = workload(cell.workload_settings)
    values = column(protocol.values_table())
    period, n, d = len(values), protocol.window, protocol.distance
    w = new_window(cell)
    done = 0

    def run(count: int, samples: Slots | None = None) -> float:
        nonlocal done
        arguments = (w, n - d + done, count, n + done, values, period)
        done += count
        return float(drivers.rounds(*arguments) if samples is None else drivers.latencies(*arguments, samples))

    seconds = compiled(lambda: drivers.insert_run(w, 0, 0, 0, values, period))
    seconds += compiled(lambda: run(0))
    if sampled:
        seconds += compiled(lambda: run(0, slots(0, np.int64, "samples")))
    drivers.insert_run(w, FIRST_HIGH, d, 0, values, period)
    drivers.insert_run(w, 0, n - d, d, values, period)
    checksum = run(CHECKED_ROUNDS)
    result = {"checksum": checksum, "compile_seconds": seconds}
    if not sampled:
        burst = n if card(cell.algorithm).order == IN_ORDER else 1
        return result | timed(run, task, burst)
    count = min(task["operations"] or calibrated(run, task["minimum_ns"]), MOST_SAMPLES)
    samples = slots(count, np.int64, "samples")
    clock = clocked(lambda: run(count, samples))[0]
    taken = {"value": None, "samples": np.asarray(samples, float), "operations": count}
    return result | clock | taken
