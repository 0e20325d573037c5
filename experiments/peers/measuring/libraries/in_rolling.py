"""`algorithms.rolling`, called as docs/rolling.md does; rows out of order are sorted before, as for other libraries."""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.rolling import rolling
from experiments.peers.measuring.columns import KEYED, LATE, MISSING, ROWS, TIME, Column
from experiments.peers.measuring.exact import SEVERAL
from experiments.peers.measuring.libraries import Call

PACKAGE = ""
THREADS = "1; one for each core where there are keys, and in columns of 200,000 rows or more"
KINDS = (ROWS, TIME, LATE, KEYED, MISSING)
TASKS = ("sum", "mean", "std", "min", "max", "argmax", "median", "distinct", "skew", "several")
KINDS_OF = {"argmax": (ROWS, TIME, KEYED, MISSING)}  # of late rows, which are sorted before, it names sorted ones


class Moments(NamedTuple):
    """How many values, their mean, and the sums of squares and of cubes of their distances from it."""

    n: float
    mean: float
    squares: float
    cubes: float


def _combine(a: Moments, b: Moments) -> Moments:
    """Chan, Golub, LeVeque (1979) for squares, Pebay (2008) for cubes: nothing is subtracted but means."""
    n = max(a.n + b.n, 1.0)
    share, apart = b.n / n, b.mean - a.mean
    between = apart * apart * a.n * share
    cubes = between * apart * (a.n - b.n) / n + 3.0 * apart * (a.n * b.squares - b.n * a.squares) / n
    return Moments(a.n + b.n, a.mean + apart * share, a.squares + b.squares + between, a.cubes + b.cubes + cubes)


def _lower(a: Moments) -> float:
    if a.n < 3.0 or a.squares <= 0.0:
        return math.nan
    variance = a.squares / a.n
    return math.sqrt(a.n * (a.n - 1.0)) / (a.n - 2.0) * (a.cubes / a.n) / (variance * math.sqrt(variance))


@functools.cache
def skewness() -> Any:
    """The operator of the task `skew`, as a user would write it."""
    return operators.from_functions(
        lift=lambda v: Moments(1.0, v, 0.0, 0.0),
        combine=_combine,
        lower=_lower,
        identity=Moments(0.0, 0.0, 0.0, 0.0),
        name="skewness",
    )


def prepare(task: str, column: Column, window: int) -> Call:
    operator = {"several": list(SEVERAL), "skew": skewness() if task == "skew" else ""}.get(task, task)
    options: dict[str, Any] = {"min_count": 1} if column.kind in (MISSING, KEYED) else {}
    if column.keys is not None:
        options["by"] = column.keys

    def run() -> Any:
        if column.kind == LATE:
            order = np.argsort(column.times)
            return order, rolling(column.values[order], window, operator, times=column.times[order])
        return None, rolling(column.values, window, operator, times=column.times, **options)

    def read(result: Any) -> dict[str, np.ndarray]:
        order, answers = result
        found = answers if task == "several" else {task: answers}
        return found if order is None else {name: back(order, answer) for name, answer in found.items()}

    return Call(run, read)


def back(order: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Answers in the order of arrival."""
    placed = np.empty_like(answers)
    placed[order] = answers
    return placed
