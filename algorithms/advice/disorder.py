"""What matters in a stream of times: how far out of order it is, how many entries its windows have, how they come."""

from typing import NamedTuple

import numpy as np

from algorithms.kernel import as_slots, driver
from algorithms.order_statistics.rolling import Extents, ranks_of


class Disorder(NamedTuple):
    """Of the rows of a sample."""

    rows: int
    late: int
    """Rows that come after one with a later time."""
    distance: tuple[int, int, int]
    """Younger rows that are there when one comes: mean (rounded up), 99 % at most, all at most."""
    late_by: int
    """The most that a time is behind the latest before it."""
    ties: int
    """Rows whose time an earlier one has."""
    entries: tuple[int, int, int]
    """Rows in the window, over the rows: fewest after a tenth of the sample, median, most."""


def disorder_of(times: np.ndarray, span: int, entries: int) -> Disorder:
    """The disorder of int64 times, in windows of a span of time or, if that is 0, of entries. O(n log n)."""
    n = len(times)
    rows = np.arange(n)
    behind = np.maximum.accumulate(times) - times
    # Equal times count in their order of coming: the place of each row in the order of times is a key of its own.
    place = np.empty(n, np.int64)
    place[np.argsort(times, kind="stable")] = rows
    if behind.any():
        distances = (rows + 1 - ranks_of(place, Extents(np.zeros(n, np.int64), rows + 1))).astype(np.int64)
    else:
        distances = np.zeros(n, np.int64)
    inside = np.minimum(rows + 1, entries) if span == 0 else in_span(times, span)
    settled = inside[n // 10 :]
    return Disorder(
        rows=n,
        late=int(np.count_nonzero(distances)),
        distance=(int(np.ceil(distances.mean())), int(np.quantile(distances, 0.99)), int(distances.max())),
        late_by=int(behind.max()),
        ties=n - len(np.unique(times)),
        entries=(int(settled.min()), int(np.median(settled)), int(inside.max())),
    )


def in_span(times: np.ndarray, span: int) -> np.ndarray:
    """How many of the rows so far have times after newest - span, for each row."""
    ordered = np.sort(times)
    counts = np.empty(len(times), np.int64)
    columns = times, ordered, np.searchsorted(ordered, times, side="left"), np.zeros(len(times), np.int64), counts
    _count_in_span(*map(as_slots, columns), span, len(times))
    return counts


@driver
def _count_in_span(times, ordered, place, came, counts, span, n):
    """came[p] = rows so far whose place by time is p; the window is the places from `front` on."""
    front, inside, newest = 0, 0, times[0]
    for i in range(n):
        newest = max(newest, times[i])
        if place[i] >= front:
            came[place[i]] += 1
            inside += 1
        while ordered[front] <= newest - span:
            inside -= came[front]
            front += 1
        counts[i] = inside
