"""What a combine of an operator costs: known for the operators of the catalogue, timed for others at first use."""

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import PLAIN, as_slots, driver, opaque, row
from algorithms.operators.monoid import INVERTIBLE, combine, fold_long, lift, partials, undo, value_dtypes
from algorithms.windows.choosing.learnt import learnt

PAIRS, BYTES = 4096, 1 << 17
"""Partials that are combined with their neighbours: so many, or as many as are so large together.

So many that a processor cannot learn which way the branches go, as it does not in a window.
"""

FOLDED = 64
"""Partials of one fold."""

LAPS, LAP_NS = 7, 100_000


class OperatorCost(NamedTuple):
    """Nanoseconds of a combine of two random values, of a value in a fold of 64, and of an undo, if there is one."""

    combine: float
    fold: float
    undo: float = 0.0


@driver
def combines(op, agg, values, pairs, count):
    """`count` combines of neighbours, none of which waits for another."""
    for k in range(pairs):
        lift(op, agg, k, row(values, k))
    for j in range(count):
        k = opaque(j) & (pairs - 1)
        combine(op, agg, pairs + (j & 1), agg, k, agg, k ^ 1)


@driver
def folds(op, agg, values, count):
    """`count` folds of FOLDED partials."""
    for k in range(1, 1 + FOLDED):
        lift(op, agg, k, row(values, k))
    for j in range(count):
        fold_long(op, agg, (opaque(j) & 1) * (1 + FOLDED), agg, 1, 1 + FOLDED)


@driver
def undos(op, agg, values, count):
    """`count` undos of one of FOLDED partials from the last."""
    for k in range(1, 1 + FOLDED):
        lift(op, agg, k, row(values, k))
    for j in range(count):
        undo(op, agg, (opaque(j) & 1) * (1 + FOLDED), agg, FOLDED, agg, 1 + (j & (FOLDED - 1)))


_known: dict[tuple[type, str], OperatorCost] = {}
"""By class and partial: operators that share both run the same code."""


def cost_of(op: Any) -> OperatorCost:
    """The cost of an operator's combines: from the table, or timed, which compiles two or three loops in two seconds.

    In plain Python, where compiled code cannot be timed, a guess from the width of a partial.
    """
    if (name := name_of(op)) in table():
        return table()[name]
    key = type(op), str(op.dtype)
    if key not in _known:
        _known[key] = guessed(op) if PLAIN else measured(op)
    return _known[key]


def name_of(op: Any) -> str:
    """The operator in the table: its name, what it takes, and the bytes of a partial; empty for one of one's own."""
    own = not getattr(type(op), "cached", True)
    return "" if own else f"{op.name} of {op.takes}, {np.dtype(op.dtype).itemsize} bytes"


@functools.cache
def table() -> dict[str, OperatorCost]:
    """The operators that the table knows."""
    return {name: OperatorCost(*cost) for name, cost in learnt()["operators"].items()}


def measured(op: Any) -> OperatorCost:
    """The cost, timed now. Some milliseconds."""
    pairs = 1 << min(PAIRS, BYTES // np.dtype(op.dtype).itemsize).bit_length() - 1
    agg, values = partials(op, pairs + 2 + FOLDED, "agg"), values_for(op, pairs + 2 + FOLDED)
    each = [
        quickest(lambda count: combines(op, agg, values, pairs, count)),
        quickest(lambda count: folds(op, agg, values, count)) / FOLDED,
        quickest(lambda count: undos(op, agg, values, count)) if INVERTIBLE in op.laws else 0.0,
    ]
    return OperatorCost(*(round(ns, 3) for ns in each))


def quickest(run: Callable[[int], None]) -> float:
    """Nanoseconds of one of `count`, in the quickest of some laps: a disturbance makes a lap longer, never shorter.

    They are long if the quickest is: of a few, in a lap that is held up, the call would be what is timed.
    """
    run(0)
    count = 1
    while (elapsed := min(lap(run, count) for _ in range(LAPS))) < LAP_NS:
        count *= 2 if elapsed * 8 > LAP_NS else 8
    return elapsed / count


def lap(run: Callable[[int], None], count: int) -> int:
    start = time.perf_counter_ns()
    run(count)
    return time.perf_counter_ns() - start


def values_for(op: Any, n: int) -> Any:
    """A column of n values as the operator takes them, random numbers from 1 on; two columns where it takes pairs."""
    numbers = np.random.default_rng(n).integers(1, 1 << 20, n)
    try:
        dtypes = value_dtypes(op, 1)
    except ValueError:
        dtypes = value_dtypes(op, 2)
    columns = tuple(as_slots(numbers.astype(dtype)) for dtype in dtypes)
    return columns if len(columns) > 1 else columns[0]


def guessed(op: Any) -> OperatorCost:
    """Two nanoseconds, and one more for each eight numbers of 8 bytes."""
    one = 2.0 + np.dtype(op.dtype).itemsize / 64
    return OperatorCost(one, one, one if INVERTIBLE in op.laws else 0.0)
