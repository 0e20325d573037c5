"""Whether algorithms agree: at one point of the grid, the answers to the same queries must have the same sum."""

import math
from collections.abc import Iterable

import pandas as pd

from experiments.harness.feasibility import operator_called
from experiments.harness.plan import Run
from results import OK

POINT = ("experiment", "operator", "workload", "workload_parameters", "window", "distance", "batch", "metric")
"""Columns in which runs must agree for their answers to be the same: all but the algorithm."""

TOLERANCE = 1e-9
"""Relative difference that the order of floating-point operations may make.

It is 0 for exact operators, and for cells without an operator, whose values are counts.
"""


class Agreement:
    """Compares each checksum with the first one seen at the same point.

    `rows`: the rows of the present code that are stored already.
    """

    def __init__(self, rows: pd.DataFrame, runs: Iterable[Run]):
        self._first: dict[tuple, tuple[float, str]] = {}
        by_cell = {run.cell.id: run for run in runs}
        good = rows[(rows["status"] == OK) & rows["checksum"].notna()]
        for cell, checksum in zip(good["cell"], good["checksum"]):
            self.problem(by_cell[cell], float(checksum))

    def problem(self, run: Run, checksum: float | None) -> str:
        """How this checksum differs from the first one at the same point, in a sentence; empty if they agree."""
        if checksum is None:
            return ""
        columns = run.cell.columns
        point = (*(columns[name] for name in POINT), run.trace_hash)
        first, label = self._first.setdefault(point, (checksum, run.cell.label))
        exact = not run.cell.operator or operator_called(run.cell.operator).exact
        tolerance = 0.0 if exact else TOLERANCE
        if math.isclose(first, checksum, rel_tol=tolerance) or (math.isnan(first) and math.isnan(checksum)):
            return ""
        return f"the answers of {run.cell.label} sum to {checksum!r}, those of {label} to {first!r}"
