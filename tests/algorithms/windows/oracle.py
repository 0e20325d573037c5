"""What a window should answer: a sorted list of entries, folded anew for every question by plain Python functions.

Nothing here is taken from the package: the fold of each operator is written out again from its definition.
"""

import bisect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

PRIME = 2**31 - 1
"""The modulus of the operator `affine` unless another is given."""


class Map(NamedTuple):
    """x -> slope x + offset modulo PRIME."""

    slope: int
    offset: int


def affine_map(value: int) -> Map:
    return Map(1 + value % (PRIME - 1), value * value % PRIME)


def after_each_other(older: Map, newer: Map) -> Map:
    return Map(older.slope * newer.slope % PRIME, (newer.slope * older.offset + newer.offset) % PRIME)


def affine(values: Sequence[int]) -> int:
    """The image of 1 under the maps of the values, the first applied first."""
    x = 1
    for value in values:
        slope, offset = affine_map(value)
        x = (slope * x + offset) % PRIME
    return x


class Entry(NamedTuple):
    time: int
    values: tuple[Any, ...]


class NaiveWindow:
    """Entries in order of time. `unique`: an equal time combines, the newcomer on the right; else it is a new entry."""

    def __init__(self, fold: Callable[[Sequence[Any]], Any], unique: bool):
        self.fold, self.unique = fold, unique
        self.entries: list[Entry] = []

    def __len__(self) -> int:
        return len(self.entries)

    def times(self) -> list[int]:
        return [entry.time for entry in self.entries]

    def insert(self, time: int, value: Any) -> None:
        i = bisect.bisect_right(self.times(), time)
        if self.unique and i > 0 and self.entries[i - 1].time == time:
            self.entries[i - 1] = Entry(time, (*self.entries[i - 1].values, value))
        else:
            self.entries.insert(i, Entry(time, (value,)))

    def evict(self) -> None:
        del self.entries[0]

    def evict_at(self, time: int) -> bool:
        """Of several entries at one time the oldest."""
        found = time in self.times()
        if found:
            del self.entries[self.times().index(time)]
        return found

    def bulk_evict(self, time: int) -> int:
        before = len(self.entries)
        self.entries = [entry for entry in self.entries if entry.time > time]
        return before - len(self.entries)

    def query(self) -> Any:
        return self.fold([value for entry in self.entries for value in entry.values])

    def range_query(self, first: int, last: int) -> Any:
        return self.fold([value for time, values in self.entries if first <= time <= last for value in values])
