"""Windows of the distance protocol before the first round: the table of values, and the entries of the prefill."""

from typing import Any

from algorithms import operators
from algorithms.kernel import Slots, as_slots
from algorithms.windows.contract import card
from experiments.harness.cell import Cell
from experiments.harness.feasibility import estimate, operator_of
from experiments.harness.measuring import drivers
from workloads import workload
from workloads.distance.generator import FIRST_HIGH


def table_of(cell: Cell) -> Slots:
    """The table of values that compiled loops repeat."""
    return as_slots(workload(cell.workload_settings).values_table())


def prefill(w: Any, count: int, table: Slots, distance: int = 0, oldest: int = 0) -> None:
    """Insert the first `count` entries: up to `distance` with high times, then low times from `oldest` on."""
    high = min(distance, count)
    drivers.insert_run(w, FIRST_HIGH, high, 0, table, len(table))
    drivers.insert_run(w, oldest, count - high, distance + oldest, table, len(table))


def counting_window(cell: Cell) -> tuple[Any, Any]:
    """An empty window of the cell's algorithm with a counting operator, and that operator."""
    op = operators.counting(operator_of(cell))
    return card(cell.algorithm).new(op, estimate(cell).entries, **cell.parameters), op
