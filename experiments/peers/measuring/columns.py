"""The columns that libraries are given, by shape, and which rows are in the window of a row.

A shape is easy or hard for one algorithm or another: sorted values for queues of maxima, a sawtooth of the window's
period for two stacks, large values that have left for whatever subtracts, ties for what compares.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

SEED = 1

KEYS = 100_000
"""Keys of the shape `keys`."""

SPIKE, SPIKES_APART = 1e16, 5
"""The large value of `spikes`, and the windows from one to the next: four windows in five have none."""

ROWS, TIME, LATE, KEYED, MISSING = "rows", "time", "late", "keyed", "missing"
"""What a library must be able to do for a shape: windows of rows, of time, of time over rows out of order, of the rows
of a key, and values that are missing."""


class Column(NamedTuple):
    """Values in order of arrival, float64, NaN where one is missing; `kind` is one of the five above.

    A window is `window` rows; of time units where there are `times`, which are whole and all different; of rows of the
    same key where there are `keys`.
    """

    values: np.ndarray
    kind: str = ROWS
    times: np.ndarray | None = None
    keys: np.ndarray | None = None

    def first(self, rows: int) -> "Column":
        """The column's first rows."""
        cut = (None if part is None else part[:rows] for part in (self.times, self.keys))
        return Column(self.values[:rows], self.kind, *cut)

    def window_of(self, row: int, window: int) -> np.ndarray:
        """The rows in the window of a row. O(window), and O(rows) where they are out of order or have keys."""
        if self.keys is not None:
            return np.flatnonzero(self.keys[: row + 1] == self.keys[row])[-window:]
        if self.times is not None:
            now = self.times[row]
            return np.flatnonzero((self.times > now - window) & (self.times <= now))
        return np.arange(max(0, row + 1 - window), row + 1)


def _random(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(random.random(rows))


def _constant(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(np.full(rows, 0.1))


def _sorted_up(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(np.sort(random.random(rows)))


def _sorted_down(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(np.sort(random.random(rows))[::-1].copy())


def _sawtooth(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(np.arange(rows) % window * 1.0)


def _spikes(random: np.random.Generator, rows: int, window: int) -> Column:
    values = random.random(rows)
    values[window // 2 :: SPIKES_APART * window] = SPIKE
    return Column(values)


def _decay(random: np.random.Generator, rows: int, window: int) -> Column:
    """Values that fade by 16 decades over five windows, again and again."""
    phase = np.arange(rows) % (SPIKES_APART * window) / (SPIKES_APART * window)
    return Column(random.random(rows) * 10.0 ** (-16 * phase))


def _missing(random: np.random.Generator, rows: int, window: int) -> Column:
    values = random.random(rows)
    return Column(np.where(random.random(rows) < 0.01, np.nan, values), MISSING)


def _ties(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(random.integers(0, 10, rows).astype(float))


def _irregular(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(random.random(rows), TIME, np.cumsum(random.geometric(0.5, rows)))


def _late(by: int) -> Callable[[np.random.Generator, int, int], Column]:
    """One unit from row to row, each row delayed by up to so many rows."""

    def make(random: np.random.Generator, rows: int, window: int) -> Column:
        arrival = np.arange(rows) + random.integers(0, by + 1, rows)
        return Column(random.random(rows), LATE, np.argsort(arrival, kind="stable"))

    return make


def _keys(random: np.random.Generator, rows: int, window: int) -> Column:
    return Column(random.random(rows), KEYED, keys=random.integers(0, KEYS, rows))


SHAPES: dict[str, Callable[[np.random.Generator, int, int], Column]] = {
    "random": _random,
    "constant": _constant,
    "sorted_up": _sorted_up,
    "sorted_down": _sorted_down,
    "sawtooth": _sawtooth,
    "spikes": _spikes,
    "decay": _decay,
    "missing": _missing,
    "ties": _ties,
    "irregular": _irregular,
    "late_10": _late(10),
    "late_1000": _late(1000),
    "keys": _keys,
}

KINDS = {"missing": MISSING, "irregular": TIME, "late_10": LATE, "late_1000": LATE, "keys": KEYED}
"""The kinds of the shapes that are not plain windows of rows."""


@functools.lru_cache(4)
def column(shape: str, rows: int, window: int) -> Column:
    """The column of a shape, the same whenever it is asked for. Nobody may change its arrays."""
    made = SHAPES[shape](np.random.default_rng(SEED), rows, window)
    for part in (made.values, made.times, made.keys):
        if part is not None:
            part.setflags(write=False)
    return made
