"""Every short history of a window, in plain Python, against the naive window. Run as a script with NUMBA_DISABLE_JIT=1.

    exhaustive.py sequences fiba 8 4     all sequences of up to 8 operations at times 1 .. 4, min_arity 2
    exhaustive.py basic two_stacks 9     all sequences of up to 9 inserts and evicts
    exhaustive.py slides reactive 8 2 1  two slides by up to 2 of every window in a ring of 8, fifo 1
    exhaustive.py shapes fiba 2 9        every operation from every shape of tree of up to 9 entries, min_arity 2

Two histories that led to the same tree are gone on from only once. That loses nothing: an operation reads the structure
of the tree, the times, and aggregates; and aggregates are a function of structure and entries, which check() verifies
after each step. For windows of another build every history is gone through, or all their memory must be the same.

Prints what was covered as JSON; raises AssertionError with the history that fails.
"""

import dataclasses
import itertools
import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms import catalogue, operators
from algorithms.kernel import as_slots
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
from algorithms.windows.out_of_order.tree import at, row_of
from tests.algorithms.windows.oracle import NaiveWindow, affine

CAPACITY = 24
STRIDE = 16
"""In a search over shapes entry i has the time STRIDE i, so that a run of new ones fits between any two."""
RUNS = (2, 5, 8)
"""Lengths of the runs that such a search inserts in bulk."""


class State(NamedTuple):
    """A window's memory, what it should hold, and how it came about."""

    memory: tuple[bytes, ...]
    entries: tuple[Any, ...]
    history: tuple[Any, ...]


def save(w) -> tuple[bytes, ...]:
    return tuple(np.asarray(field).tobytes() for field in w[1:])


def restore(w, memory: tuple[bytes, ...]) -> None:
    for field, saved in zip(w[1:], memory, strict=True):
        np.asarray(field).view(np.uint8)[:] = np.frombuffer(saved, np.uint8)


def column(numbers) -> Any:
    return as_slots(np.array(numbers, np.int64))


def perform(w, model: NaiveWindow, operation: tuple, serial: int) -> None:
    """One operation on both; `serial` makes the values of a history differ."""
    name, *arguments = operation
    if name == "insert":
        insert(w, arguments[0], 7 * arguments[0] + serial)
        model.insert(arguments[0], 7 * arguments[0] + serial)
    elif name == "evict":
        evict(w)
        model.evict()
    elif name == "evict_at":
        assert bool(evict_at(w, arguments[0])) == model.evict_at(arguments[0]), "evict_at: found"
    elif name == "bulk_evict":
        bulk_evict(w, arguments[0])
        model.bulk_evict(arguments[0])
    else:
        values = [7 * time + serial for time in arguments[0]]
        bulk_insert(w, column(arguments[0]), column(values), 0, len(values))
        for time, value in zip(arguments[0], values, strict=True):
            model.insert(time, value)


def compare(card: Card, w, model: NaiveWindow) -> None:
    """check(), the ends and the query. Leaves out size(), which tidies up in trees."""
    card.check(w)
    assert query(w) == model.query(), f"query {query(w)}, not {model.query()}"
    if model.entries:
        assert (oldest(w), youngest(w)) == (model.entries[0].time, model.entries[-1].time), "oldest or youngest"


def compare_ranges(w, model: NaiveWindow, times) -> None:
    for first, last in itertools.combinations_with_replacement(times, 2):
        expected = model.range_query(first, last)
        assert range_query(w, first, last) == expected, f"range_query({first}, {last}) is not {expected}"


def is_tree(w) -> bool:
    return hasattr(w, "tree")


def row(w, y: int) -> Iterator[tuple[int, bool]]:
    """The positions in the row of a tree's node, and whether a child is there (or an entry)."""
    first, node = row_of(y), at(w.node, y)
    for p in range(first, int(node.end)):
        yield p, node.step == 2 and (p - first) % 2 == 0


def structure(w) -> Any:
    """What two windows must share so that one of them stands for both."""
    if not is_tree(w):
        return tuple(
            np.asarray(field).tobytes() for name, field in zip(w._fields, w, strict=True) if name not in ("op", "agg")
        )

    def below(y: int) -> tuple:
        return tuple(below(int(w.key[p])) if child else int(w.key[p]) for p, child in row(w, y))

    return below(int(w.tree[0].root)), int(w.tree[0].cut) >= 0


def new_window(card: Card, **parameters: int) -> Any:
    fitting = {name: value for name, value in parameters.items() if name in card.parameters}
    return card.new(operators.make("affine"), CAPACITY, **fitting)


def step(card: Card, w, state: State, operation: tuple) -> NaiveWindow:
    """Bring the window into the state, perform the operation on it and the model, compare. Gives the model."""
    restore(w, state.memory)
    model = NaiveWindow(affine, unique=card.order != IN_ORDER)
    model.entries = list(state.entries)
    try:
        perform(w, model, operation, len(state.history))
        compare(card, w, model)
    except (AssertionError, IndexError) as error:
        raise AssertionError(f"{card.name}: {error} after {[*state.history, operation]}") from None
    return model


# ---------------------------------------------------------------------------------- all sequences of up to some length


