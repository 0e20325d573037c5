"""Queries over a stream, as in the Cutty paper (section 7): periodic count windows, and sessions between transitions.

Numbers only; slicers make windows of them.

    ranges, slides = periodic(100).T
    drawn = sessions(100, transitions)            # states whose transitions open the sessions
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

STEP = 10
RANGES, SLIDES = (20_000, 80_000), (1_000, 20_000)


def periodic(queries: int, seed: int = 0) -> np.ndarray:
    """Range and slide of periodic count windows, int64, shape (queries, 2).

    Ranges are uniform from 20,000 to 80,000 records and slides from 1,000 to 20,000, both multiples of 10. A longer
    workload of the same seed begins with the shorter ones. Raises ValueError for fewer than one query.
    """
    _at_least_one(queries)
    low, high = np.array([RANGES, SLIDES]).T // STEP
    return np.random.default_rng(seed).integers(low, high, (queries, 2), endpoint=True) * STEP


def sessions(queries: int, transitions: Sequence[np.ndarray], seed: int = 0) -> np.ndarray:
    """States whose transitions open the sessions of a query each, int64, shape (queries,).

    A state is drawn, with replacement, in proportion to the number of its transitions (`transitions`, one array a
    state); one that never changes is never drawn. A longer workload of the same seed begins with the shorter ones.
    A session begins at every record of transitions[state], and ends before the next one begins.
    Raises ValueError for fewer than one query, or where no state ever changes.
    """
    _at_least_one(queries)
    bounds = np.cumsum([len(records) for records in transitions])
    if not len(bounds) or not bounds[-1]:
        raise ValueError("there are no transitions of any state: sessions need some; take more records")
    places = np.random.default_rng(seed).random(queries) * bounds[-1]
    return np.searchsorted(bounds, places, side="right")


def _at_least_one(queries: int) -> None:
    if queries < 1:
        raise ValueError(f"queries is {queries}; it must be at least 1")
