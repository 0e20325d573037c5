"""Count combines instead of timing them: exact, free of noise, the same on every machine."""

from typing import Any

from algorithms import operators
from algorithms.windows.contract import card
from experiments.harness.cell import Cell
from experiments.harness.feasibility import estimate, operator_of
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.rig import column
from workloads import workload
from workloads.distance.generator import FIRST_HIGH

ROUNDS = 4096
"""Rounds that are counted, after as many that bring the tree into its steady state."""


@measurement("rounds.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines in rounds of evict, insert at the cell's distance, query."""
    protocol = workload(cell.workload_settings)
    values, n, d = column(protocol.values_table()), protocol.window, protocol.distance
    op = operators.counting(operator_of(cell))
    w = card(cell.algorithm).new(op, estimate(cell).entries, **cell.parameters)
    drivers.insert_run(w, FIRST_HIGH, d, 0, values, len(values))
    drivers.insert_run(w, 0, n - d, d, values, len(values))
    drivers.rounds(w, n - d, ROUNDS, n, values, len(values))
    op.reset()
    checksum = drivers.rounds(w, n - d + ROUNDS, ROUNDS, n + ROUNDS, values, len(values))
    return {"value": float(op.combines()), "operations": ROUNDS, "checksum": float(checksum)}
