"""What an operator is: the contract between windows and monoids.

A window never sees a value of a partial aggregate, only slots of them, so that a number, a record and a set of 16,384
bits obey one contract and nothing is allocated. Write partials left to right in time order; only associativity may be
assumed.

An operator whose partial is a number or a small record is a class of plain functions made a member of this contract by
`value_operator`; partials then travel in registers. One whose partial is wide (a bit set, a list) implements the
contract itself, in destination-passing style.

Laws an operator may declare beyond associativity and identity; tests/laws holds every declaration to account, in both
directions:

    commutative   a + b = b + a
    invertible    b + x = a has a known solution x, so that the oldest value can be taken off again
    selective     a + b is a or b
"""

from typing import Any

import numpy as np

from algorithms.kernel import generic, kernel, load, opaque, partial_dtype, slots, store

COMMUTATIVE, INVERTIBLE, SELECTIVE = "commutative", "invertible", "selective"
LAWS = (COMMUTATIVE, INVERTIBLE, SELECTIVE)


@generic
def lift(op, dst, k, value):
    """dst[k] = the partial aggregate of the one value."""


@generic
def combine(op, dst, k, a, i, b, j):
    """dst[k] = a[i] + b[j], a[i] the older; dst[k] may be a[i] or b[j]."""


@generic
def fold(op, dst, k, a, first, last):
    """dst[k] = a[first] + ... + a[last - 1], at least one; last - first - 1 combines. dst[k] is none of them."""


@generic
def undo(op, dst, k, a, i, b, j):
    """dst[k] = x such that b[j] + x = a[i]: take the oldest part b[j] off a[i]. Invertible operators only."""


@generic
def lower(op, a, i):
    """The number that partial a[i] stands for, as compiled loops consume it."""


@generic
def unit(op, dst, k):
    """dst[k] = the identity."""


@fold.default
def _(op, dst, k, a, first, last):
    dst[k] = a[first]
    for j in range(first + 1, last):
        combine(op, dst, k, dst, k, a, j)


def partials(op: Any, n: int, name: str = "partials"):
    """Slots for n partial aggregates of an operator."""
    return slots(n, op.dtype, name)


def value_operator(cls):
    """Make a NamedTuple with `identity` and plain functions lift, combine, lower (and undo) an operator.

        @value_operator
        class Sum(NamedTuple):
            identity: Any
            def lift(op, value): return value
            def combine(op, a, b): return a + b
            def lower(op, a): return a

    A partial is a number or a NamedTuple of numbers; the identity's type is the partial's type.
    """
    of_lift, of_combine, of_lower = kernel(cls.lift), kernel(cls.combine), kernel(cls.lower)

    @lift.of(cls)
    def _(op, dst, k, value):
        store(dst, k, of_lift(op, value))

    @combine.of(cls)
    def _(op, dst, k, a, i, b, j):
        store(dst, k, of_combine(op, load(a, i, op.identity), load(b, j, op.identity)))

    @fold.of(cls)
    def _(op, dst, k, a, first, last):
        acc = load(a, first, op.identity)
        j = opaque(first + 1)
        while j < last:
            acc = of_combine(op, acc, load(a, j, op.identity))
            j = opaque(j + 1)
        store(dst, k, acc)

    @lower.of(cls)
    def _(op, a, i):
        return of_lower(op, load(a, i, op.identity))

    @unit.of(cls)
    def _(op, dst, k):
        store(dst, k, op.identity)

    if hasattr(cls, "undo"):
        of_undo = kernel(cls.undo)

        @undo.of(cls)
        def _(op, dst, k, a, i, b, j):
            store(dst, k, of_undo(op, load(a, i, op.identity), load(b, j, op.identity)))

    cls.dtype = property(lambda op: partial_dtype(op.identity))
    return cls


def lowest(dtype) -> int | float:
    """The least value of a dtype, the identity of max: -inf, or the least int64 (not 0: values may be negative)."""
    return -np.inf if np.dtype(dtype).kind == "f" else int(np.iinfo(np.int64).min)


def highest(dtype) -> int | float:
    """The greatest value of a dtype, the identity of min."""
    return np.inf if np.dtype(dtype).kind == "f" else int(np.iinfo(np.int64).max)
