"""The costs of windows, learnt by `python -m experiments.choosing.learn`, and what they say of other points.

For every window, number n of entries, distance d and batch m that were measured it has four numbers, such that

    nanoseconds of a round = own + combines * (cost of a combine) + folded * (cost of a value in a fold)
                             + moved * (cache lines of a partial)

where a window that subtracts has undos in the place of folds. They are fitted over operators whose combines cost from
under one to twenty nanoseconds. Four numbers do not tell everything, such as which branches a processor guesses: so for
each of these operators there is also by how much its own time differs. An operator of the table is expected to differ
as it did; others as those do that cost about the same, and less than they, the farther they are.

Between the points of the grid, the logarithm of the time is interpolated over those of n, m and d + 1. Outside of the
grid the nearest point holds.
"""

import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.windows.choosing.candidates import Candidate, form_of, subtracts
from algorithms.windows.choosing.learnt import learnt
from algorithms.windows.choosing.operator_cost import OperatorCost, name_of
from algorithms.windows.choosing.operator_cost import table as known_costs

CACHE_LINE = 64
"""Bytes."""

LIKE = 0.3
"""How far apart, in natural logarithms of costs, operators are still much alike: the width of a bell curve."""

UNLIKE = 0.1
"""The weight of no difference at all, where that of an operator with the same costs and laws is 1."""

ITSELF = 1e6
"""The weight of an operator for itself."""


class Table:
    """The windows' costs, by n, m and d; and by operator, in the order of `known`, the logarithm of what differs."""

    def __init__(self, windows: Mapping[str, Any], known: Mapping[str, Sequence[str]] | None = None):
        self._known = {name: _known_place(name, laws) for name, laws in (known or {}).items()}
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
        return math.exp(_log_time(grid, (n, batch, d), factors(candidate, op, cost), self._likeness(op, cost)))

    def has(self, candidate: Candidate, op: Any) -> bool:
        """Whether the window was measured at any point, in the form that works for the operator."""
        return line_of(candidate, op) in self._grid

    def _likeness(self, op: Any, cost: OperatorCost) -> list[float]:
        """How much an operator is expected to be like each of the known ones; like itself far more than like others."""
        if (name := name_of(op)) in self._known:
            return [ITSELF if each == name else 0.0 for each in self._known]
        own = _place(cost, np.dtype(op.dtype).itemsize, str(op.takes), op.laws)
        return [math.exp(-0.5 * (_apart(own, place) / LIKE) ** 2) for place in self._known.values()]


class _Place(NamedTuple):
    """Where an operator is among others: logarithms of what it costs and of its width, what it takes, and its laws."""

    costs: tuple[float, ...]
    takes: str
    laws: frozenset[str]


def _place(cost: OperatorCost, width: int, takes: str, laws: Iterable[str]) -> _Place:
    """No cost is told from 0.1 ns, and twice the width counts for half as much as twice a cost."""
    costs = (math.log(max(cost.combine, 0.1)), math.log(max(cost.fold, 0.1)), math.log(width) / 2)
    return _Place(costs, takes, frozenset(laws))


def _known_place(name: str, laws: Iterable[str]) -> _Place:
    takes, width, _ = name.replace(",", "").rsplit(" of ", 1)[-1].split()
    return _place(known_costs()[name], int(width), takes, laws)


def _apart(a: _Place, b: _Place) -> float:
    """How far apart two operators are: another law, or other numbers, count as much as a cost that is e^LIKE times."""
    return math.hypot(math.dist(a.costs, b.costs), LIKE * math.sqrt((a.takes != b.takes) + len(a.laws ^ b.laws)))


def line_of(candidate: Candidate, op: Any) -> str:
    """Where a window with this operator is in the table."""
    form = form_of(candidate.card, op)
    return f"{candidate}, {form}" if form else str(candidate)


def factors(candidate: Candidate, op: Any, cost: OperatorCost) -> tuple[float, ...]:
    """What the four numbers of a point are multiplied with."""
    lines = np.dtype(op.dtype).itemsize / CACHE_LINE
    return 1.0, cost.combine, cost.undo if subtracts(candidate.card, op) else cost.fold, lines


def _log_time(grid: Any, place: tuple[int, ...], times: tuple[float, ...], like: Sequence[float]) -> float:
    """The logarithm of the time at a place in the grid, between the nearest lines of its first axis."""
    if not place:
        return _log_time_of_point(grid, times, like)
    x, rest = place[0], place[1:]
    low = max((key for key in grid if key <= x), default=min(grid))
    high = min((key for key in grid if key >= x), default=max(grid))
    at_low = _log_time(grid[low], rest, times, like)
    if low == high:
        return at_low
    share = (math.log1p(x) - math.log1p(low)) / (math.log1p(high) - math.log1p(low))
    return (1 - share) * at_low + share * _log_time(grid[high], rest, times, like)


def _log_time_of_point(numbers: Sequence[Any], times: tuple[float, ...], like: Sequence[float]) -> float:
    """The fitted time, and what differs from it for operators that are like this one."""
    fitted = math.log(sum(number * each for number, each in zip(numbers[: len(times)], times, strict=True)))
    there = [(weight, off) for weight, off in zip(like, numbers[len(times) :]) if off is not None]
    return fitted + sum(weight * off for weight, off in there) / (UNLIKE + sum(weight for weight, _ in there))


@functools.cache
def shipped() -> Table:
    """The table that comes with the library."""
    return Table(learnt()["windows"], learnt()["known"])
