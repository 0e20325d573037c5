"""Rounds of the distance protocol: evict the oldest, insert at the distance, query."""

from collections.abc import Mapping
from typing import Any

from algorithms.kernel import Slots
from algorithms.windows.contract import IN_ORDER, card
from experiments.harness.cell import LATENCY, ROUNDS, Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.prefill import prefill, table_of
from experiments.harness.measuring.rig import Rig, new_window
from workloads import workload


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
    protocol, w = workload(cell.workload_settings), new_window(cell)
    rig = rig_of_rounds(w, table_of(cell), protocol.window, protocol.distance, sampled)
    rig.check()
    if sampled:
        return rig.sampled(task)[0] | {"value": None}
    return rig.timed(task, burst=protocol.window if card(cell.algorithm).order == IN_ORDER else 1)


def rig_of_rounds(w: Any, table: Slots, n: int, d: int = 0, sampled: bool = False) -> Rig:
    """The rig of an empty window, which fills it with n entries, d of them with high times, before the first round."""

    def rounds(done: int, count: int, *samples: Slots) -> Any:
        loop = drivers.latencies if samples else drivers.rounds
        return loop(w, n - d + done, count, n + done, table, len(table), *samples)

    return Rig(lambda count: prefill(w, count, table, d), n, rounds, sampled)
