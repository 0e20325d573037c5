"""The state of an A_C in columns: windows, tuples in segments of one arena, the table of keys, and the index of L5-6.

A window has its tuples side by side in a segment of the arena, whose sizes are powers of two; one that is full moves to
a segment twice as large, and released segments are used again. A compressed window has no segment: `Packed` has its
bytes. Kernels cannot allocate memory: `renewed` replaces what has become too small, or far too large.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, driver, highest_bit, kernel, put_row, row, slots
from algorithms.streams.compressed.latest import NONE, link
from algorithms.streams.compressed.table import put

NEVER = 2**63 - 1
"""As D: no window is ever compressed."""

LEAST_ROOM = 4
"""Tuples in the smallest segment."""
MANY = 256
"""The most windows that are handed to the codec at once."""
LEAST_SCRATCH = 1 << 16
"""Bytes for what is handed to the codec at once: it stays in the caches."""

STATE = np.dtype(
    [(name, "i8") for name in ("WA", "WS", "D", "start", "least", "e_l")]
    + [(name, "i8") for name in ("windows", "alive", "compressed", "spare", "begun", "shift", "oldest", "youngest")]
    + [(name, "i8") for name in ("arena", "end", "bench", "used", "tuples", "unpacked", "bytes", "scratch", "packed")]
    + [
        (name, "i8")
        for name in ("results", "put_out", "records", "outside", "compressions", "decompressions", "fed", "by")
    ]
    + [(name, "i8") for name in ("server", "layout", "wants", "wrong", "gave", "at_least", "at_most")]
)
"""`start`, `least`: epochs begin at multiples of WA from `start`, none before `least`. Windows: room for `windows`,
`alive` in all, `compressed` of them; `begun` records were ever handed out, `spare` is the first of those given back.
`oldest` and `youngest` are the ends of the index by last contribution. Of the arena, slots from `bench` to `end` were
handed out and `used` of them are in segments now; the first `bench` are free for one window of any size. `tuples` are
kept in all, `unpacked` of them uncompressed; `bytes` a tuple when serialised, `packed` all compressed windows.
`results` wait to be read, `put_out` were. `fed` and `by`: when the loop came to the record that fires, and its number.
`server`: what to call back to. `layout`: of serialised windows. `wants`: why the loop
stopped. `wrong` is the function that `gave` a position that does not lie from `at_least` to `at_most`."""

ROOM, RESULTS = 1, 2
"""Why the loop stopped: for windows or the arena to grow, or for results to be read."""

IN_F_A, IN_F_S = 1, 2
"""The function that returned a wrong position."""

GAMMA = np.dtype([(name, "i8") for name in ("key", "at", "room", "first", "last", "latest", "older", "younger")])
"""A window: tuples first .. last - 1 of the arena, in the segment of `room` slots that begins at `at`; `latest` is
k_tau; its neighbours in the index. If `room` is 0 it is compressed: `last` tuples, the first of which has time `at`."""

ASKED = np.dtype([(name, "i8") for name in ("window", "rank", "at", "bytes")])
"""A window whose bytes are handed to the codec: its number, rank among those alive, place in the scratch, length."""

TABLE = np.dtype([("key", "i8"), ("window", "i8")])
"""A key and the number of its window, plus one; 0 if the place is empty."""


class Aggregate(NamedTuple):
    """The state of the compiled loop."""

    f: Any
    """f_A, f_O and f_S."""
    state: Slots
    gamma: Slots
    alive: Slots
    """Numbers of the windows in order of creation: the order of results with equal timestamps."""
    table: Slots
    free: Slots
    """free[k] is the first unused segment of 2^k slots; the time in its first slot points to the next."""
    times: Slots
    values: Any
    """A column, or a tuple of columns."""
    raw: tuple
    """The columns of values as bytes, in the same memory."""
    widths: Slots
    """Bytes of a value, for each column."""
    scratch: Slots
    asked: Slots


def empty(
    f: Any, dtypes: tuple[str, ...], windows: int, arena: int, bench: int, state: Slots | None = None
) -> Aggregate:
    """Room for `windows` windows and `arena` tuples in segments of at most `bench`; counts continue in `state`."""
    values = tuple(slots(bench + arena, dtype, "values") for dtype in dtypes)
    raw = tuple(bytes_of(column) for column in values)
    state = slots(1, STATE, "state") if state is None else state
    s = state[0]
    places = 1 << max(2 * windows - 1, 7).bit_length()
    width = 8 + sum(column.itemsize for column in values)
    s.bytes, s.shift, s.scratch = width, 32 - (places.bit_length() - 1), max(bench * width, LEAST_SCRATCH)
    s.windows, s.arena, s.bench, s.end, s.used = windows, bench + arena, bench, bench, 0
    s.begun, s.spare, s.oldest, s.youngest = 0, NONE, NONE, NONE
    widths = slots(len(values), "i8", "widths")
    widths[:] = [column.itemsize for column in values]
    free = slots(64, "i8", "free")
    free[:] = NONE
    return Aggregate(
        f,
        state,
        slots(windows, GAMMA, "gamma"),
        slots(windows, "i8", "alive"),
        slots(places, TABLE, "table"),
        free,
        slots(bench + arena, "i8", "times"),
        values if len(values) > 1 else values[0],
        raw,
        widths,
        slots(int(s.scratch), "u1", "scratch"),
        slots(MANY, ASKED, "asked"),
    )


def bytes_of(column: Slots) -> Slots:
    """The same memory, byte by byte."""
    raw = np.asarray(column).view("u1").view(Slots)
    raw.name = f"{column.name} as bytes"
    return raw


def columns_of(a: Aggregate) -> tuple[Slots, ...]:
    """The columns of values in the arena."""
    return a.values if isinstance(a.values, tuple) else (a.values,)


@kernel
def room_for(tuples):
    """Slots of the smallest segment for this many tuples."""
    return max(LEAST_ROOM, 1 << highest_bit(2 * tuples - 1))


def renewed(a: Aggregate, windows: int, bench: int) -> tuple[Aggregate, np.ndarray]:
    """The same windows, numbered anew from 0, with room for more; and the number that each had. O(state)."""
    s = a.state[0]
    alive = np.array(a.alive[: int(s.alive)])
    gamma = np.asarray(a.gamma)[alive]
    lengths = gamma["last"] - gamma["first"]
    needed = sum(
        room_for(n + 1) * k for n, k in zip(*np.unique(lengths[gamma["room"] > 0], return_counts=True), strict=True)
    )
    dtypes = tuple(column.dtype.str for column in columns_of(a))
    oldest = int(s.oldest)
    copy = empty(a.f, dtypes, windows, int(2 * needed + 2 * bench), bench, a.state)
    move(a, copy, oldest)
    return copy, alive


@driver
def move(a, b, oldest):
    """Move the windows of `a` to the empty `b`, which shares its state; `oldest` begins the index of `a`."""
    s = b.state[0]
    for n in range(s.alive):
        old, new = a.gamma[a.alive[n]], b.gamma[n]
        new.key, new.at, new.room, new.latest = old.key, old.at, old.room, old.latest
        new.first, new.last, new.older, new.younger = old.first, old.last, NONE, NONE
        if old.room > 0:
            new.room = room_for(old.last - old.first + 1)
            new.at = s.end
            for i in range(old.first, old.last):
                b.times[s.end + i - old.first] = a.times[i]
                put_row(b.values, s.end + i - old.first, row(a.values, i))
            new.first, new.last = s.end, s.end + old.last - old.first
            s.end += new.room
            s.used += new.room
        b.alive[n] = n
        put(b, new.key, n)
        old.at = n  # for the index
    s.begun = s.alive
    j = oldest
    while j >= 0:
        link(b, a.gamma[j].at)
        j = a.gamma[j].younger
