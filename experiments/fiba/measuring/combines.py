"""Count combines instead of timing them: exact, free of noise, the same on every machine."""

from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.prefill import counting_window, prefill, table_of
from experiments.harness.measuring.rig import Rig
from workloads import workload

ROUNDS = 4096
"""Rounds that are counted, after as many that bring the tree into its steady state."""


@measurement("rounds.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines in rounds of evict, insert at the cell's distance, query."""
    protocol = workload(cell.workload_settings)
    n, d, table, (w, op) = protocol.window, protocol.distance, table_of(cell), counting_window(cell)

    def rounds(done: int, count: int) -> Any:
        return drivers.rounds(w, n - d + done, count, n + done, table, len(table))

    return Rig(lambda count: prefill(w, count, table, d), n, rounds).counted(op, ROUNDS)
