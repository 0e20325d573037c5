"""What can be said of readings: the chances of their steps, and the one figure that the paper lets its own be known by.

Table 2 of the paper has Naive at 2,554 ns an update for max, and at 3.69e8 ns for sum, where every update aggregates a
window of 2^20 anew. So on max at most one update in 150,000 did as much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WINDOW = 1 << 20
PUBLISHED = 2_554 / 3.69e8
"""Evictions that aggregate a whole window, an update, at most."""


class Fact(NamedTuple):
    """One statement of the readings; `known` is what is documented of the paper's, or what was asked for."""

    statistic: str
    known: str
    found: float

    def __str__(self) -> str:
        return f"{self.statistic:<34} {self.known:>16}, {self.found:>10,.4g} here"


def chances(values: np.ndarray) -> tuple[float, float]:
    """Chance that a reading equals the one before, and that one that differs is higher. O(n); (1, 0.5) of constants.

    Raises ValueError for fewer than two readings.
    """
    if len(values) < 2:
        raise ValueError(f"there are {len(values)} readings; the chances of their steps need at least 2")
    steps = np.diff(values)
    changing = np.count_nonzero(steps)
    rising = np.count_nonzero(steps > 0) / changing if changing else 0.5
    return 1 - changing / len(steps), rising


def full_evictions(values: np.ndarray, most: int = WINDOW) -> float:
    """Entries that Naive touches in evictions of the paper's window of max, in units of `most`, an update.

    The window goes back to its first maximum, and no further than `most`. An eviction touches what goes and what stays.
    """
    start, best, touched, i = 0, values[0], 0, 1
    n = len(values)
    while i < n:
        end = min(n, start + most)
        higher = _first_above(values, i, end, best)
        if higher < end:  # all before it goes
            touched += higher - start + 1
            start, best, i = higher, values[higher], higher + 1
        elif end == n:
            break
        else:  # the maximum itself is too old: the next one begins the window
            next_best = start + 1 + int(np.argmax(values[start + 1 : end + 1]))
            touched += 2 * most
            start, best, i = next_best, values[next_best], end + 1
    return touched / most / n


def _first_above(values: np.ndarray, i: int, end: int, best: int) -> int:
    """The first place from i on with a value above `best`, or `end`; looks at twice as many each time."""
    width = 16
    while i < end:
        above = np.flatnonzero(values[i : min(i + width, end)] > best)
        if len(above):
            return i + int(above[0])
        i, width = i + width, 2 * width
    return end


def facts(values: np.ndarray, equal: float, rising: float) -> list[Fact]:
    """The statements of these readings, which were asked to have these chances."""
    measured = chances(values)
    return [
        Fact("readings equal to the one before", f"{equal:g} asked", measured[0]),
        Fact("rising, of those that change", f"{rising:g} asked", measured[1]),
        Fact("full-size evictions an update, max", f"at most {PUBLISHED:.1e}", full_evictions(values)),
    ]
