"""Operators of one's own, run in a new process: what they give, and how often compiled code was found on disk.

Arguments: for each operator a factor, "helped:" before it for one whose code cannot be kept, "bare:" for a lambda that
has the name and the types of another.
"""

import json
import sys
from typing import NamedTuple

import numba
import numpy as np

from algorithms import operators
from algorithms.operators.machine import FOLD, LIFT, LOWER, run
from tests.algorithms.operators.partial_machine import Machine


class Pair(NamedTuple):
    n: int
    total: float


FACTOR = 1.0


@numba.njit
def helped(v):
    return v * FACTOR


def made(text: str):
    """The sum of the values times the factor."""
    global FACTOR
    kind, _, number = text.rpartition(":")
    FACTOR = float(number)
    if kind == "bare":
        factor = FACTOR
        return operators.from_functions(lambda v: v * factor, lambda a, b: a + b, lambda a: a, 0.0)
    lift = (lambda v: Pair(1, helped(v))) if kind == "helped" else (lambda v: Pair(1, v * FACTOR))
    return operators.from_functions(
        lift, lambda a, b: Pair(a.n + b.n, a.total + b.total), lambda a: a.total, Pair(0, 0.0)
    )


def total(op) -> float:
    machine = Machine(op, 3, np.array([1.0, 4.0]))
    machine.steps([(LIFT, 0, 0, 0), (LIFT, 1, 1, 0), (FOLD, 2, 0, 2), (LOWER, 0, 2, 0)])
    return float(machine.out[0])


def main() -> None:
    all_made = [made(text) for text in sys.argv[1:]]  # the last factor is the global from here on
    print(json.dumps([[total(op) for op in all_made], sum(run.stats.cache_hits.values())]))


if __name__ == "__main__":
    main()
