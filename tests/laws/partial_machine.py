"""A small machine over slots of partial aggregates: one compiled driver for every step of every test of an operator.

Run as a script it prints the results of random programs, for comparing compiled code with plain Python.
"""

import itertools
import json
import math
import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import Slots, driver, row, slots
from algorithms.operators.monoid import INVERTIBLE, combine, fold, lift, lower, undo, unit

LIFT, UNIT, COMBINE, FOLD, LOWER, UNDO = range(6)

PARAMETERS = {"collect": {"capacity": 3}, "concat": {"capacity": 3}, "bloom": {"bits": 512, "probe": 2}}
"""Small, so that lists overflow."""


def cases() -> dict[str, Any]:
    """Every operator in every version, by a readable id."""
    made = {}
    for name in operators.names():
        for dtype in ("int64", "float64"):
            if name not in ("affine", "concat") or dtype == "int64":
                made[f"{name}-{dtype}"] = operators.make(name, dtype, **PARAMETERS.get(name, {}))
    return made | {"affine-101": operators.make("affine", modulus=101)}


CASES = cases()
INT_VALUES = [0, 1, -1, 2, 7, 7, -7, 2**63 - 1, -(2**63), 2**63 - 2]
FLOAT_VALUES = [0.0, 1.5, -1.5, 2.0, 7.25, 7.25, -0.1, math.inf, -math.inf, 1e300, math.nan]
ROUNDED_VALUES = [0.0, 1.5, -1.5, 2.0, 7.25, 7.25, -0.1, 123.4]
POSITIVE_VALUES = [1.0, 0.5, 2.0, 3.7, 1e-6, 1e9]
STRINGS = ["a", "b", "ab", "a", "ÿ", "abc", "bca"]


def values_for(op: Any) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Values worth trying: negatives, zeros, ties and the extremes of what the operator's laws hold for."""
    if op.name == "concat":
        return np.array([operators.encode(op, text) for text in STRINGS])
    if op.name == "geometric_mean":
        return np.array(POSITIVE_VALUES)
    column = np.array(INT_VALUES if op.takes == "int64" else FLOAT_VALUES if op.exact else ROUNDED_VALUES)
    if op.name.startswith("arg"):
        return column, np.arange(len(column)).astype(op.takes)
    return column


STEP = np.dtype([("code", "i8"), ("k", "i8"), ("i", "i8"), ("j", "i8")])


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
    """Slots of partials of one operator, the values to lift, and the numbers lowered so far."""

    def __init__(self, op: Any, size: int, values: Any = None):
        self.op, self.size = op, size
        values = values_for(op) if values is None else values
        self.values = tuple(map(as_slots, values)) if isinstance(values, tuple) else as_slots(values)
        self.partials: Slots = operators.partials(op, size)
        self.out = slots(size, "f8" if op.takes == "float64" or op.name == "arithmetic_mean" else "i8")

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
        """Every partial as plain Python that can be compared: what is beyond a list's end does not count."""
        raw = np.asarray(self.partials)
        names = raw.dtype.names or ()
        if "kept" in names:
            capacity = PARAMETERS[self.op.name]["capacity"]
            pairs = zip(raw["total"].tolist(), raw["kept"].tolist(), strict=True)
            return [(total, *(known(x) for x in kept[: min(total, capacity)])) for total, kept in pairs]
        if "words" in names:
            return [tuple(words) for words in raw["words"].tolist()]
        return [tuple(map(known, p)) if isinstance(p, tuple) else known(p) for p in raw.tolist()]


def as_slots(array: np.ndarray) -> Slots:
    """Slots with the contents of an array."""
    made = slots(len(array), array.dtype)
    made[:] = array
    return made


def known(x: float) -> float | str:
    """The number; NaN as a text, which equals itself."""
    return "nan" if x != x else x


def alike(op: Any, left: Any, right: Any, digits: float = 1e-9) -> bool:
    """Equality of states, up to rounding where the operator is not exact."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(alike(op, x, y, digits) for x, y in zip(left, right, strict=True))
    if op.exact or isinstance(left, str) or isinstance(right, str):
        return left == right
    return math.isclose(left, right, rel_tol=digits, abs_tol=1e-7)


def random_program(op: Any, size: int, length: int, seed: int) -> list[tuple[int, int, int, int]]:
    """Lifts, then combines and folds (often over their own sources), undos where there are any; at last all lowered."""
    chance, half = random.Random(seed), size // 2
    values = values_for(op)
    count = len(values[0]) if isinstance(values, tuple) else len(values)
    steps = [(LIFT, k, chance.randrange(count), 0) for k in range(half)] + [(UNIT, k, 0, 0) for k in range(half, size)]
    codes = [LIFT, UNIT, COMBINE, COMBINE, COMBINE, FOLD] + ([UNDO] if INVERTIBLE in op.laws else [])
    for _ in range(length):
        code, k, i, j = chance.choice(codes), *(chance.randrange(size) for _ in range(3))
        if code == LIFT:
            i = chance.randrange(count)
        elif code == COMBINE and chance.random() < 0.5:
            k = chance.choice((i, j))
        elif code == FOLD:
            k, i, j = chance.randrange(half), half + i // 4, half + i // 4 + 1 + j // 4
        elif code == UNDO:  # of a sum that is there, so that no rounding error grows
            steps += [(COMBINE, k, i, j)] if k not in (i, j) else []
            k, i, j = (k, k, i) if k not in (i, j) else (k, i, j)
        steps.append((code, k, i, j))
    return steps + [(LOWER, k, k, 0) for k in range(size)]


def random_results() -> dict[str, list[Any]]:
    """Of every operator, the final partials and numbers of a random program."""
    results = {}
    for case, op in CASES.items():
        machine = Machine(op, 16)
        machine.steps(random_program(op, 16, 250, seed=len(case)))
        results[case] = [machine.states(), [known(x) for x in machine.out.tolist()]]
    return results


if __name__ == "__main__":
    print(json.dumps(random_results()))
