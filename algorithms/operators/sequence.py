"""Collect and concat: the values of a window themselves, in order, up to a capacity.

Partials have a fixed size, so the free monoid is cut off: the first `capacity` values are kept, and how many there were
altogether. Cutting off is associative, but it loses what undo would need: Table 2 of the Reactive Aggregator paper
calls Collect invertible, which holds for its unbounded lists only.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import kernel
from algorithms.operators.monoid import combine, encode, fold, lift, lower, present, unit, zero

CHARACTERS = 7
"""The most characters that travel in one value of concat, a byte each in an int64."""


class Collect(NamedTuple):
    """The list of the first `capacity` values (Table 1: Collect). Partial: how many there were, and those kept.

    `lower` gives how many there were, `present` the list of those kept. combine: O(capacity).
    """

    empty: Any
    capacity: int

    name = "collect"
    laws = ()
    exact = True

    @classmethod
    def make(cls, dtype: str, capacity: int = 64) -> "Collect":
        return cls(zero(dtype), whole_capacity(cls.name, capacity))

    @property
    def takes(op) -> str:
        return str(np.dtype(type(op.empty)))

    @property
    def dtype(op) -> np.dtype:
        return np.dtype([("total", "i8"), ("kept", op.takes, (op.capacity,))])


class Concat(NamedTuple):
    """The string of the first `capacity` characters. Partial: how many there were, and those kept, a byte each.

    A value is a character's code (1 to 255, Latin-1), or up to seven of them in one whole number, the first character
    the lowest byte; `encode` makes it from a str. `lower` gives the length, `present` the string, with "…" for what is
    cut off. combine: O(capacity).
    """

    capacity: int

    name = "concat"
    laws = ()
    exact, takes = True, "int64"

    @classmethod
    def make(cls, dtype: str, capacity: int = 64) -> "Concat":
        return cls(whole_capacity(cls.name, capacity))

    @property
    def dtype(op) -> np.dtype:
        return np.dtype([("total", "i8"), ("kept", "u1", (-(-op.capacity // 8) * 8,))])  # whole words: totals aligned


def whole_capacity(name: str, capacity: Any) -> int:
    if isinstance(capacity, bool) or not isinstance(capacity, int | np.integer) or capacity < 1:
        raise ValueError(f"{name}: capacity must be a whole number of at least 1, not {capacity!r}")
    return int(capacity)


@lift.of(Collect)
def _(op, dst, k, value):
    dst[k].total = 1
    dst[k].kept[0] = value


@lift.of(Concat)
def _(op, dst, k, value):
    code, n = np.int64(value) & 0xFF_FFFF_FFFF_FFFF, 0
    while code != 0:
        if n < op.capacity:
            dst[k].kept[n] = code & 0xFF
        code >>= 8
        n += 1
    dst[k].total = n


@kernel
def put(op, dst, k, at, b, j):
    """Copy the values of b[j] into dst[k] from place `at` on, the last first: b[j] may be dst[k]."""
    n = min(b[j].total, op.capacity - at)
    while n > 0:
        n -= 1
        dst[k].kept[at + n] = b[j].kept[n]


def bounded(cls):
    """combine, fold and unit, the same for both lists."""

    @combine.of(cls)
    def _(op, dst, k, a, i, b, j):
        older, total = min(a[i].total, op.capacity), a[i].total + b[j].total
        put(op, dst, k, older, b, j)
        put(op, dst, k, 0, a, i)
        dst[k].total = total

    @fold.of(cls)
    def _(op, dst, k, a, first, last):
        total = 0
        for j in range(first, last):
            put(op, dst, k, min(total, op.capacity), a, j)
            total += a[j].total
        dst[k].total = total

    @unit.of(cls)
    def _(op, dst, k):
        dst[k].total = 0

    @lower.of(cls)
    def _(op, a, i):
        return a[i].total


bounded(Collect)
bounded(Concat)


@present.of(Collect)
def _(op, a, i):
    return np.asarray(a[i].kept)[: min(a[i].total, op.capacity)].tolist()


@present.of(Concat)
def _(op, a, i):
    kept = bytes(np.asarray(a[i].kept)[: min(a[i].total, op.capacity)]).decode("latin-1")
    return kept + "…" if a[i].total > op.capacity else kept


@encode.of(Concat)
def _(op, value):
    if isinstance(value, str):
        codes = [ord(character) for character in value]
        if 1 <= len(codes) <= CHARACTERS and all(1 <= code <= 255 for code in codes):
            return sum(code << 8 * n for n, code in enumerate(codes))
    elif isinstance(value, int | np.integer) and 1 <= value <= 255:
        return int(value)
    wanted = f"a string of 1 to {CHARACTERS} Latin-1 characters or a code from 1 to 255"
    raise ValueError(f"concat: a value must be {wanted}, not {value!r}")
