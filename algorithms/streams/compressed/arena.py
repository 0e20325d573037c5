"""Segments of the arena: allocated, released, and the tuples that move from one to another."""

from algorithms.kernel import highest_bit, kernel, put_row, row
from algorithms.streams.compressed.state import LEAST_ROOM, NONE


@kernel(inline=False)
def allocate(a, room):
    """Allocate a segment of `room` slots. Returns its first slot, -1 if there is none."""
    s, k = a.state[0], highest_bit(room)
    at = a.free[k]
    if at >= 0:
        a.free[k] = a.times[at]
    elif room <= s.bench and s.end + room <= s.arena:
        at = s.end
        s.end += room
    if at >= 0:
        s.used += room
    return at


@kernel
def release(a, at, room):
    """Give a segment back."""
    k = highest_bit(room)
    a.times[at] = a.free[k]
    a.free[k] = at
    a.state[0].used -= room


@kernel
def copy(a, first, last, to):
    """Copy tuples first .. last - 1 to slot `to`, which may overlap with them if it is further down."""
    for i in range(first, last):
        a.times[to + i - first] = a.times[i]
        put_row(a.values, to + i - first, row(a.values, i))


@kernel(inline=False)
def create(a, key):
    """Create an empty window for a key that has none. -1, without any change, if there is no room."""
    s = a.state[0]
    if s.spare == NONE and s.begun == s.windows:
        return NONE
    at = allocate(a, LEAST_ROOM)
    if at < 0:
        return NONE
    j = s.spare
    if j >= 0:
        s.spare = a.gamma[j].older
    else:
        j = s.begun
        s.begun += 1
    g = a.gamma[j]
    g.key, g.at, g.room, g.first, g.last = key, at, LEAST_ROOM, at, at
    a.alive[s.alive] = j
    s.alive += 1
    return j


@kernel(inline=False)
def widen(a, j):
    """Make room for one more tuple in a full segment and return j. -1, without any change, if there is none.

    If half or more is free at the front, the tuples move there, else to a segment twice as large: amortised O(1).
    """
    g = a.gamma[j]
    n, at = g.last - g.first, g.at
    if 2 * n > g.room:
        at = allocate(a, 2 * g.room)
        if at < 0:
            return NONE
    copy(a, g.first, g.last, at)
    if at != g.at:
        release(a, g.at, g.room)
        g.room *= 2
    g.at, g.first, g.last = at, at, at + n
    return j
