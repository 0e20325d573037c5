"""A small machine over slots of partial aggregates, compiled as windows are, on which the laws of operators are tried.

machine = Machine(op, 4, telling_values(op))
machine.steps([(LIFT, 0, 5, 0), (LIFT, 1, 3, 0), (COMBINE, 2, 0, 1), (COMBINE, 3, 1, 0)])
a_then_b, b_then_a = machine.states()[2:]
"""

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from algorithms.kernel import Slots, as_slots, driver, row, slots
from algorithms.operators.monoid import FLOATS, combine, encode, fold, lift, lower, partials, undo, unit

LIFT, UNIT, COMBINE, FOLD, LOWER, UNDO = range(6)

STEP = np.dtype([("code", "i8"), ("k", "i8"), ("i", "i8"), ("j", "i8")])
"""Slot k = LIFT: value i. UNIT: the identity. COMBINE: i + j. FOLD: i + ... + (j - 1). UNDO: i with j taken off.
LOWER: out[k] = the number that slot i stands for."""

WHOLE_32 = (0, 1, -1, 2, 7, 7, -7, 2**31 - 1, -(2**31), 2**31 - 2)
WHOLE = (0, 1, -1, 2, 7, 7, -7, 2**63 - 1, -(2**63), 2**63 - 2)
REAL = (0.0, 1.5, -1.5, 2.0, 7.25, 7.25, -0.1, math.inf, -math.inf, 1e300, math.nan)
ROUNDED = (0.0, 1.5, -1.5, 2.0, 7.25, 7.25, -0.1, 123.4)
POSITIVE = (1.0, 0.5, 2.0, 3.7, 1e-6, 1e9)
STRINGS = ("a", "b", "ab", "a", "ÿ", "abc", "bca")


def telling_values(op: Any) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Values worth trying: negatives, zeros, ties and the extremes of what the operator's laws hold for.

    A column of the dtype that the operator takes; of ArgMax and ArgMin a column of measures and one of arguments.
    """
    if op.name == "concat":
        return np.array([encode(op, text) for text in STRINGS])
    if op.name == "geometric_mean":
        return np.array(POSITIVE)
    whole = WHOLE if op.takes == "int64" else WHOLE_32 if op.takes == "int32" else ()
    with np.errstate(over="ignore"):  # what float32 has only infinity for
        column = np.array(whole or (REAL if op.exact else ROUNDED)).astype(op.takes)
    if op.name.startswith("arg"):
        return column, np.arange(len(column)).astype(op.takes)
    return column


@driver
def run(op, a, out, program, first, last, values):
    for s in range(first, last):
        code, k, i, j = program[s].code, program[s].k, program[s].i, program[s].j
        if code == LIFT:
            lift(op, a, k, row(values, i))
        elif code == UNIT:
            unit(op, a, k)
        elif code == COMBINE:
            combine(op, a, k, a, i, a, j)
        elif code == FOLD:
            fold(op, a, k, a, i, j)
        else:
            out[k] = lower(op, a, i)


@driver
def run_undo(op, a, program, first, last):
    for s in range(first, last):
        undo(op, a, program[s].k, a, program[s].i, a, program[s].j)


class Machine:
    """`size` slots of partials of one operator, the values to lift, and the numbers lowered so far."""

    def __init__(self, op: Any, size: int, values: Any):
        self.op, self.size = op, size
        self.values = tuple(map(as_slots, values)) if isinstance(values, tuple) else as_slots(values)
        self.partials: Slots = partials(op, size)
        self.out = slots(size, "f8" if op.takes in FLOATS or op.name == "arithmetic_mean" else "i8")

    def steps(self, steps: Iterable[tuple[int, int, int, int]]) -> None:
        """Run steps (code, k, i, j); runs of UNDO go to a driver of their own, which not every operator has."""
        program = as_slots(np.array(list(steps), STEP))
        undos = np.asarray(program)["code"] == UNDO
        bounds = [0, *(np.flatnonzero(np.diff(undos)) + 1).tolist(), len(program)]
        for first, last in itertools.pairwise(bounds):
            if undos[first]:
                run_undo(self.op, self.partials, program, first, last)
            else:
                run(self.op, self.partials, self.out, program, first, last, self.values)

    def states(self) -> list[Any]:
        """Every partial as plain Python that can be compared; what lies beyond a list's end does not count."""
        raw = np.asarray(self.partials)
        names = raw.dtype.names or ()
        if "kept" in names:
            lists = zip(raw["total"].tolist(), raw["lost"].tolist(), raw["kept"].tolist(), strict=True)
            return [(total, lost, *map(known, kept[:total])) for total, lost, kept in lists]
        if names in (("words",), ("registers",), ("counts",)):  # of bloom, hyperloglog, ddsketch
            return [tuple(numbers) for numbers in raw[names[0]].tolist()]
        return [tuple(map(known, state)) if isinstance(state, tuple) else known(state) for state in raw.tolist()]


def known(x: float) -> float | str:
    """The number; NaN as a text, which equals itself."""
    return "nan" if x != x else x


def alike(op: Any, left: Any, right: Any, digits: float = 1e-9) -> bool:
    """Equality of states, up to rounding where the operator is not exact."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(alike(op, x, y, digits) for x, y in zip(left, right, strict=True))
    if op.exact or isinstance(left, str) or isinstance(right, str):
        return left == right
    if op.takes == "float32":  # has seven digits
        return math.isclose(left, right, rel_tol=max(digits, 1e-5), abs_tol=1e-4)
    return math.isclose(left, right, rel_tol=digits, abs_tol=1e-7)
