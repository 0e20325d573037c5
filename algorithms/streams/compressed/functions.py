"""f_A, f_O and f_S: what an aggregate does with a tuple, with a window that ends, and with one that goes on.

A window is tuples first .. last - 1 of the columns `times` and `values`; `values` is a tuple of columns where tuples
have several values. By default f_A and f_S do what the paper's do: store tuples, remove tuples.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, generic, put_row
from algorithms.operators.monoid import extend, unit


class Out(NamedTuple):
    """At most `room` outputs: the left boundary and key of each, its result, and stamps if `stamped`."""

    left: Slots
    key: Slots
    agg: Slots
    by: Slots
    fed: Slots
    forwarded: Slots
    room: int
    stamped: bool


@generic
def f_A(f, times, values, first, last, time, value):
    """Add a tuple to the window, which has room for one more. Returns the new `last`."""


@generic
def f_O(f, out, k, times, values, first, last):
    """out.agg[k] = the result of the window; out.agg[out.room] may be written to."""


@generic
def f_S(f, times, values, first, last, left):
    """Advance the window to a new left boundary. Returns the new `first`."""


@f_A.default
def _(f, times, values, first, last, time, value):
    times[last] = time
    put_row(values, last, value)
    return last + 1


@f_S.default
def _(f, times, values, first, last, left):
    while first < last and times[first] < left:
        first += 1
    return first


class Stops(NamedTuple):
    """How often a vehicle stops (section 5): stretches of reports without speed, also at the beginning and the end."""

    standing: Any
    """The speed of a vehicle that stands, in the type of speeds."""

    name = "stops"

    @property
    def dtype(self) -> np.dtype:
        return np.dtype("i8")


@f_O.of(Stops)
def _(f, out, k, times, values, first, last):
    stops = int(values[first] == f.standing) if first < last else 0
    for i in range(first + 1, last):
        stops += int((values[i] == f.standing) & (values[i - 1] != f.standing))  # with `and`, four times as slow
    out.agg[k] = stops


class Folded(NamedTuple):
    """An operator over the tuples of a window in their order."""

    op: Any

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def dtype(self) -> np.dtype:
        return self.op.dtype


@f_O.of(Folded)
def _(f, out, k, times, values, first, last):
    unit(f.op, out.agg, k)
    extend(f.op, out.agg, k, out.room, values, first, last)
