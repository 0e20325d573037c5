"""A fixed number of single rounds: every repetition does the same rounds, so that outliers can be told apart.

A machine that is busy for a moment makes some rounds slow, different ones in each repetition; a round that is slow by
itself is slow in all of them. There are as many rounds as items that follow the prefill in the workload.
"""

from collections.abc import Mapping
from typing import Any

from algorithms.kernel import driver, row
from algorithms.operators.counting import COMBINES
from algorithms.windows.contract import evict, insert, query
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import counting_window, prefill, table_of
from experiments.harness.measuring.rounds import measure_rounds
from workloads import workload


@driver
def costliest(w, time, count, serial, values, period):
    """The sum of the answers of `drivers.rounds`, and the most combines of a single round: the operator must count."""
    k, total, most = serial % period, 0, 0
    for _ in range(count):
        before = w.op.count[COMBINES]
        evict(w)
        insert(w, time, row(values, k))
        total += query(w)
        most = max(most, w.op.count[COMBINES] - before)
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total, most


def rounds_of(cell: Cell) -> int:
    """The number of rounds after the prefill in the cell's workload."""
    protocol = workload(cell.workload_settings)
    return protocol.items - protocol.window


@measurement("single_rounds.latency", unit="cycles")
def latency(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Cycles of each of the cell's rounds."""
    return measure_rounds(cell, {**task, "operations": rounds_of(cell)}, sampled=True)


@measurement("single_rounds.combines", counted=True)
def combines(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Combines of the cell's rounds, in order: of all together, and in the facts those of the costliest one."""
    n, count, table = workload(cell.workload_settings).window, rounds_of(cell), table_of(cell)
    w, op = counting_window(cell)
    prefill(w, n, table)
    op.reset()
    checksum, most = costliest(w, n, count, n, table, len(table))
    total = float(op.combines())
    return {"value": total, "operations": count, "checksum": float(checksum), "facts": {"costliest_round": int(most)}}
