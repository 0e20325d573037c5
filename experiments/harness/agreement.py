"""Whether algorithms agree: at one point of the grid, the answers to the same queries must have the same sum."""

import math
from collections.abc import Iterable

import pandas as pd

from experiments.harness.feasibility import operator_called
from experiments.harness.plan import Run
from results import OK

POINT = ("experiment", "operator", "workload", "workload_parameters", "window", "distance", "batch", "metric")
"""What runs must share for their answers to be the same: all but the algorithm."""

TOLERANCE = 1e-9
"""Relative difference that the order of floating-point operations may make.

Exact operators have none, nor has what a cell without an operator counts.
"""


class Agreement:
    """The first checksum seen at a point is what the others are compared with.

    `rows` are the good rows of the present code that there are already.
    """

    def __init__(self, rows: pd.DataFrame, runs: Iterable[Run]):
        self._first: dict[tuple, tuple[float, str]] = {}
        by_cell = {run.cell.id: run for run in runs}
        good = rows[(rows["status"] == OK) & rows["checksum"].notna()]
        for cell, checksum in zip(good["cell"], good["checksum"]):
            self.problem(by_cell[cell], float(checksum))

    def problem(self, run: Run, checksum: float | None) -> str:
        """Why these answers are not to be trusted; empty if they agree with those seen first at the same point."""
        if checksum is None:
            return ""
        columns = run.cell.columns
        point = (*(columns[name] for name in POINT), run.trace_hash)
        first, whose = self._first.setdefault(point, (checksum, run.cell.label))
        exact = not run.cell.operator or operator_called(run.cell.operator).exact
        tolerance = 0.0 if exact else TOLERANCE
        if math.isclose(first, checksum, rel_tol=tolerance) or (math.isnan(first) and math.isnan(checksum)):
            return ""
        return f"the answers of {run.cell.label} sum to {checksum!r}, those of {whose} to {first!r}"
