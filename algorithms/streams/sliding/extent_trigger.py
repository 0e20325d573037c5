"""What is in the window, and when it fires: an extent and a trigger.

The windowing library of the paper's Figure 2 turns a stream into three kinds of events: insert, evict and trigger
(Tangwongsan, Hirzel, Schneider, Wu: General Incremental Sliding-Window Aggregation, PVLDB 8(7), 2015, section 2; the
policies are those of its reference, Gedik: Generic windowing support for extensible stream processing systems, 2014).

    extent    Last: the last `size` tuples     Within: those whose position is at most `size` behind
    trigger   EveryTuples: each `slide`-th tuple     EveryStep: once the position has gone on by more than `slide`
              EveryEnd: at the window ends k * slide + offset of a clock

A position is a time, an attribute that never decreases (delta), or the number of punctuations so far. Positions are
int64 or float64; an end is kept as its number k. Float ends are computed from it with one rounding, so that they do not
drift, and so that the end of one window and the start of another are the same float if they are the same time.
"""

import math
from typing import Any, NamedTuple

from algorithms.kernel import generic, kernel, rounded_off

NEVER = 2**62
"""The number of the awaited end if none is awaited, because the window is empty."""


class Last(NamedTuple):
    """The last `size` tuples."""

    size: int


class Within(NamedTuple):
    """Tuples at most `size` behind the firing position, or less than `size` if the window is open there."""

    size: Any
    open: int


class WithinAnyOrder(NamedTuple):
    """As Within, for tuples in any order of time: the window may hold younger tuples when it fires."""

    size: int
    open: int


class EveryTuples(NamedTuple):
    """Fire after each `slide`-th tuple, but not before the `least`-th."""

    slide: int
    least: int


class EveryStep(NamedTuple):
    """Fire after a tuple whose position is more than `slide` past that of the last firing, or of the first tuple."""

    slide: Any


class EveryEnd(NamedTuple):
    """Fire when the clock has reached an end k * slide + offset, or has passed it if tuples at the end belong to it."""

    slide: int
    offset: int
    closed: int
    """1 if a tuple at the end belongs to the window."""
    aligned: int
    """1 if the window also ends there; 0 if it ends at the newest tuple (a time window fired by punctuation)."""
    steps: int
    """The size in slides if that is whole, so that windows begin where others end; else 0."""


class Exact(NamedTuple):
    """A number that need not be a float, to 106 bits, as the sum of the nearest float and the rest."""

    nearest: float
    rest: float


class EveryFloatEnd(NamedTuple):
    """As EveryEnd by time, for float times: the exact k * slide + offset, rounded once.

    Windows begin at k * slide + begin, with k `steps` below the number of their end.
    """

    slide: Exact
    offset: Exact
    begin: Exact
    closed: int
    aligned: int
    steps: int


@kernel
def multiple(slide, k, offset):
    """k * slide + offset, rounded once; k is below 2**53. Rounding errors of product and sum are added at the end."""
    times = k * 1.0
    product = times * slide.nearest
    total = product + offset.nearest
    part = total - product
    lost = (product - (total - part)) + (offset.nearest - part)
    return total + (rounded_off(times, slide.nearest, product) + lost + (times * slide.rest + offset.rest))


@generic
def end_of(trigger, k):
    """The position of end number k."""


@end_of.of(EveryEnd)
def _(trigger, k):
    return k * trigger.slide + trigger.offset


@end_of.of(EveryFloatEnd)
def _(trigger, k):
    return multiple(trigger.slide, k, trigger.offset)


@kernel
def ends_before(trigger, k, position):
    """Whether end number k is too early for a tuple at the position to belong to it."""
    return end_of(trigger, k) < position or (trigger.closed == 0 and end_of(trigger, k) == position)


@generic
def first_end(trigger, position):
    """The number of the first end that a tuple at the position can belong to."""


@first_end.of(EveryEnd)
def _(trigger, position):
    k = int((position - trigger.offset) // trigger.slide) - 1  # whole numbers stay exact beyond 2**53
    while end_of(trigger, k) < position or (trigger.closed == 0 and end_of(trigger, k) == position):
        k += 1
    return k


@first_end.of(EveryFloatEnd)
def _(trigger, position):
    k = int(math.floor((position - trigger.offset.nearest) / trigger.slide.nearest))  # may be off by a few, far from 0
    while not ends_before(trigger, k - 1, position):
        k -= 1
    while ends_before(trigger, k, position):
        k += 1
    return k


@generic
def begin_of(trigger, k, now, size):
    """Where the window of this size begins that ends at `now`, at end number k."""


@begin_of.of(EveryEnd)
def _(trigger, k, now, size):
    if trigger.steps > 0:
        return end_of(trigger, k - trigger.steps)
    return now - size


@begin_of.of(EveryFloatEnd)
def _(trigger, k, now, size):
    return multiple(trigger.slide, k - trigger.steps, trigger.begin)


@kernel
def start_of(extent, trigger, k, now):
    """Where the window begins that ends at `now`, at end number k."""
    return begin_of(trigger, k, now, extent.size)


@kernel
def outside(extent, position, start):
    """Whether a tuple at the position comes before the window that begins at `start`."""
    return position < start or (extent.open == 1 and position == start)


@generic
def due(trigger, state, clock):
    """Whether an end is awaited that the clock has reached."""


@generic
def expect(trigger, state, position, clock):
    """Note the first end that a tuple about to be inserted can belong to."""


@generic
def fires(trigger, state, count, position):
    """Whether the window fires after the tuple just inserted, the `count`-th."""


@due.default
def _(trigger, state, clock):
    return False


@expect.default
def _(trigger, state, position, clock):
    pass


@fires.of(EveryTuples)
def _(trigger, state, count, position):
    if count < state.until:
        return False
    state.until = count + trigger.slide
    return count >= trigger.least


@fires.of(EveryStep)
def _(trigger, state, count, position):
    if count == 1:
        state.fired = position
    far = position - state.fired > trigger.slide
    if far:
        state.fired = position
    return far


@due.of(EveryEnd)
@due.of(EveryFloatEnd)
def _(trigger, state, clock):
    if state.next == NEVER:
        return False
    end = end_of(trigger, state.next)
    return clock > end or (clock == end and trigger.closed == 0)


@expect.of(EveryEnd)
def _(trigger, state, position, clock):
    if trigger.aligned == 0:
        position = clock
    if state.next == NEVER or end_of(trigger, state.next - 1) >= position:  # the second case: it comes out of order
        state.next = min(state.next, first_end(trigger, position))


@expect.of(EveryFloatEnd)
def _(trigger, state, position, clock):
    if state.next == NEVER:  # float times come in order: none belongs to an end before the awaited one
        state.next = first_end(trigger, position)
