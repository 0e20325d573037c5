"""Results: windows that ended, and what they cost."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class Result(NamedTuple):
    """A window that ended: records begin .. end - 1 of the stream, of the query with this number."""

    query: int
    begin: int
    end: int
    value: Any


@dataclass(frozen=True)
class Results:
    """Windows as columns, in the order in which they ended; at the same record, in the order of queries."""

    query: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    value: np.ndarray
    """int64 or float64; object for operators whose results are not numbers."""

    def __len__(self) -> int:
        return len(self.query)

    def __iter__(self) -> Iterator[Result]:
        columns = (self.query, self.begin, self.end, self.value)
        return map(Result._make, zip(*(column.tolist() for column in columns), strict=True))


class Counts(NamedTuple):
    """The exact number of combines so far."""

    records: int
    """One for every record that is combined into an open slice."""
    update: int
    """Storing slices: the tree of an eager store."""
    merge: int
    """Final look-ups: slices of a window with each other and with the open one."""


class Partials(NamedTuple):
    """Numbers of partial aggregates kept."""

    stored: int
    """Slices in the store now."""
    most_stored: int
    """Most slices in the store so far."""
    most: int
    """Most partial aggregates so far as Table 1 counts them: eager stores count twice, the open slice is one more."""
    most_slots: int
    """Most slots of the ring, or of the tree."""
