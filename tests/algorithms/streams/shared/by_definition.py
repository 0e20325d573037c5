"""The windows of each kind of query by its definition, from the whole list of records: slow, and without marks.

Each function gives (begin, end) of the windows that ended, record numbers, in the order in which they began. A window
has ended when a record is there that is not in it any more.
"""

from typing import NamedTuple

import numpy as np

from algorithms import SharedAggregate, operators, queries

SLICERS = ("cutty", "pairs", "panes", "ra", "naive")
STORES = ("lazy", "eager")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class Records(NamedTuple):
    """A stream: its times and a column `mark`; the values are letters."""

    time: list[int]
    mark: list[int]

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.time)]


def periodic(measure: list[int], range_: int, slide: int, origin: int = 0) -> list[tuple[int, int]]:
    found, begin = [], origin
    while measure and begin <= measure[-1]:
        inside = [i for i, m in enumerate(measure) if begin <= m < begin + range_]
        if inside and measure[-1] >= begin + range_:
            found.append((inside[0], inside[-1] + 1))
        begin += slide
    return found


def groups(starts: list[int], n: int) -> list[tuple[int, int]]:
    """Windows one after the other, each from one start to the next."""
    return list(zip(starts, starts[1:]))


def session(time: list[int], gap: int) -> list[tuple[int, int]]:
    return groups([i for i, t in enumerate(time) if i == 0 or t - time[i - 1] > gap], len(time))


def snapshot(time: list[int]) -> list[tuple[int, int]]:
    return groups([i for i, t in enumerate(time) if t not in time[:i]], len(time))


def punctuation(mark: list[int]) -> list[tuple[int, int]]:
    return groups([i for i, m in enumerate(mark) if m != 0], len(mark))


def landmark(time: list[int], mark: list[int], length: int) -> list[tuple[int, int]]:
    found = []
    for i, m in enumerate(mark):
        over = [j for j in range(i + 1, len(mark)) if mark[j] != 0 or time[j] >= time[i] + length]
        if m != 0 and over:
            found.append((i, over[0]))
    return found


def delta(mark: list[int], threshold: float) -> list[tuple[int, int]]:
    starts = [0] if mark else []
    for i, m in enumerate(mark):
        if abs(m - mark[starts[-1]]) >= threshold:
            starts.append(i)
    return groups(starts, len(mark))


def last_records(time: list[int], records: int, every: int) -> list[tuple[int, int]]:
    found = []
    for i in range(1, len(time)):
        if (time[i] - time[0]) // every > (time[i - 1] - time[0]) // every:
            found.append((max(i - records, 0), i))
    return found


def expected(query: tuple, records: Records) -> list[tuple[int, int]]:
    kind, *rest = query
    measure = {"count": list(range(len(records.time))), "time": records.time}
    return {
        "sliding": lambda r, s, over, origin=0: periodic(measure[over], r, s, origin),
        "tumbling": lambda r: periodic(measure["count"], r, r),
        "session": lambda gap: session(records.time, gap),
        "snapshot": lambda: snapshot(records.time),
        "punctuation": lambda reads: punctuation(records.mark),
        "landmark": lambda reads, length: landmark(records.time, records.mark, length),
        "delta": lambda threshold, reads: delta(records.mark, threshold),
        "last_records": lambda n, every: last_records(records.time, n, every),
    }[kind](*rest)


COUNTED = operators.counting(operators.make("concat"))
"""Not commutative, exact, and it counts. One for all tests: what counts is read before and after."""


def shared(wanted: list[tuple], slicing: str, store: str) -> SharedAggregate:
    return SharedAggregate([getattr(queries, kind)(*rest) for kind, *rest in wanted], COUNTED, slicing, store)


def answers(wanted: list[tuple], records: Records) -> list[tuple[int, int, int, str]]:
    """What must come out: by record at which they end, then by query."""
    found = [(q, b, e, records.letters[b:e]) for q, query in enumerate(wanted) for b, e in expected(query, records)]
    return sorted(found, key=lambda row: (row[2], row[0]))


def run(s: SharedAggregate, records: Records, parts: list[int] | None = None) -> list[tuple[int, int, int, str]]:
    """All results, of batches that end after so many records."""
    found, first = [], 0
    for last in [*(parts or []), len(records.time)]:
        times, marks = np.array(records.time[first:last], np.int64), np.array(records.mark[first:last], np.int64)
        found += map(tuple, s.batch(times, records.letters[first:last], mark=marks))
        first = last
    return found