def operations_at(card: Card, state: State, most: int) -> Iterator[tuple]:
    """Every operation that a window can be asked for, with times 1 .. most; in order: the latest time or the next."""
    times = range(1, most + 1)
    clock = max((np.max(operation[1]) for operation in state.history if "insert" in operation[0]), default=1)
    for time in (clock, clock + 1) if card.order == IN_ORDER else times:
        yield "insert", int(time)
    if state.entries:
        yield ("evict",)
    for name in ("evict_at", "bulk_evict"):
        if name in card.operations:
            yield from ((name, time) for time in times)
    if "bulk_insert" in card.operations:
        here = (int(clock), int(clock) + 1, int(clock) + 1) if card.order == IN_ORDER else times
        yield from (
            ("bulk_insert", batch) for m in range(2, len(here) + 1) for batch in itertools.combinations(here, m)
        )


def basic(card: Card, length: int) -> dict[str, int]:
    """All sequences of up to `length` of the operations that every window has."""
    return sequences(dataclasses.replace(card, operations=("insert", "evict", "query")), length, most=4)


def sequences(card: Card, length: int, most: int) -> dict[str, int]:
    """All sequences of up to `length` operations; each is followed by a query, all range queries and the size."""
    w = new_window(card, min_arity=2)
    level, seen, steps = [State(save(w), (), ())], set(), 0
    for _ in range(length):
        reached = []
        for state in level:
            for operation in operations_at(card, state, most):
                model = step(card, w, state, operation)
                steps += 1
                key = structure(w) if card.order != IN_ORDER else (*state.history, operation)
                memory = save(w)
                if "range_query" in card.operations:
                    compare_ranges(w, model, range(most + 2))
                assert size(w) == len(model), f"{card.name}: size {size(w)} after {[*state.history, operation]}"
                if key not in seen:
                    seen.add(key)
                    reached.append(State(memory, tuple(model.entries), (*state.history, operation)))
        level = reached
    return {"states": len(seen), "steps": steps, "new in the last step": len(level)}


def slides(card: Card, ring: int, most: int, fifo: int = 1) -> dict[str, int]:
    """Two slides by up to `most` out and in, with a query after each, of every window in a ring of that size."""
    w = new_window(card, fifo=fifo)
    empty, steps, moves = save(w), 0, list(itertools.product(range(most + 1), repeat=2))
    for front, entries, *two in itertools.product(range(ring), range(ring + 1), moves, moves):
        restore(w, empty)
        model = NaiveWindow(affine, unique=False)
        filled = [("insert", time) for time in range(front + entries)]
        gone = [("evict",)] * front  # in turns: the window never holds more than it will
        fill = [step for pair in itertools.zip_longest(filled, gone) for step in pair if step]
        times = itertools.count(front + entries)
        for out, into in ((0, 0), *two):
            batch = [("evict",)] * min(out, len(model)) + [("insert", next(times)) for _ in range(into)]
            for operation in [*fill, *batch]:
                perform(w, model, operation, steps := steps + 1)
            fill = []
            try:
                compare(card, w, model)
            except AssertionError as error:
                raise AssertionError(f"{card.name}: {error} after {front}, {entries}, {two}") from None
    return {"states": ring * (ring + 1) * len(moves) ** 2, "steps": steps}


# ------------------------------------------------------------------------------- every operation from every shape


def relabel(w, entries: tuple) -> tuple:
    """Give the entries the times STRIDE, 2 STRIDE and so on: only their order matters to a window."""
    times = itertools.count(STRIDE, STRIDE)

    def walk(y: int) -> None:
        for p, child in row(w, y):
            if child:
                walk(int(w.key[p]))
            else:
                w.key[p] = next(times)

    walk(int(w.tree[0].root))
    return tuple(entry._replace(time=STRIDE * (i + 1)) for i, entry in enumerate(entries))


def operations_from(card: Card, n: int) -> Iterator[tuple]:
    """At each entry and gap of a tree of n entries; bulk inserts of runs in each gap, and of distant pairs."""
    entries, gaps = [STRIDE * (i + 1) for i in range(n)], [STRIDE * i + STRIDE // 2 for i in range(n + 1)]
    everywhere = sorted(entries + gaps)
    yield from (("insert", time) for time in everywhere)
    if n:
        yield ("evict",)
    yield from (("evict_at", time) for time in everywhere)
    yield from (("bulk_evict", time) for time in (gaps[0], *entries))
    yield from (("bulk_insert", tuple(range(gap, gap + m))) for gap in gaps for m in RUNS)
    yield from (("bulk_insert", pair) for pair in itertools.combinations(gaps, 2))


def shapes(card: Card, min_arity: int, most: int) -> dict[str, int]:
    """Every operation from every shape of tree that can be reached without ever holding more than `most` entries."""
    w = new_window(card, min_arity=min_arity)
    waiting, seen, steps = [State(save(w), (), ())], {structure(w)}, 0
    while waiting:
        state = waiting.pop()
        for operation in operations_from(card, len(state.entries)):
            model = step(card, w, state, operation)
            steps += 1
            if len(model) > most:
                continue
            entries = relabel(w, tuple(model.entries))
            key = structure(w)
            if key not in seen:
                seen.add(key)
                model.entries = list(entries)
                compare_ranges(w, model, range(STRIDE // 2, STRIDE * (len(entries) + 1), STRIDE // 2))
                waiting.append(State(save(w), entries, (*state.history, operation)))
    return {"states": len(seen), "steps": steps}


if __name__ == "__main__":
    search, name, *numbers = sys.argv[1:]
    found = {"sequences": sequences, "basic": basic, "slides": slides, "shapes": shapes}[search](
        catalogue()[name], *map(int, numbers)
    )
    print(json.dumps(found))
