"""Collect and concat: the values of a window themselves, in order, up to a capacity.

Partials have a fixed size, so the free monoid is cut off: the first `capacity` values are kept, and how many there were
altogether. Cutting off is associative. It loses what undo would need: Collect is invertible, as Table 2 of the Reactive
Aggregator paper has it, where lists fit. It remembers that one did not, and never shows it as if it were whole.

A window of n values that collects them takes n lists of n values: `registry.make_for` gives it that room, and what does
not fit into memory is refused before it is taken. An interval of a shared log of values would take n in all, but two
such intervals can be joined only where one begins as the other ends, so not around a hole or a late value.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import kernel
from algorithms.operators.monoid import (
    INVERTIBLE,
    combine,
    encode,
    fold,
    lift,
    lower,
    present,
    takes_any_number,
    undo,
    unit,
    zero,
)
from safeguards.wrong_input import whole

LARGEST = 2**31 - 64
"""The most bytes of a list: NumPy has no larger records."""

CHARACTERS = 7
"""The most characters that travel in one value of concat, a byte each in an int64."""


class CutOffError(ValueError):
    """A list that was longer than its operator keeps, so that some of it is lost."""


class Collect(NamedTuple):
    """The list of the values, at most `capacity` (Table 1: Collect). Partial: how many, those kept, 1 if any is lost.

    `lower` gives how many there were, `present` the list, or raises CutOffError. combine and undo: O(length). undo is
    exact where lists fit; a list that lost values stays marked until nothing of it is left.
    """

    empty: Any
    capacity: int

    name = "collect"
    laws = (INVERTIBLE,)
    exact = True

    @classmethod
    def make(cls, dtype: str, capacity: int = 64) -> "Collect":
        return cls(zero(dtype), whole_capacity(cls.name, capacity, LARGEST // 8))

    @property
    def takes(op) -> str:
        return str(np.dtype(type(op.empty)))

    @property
    def dtype(op) -> np.dtype:
        return np.dtype([("total", "i8"), ("lost", "i8"), ("kept", op.takes, (op.capacity,))])


class Concat(NamedTuple):
    """The string of the first `capacity` characters. Partial: how many, those kept, a byte each, 1 if any is lost.

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
        return cls(whole_capacity(cls.name, capacity, LARGEST))

    @property
    def dtype(op) -> np.dtype:
        room = -(-op.capacity // 8) * 8  # whole words, so that totals are aligned
        return np.dtype([("total", "i8"), ("lost", "i8"), ("kept", "u1", (room,))])


def whole_capacity(name: str, capacity: Any, most: int) -> int:
    capacity = whole(f"{name}: capacity", capacity)
    if capacity > most:
        raise ValueError(f"{name}: capacity must be at most {most:,}, for a partial of 2 GiB, not {capacity:,}")
    return capacity


@lift.of(Collect)
def _(op, dst, k, value):
    dst[k].total, dst[k].lost = 1, 0
    dst[k].kept[0] = value


@lift.of(Concat)
def _(op, dst, k, value):
    code, n = np.int64(value) & 0xFF_FFFF_FFFF_FFFF, 0
    while code != 0:
        if n < op.capacity:
            dst[k].kept[n] = code & 0xFF
        code >>= 8
        n += 1
    dst[k].total, dst[k].lost = n, int(n > op.capacity)


@kernel
def put(op, dst, k, at, b, j):
    """Copy the values of b[j] into dst[k] from place `at` on, the last first: b[j] may be dst[k]."""
    n = min(b[j].total, op.capacity - at)
    while n > 0:
        n -= 1
        dst[k].kept[at + n] = b[j].kept[n]


def bounded(cls):
    """Register combine, fold, unit and lower, which are the same for both lists."""

    @combine.of(cls)
    def _(op, dst, k, a, i, b, j):
        older, total, lost = min(a[i].total, op.capacity), a[i].total + b[j].total, a[i].lost | b[j].lost
        put(op, dst, k, older, b, j)
        put(op, dst, k, 0, a, i)
        dst[k].total, dst[k].lost = total, lost | int(total > op.capacity)

    @fold.of(cls)
    def _(op, dst, k, a, first, last):
        total, lost = 0, 0
        for j in range(first, last):
            put(op, dst, k, min(total, op.capacity), a, j)
            total, lost = total + a[j].total, lost | a[j].lost
        dst[k].total, dst[k].lost = total, lost | int(total > op.capacity)

    @unit.of(cls)
    def _(op, dst, k):
        dst[k].total, dst[k].lost = 0, 0

    @lower.of(cls)
    def _(op, a, i):
        return a[i].total


bounded(Collect)
bounded(Concat)


@undo.of(Collect)
def _(op, dst, k, a, i, b, j):
    removed, total, lost = b[j].total, a[i].total - b[j].total, a[i].lost
    for n in range(min(total, op.capacity - removed)):
        dst[k].kept[n] = a[i].kept[removed + n]
    dst[k].total, dst[k].lost = total, lost if total > 0 else 0


@present.of(Collect)
def _(op, a, i):
    if a[i].lost:
        raise CutOffError(
            f"collect keeps at most {op.capacity:,} values and lost some of a longer list ({a[i].total:,} values now): "
            'give the window operators.make("collect", capacity=...) with room for all of its values'
        )
    return np.asarray(a[i].kept)[: a[i].total].tolist()


@present.of(Concat)
def _(op, a, i):
    kept = bytes(np.asarray(a[i].kept)[: min(a[i].total, op.capacity)]).decode("latin-1")
    return kept + "…" if a[i].lost else kept


@encode.of(Concat)
def _(op, value):
    if isinstance(value, str):
        codes = [ord(character) for character in value]
        if 1 <= len(codes) <= CHARACTERS and all(1 <= code <= 255 for code in codes):
            return sum(code << 8 * n for n, code in enumerate(codes))
    elif isinstance(value, int | np.integer) and 1 <= value <= 255:
        return int(value)
    expected = f"a string of 1 to {CHARACTERS} Latin-1 characters or a code from 1 to 255"
    raise ValueError(f"concat: a value must be {expected}, not {value!r}")


@takes_any_number.of(Concat)
def _(op):
    return False
