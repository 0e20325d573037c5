"""The queries of `SharedAggregate`: ready-made window functions, and functions of your own.

Cutty (CIKM 2016), section 3.2 and figure 3: periodic windows over any measure, tumbling windows, sessions,
punctuations, landmarks, snapshots and deltas are deterministic; `last_records` is not. Parameters are whole numbers in
the unit of their measure, or time spans (timedelta) if times are datetime64. A window ends at the first record that
shows that it is over.
"""

import datetime
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, slots
from algorithms.streams.shared.discretize import MOST, Query, QueryError, step
from algorithms.streams.shared.user_defined import user_defined
from safeguards.wrong_input import is_real, whole

SEEN = np.dtype([("open", "i8"), ("time", "i8"), ("first", "f8")])
"""State of a function with at most one open window: whether it is open, a time, and the first record's value."""


def length_of(name: str, value: Any, least: int, over: str = "time") -> int:
    """The value as an int, a time span in microseconds. Raises QueryError unless it is whole, from `least` to 2^61."""
    if isinstance(value, datetime.timedelta | np.timedelta64):
        if over != "time":
            raise QueryError(f'{name} counts in {over!r} and cannot be the time span {value!r}; time is over="time"')
        value = int(np.timedelta64(value, "us").astype(np.int64))
    length = whole(name, value, least, error=QueryError)
    if length > MOST:
        raise QueryError(f"{name} must be a whole number of at most 2^61, not {value!r}")
    return length


def first_state(state: np.dtype, function: type, *parameters: Any) -> Any:
    """A window function before the first record, with a state of that dtype. No closure: queries are pickled."""
    return function(*parameters, slots(1, state))


def sliding(range: int, slide: int, over: str = "count", origin: int = 0) -> Query:
    """Periodic windows [origin + k slide, origin + k slide + range), k = 0, 1, 2 ..., over a measure.

    over: "count", the number of the record, counted from 0; "time"; or the name of a column that does not descend.

    >>> from sliding_windows import SharedAggregate, queries
    >>> s = SharedAggregate([queries.sliding(10, 5, over="time")], "sum")
    >>> [(r.begin, r.end, r.value) for r in s.batch([1, 6, 12, 21], [1.0, 2.0, 4.0, 8.0])]
    [(0, 2, 3.0), (1, 3, 6.0), (2, 3, 4.0)]
    """
    range, slide = length_of("sliding: range", range, 1, over), length_of("sliding: slide", slide, 1, over)
    origin = length_of("sliding: origin", origin, -MOST, over)
    return Query(f"range {range}, slide {slide} over {over}", over, range, slide, origin)


def tumbling(range: int, over: str = "count", origin: int = 0) -> Query:
    """Periodic windows without overlap: the slide is the range."""
    return sliding(range, range, over, origin)


class Session(NamedTuple):
    gap: int
    seen: Slots


@step.of(Session)
def _(function, time, x):
    seen = function.seen[0]
    begins = ends = 0
    if seen.open == 0 or time - seen.time > function.gap:
        begins, ends = 1, seen.open
    seen.open, seen.time = 1, time
    return begins, ends


def session(gap: int) -> Query:
    """Sessions: a record more than `gap` later than the one before begins the next session.

    >>> from sliding_windows import SharedAggregate, queries
    >>> s = SharedAggregate([queries.session(gap=5)], "sum")
    >>> [(r.begin, r.end, r.value) for r in s.batch([1, 6, 12], [1.0, 2.0, 4.0])]
    [(0, 2, 3.0)]
    """
    gap = length_of("session: gap", gap, 0)
    return Query(f"session, gap {gap}", "time", make=partial(first_state, SEEN, Session, gap))


class Punctuation(NamedTuple):
    seen: Slots


@step.of(Punctuation)
def _(function, time, x):
    seen = function.seen[0]
    begins = ends = 0
    if x != 0:
        begins, ends = 1, seen.open
        seen.open = 1
    return begins, ends


def punctuation(reads: str) -> Query:
    """Windows from a record whose column `reads` is not 0 to the next such record."""
    return Query(f"punctuation {reads}", reads, make=partial(first_state, SEEN, Punctuation))


class Landmark(NamedTuple):
    length: int
    seen: Slots


@step.of(Landmark)
def _(function, time, x):
    seen = function.seen[0]
    begins = ends = 0
    if seen.open == 1 and (x != 0 or time - seen.time >= function.length):
        seen.open, ends = 0, 1
    if x != 0:
        seen.open, seen.time, begins = 1, time, 1
    return begins, ends


def landmark(reads: str, length: int) -> Query:
    """Windows from a record whose column `reads` is not 0, for a `length` of time or to the next such record."""
    length = length_of("landmark: length", length, 1)
    return Query(f"landmark {reads}, length {length}", reads, make=partial(first_state, SEEN, Landmark, length))


