"""Count combines instead of timing them: exact, free of noise, the same on every machine."""

from typing import Any

from experiments.fiba.measuring.snapshots import STEPS
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import counting_window, table_of
from experiments.harness.measuring.rounds import rig_of_rounds
from workloads import workload

ROUNDS = 4096
"""Rounds that are counted, after as many that bring the tree to its steady state."""


@measurement("rounds.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines in rounds of evict, insert at the cell's distance, query.

    The facts hold the splits, merges and moves of a round of a tree, on average: `restructurings`.
    """
    protocol, (w, op) = workload(cell.workload_settings), counting_window(cell)
    rig = rig_of_rounds(w, table_of(cell), protocol.window, protocol.distance)
    rig.run(ROUNDS)
    before = restructurings(w)
    row = rig.counted(op, ROUNDS)
    return row | {"facts": {"restructurings": (restructurings(w) - before) / (2 * ROUNDS)}}


def restructurings(w: Any) -> int:
    """The splits, merges and moves of a tree so far."""
    return sum(int(w.tree[0][name]) for name in STEPS)
