"""Rows of many keys in plain arrays: those kept from batch to batch, and these with the rows of a batch.

The kept rows are the whole state, whatever the window, its order and the operators, because a window is made from its
rows when it fires. So the algorithm may change at a restart.
"""

from typing import NamedTuple

import numpy as np

from algorithms.kernel import as_slots, driver
from algorithms.streams.sliding.keys import by_key, in_order
from algorithms.streams.sliding.units import FARTHEST

EARLIEST = -FARTHEST
"""The watermark before the first: every time is later."""


class Kept(NamedTuple):
    """What is carried from one batch to the next, for K keys with N rows in all. Arrays are int64 unless noted.

    codes (K,), ascending; counts (K,): rows of the key released by the watermark so far (by count); done (K,): how many
    of the kept rows are released, which are the first (0 if windows fire at ends); offsets (K + 1,): key i has rows
    offsets[i] .. offsets[i + 1] - 1; positions (N,): their times; values: columns (N,) by name; valid: bool (N,) for
    columns that may have nulls; watermark: no row at or before it will come.
    """

    codes: np.ndarray
    counts: np.ndarray
    done: np.ndarray
    offsets: np.ndarray
    positions: np.ndarray
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]
    watermark: int

    @property
    def bytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.codes, self.counts, self.done, self.offsets, self.positions)
        return sum(array.nbytes for array in (*arrays, *self.values.values(), *self.valid.values()))


class Rows(NamedTuple):
    """Kept and new rows, key by key: codes[g] has rows begin[g] .. begin[g + 1] - 1. Other fields are as in Kept."""

    codes: np.ndarray
    counts: np.ndarray
    done: np.ndarray
    begin: np.ndarray
    positions: np.ndarray
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]


def picked(table: dict[str, np.ndarray], chosen: np.ndarray) -> dict[str, np.ndarray]:
    """The rows of every column that a mask or an array of row numbers chooses."""
    return {name: column[chosen] for name, column in table.items()}


class Batch(NamedTuple):
    """New rows as they come: codes and times, columns of values, and for nullable columns which values are valid."""

    codes: np.ndarray
    times: np.ndarray
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]

    def take(self, chosen: np.ndarray) -> "Batch":
        """The rows that a mask or an array of row numbers chooses."""
        return Batch(self.codes[chosen], self.times[chosen], *(picked(table, chosen) for table in self[2:]))


@driver
def merge(codes, positions, m, new_codes, new_positions, n, by_time, order):
    """order = the places of m kept rows, and n new ones after them, by code (and time); kept ones first if equal."""
    i = j = 0
    for k in range(m + n):
        kept_first = j == n
        if i < m and j < n:
            same = codes[i] == new_codes[j]
            kept_first = codes[i] < new_codes[j] or (same and (not by_time or positions[i] <= new_positions[j]))
        if kept_first:
            order[k] = i
            i += 1
        else:
            order[k] = m + j
            j += 1


def by_key_and_time(codes: np.ndarray, times: np.ndarray) -> np.ndarray:
    """As `by_key`, with rows of a key in order of time, and as they came if times are equal."""
    order = in_order(times)
    if not len(codes) or codes.min() == codes.max():
        return order
    return order[by_key(codes[order])]


def starts_of(codes: np.ndarray) -> np.ndarray:
    """Where runs of equal codes begin."""
    return np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])) if len(codes) else np.zeros(0, np.int64)


def out_of_order(codes: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Places of rows that are older than the row just before them, of the same key."""
    return np.flatnonzero((times[1:] < times[:-1]) & (codes[1:] == codes[:-1])) + 1


def merged(kept: Kept, batch: Batch, by_time: bool, keep_keys: bool) -> Rows:
    """Kept and new rows; keys in order of their codes, rows of a key in order of time or as they came.

    With `keep_keys`, kept keys without rows stay. O(n log n) for n new rows (O(n) if few are out of order), O(N) for N
    kept ones.
    """
    kept_codes = np.repeat(kept.codes, np.diff(kept.offsets))
    if by_time and len(out_of_order(kept_codes, kept.positions)):  # an algorithm for any order has kept them
        order = by_key_and_time(kept_codes, kept.positions)
        values, valid = picked(kept.values, order), picked(kept.valid, order)
        kept = kept._replace(positions=kept.positions[order], values=values, valid=valid)
    batch = batch.take(by_key_and_time(batch.codes, batch.times) if by_time else by_key(batch.codes))
    m, n = len(kept_codes), len(batch.codes)
    order = np.empty(m + n, np.int64)
    merge(*map(as_slots, (kept_codes, kept.positions)), m, *map(as_slots, batch[:2]), n, by_time, as_slots(order))
    codes = np.concatenate([kept_codes, batch.codes])[order]
    keys = codes[starts_of(codes)]
    if keep_keys:
        keys = np.union1d(keys, kept.codes)
    begin = np.append(np.searchsorted(codes, keys), len(codes))
    return _rows(kept, keys, begin, batch, order)


def appended(kept: Kept, batch: Batch) -> Rows:
    """Kept rows of at most one key, then new ones, which are already sorted. Nothing is copied if no row is kept."""
    codes = np.concatenate([np.repeat(kept.codes, np.diff(kept.offsets)), batch.codes])
    begin = starts_of(codes)
    return _rows(kept, codes[begin], np.append(begin, len(codes)), batch, slice(None))


def _rows(kept: Kept, keys: np.ndarray, begin: np.ndarray, batch: Batch, order: np.ndarray | slice) -> Rows:
    def joined(old: np.ndarray, new: np.ndarray) -> np.ndarray:
        return (np.concatenate([old, new]) if len(old) else new)[order]

    known = np.flatnonzero(np.isin(keys, kept.codes))
    counts, done = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    places = np.searchsorted(kept.codes, keys[known])
    counts[known], done[known] = kept.counts[places], kept.done[places]
    values = {name: joined(kept.values[name], new) for name, new in batch.values.items()}
    valid = {name: joined(kept.valid[name], new) for name, new in batch.valid.items()}
    return Rows(keys, counts, done, begin, joined(kept.positions, batch.times), values, valid)


def selected(rows: Rows, chosen: np.ndarray) -> tuple[Rows, np.ndarray]:
    """The rows of a mask, with the keys that have any of them; and which of all keys those are."""
    passed = np.concatenate([[0], np.cumsum(chosen)])[rows.begin]
    keys = np.flatnonzero(np.diff(passed))
    begin = np.append(passed[keys], passed[-1])
    of_keys = (array[keys] for array in (rows.codes, rows.counts, rows.done))
    tables = (picked(table, chosen) for table in (rows.values, rows.valid))
    return Rows(*of_keys, begin, rows.positions[chosen], *tables), keys


def keep(rows: Rows, stays: np.ndarray, released: np.ndarray, alive: np.ndarray, watermark: int) -> Kept:
    """The state of rows that stay and keys that are alive, now that so many rows of each key are released."""
    stayed = np.concatenate([[0], np.cumsum(stays)])
    first, done = stayed[rows.begin[:-1]], stayed[rows.begin[:-1] + released]
    return Kept(
        codes=rows.codes[alive],
        counts=(rows.counts + released - rows.done)[alive],
        done=(done - first)[alive],
        offsets=np.append(first[alive], stayed[-1]),
        positions=rows.positions[stays],
        values=picked(rows.values, stays),
        valid=picked(rows.valid, stays),
        watermark=watermark,
    )
