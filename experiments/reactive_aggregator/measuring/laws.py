"""Tests of operators' laws: whether each holds for partials drawn from telling values, with a counterexample if not.

No declaration of an operator is trusted, except whether it has an `undo`. All versions of an operator (int64,
float64) are tried by the compiled code that windows use. Partials are the identity, single values and sums of up to
four of them, among them negatives, zeros, ties and extremes.
"""

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from algorithms import operators
from algorithms.operators.machine import COMBINE, LIFT, UNDO, UNIT, Machine, alike, telling_values
from algorithms.operators.monoid import INVERTIBLE
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement

LAWS = ("associative", "identity", "invertible", "commutative")

SUMS, PARTS = 40, 4
"""Sums among the partials, and the most values in each."""

Step = tuple[int, int, int, int]
Sides = Callable[[tuple[int, ...], int, int], Iterator[Step]]
"""From the slots of a trial's partials, and two free slots, to the steps that put the two sides of a law into these."""


class Law(NamedTuple):
    """A law over one partial for each letter, and its two sides in words and as steps."""

    letters: str
    left: str
    right: str
    sides: Sides


def _associative(picked: tuple[int, ...], left: int, right: int) -> Iterator[Step]:
    a, b, c = picked
    yield from ((COMBINE, left, a, b), (COMBINE, left, left, c), (COMBINE, right, b, c), (COMBINE, right, a, right))


def _identity(picked: tuple[int, ...], left: int, right: int) -> Iterator[Step]:
    yield from ((UNIT, left, 0, 0), (COMBINE, right, picked[0], left), (COMBINE, left, left, picked[0]))


def _commutative(picked: tuple[int, ...], left: int, right: int) -> Iterator[Step]:
    yield from ((COMBINE, left, picked[0], picked[1]), (COMBINE, right, picked[1], picked[0]))


ASSOCIATIVE = Law("abc", "(a + b) + c", "a + (b + c)", _associative)
IDENTITY = Law("a", "identity + a", "a + identity", _identity)
COMMUTATIVE = Law("ab", "a + b", "b + a", _commutative)


class Drawn(NamedTuple):
    """A machine, and how many of its slots hold drawn partials; the others are free."""

    machine: Machine
    count: int


def drawn(op: Any, chance: random.Random, room: Callable[[int], int]) -> Drawn:
    """The identity, each telling value and SUMS sums of them; `room` of their number free slots."""
    values = telling_values(op)
    lifted = len(values[0]) if isinstance(values, tuple) else len(values)
    count = 1 + lifted + SUMS
    machine = Machine(op, count + room(count), values)
    steps = [(UNIT, 0, 0, 0), *((LIFT, 1 + i, i, 0) for i in range(lifted))]
    for k in range(1 + lifted, count):
        first, *others = (chance.randint(1, lifted) for _ in range(chance.randint(2, PARTS)))
        steps.append((COMBINE, k, first, others[0]))
        steps += [(COMBINE, k, k, other) for other in others[1:]]
    machine.steps(steps)
    return Drawn(machine, count)


def text_of(op: Any, state: Any) -> str:
    """A partial's state as text: a number, a list, or fields with their names."""
    if not isinstance(state, tuple):
        return f"{state}"
    if "kept" in op.dtype.names:
        return f"{list(state[2:])}"
    return "(" + ", ".join(f"{name} {value}" for name, value in zip(op.dtype.names, state, strict=False)) + ")"


