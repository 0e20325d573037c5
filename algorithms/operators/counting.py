"""An operator that counts: it wraps another operator, returns the same results and counts combines exactly.

The papers prove bounds on the number of combines; a count is free of noise, so a test can assert it.
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots, slots
from algorithms.operators.monoid import (
    combine,
    described,
    extend,
    fold,
    fold_long,
    lift,
    undo,
)
from algorithms.operators.wrapped import wrapper

COMBINES, UNDOS = 0, 1


@wrapper
class Counting(NamedTuple):
    """Another operator, and the number of its combines and undos so far. A fold of k slots counts k - 1."""

    op: Any
    count: Slots

    def combines(self) -> int:
        """Combines since the beginning or the last reset."""
        return int(self.count[COMBINES])

    def undos(self) -> int:
        """Undos since the beginning or the last reset."""
        return int(self.count[UNDOS])

    def reset(self) -> None:
        """Start again from 0."""
        self.count[COMBINES] = 0
        self.count[UNDOS] = 0


def counting(op: Any) -> Counting:
    """The operator, with counts of its combines and undos, from 0.

    Two more instructions a combine. `combines()` and `undos()` read the counts, `reset()` sets them to 0.

    >>> from sliding_windows import operators, window
    >>> op = operators.counting(operators.make("sum"))
    >>> w = window("two_stacks_lite", op, capacity=100)
    >>> w.insert_many([0, 1, 2, 3], [1.0, 2.0, 3.0, 4.0])
    >>> op.reset(); w.evict(); w.query(), op.combines()
    (9.0, 4)
    """
    return Counting(op, slots(2, "i8", "counts"))


@lift.of(Counting)
def _(op, dst, k, value):
    lift(op.op, dst, k, value)


@combine.of(Counting)
def _(op, dst, k, a, i, b, j):
    op.count[COMBINES] += 1
    combine(op.op, dst, k, a, i, b, j)


@fold.of(Counting)
def _(op, dst, k, a, first, last):
    op.count[COMBINES] += last - first - 1
    fold(op.op, dst, k, a, first, last)


@fold_long.of(Counting)
def _(op, dst, k, a, first, last):
    op.count[COMBINES] += last - first - 1
    fold_long(op.op, dst, k, a, first, last)


@extend.of(Counting)
def _(op, dst, k, spare, values, first, last):
    op.count[COMBINES] += last - first
    extend(op.op, dst, k, spare, values, first, last)


@undo.of(Counting)
def _(op, dst, k, a, i, b, j):
    op.count[UNDOS] += 1
    undo(op.op, dst, k, a, i, b, j)


@described.of(Counting)
def _(op):
    return described(op.op)
