"""Count combines instead of timing them: exact, free of noise, the same on every machine."""

from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import counting_window, table_of
from experiments.harness.measuring.rounds import rig_of_rounds
from workloads import workload

ROUNDS = 4096
"""Rounds that are counted, after as many that bring the tree to its steady state."""


@measurement("rounds.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines in rounds of evict, insert at the cell's distance, query."""
    protocol, (w, op) = workload(cell.workload_settings), counting_window(cell)
    return rig_of_rounds(w, table_of(cell), protocol.window, protocol.distance).counted(op, ROUNDS)
