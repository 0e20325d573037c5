"""Algorithm 1: aggregate A_C with tunable compression. Line numbers are the paper's.

Gulisano: An Algorithm for Tunable Memory Compression of Time-Based Windows for Stream Aggregates (Euro-Par 2023
Workshops, LNCS 14351, 2024), section 4. What differs from what is printed, and why:

L11        `e_l + WS < t.tau` is `<=` here: the right boundary is exclusive, and a window whose right boundary is the
           watermark is complete (Definition 2). With `<` a tuple at the boundary would be stored in a window that has
           yet to be put out, and f_O would see it.
L11, L25   Where no window is left, e_l goes straight to the earliest left bound of t, as it does before the first tuple
           (the paper does not say where e_l begins). The loop would go through every epoch of a gap, putting out none.
L15, L21   A key whose window has become empty leaves k_tau and tau_K too. As printed it stays there, and L36-38 go
           on to compress a window that no longer exists.
L28        getOrCreate takes a window that it decompresses out of comp. As it is also in uncomp from then on, L12-24
           would put it out twice.
L34-42     The loop removes keys from the index while traversing it; here it is a list that shrinks at its oldest end.
L12, L17   Two passes, as printed; but results of both are in the order in which windows were created, so that they are
           the same, row by row, for every D.

L34-42 run only after a tuple, as printed, not when time advances without one.
"""

from algorithms.kernel import call_back, cycles, driver, kernel, row
from algorithms.streams.compressed.arena import allocate, create, release, widen
from algorithms.streams.compressed.functions import f_A, f_O, f_S
from algorithms.streams.compressed.latest import link, unlink
from algorithms.streams.compressed.serial import pack, unpack
from algorithms.streams.compressed.state import IN_F_A, IN_F_S, MANY, NEVER, NONE, RESULTS, ROOM, room_for
from algorithms.streams.compressed.table import find, put, remove

DECOMPRESS, COMPRESS, TAKE_OUT, PUT_IN = 0, 1, 2, 3
"""Requests to `Packed`: decompress or compress all windows listed in `asked`; decompress one window and drop its bytes;
compress one window and keep its bytes."""
FAILED = -(2**63)


class CodecError(RuntimeError):
    """Bytes could not be compressed or decompressed; `Packed` has the reason."""


class PositionError(RuntimeError):
    """f_A or f_S returned a position outside its window; the state says which function and what position."""


@kernel(inline=False)
def refuse(s, function, position, least, most):
    """Stop: a function returned an impossible position."""
    s.wrong, s.gave, s.at_least, s.at_most = function, position, least, most
    raise PositionError


@kernel
def within(s, function, position, least, most):
    """The position that a function returned, which must lie from `least` to `most`: writing to slots checks nothing."""
    if position < least or position > most:
        refuse(s, function, position, least, most)
    return position


@kernel(inline=False)
def ask(a, request, window, size):
    """Send `Packed` a request for `size` windows, or for one of `size` bytes."""
    growth = call_back(a.state[0].server, request, window, size)
    if growth == FAILED:
        raise CodecError
    a.state[0].packed += growth


@kernel
def earliest_left_bound(s, time):
    """L7: the left boundary of the earliest epoch that ends after `time`, computed without overflow."""
    behind = time - s.start - s.WS
    return max(s.start + (behind + (s.WA - behind % s.WA)), s.least)


@kernel
def forward(a, out, n, first, last):
    """L13, L19: the output of the n-th window in order of creation."""
    s = a.state[0]
    f_O(a.f, out, s.results + n, a.times, a.values, first, last)
    out.left[s.results + n], out.key[s.results + n] = s.e_l, a.gamma[a.alive[n]].key
    if out.stamped:
        out.by[s.results + n], out.fed[s.results + n], out.forwarded[s.results + n] = s.by, s.fed, cycles()


@kernel
def advance_uncompressed(a, out, left_boundary):
    """L12-16, without the removal."""
    s = a.state[0]
    for n in range(s.alive):
        g = a.gamma[a.alive[n]]
        if g.room > 0:
            forward(a, out, n, g.first, g.last)
            first = within(s, IN_F_S, f_S(a.f, a.times, a.values, g.first, g.last, left_boundary), g.first, g.last)
            s.tuples -= first - g.first
            s.unpacked -= first - g.first
            g.first = first


@kernel
def next_compressed(a, n):
    """Choose compressed windows from the n-th on, as many as the scratch holds. Returns their number and the next n."""
    s, count, at = a.state[0], 0, 0
    while n < s.alive and count < MANY:
        g = a.gamma[a.alive[n]]
        if g.room == 0:
            if at + g.last * s.bytes > s.scratch:
                break
            request = a.asked[count]
            request.window, request.rank, request.at, request.bytes = a.alive[n], n, at, g.last * s.bytes
            at += request.bytes
            count += 1
        n += 1
    return count, n


@kernel
def advance_compressed(a, out, left_boundary):
    """L17-24, without the removal. Windows go to the codec and back in batches."""
    s, n = a.state[0], 0
    while n < s.alive:
        count, n = next_compressed(a, n)
        if count > 0:
            ask(a, DECOMPRESS, NONE, count)
            s.decompressions += count
        for c in range(count):
            request = a.asked[c]
            g = a.gamma[request.window]
            unpack(a, g.last, g.at, request.at, 0)
            forward(a, out, request.rank, 0, g.last)
            first = within(s, IN_F_S, f_S(a.f, a.times, a.values, 0, g.last, left_boundary), 0, g.last)
            pack(a, first, g.last, request.at)
            request.bytes -= first * s.bytes
            g.at, g.last = a.times[first], g.last - first
            s.tuples -= first
            s.compressions += int(g.last > 0)
        if count > 0:
            ask(a, COMPRESS, NONE, count)


