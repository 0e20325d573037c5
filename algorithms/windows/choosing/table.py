"""The costs of windows, learnt by `python -m experiments.choosing.learn`, and what they say of other points.

For every window, number n of entries, distance d and batch m that were measured it has four numbers, such that

    nanoseconds of a round = own + combines * (cost of a combine) + folded * (cost of a value in a fold)
                             + moved * (cache lines of a partial)

where a window that subtracts has undos in the place of folds. They are fitted over operators whose combines cost from
under one to twenty nanoseconds. Between the points of the grid, the logarithm of the time is interpolated over those of
n, m and d + 1. Outside of the grid the nearest point holds.
"""

import functools
import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.windows.choosing.candidates import Candidate, form_of, subtracts
from algorithms.windows.choosing.learnt import learnt
from algorithms.windows.choosing.operator_cost import OperatorCost

CACHE_LINE = 64
"""Bytes."""


class Table:
    """The windows' costs, by n, m and d."""

    def __init__(self, windows: Mapping[str, Any]):
        self._grid: dict[str, dict[int, Any]] = {}
        for window, points in windows.items():
            grid = self._grid[window] = defaultdict(lambda: defaultdict(dict))
            for n, d, m, *numbers in points:
                grid[n][m][d] = numbers
        self._most = max((n for grid in self._grid.values() for n in grid), default=0)

    def round_of(self, candidate: Candidate, op: Any, cost: OperatorCost, n: int, d: int, batch: int) -> float | None:
        """Nanoseconds of a round; None of a window that is not in the table, or was too slow to be measured at n."""
        grid = self._grid.get(line_of(candidate, op))
        if not grid or max(grid) < min(n, self._most):
            return None
        return math.exp(_log_time(grid, (n, batch, d), factors(candidate, op, cost)))


def line_of(candidate: Candidate, op: Any) -> str:
    """Where a window with this operator is in the table."""
    form = form_of(candidate.card, op)
    return f"{candidate}, {form}" if form else str(candidate)


def factors(candidate: Candidate, op: Any, cost: OperatorCost) -> tuple[float, ...]:
    """What the four numbers of a point are multiplied with."""
    lines = np.dtype(op.dtype).itemsize / CACHE_LINE
    return 1.0, cost.combine, cost.undo if subtracts(candidate.card, op) else cost.fold, lines


def _log_time(grid: Any, place: tuple[int, ...], times: tuple[float, ...]) -> float:
    """The logarithm of the time at a place in the grid, between the nearest lines of its first axis."""
    if not place:
        return math.log(sum(number * each for number, each in zip(grid, times, strict=True)))
    x, rest = place[0], place[1:]
    low = max((key for key in grid if key <= x), default=min(grid))
    high = min((key for key in grid if key >= x), default=max(grid))
    at_low = _log_time(grid[low], rest, times)
    if low == high:
        return at_low
    share = (math.log1p(x) - math.log1p(low)) / (math.log1p(high) - math.log1p(low))
    return (1 - share) * at_low + share * _log_time(grid[high], rest, times)


@functools.cache
def shipped() -> Table:
    """The table that comes with the library."""
    return Table(learnt()["windows"])
