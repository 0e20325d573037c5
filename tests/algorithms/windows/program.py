"""Programs: columns of operations that one compiled driver runs on any window, with the answer and the cost of each.

The same driver serves the comparison of compiled code with plain Python, checked mode, patterns and combine counts. Run
as a script it prints the hashes of all answers of long random programs:

    program.py fiba 60000:2 40000:5     60,000 operations, min_arity 2, then 40,000, min_arity 5
"""

import hashlib
import json
import random
import sys
from typing import Any, NamedTuple

import numpy as np

from algorithms import catalogue, operators
from algorithms.kernel import Slots, as_slots, driver, generic, slots
from algorithms.operators.counting import COMBINES, Counting
from algorithms.windows.contract import (
    IN_ORDER,
    Card,
    bulk_evict,
    bulk_insert,
    evict,
    evict_at,
    insert,
    oldest,
    query,
    range_query,
    size,
    youngest,
)

INSERT, EVICT, QUERY, ENDS, EVICT_AT, BULK_EVICT, BULK_INSERT, RANGE = range(8)

STEP = np.dtype([("code", "i8"), ("a", "i8"), ("b", "i8")])
"""INSERT: time a, value b. EVICT_AT, BULK_EVICT: time a. BULK_INSERT: items a .. b - 1 of the columns. RANGE: a to b.
ENDS: oldest + 3 youngest + 5 size, of a window that is not empty."""


class Columns(NamedTuple):
    """Times and values that bulk inserts take their items from."""

    times: Slots
    values: Slots


@generic
def combines_of(op):
    """How often the operator has combined so far; 0 if it does not count."""


@combines_of.of(Counting)
def _(op):
    return op.count[COMBINES]


@combines_of.default
def _(op):
    return 0


@driver
def run(w, steps, count, times, values, answers, costs, evicts_at, evicts_bulk, inserts_bulk, ranges):
    """Run the steps; answers[s] and costs[s] are what step s gave and the combines it took.

    The last four arguments say what the window's card lists, True or None: compiled code drops the branches of None
    before it looks for an implementation, if nothing else is asked in the same `if`.
    """
    # ruff: noqa: SIM102
    for s in range(count):
        code, a, b = steps[s].code, steps[s].a, steps[s].b
        answer, before = 0, combines_of(w.op)
        if code == INSERT:
            insert(w, a, b)
        elif code == EVICT:
            evict(w)
        elif code == QUERY:
            answer = query(w)
        elif code == ENDS:
            answer = oldest(w) + 3 * youngest(w) + 5 * size(w)
        if evicts_at is not None:
            if code == EVICT_AT:
                answer = int(evict_at(w, a))
        if evicts_bulk is not None:
            if code == BULK_EVICT:
                bulk_evict(w, a)
        if inserts_bulk is not None:
            if code == BULK_INSERT:
                bulk_insert(w, times, values, a, b)
        if ranges is not None:
            if code == RANGE:
                answer = range_query(w, a, b)
        answers[s] = answer
        costs[s] = combines_of(w.op) - before


def column(numbers: Any) -> Slots:
    return as_slots(np.array(numbers, np.int64))


NO_COLUMNS = Columns(column([0]), column([0]))


def columns_of(times: Any, values: Any) -> Columns:
    return Columns(column(times), column(values))


def execute(card: Card, w: Any, steps: Any, columns: Columns = NO_COLUMNS) -> tuple[np.ndarray, np.ndarray]:
    """Answers and costs of the steps (code, a, b), int64, as many as steps."""
    program = slots(len(steps), STEP, "steps")
    table = np.asarray(steps, np.int64).reshape(-1, 3)
    for n, name in enumerate(STEP.names):
        np.asarray(program)[name] = table[:, n]
    answers, costs = column(np.zeros(len(steps), np.int64)), column(np.zeros(len(steps), np.int64))
    has = (name in card.operations or None for name in ("evict_at", "bulk_evict", "bulk_insert", "range_query"))
    run(w, program, len(steps), *columns, answers, costs, *has)
    return np.asarray(answers), np.asarray(costs)