class Snapshot(NamedTuple):
    seen: Slots


@step.of(Snapshot)
def _(function, time, x):
    seen = function.seen[0]
    begins = ends = 0
    if seen.open == 0 or time != seen.time:
        begins, ends = 1, seen.open
    seen.open, seen.time = 1, time
    return begins, ends


def snapshot() -> Query:
    """Windows of records with equal times."""
    return Query("snapshot", "time", make=partial(first_state, SEEN, Snapshot))


class Delta(NamedTuple):
    threshold: float
    seen: Slots


@step.of(Delta)
def _(function, time, x):
    seen = function.seen[0]
    begins = ends = 0
    if seen.open == 0 or abs(x - seen.first) >= function.threshold:
        begins, ends = 1, seen.open
        seen.open, seen.first = 1, x
    return begins, ends


def delta(threshold: float, reads: str = "value") -> Query:
    """Windows that last until the column differs by `threshold` or more from its value at the window's first record."""
    if not is_real(threshold) or not threshold > 0:
        raise QueryError(f"delta: threshold must be a number above 0, not {threshold!r}")
    return Query(f"delta {threshold:g} of {reads}", reads, make=partial(first_state, SEEN, Delta, float(threshold)))


class Stock(NamedTuple):
    threshold: float
    dear_range: int
    dear_slide: int
    cheap_range: int
    cheap_slide: int
    ends: Slots
    begin: Slots
    """A ring of the times at which open windows begin."""


@step.of(Stock)
def _(function, time, x):
    ends, dear = function.ends[0], x > function.threshold
    range = function.dear_range if dear else function.cheap_range
    slide = function.dear_slide if dear else function.cheap_slide
    begun = over = 0
    while ends.front < ends.end and time - function.begin[ends.front & ends.mask] >= range:
        ends.front += 1
        over += 1
    if ends.end == 0 or time - ends.last >= slide:
        function.begin[ends.end & ends.mask] = ends.last = time
        ends.end += 1
        begun = 1
    return begun, over


def range_and_slide(name: str, range: Any, slide: Any) -> tuple[int, int]:
    slide = length_of(f"stock: slide of {name}", slide, 1)
    return length_of(f"stock: range of {name}", range, slide), slide


STOCK = np.dtype([("front", "i8"), ("end", "i8"), ("mask", "i8"), ("last", "i8")])


def stock(threshold: float, dear: tuple[int, int], cheap: tuple[int, int], reads: str = "value") -> Query:
    """The paper's motivating example: range and slide depend on the price.

    dear, cheap: (range, slide) in time, range not below slide, for when the column is above `threshold` and when it is
    not. A window begins with the first record at least a slide after the beginning of the window before. It ends when
    it is as old as the current range: when the range becomes shorter, all windows older than that end together, so
    windows end in the order in which they began.
    """
    if not is_real(threshold) or threshold != threshold:
        raise QueryError(f"stock: threshold must be a number, not {threshold!r}")
    dear, cheap = range_and_slide("dear", *dear), range_and_slide("cheap", *cheap)
    ring = 1 << (2 + max(dear[0], cheap[0]) // min(dear[1], cheap[1])).bit_length()

    make = partial(first_stock, ring, float(threshold), *dear, *cheap)
    return Query(f"stock at {threshold:g}: {dear} above, {cheap} below", reads, make=make)


def first_stock(ring: int, *parameters: Any) -> Stock:
    """The window function before the first record, with room for a ring of open windows."""
    function = Stock(*parameters, slots(1, STOCK), slots(ring, "i8"))
    function.ends[0].mask = ring - 1
    return function


LAST = np.dtype([("started", "i8"), ("records", "i8"), ("reported", "i8")])


class LastRecords(NamedTuple):
    records: int
    every: int
    last: Slots


@step.of(LastRecords)
def _(function, time, x):
    last = function.last[0]
    leave, report, since = max(last.records - function.records, 0), 0, time - last.reported
    if last.started == 0:
        last.started, last.reported = 1, time
    elif since >= function.every:
        report, last.reported = 1, time - since % function.every
    last.records += 1 - leave
    return leave, report


def last_records(records: int, every: int) -> Query:
    """The last `records` records, once every `every` units of time, counted from the first record.

    Not deterministic: only later records show whether a record is in a reported window, so slicing is impossible and
    every record is stored. A window is reported before the first record at or after each multiple of `every`, once.
    """
    records, every = length_of("last_records: records", records, 1, "count"), length_of("last_records: every", every, 1)
    title = f"last {records} records every {every}"
    return Query(title, "time", make=partial(first_state, LAST, LastRecords, records, every), deterministic=False)


__all__ = [
    "delta",
    "landmark",
    "last_records",
    "punctuation",
    "session",
    "sliding",
    "snapshot",
    "stock",
    "tumbling",
    "user_defined",
]