@kernel
def remove_empty(a):
    """L15-16 and L21-22: remove empty windows, here and from k_tau and tau_K; the others keep their order."""
    s, remaining = a.state[0], 0
    for n in range(s.alive):
        j = a.alive[n]
        g = a.gamma[j]
        if g.first < g.last:
            a.alive[remaining] = j
            remaining += 1
        else:
            if g.room > 0:
                release(a, g.at, g.room)
                if s.D != NEVER:
                    unlink(a, j)
            else:
                s.compressed -= 1
            remove(a, g.key)
            g.older = s.spare
            s.spare = j
    s.alive = remaining


@kernel(inline=False)
def output_and_advance(a, out, watermark):
    """L11-25; False if there is no room for the results of the next epoch."""
    s = a.state[0]
    while s.alive > 0 and s.e_l + s.WS <= watermark:
        windows = s.alive
        if s.results + windows > out.room:
            return False
        if s.fed == 0 and out.stamped:
            s.fed = cycles()
        advance_uncompressed(a, out, s.e_l + s.WA)
        if s.compressed > 0:
            advance_compressed(a, out, s.e_l + s.WA)
        remove_empty(a)
        s.results += windows
        s.e_l += s.WA
    s.fed = 0
    return True


@kernel(inline=False)
def decompress(a, j):
    """Move a compressed window to uncomp, with room for one more tuple. -1, without any change, if there is no room."""
    s, g = a.state[0], a.gamma[j]
    room = room_for(g.last + 1)
    at = allocate(a, room)
    if at < 0:
        return NONE
    ask(a, TAKE_OUT, j, g.last * s.bytes)
    unpack(a, g.last, g.at, 0, at)
    s.unpacked += g.last
    s.compressed -= 1
    s.decompressions += 1
    g.at, g.room, g.first, g.last = at, room, at, at + g.last
    return j


@kernel
def get_or_create(a, key):
    """L8: the window of a key, uncompressed, with room for one more tuple. -1, without any change, if there is none."""
    j = find(a, key)
    if j < 0:
        j = create(a, key)
        if j >= 0:
            put(a, key, j)
            if a.state[0].D != NEVER:
                link(a, j)
    elif a.gamma[j].room == 0:
        j = decompress(a, j)
        if j >= 0 and a.state[0].D != NEVER:
            link(a, j)
    elif a.gamma[j].last == a.gamma[j].at + a.gamma[j].room:
        j = widen(a, j)
    return j


@kernel
def contributed(a, j, time):
    """L30-33: window j was last updated at `time`."""
    a.gamma[j].latest = time
    if a.state[0].D != NEVER and a.state[0].youngest != j:
        unlink(a, j)
        link(a, j)


@kernel(inline=False)
def compress_due(a, time):
    """L34-42: compress windows not updated in the last D units of time, the least recent first."""
    s, count, at = a.state[0], 0, 0
    while s.oldest >= 0 and time - a.gamma[s.oldest].latest >= s.D:
        j = s.oldest
        g = a.gamma[j]
        n = g.last - g.first
        if count == MANY or at + n * s.bytes > s.scratch:
            ask(a, COMPRESS, NONE, count)
            count, at = 0, 0
        pack(a, g.first, g.last, at)
        request = a.asked[count]
        request.window, request.at, request.bytes = j, at, n * s.bytes
        at += request.bytes
        count += 1
        unlink(a, j)
        earliest = a.times[g.first]
        release(a, g.at, g.room)
        g.at, g.room, g.first, g.last = earliest, 0, 0, n
        s.unpacked -= n
        s.compressed += 1
        s.compressions += 1
    if count == 1:
        ask(a, PUT_IN, a.asked[0].window, a.asked[0].bytes)
    else:
        ask(a, COMPRESS, NONE, count)


@driver
def process(a, out, times, keys, values, i, last):
    """L10: process tuples i .. last - 1. Returns the first for which, or for whose results, there was no room."""
    s = a.state[0]
    while i < last:
        time = times[i]
        if s.e_l + s.WS <= time:
            s.by = s.records
            if not output_and_advance(a, out, time):
                s.wants = RESULTS
                return i
        if s.alive == 0:
            s.e_l = max(s.e_l, earliest_left_bound(s, time))
        if time >= s.e_l:  # else it lies between two epochs, where WA > WS
            j = get_or_create(a, keys[i])
            if j < 0:
                s.wants = ROOM
                return i
            g = a.gamma[j]
            before = g.last
            last_now = f_A(a.f, a.times, a.values, g.first, before, time, row(values, i))
            g.last = within(s, IN_F_A, last_now, g.first, before + 1)
            s.tuples += g.last - before
            s.unpacked += g.last - before
            contributed(a, j, time)
            if s.oldest >= 0 and time - a.gamma[s.oldest].latest >= s.D:
                compress_due(a, time)
        else:
            s.outside += 1
        s.records += 1
        i += 1
    return i


@driver
def go_on(a, out, watermark):
    """Put out the windows that end by a watermark; False if there is no room for the results."""
    a.state[0].by = NONE
    return output_and_advance(a, out, watermark)