# ------------------------------------------------------------------------------------------------------ random programs

MOST = 60
"""Entries that a random program keeps at most in the window."""
SPAN = 200
"""Its times lie in a stretch of this length that moves on."""


def random_program(card: Card, length: int, seed: int) -> tuple[list[tuple[int, int, int]], Columns]:
    """Operations of all kinds that the card lists, the window growing and shrinking between empty and MOST entries."""
    chance = random.Random(seed)
    codes = [INSERT, EVICT, QUERY, ENDS] + [
        code
        for name, code in (
            ("evict_at", EVICT_AT),
            ("bulk_evict", BULK_EVICT),
            ("bulk_insert", BULK_INSERT),
            ("range_query", RANGE),
        )
        if name in card.operations
    ]
    entries: list[int] = []
    steps: list[tuple[int, int, int]] = []
    batched: list[tuple[int, int]] = []
    start, growing = 0, True
    while len(steps) < length:
        if not entries or len(entries) > MOST - 10:
            growing = not entries
        start += chance.random() < 0.1
        code = chance.choice([*codes, INSERT] if growing else [*codes, EVICT])
        time, value = start + chance.randrange(SPAN), chance.randrange(-(2**40), 2**40)
        if card.order == IN_ORDER:
            time = max([*entries[-1:], start]) + chance.randrange(3)
        if code in (EVICT, ENDS) and not entries:
            continue
        if code == INSERT and len(entries) < MOST:
            steps.append((INSERT, time, value))
            entries.append(time)
        elif code == EVICT:
            steps.append((EVICT, 0, 0))
            entries.remove(min(entries))
        elif code == EVICT_AT:
            time = chance.choice([time, *entries])
            steps.append((EVICT_AT, time, 0))
            if time in entries:
                entries.remove(time)
        elif code == BULK_EVICT and chance.random() < 0.3:
            time = chance.choice(sorted(entries)[: len(entries) // 2 + 1]) if entries else time
            steps.append((BULK_EVICT, time, 0))
            entries = [entry for entry in entries if entry > time]
        elif code == BULK_INSERT and len(entries) < MOST - 9 and chance.random() < 0.3:
            new = sorted(time + chance.randrange(20) for _ in range(chance.randrange(10)))
            steps.append((BULK_INSERT, len(batched), len(batched) + len(new)))
            batched += [(one, chance.randrange(-1000, 1000)) for one in new]
            entries += new
        elif code in (QUERY, ENDS):
            steps.append((code, 0, 0))
        elif code == RANGE:
            steps.append((RANGE, time, time + chance.randrange(-1, SPAN // 2)))
        if card.order != IN_ORDER:
            entries = sorted(set(entries))
    times, values = zip(*batched, (0, 0), strict=True)
    return steps, columns_of(times, values)


def counted_maps() -> Any:
    """Affine maps that count: what most programs run on, so that they are compiled once for all tests."""
    return operators.counting(operators.make("affine"))


def random_answers(card: Card, length: int, seed: int = 1, **parameters: int) -> np.ndarray:
    """The answers of a random program on a new window of affine maps."""
    fitting = {name: value for name, value in parameters.items() if name in card.parameters}
    w = card.new(counted_maps(), MOST, **fitting)
    answers, _ = execute(card, w, *random_program(card, length, seed))
    card.check(w)
    return answers


def hashes(name: str, parts: list[str]) -> list[str]:
    """Of the answers of the parts, such as "60000:2"."""
    pairs = [tuple(map(int, part.split(":"))) for part in parts]
    answers = [random_answers(catalogue()[name], length, seed=seed, min_arity=seed) for length, seed in pairs]
    return [hashlib.sha256(given.tobytes()).hexdigest() for given in answers]


if __name__ == "__main__":
    print(json.dumps(hashes(sys.argv[1], sys.argv[2:])))
