"""Every operator in every version, and random programs of all of them on the machine of algorithms.operators.machine.

Run as a script it prints the results of random programs, for comparing compiled code with plain Python.
"""

import json
import random
from typing import Any

from algorithms import operators
from algorithms.operators import machine
from algorithms.operators.machine import COMBINE, FOLD, LIFT, LOWER, UNDO, UNIT, known, telling_values
from algorithms.operators.monoid import INVERTIBLE
from algorithms.operators.registry import narrow_versions

PARAMETERS = {"collect": {"capacity": 8}, "concat": {"capacity": 3}, "bloom": {"bits": 512, "probe": 2}}
PARAMETERS |= {"hyperloglog": {"precision": 4}, "ddsketch": {"accuracy": 0.3}}
"""Small, so that strings overflow. Lists of "collect-3" do, those of the other two only in random programs."""


def cases() -> dict[str, Any]:
    """Every operator in every version, by a readable id."""
    made = {}
    for name in operators.names():
        for dtype in operators.versions(name):
            made[f"{name}-{dtype}"] = operators.make(name, dtype, **PARAMETERS.get(name, {}))
        for dtype in narrow_versions(name):
            if (op := operators.make(name, dtype)).takes == dtype:  # count and deviations are the same for all numbers
                made[f"{name}-{dtype}"] = op
    return made | {
        "affine-101": operators.make("affine", modulus=101),
        "collect-3": operators.make("collect", "int64", capacity=3),
    }


CASES = cases()


class Machine(machine.Machine):
    """The machine, with values worth trying unless others are given."""

    def __init__(self, op: Any, size: int, values: Any = None):
        super().__init__(op, size, telling_values(op) if values is None else values)


def random_program(op: Any, size: int, length: int, seed: int) -> list[tuple[int, int, int, int]]:
    """Lifts, then combines and folds (often over their own sources), undos where there are any; at last all lowered."""
    chance, half = random.Random(seed), size // 2
    values = telling_values(op)
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
        elif code == UNDO:  # of a sum that is there; into its own slot, or that of the part taken off
            if k in (i, j):
                continue
            steps.append((COMBINE, k, i, j))
            k, i, j = chance.choice((k, i)), k, i
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