def tried(op: Any, law: Law, trials: int, chance: random.Random) -> tuple[int, str]:
    """The number of trials, and a counterexample to the law, empty if it held in all. O(trials) combines.

    A law over one or two partials is tried on all that are drawn, one over three on `trials` triples.
    """
    exhaustive = len(law.letters) < 3
    machine, count = drawn(op, chance, lambda count: 2 * (count ** len(law.letters) if exhaustive else trials))
    every = itertools.product(range(count), repeat=len(law.letters))
    picks = list(every) if exhaustive else [tuple(chance.randrange(count) for _ in range(3)) for _ in range(trials)]
    places = [(count + 2 * n, count + 2 * n + 1) for n in range(len(picks))]
    machine.steps(step for picked, (left, right) in zip(picks, places) for step in law.sides(picked, left, right))
    states = machine.states()
    for picked, (left, right) in zip(picks, places):
        if not alike(op, states[left], states[right]) or (law is IDENTITY and states[left] != states[picked[0]]):
            partials = ", ".join(f"{letter} = {text_of(op, states[k])}" for letter, k in zip(law.letters, picked))
            sides = f"{law.left} = {text_of(op, states[left])}, {law.right} = {text_of(op, states[right])}"
            return len(picks), f"{partials}: {sides}"
    return len(picks), ""


def undone(op: Any, chance: random.Random) -> tuple[int, str]:
    """As `tried`, for all pairs: whether x comes back from b + x; without an `undo`, whether it could: b + x differs
    for every x. O(count^2) combines.

    Table 2 has (x + y) - y = x. Here the left operand is taken back, the oldest part, as a window does.
    """
    machine, n = drawn(op, chance, lambda count: 2 * count * count)
    pairs = [(b, x, n + b * n + x) for b in range(n) for x in (*range(1, n), 0)]
    machine.steps((COMBINE, place, b, x) for b, x, place in pairs)
    if INVERTIBLE in op.laws:
        machine.steps((UNDO, place + n * n, place, b) for b, x, place in pairs)
        states = machine.states()
        for b, x, place in pairs:
            if not alike(op, states[place + n * n], states[x]):
                both = f"b = {text_of(op, states[b])}, x = {text_of(op, states[x])}"
                return len(pairs), f"{both}: undo(b + x, b) = {text_of(op, states[place + n * n])}"
        return len(pairs), ""
    states, seen = machine.states(), {}
    for b, x, place in pairs:
        other = seen.setdefault((b, states[place]), x)
        if states[other] != states[x]:
            both = f"b + {text_of(op, states[other])} = b + {text_of(op, states[x])} = {text_of(op, states[place])}"
            return len(pairs), f"b = {text_of(op, states[b])}: {both}"
    return len(pairs), ""


def _row(cell: Cell, of_version: Callable[[Any, int, random.Random], tuple[int, str]]) -> dict[str, Any]:
    """1 if the law held for all versions of the operator, else 0; the counterexample is in the facts."""
    settings = cell.stream
    facts: dict[str, Any] = {"versions": [], "up_to_rounding": False, "counterexample": ""}
    trials = 0
    by_dtype = {
        dtype: operators.make_for(cell.operator, dtype, 3 * PARTS) for dtype in operators.versions(cell.operator)
    }
    different = {(str(op.dtype), op.takes): (dtype, op) for dtype, op in by_dtype.items()}  # count is the same for all
    for dtype, op in different.values():
        chance = random.Random(f"{settings['seed']} {cell.operator} {dtype}")
        count, counterexample = of_version(op, settings["trials"], chance)
        trials += count
        facts["versions"].append(dtype)
        facts["up_to_rounding"] |= not op.exact
        if counterexample and not facts["counterexample"]:
            facts["counterexample"] = f"{dtype}: {counterexample}"
    holds = not facts["counterexample"]
    return {"value": float(holds), "operations": trials, "checksum": None, "facts": facts}


@measurement("laws.associative", counted=True)
def associative(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Whether (a + b) + c = a + (b + c)."""
    return _row(cell, lambda op, trials, chance: tried(op, ASSOCIATIVE, trials, chance))


@measurement("laws.identity", counted=True)
def identity(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Whether identity + a = a = a + identity."""
    return _row(cell, lambda op, trials, chance: tried(op, IDENTITY, trials, chance))


@measurement("laws.commutative", counted=True)
def commutative(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Whether a + b = b + a."""
    return _row(cell, lambda op, trials, chance: tried(op, COMMUTATIVE, trials, chance))


@measurement("laws.invertible", counted=True)
def invertible(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Whether undo(b + x, b) = x: the oldest part can be taken off again."""
    return _row(cell, lambda op, trials, chance: undone(op, chance))
