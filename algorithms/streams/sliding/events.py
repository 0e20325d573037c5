"""The compiled loop of the windowing library: tuples in, the events insert, evict and trigger, partial aggregates out.

Tuples in the window are also kept as they came, in a ring (the log). The log decides which of them leave the window; a
window that has become too small is replaced from it; and it is the state that is saved, whatever the algorithm.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, driver, generic, put_row, row
from algorithms.streams.sliding.extent_trigger import (
    NEVER,
    EveryEnd,
    EveryFloatEnd,
    Last,
    Within,
    WithinAnyOrder,
    due,
    end_of,
    expect,
    fires,
    first_end,
    outside,
    start_of,
)
from algorithms.windows.contract import aggregate, aggregate_between, bulk_evict, evict, insert, oldest, size, youngest


class Log(NamedTuple):
    """Tuple number i is at i & mask as long as it is in the window."""

    position: Slots
    values: Any
    """A column, or a tuple of columns."""
    mask: int


class Out(NamedTuple):
    """Results of one call of the loop, at most `room`: the row (or number of the end) that fired, and the partial."""

    when: Slots
    agg: Slots
    room: int


class Events(NamedTuple):
    """A window with its policies, its log and its state."""

    window: Any
    extent: Any
    trigger: Any
    log: Log
    state: Slots


def state_dtype(position: Any) -> np.dtype:
    """The record that is carried from batch to batch, for positions of a dtype.

    Tuples front .. end - 1 are in the window. until: how many will have come at the next firing by count; next: number
    of the awaited end; low: start of the last window that fired, in any order; fired: position of the last firing by
    delta; results: how many the last call had.
    """
    whole = [(name, "i8") for name in ("front", "end", "until", "next", "results")]
    return np.dtype([*whole, ("low", position), ("fired", position)])


# The functions below take `front` and `end` as arguments and return the new ones: as fields of the state, written to
# memory for each tuple, they took half of the loop's time.


@generic
def make_way(extent, e, front, end):
    """Evict the oldest tuple if one more would be too many. Returns the new front."""


@generic
def has_room(extent, e, front, end):
    """Whether the log has room for one more."""


@generic
def enter(extent, e, end, position, value):
    """Insert tuple number `end`."""


@generic
def expire(extent, e, front, end, start):
    """Evict tuples before the window that begins at `start`. Returns the new front."""


@generic
def following(extent, e, front, end):
    """The number of the end after the awaited one; NEVER if no tuple will be left by then."""


@generic
def answer(extent, e, front, end, start, now, dst, k):
    """dst[k] = the partial aggregate of the window from `start` to `now`. Returns whether there is a tuple in it."""


# ------------------------------------------------------------------------------------------------------ tuples in order


@make_way.default
def _(extent, e, front, end):
    return front


@make_way.of(Last)
def _(extent, e, front, end):
    if end - front == extent.size:
        evict(e.window)
        front += 1
    return front


@has_room.default
def _(extent, e, front, end):
    return end - front <= e.log.mask


@enter.of(Last)
def _(extent, e, end, position, value):
    insert(e.window, end, value)
    put_row(e.log.values, end & e.log.mask, value)


@enter.of(Within)
def _(extent, e, end, position, value):
    insert(e.window, end, value)  # with its number as time: equal times stay distinct in every window
    put_row(e.log.values, end & e.log.mask, value)
    e.log.position[end & e.log.mask] = position


@expire.of(Last)
def _(extent, e, front, end, start):
    return front


@expire.of(Within)
def _(extent, e, front, end, start):
    while front < end and outside(extent, e.log.position[front & e.log.mask], start):
        evict(e.window)
        front += 1
    return front


@following.of(Last)
def _(extent, e, front, end):
    return e.state[0].next + 1


@following.of(Within)
def _(extent, e, front, end):
    k, newest = e.state[0].next + 1, e.log.position[(end - 1) & e.log.mask]
    start = start_of(extent, e.trigger, k, end_of(e.trigger, k))
    return NEVER if e.trigger.aligned == 1 and outside(extent, newest, start) else k


@answer.default
def _(extent, e, front, end, start, now, dst, k):
    aggregate(e.window, dst, k)
    return front < end


# ------------------------------------------------------------------------------------------------- tuples in any order


@has_room.of(WithinAnyOrder)
def _(extent, e, front, end):
    return outside(extent, e.log.position[end & e.log.mask], e.state[0].low)


@enter.of(WithinAnyOrder)
def _(extent, e, end, position, value):
    insert(e.window, position, value)
    put_row(e.log.values, end & e.log.mask, value)
    e.log.position[end & e.log.mask] = position


@expire.of(WithinAnyOrder)
def _(extent, e, front, end, start):
    e.state[0].low = start
    bulk_evict(e.window, start - 1 + extent.open)
    return front


@following.of(WithinAnyOrder)
def _(extent, e, front, end):
    k = e.state[0].next + 1
    start = start_of(extent, e.trigger, k, end_of(e.trigger, k))
    if size(e.window) == 0 or outside(extent, youngest(e.window), start):
        return NEVER
    return max(k, first_end(e.trigger, oldest(e.window)))


@answer.of(WithinAnyOrder)
def _(extent, e, front, end, start, now, dst, k):
    last = now - 1 + e.trigger.closed
    aggregate_between(e.window, start + extent.open, last, dst, k)
    return size(e.window) > 0 and oldest(e.window) <= last


# ------------------------------------------------------------------------------------------------------------ the loop


@generic
def fire_ends(trigger, e, out, front, end, results, clock):
    """Fire at every end that the clock has reached, while there is room. Returns front and number of results."""


@fire_ends.default
def _(trigger, e, out, front, end, results, clock):
    return front, results


@fire_ends.of(EveryEnd)
@fire_ends.of(EveryFloatEnd)
def _(trigger, e, out, front, end, results, clock):
    s = e.state[0]
    while results < out.room and due(trigger, s, clock):
        now = end_of(trigger, s.next) if trigger.aligned == 1 else e.log.position[(end - 1) & e.log.mask]
        start = start_of(e.extent, e.trigger, s.next, now)
        front = expire(e.extent, e, front, end, start)
        if answer(e.extent, e, front, end, start, now, out.agg, results):
            out.when[results] = s.next
            results += 1
        s.next = following(e.extent, e, front, end)
    return front, results


@generic
def fire_after(trigger, e, out, front, end, results, i, position):
    """Fire after the tuple of row i, if it is due. Returns front and number of results."""


@fire_after.default
def _(trigger, e, out, front, end, results, i, position):
    if fires(trigger, e.state[0], end, position):
        start = position - e.extent.size
        front = expire(e.extent, e, front, end, start)
        answer(e.extent, e, front, end, start, position, out.agg, results)
        out.when[results] = i
        results += 1
    return front, results


@fire_after.of(EveryEnd)
@fire_after.of(EveryFloatEnd)
def _(trigger, e, out, front, end, results, i, position):
    return front, results  # nothing to compile: the default took half of the time


@driver
def run(e, out, positions, clock, columns, first, last, final):
    """Take in rows first .. last - 1, then advance the clock to `final`. Returns the first row not taken in.

    Stops before `last` when the log is full, and anywhere when there are `room` results: call it again. `clock` is what
    ends are compared with before each row: the time itself, a watermark, or the number of punctuations so far.
    """
    s = e.state[0]
    i, front, end, results = first, s.front, s.end, 0
    while True:
        now = clock[i] if i < last else final
        front, results = fire_ends(e.trigger, e, out, front, end, results, now)
        if i == last or results == out.room:
            break
        front = make_way(e.extent, e, front, end)
        if not has_room(e.extent, e, front, end):
            break
        position = positions[i]
        expect(e.trigger, s, position, now)
        enter(e.extent, e, end, position, row(columns, i))
        end += 1
        front, results = fire_after(e.trigger, e, out, front, end, results, i, position)
        i += 1
    s.front, s.end, s.results = front, end, results
    return i


@driver
def put_ends(trigger, numbers, ends):
    """ends[i] = the position of end numbers[i]."""
    for i in range(len(numbers)):
        ends[i] = end_of(trigger, numbers[i])


def ends_of(trigger: Any, numbers: np.ndarray) -> np.ndarray:
    """Positions of the ends with these numbers. NumPy takes four times as long for floats, a dozen operations each."""
    if isinstance(trigger, EveryEnd):
        return end_of(trigger, numbers)
    ends = np.empty(len(numbers))
    put_ends(trigger, numbers, ends)
    return ends
