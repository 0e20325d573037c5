"""Windows of a fixed number of rows: the two scans of van Herk and of Gil and Werman, for every form.

M. van Herk: A Fast Algorithm for Local Minimum and Maximum Filters on Rectangular and Octagonal Kernels (Pattern
Recognition Letters 13, 1992); J. Gil, M. Werman: Computing 2-D Min, Median, and Max Filters (IEEE TPAMI 15, 1993).

Rows are cut into blocks as long as the window, so that a window is the end of one block and the beginning of the next:

    rows        a b c d | e f g h | ...       the window at f, of four rows:   (c + d) + (e + f)

Ends of a block are aggregated from its last row back, beginnings from its first row on. That is three merges a row, for
every order of values; nothing is subtracted. A sum of n values is rounded n - 1 times at most: it is within
n eps sum|x| of the exact one, x in this window, whatever left before it (Higham: Accuracy and Stability of Numerical
Algorithms, 2002, section 4.2).
"""

from typing import NamedTuple

import numpy as np

from algorithms.fours import alike, all_first, all_last, first_of, four, put_four, running, running_back
from algorithms.kernel import Slots, as_slots, driver, generic, kernel, load, store
from algorithms.rolling import forms
from algorithms.rolling.forms import add, answer, answer_if, answers_of_four, given, merge

FEWEST = 4
"""Blocks of a piece, if its windows keep ends: those of the block before it are aggregated once more."""

STRIP = 1024
"""Rows of short windows that are searched for missing values at once, and that stay in the first-level cache."""

SHORT = 12
"""Windows of up to so many rows are not aggregated in blocks, where no value of a strip is missing: by doubling, those
of 2 rows take 0.41 ns a row, not 3.51, of 10 rows 1.02, not 1.55, and of 20 no longer less. See also `short_sums`."""


class Pieces(NamedTuple):
    """Piece p is rows bounds[p] .. bounds[p + 1] - 1, of the group that is rows begin[p] .. end[p] - 1. Nothing of one
    piece is needed for another, so that threads can have one each."""

    bounds: Slots
    begin: Slots
    end: Slots


def pieces_of(bounds: Slots, length: int, rows: int, together: int = 1, fewest: int = FEWEST) -> Pieces:
    """Each group as one piece, or if it is long, in pieces of about so many rows: whole strips, and at least `fewest`
    blocks. Where a group has pieces for it, their number is a multiple of `together`. O(groups)."""
    ends, strip = np.asarray(bounds), int(strip_of(length))
    inner = []
    for g in np.flatnonzero(np.diff(ends) >= 2 * max(rows, fewest * length)).tolist():
        size = int(ends[g + 1] - ends[g])
        count = max(2, min(size // rows, size // (fewest * length)))
        count -= count % together if count > together else 0
        piece = -(-size // (count * strip)) * strip
        inner.append(np.arange(ends[g] + piece, ends[g + 1], piece))
    cuts = np.sort(np.concatenate([ends, *inner]))
    group = np.searchsorted(ends, cuts[:-1], "right") - 1
    return Pieces(*map(as_slots, (cuts, ends[group], ends[group + 1])))


@kernel
def strip_of(length):
    """Rows of a strip: an even number of blocks. Where strips begin does not depend on the pieces."""
    return 2 * length * max(1, STRIP // (2 * length))


def room(length: int) -> int:
    """How many partials the windows of so many rows need beside a column."""
    return max(length + 1, 2 * (STRIP + 2 * SHORT) if length <= SHORT else 0)


@driver
def fixed(form, x, out, pieces, first, last, length, shift, least, ends):
    """out[i + shift] = the answer of rows i - length + 1 .. i of x, for each row of pieces first .. last - 1.

    pieces: see `Pieces`. length: at least 1; ends: slots for room(length) partials.
    """
    for p in range(first, last):
        begin, end = pieces.begin[p], pieces.end[p]
        start, stop = pieces.bounds[p], min(pieces.bounds[p + 1], end - shift)
        fixed_piece(form, x, out, begin, end, start, stop, length, shift, least, ends)


@kernel(inline=False)
def fixed_piece(form, x, out, begin, end, start, stop, length, shift, least, ends):
    longest = min(length, end - begin)
    if start == begin:
        for i in range(begin, min(begin + shift, end)):
            out[i] = answer_if(form, form.identity, 0, least)
        for r in range(longest + 1):
            store(ends, r, form.identity)
        present, back, kept = 0, 0, True
    else:
        present, back, kept = longest - missing(x, start - longest, longest), longest, False
    strip = strip_of(longest)
    for block in range(start, stop, strip):
        end_of_strip = min(block + strip, stop)
        gaps = longest > STRIP or missing(x, block, end_of_strip - block) > 0
        present, kept = one_strip(
            form, x, out, block, end_of_strip, shift, longest, least, present, back, gaps, ends, kept
        )
        back = longest


@kernel(inline=False)
def one_strip(form, x, out, start, stop, shift, longest, least, present, back, gaps, ends, kept):
    """Answer for the rows of a strip. `kept` is whether `ends` has those of the block before.

    Gives the number of values in the last window, and whether `ends` has those of the last block.
    """
    whole = not gaps and present == longest >= least
    if whole and short_windows(form, x, out, start, stop - start, shift, longest, ends):
        return present, False
    slot, step = 1, 1
    for block in range(start, stop, longest):
        rows = min(longest, stop - block)
        full = present == longest >= least and not (gaps and missing(x, block, rows))
        if not kept and (keeps_ends(form) or not full):
            ends_of_block(form, x, block - longest, longest, ends, slot + step * (longest - 2), -step)
        store(ends, slot + step * (longest - 1), form.identity)  # the last window is the block itself
        if full:
            full_windows(form, x, out, block, rows, shift, ends, slot, step, longest)
        else:
            present = windows_with_gaps(form, x, out, block, rows, shift, ends, slot, step, present, back, least)
        kept = keeps_ends(form) or not full
        slot, step, back = longest - slot, -step, longest
    return present, kept


@kernel
def missing(x, first, rows):
    """How many of so many values are missing."""
    gaps = 0
    for i in range(first, first + rows):
        gaps += x[i] != x[i]
    return gaps


@kernel(inline=False)
def windows_with_gaps(form, x, out, block, rows, shift, ends, slot, step, present, back, least):
    """Answer for the rows of any block, and aggregate its own ends. Rows leave that are `back` rows back, 0 for none.

    Gives the number of values in the window that ends with the block.
    """
    head, place = form.identity, slot
    for r in range(rows):
        value = x[block + r]
        present += value == value
        if back > 0:
            left = x[block + r - back]
            present -= left == left
        head = add(form, head, value)
        whole = merge(form, load(ends, place, form.identity), head)
        out[block + r + shift] = answer_if(form, whole, present, least)
        place += step
    ends_of_block(form, x, block, rows, ends, slot, step)
    return present


@generic
def keeps_ends(form):
    """Whether `full_windows` leaves the ends of its block for the next; if not, it asks for none itself."""


@generic
def full_windows(form, x, out, block, rows, shift, ends, slot, step, present):
    """Answer for the rows of one block, where neither it nor the one before misses a value.

    If form `keeps_ends`, those of the block before are in `ends`, and its own are left there.
    Each end is stored where one of the block before was read last, so that the next block reads them in the other
    direction. With room for the ends of two blocks, those of 1,000 rows left the first-level cache: a standard
    deviation took 1.6 ns a row, not 1.3.
    """


@generic
def ends_of_block(form, x, block, rows, ends, slot, step):
    """Aggregate the ends of a block, from its last row back: the first goes to `slot`, the next `step` after it."""


@generic
def short_windows(form, x, out, start, rows, shift, length, room):
    """Answer for the rows of a strip in another way, if the windows are short enough for it, and say whether."""


# -------------------------------------------------------------------------------------------- partials of one number


@kernel(inline=False)
def windows_of_numbers(form, x, out, block, rows, shift, ends, slot, step, present):
    """An addition waits four cycles for the one before. Of four rows three are added beside the chain, not in it."""
    if step > 0:  # a step known to the compiler: 0.80 ns a row, not 0.88
        heads_of_numbers(form, x, out, block, rows, shift, ends, slot, 1, present)
        tails_of_numbers(form, x, block, rows, ends, slot, 1)
    else:
        heads_of_numbers(form, x, out, block, rows, shift, ends, slot, -1, present)
        tails_of_numbers(form, x, block, rows, ends, slot, -1)


@kernel
def heads_of_numbers(form, x, out, block, rows, shift, ends, slot, step, present):
    head = form.identity
    for r in range(0, rows - 3, 4):
        i, o = block + r, block + r + shift
        ab, cd = merge(form, x[i], x[i + 1]), merge(form, x[i + 2], x[i + 3])
        abc, abcd = merge(form, ab, x[i + 2]), merge(form, ab, cd)
        first = merge(form, ends[slot], merge(form, head, x[i]))
        second = merge(form, ends[slot + step], merge(form, head, ab))
        third = merge(form, ends[slot + 2 * step], merge(form, head, abc))
        head = merge(form, head, abcd)
        fourth = merge(form, ends[slot + 3 * step], head)
        out[o], out[o + 1] = answer(form, first, present), answer(form, second, present)
        out[o + 2], out[o + 3] = answer(form, third, present), answer(form, fourth, present)
        slot += 4 * step
    for i in range(block + rows - rows % 4, block + rows):
        head = merge(form, head, x[i])
        out[i + shift] = answer(form, merge(form, ends[slot], head), present)
        slot += step


@kernel
def tails_of_numbers(form, x, block, rows, ends, slot, step):
    tail, i = form.identity, block + rows
    while i - block >= 4:
        i -= 4
        a, b, c, d = given(form, x[i]), given(form, x[i + 1]), given(form, x[i + 2]), given(form, x[i + 3])
        cd, ab = merge(form, d, c), merge(form, b, a)
        ends[slot], ends[slot + step] = merge(form, tail, d), merge(form, tail, cd)
        ends[slot + 2 * step] = merge(form, tail, merge(form, cd, b))
        tail = merge(form, tail, merge(form, cd, ab))
        ends[slot + 3 * step] = tail
        slot += 4 * step
    while i > block:
        i -= 1
        tail = add(form, tail, x[i])
        ends[slot] = tail
        slot += step


@kernel(inline=False)
def windows_by_doubling(form, x, out, start, rows, shift, length, room):
    """Windows of 2, 4, 8 .. rows, each of two of the size before; a window of 10 rows is one of 2 and one of 8.

    Rows do not wait for each other, so that the compiler makes vectors of them: log2 of the length merges of a vector,
    where blocks take three merges of a number.
    """
    if length > SHORT:
        return False
    at, first, done, half = start + shift, start - length + 1, 0, STRIP + 2 * SHORT
    if length == 1:
        finish(form, out, at, x, first, rows, False, length)
        return True
    if length & 1:
        join(form, out, at, x, first, rows, False)
        done = 1
    double(form, x, first, room, 0, rows + length - 2, 1)
    source, target, width = 0, half, 2
    while 2 * width <= length:
        if length & width:
            join(form, out, at, room, source + done, rows, done > 0)
            done += width
        double(form, room, source, room, target, rows + length - 2 * width, width)
        source, target, width = target, source, 2 * width
    finish(form, out, at, room, source + done, rows, done > 0, length)
    return True


@kernel(inline=False)
def double(form, source, begin, target, at, rows, width):
    for j in range(rows):
        target[at + j] = merge(form, source[begin + j], source[begin + j + width])


@kernel(inline=False)
def join(form, out, at, source, begin, rows, begun):
    if begun:
        for j in range(rows):
            out[at + j] = merge(form, out[at + j], source[begin + j])
    else:
        for j in range(rows):
            out[at + j] = source[begin + j]


@kernel(inline=False)
def finish(form, out, at, source, begin, rows, begun, length):
    if begun:
        for j in range(rows):
            out[at + j] = answer(form, merge(form, out[at + j], source[begin + j]), length)
    else:
        for j in range(rows):
            out[at + j] = answer(form, source[begin + j], length)


@kernel
def yes(form):
    return True


for cls in (forms.Sum, forms.Mean, forms.Max, forms.Min):
    ends_of_block.of(cls)(tails_of_numbers)
for cls in (forms.Max, forms.Min):
    short_windows.of(cls)(windows_by_doubling)
    full_windows.of(cls)(windows_of_numbers)
    keeps_ends.of(cls)(yes)


# ----------------------------------------------------------------------------------------------- sums, four at a time


@kernel
def windows_of_sums(form, x, out, block, rows, shift, ends, slot, step, length):
    sums_of_block(form, x, out, block, rows, block - length, length, form.identity, shift, ends, length)


@kernel
def sums_of_block(form, x, out, block, rows, old, length, middle, shift, ends, present):
    """Answer for the rows of a block, whose windows are an end of a block of `length` rows from row `old` on, the
    `middle`, and the beginning of the block.

    The ends are put where the answers will be, from which they are read in the same order.
    """
    if rows == length:
        ends_in_order(form, x, old, length, out, block + shift)
        ends_and_heads(form, x, out, block, rows, middle, shift, out, block + shift, present)
    else:  # the last block of a group: there is not room for all
        ends_in_order(form, x, old, length, ends, 0)
        ends_and_heads(form, x, out, block, rows, middle, shift, ends, 0, present)


@kernel(inline=False)
def ends_in_order(form, x, block, length, dst, at):
    """dst[at + r] = the sum of rows block + r + 1 .. block + length - 1, for r = 0 .. length - 1.

    Vectors of four lie as they are read: a load that two stores have parts of would wait for both.
    """
    tail, i = form.identity, block + length
    dst[at + length - 1] = tail
    for _ in range((length - 1) % 4):
        i -= 1
        tail = merge(form, x[i], tail)
        dst[at + i - block - 1] = tail
    later = alike(tail)
    while i > block + 1:
        i -= 4
        tails = running_back(four(x, i))
        put_four(dst, at + i - block - 1, later + tails)
        later = later + all_first(tails)


@kernel(inline=False)
def ends_and_heads(form, x, out, block, rows, middle, shift, ends, at, present):
    """out[block + shift + r] = the answer of ends[at + r], the middle and rows block .. block + r, for so many rows."""
    earlier, whole = alike(middle), rows - rows % 4
    for r in range(0, whole, 4):
        heads = running(four(x, block + r))
        sums = four(ends, at + r) + (earlier + heads)
        put_four(out, block + r + shift, answers_of_four(form, sums, present))
        earlier = earlier + all_last(heads)
    head = first_of(earlier)
    for r in range(whole, rows):
        head = merge(form, head, x[block + r])
        out[block + r + shift] = answer(form, merge(form, ends[at + r], head), present)


@kernel(inline=False)
def short_sums(form, x, out, start, rows, shift, length, room):
    """Windows of few rows, of sixteen rows at a time, each added up from its first value on: no window needs another.

    A million windows of 10 rows take 0.70 ms in one thread, beside 1.03 by doubling and Bottleneck's 0.90.
    """
    if length > SHORT:
        return False
    first, at, whole = start - length + 1, start + shift, rows - rows % 16
    for r in range(0, whole, 16):
        i = first + r
        a, b, c, d = four(x, i), four(x, i + 4), four(x, i + 8), four(x, i + 12)
        for _ in range(1, length):
            i += 1
            a, b, c, d = a + four(x, i), b + four(x, i + 4), c + four(x, i + 8), d + four(x, i + 12)
        put_four(out, at + r, answers_of_four(form, a, length))
        put_four(out, at + r + 4, answers_of_four(form, b, length))
        put_four(out, at + r + 8, answers_of_four(form, c, length))
        put_four(out, at + r + 12, answers_of_four(form, d, length))
    for r in range(whole, rows):
        total = form.identity
        for i in range(first + r, first + r + length):
            total = merge(form, total, x[i])
        out[at + r] = answer(form, total, length)
    return True


@kernel
def no(form):
    return False


for cls in (forms.Sum, forms.Mean):
    full_windows.of(cls)(windows_of_sums)
    keeps_ends.of(cls)(no)
    short_windows.of(cls)(short_sums)


# ------------------------------------------------------------------------------ partials of several numbers: row by row


@kernel
def windows_of_moments(form, x, out, block, rows, shift, ends, slot, step, present):
    moments_of_block(form, x, out, block, rows, block, form.identity, shift, ends, slot, step, present)


@kernel(inline=False)
def moments_of_block(form, x, out, block, rows, old, middle, shift, ends, slot, step, present):
    """Answer for the rows of a block, whose windows begin with `ends` and the middle; aggregate the ends of as many
    rows from row `old` on. Both chains are in one loop: neither waits for the other."""
    head, tail = middle, form.identity
    for r in range(rows):
        head = add(form, head, x[block + r])
        whole = merge(form, load(ends, slot, form.identity), head)
        out[block + r + shift] = answer(form, whole, present)
        tail = add(form, tail, x[old + rows - 1 - r])
        store(ends, slot, tail)
        slot += step


@kernel(inline=False)
def ends_of_moments(form, x, block, rows, ends, slot, step):
    tail = form.identity
    for r in range(rows):
        tail = add(form, tail, x[block + rows - 1 - r])
        store(ends, slot, tail)
        slot += step


@kernel
def none(form, x, out, start, rows, shift, length, room):
    return False


for cls in (forms.Spread, forms.Deviation):
    full_windows.of(cls)(windows_of_moments)
    keeps_ends.of(cls)(yes)
    ends_of_block.of(cls)(ends_of_moments)
    short_windows.of(cls)(none)


# -------------------------------------------------------------------------------------------------------- whole numbers


@driver
def fixed_sums(x, out, pieces, first, last, length, shift):
    """Sums of whole numbers, as `fixed` gives them, by subtracting what leaves: exact modulo 2^64, one pass."""
    for p in range(first, last):
        begin, end = pieces.begin[p], pieces.end[p]
        start, stop = pieces.bounds[p], min(pieces.bounds[p + 1], end - shift)
        if start == begin:
            for i in range(begin, min(begin + shift, end)):
                out[i] = 0
        total, full = 0, max(start, min(begin + length, stop))
        for i in range(max(begin, start - length), start):
            total += x[i]
        for i in range(start, full):
            total += x[i]
            out[i + shift] = total
        for i in range(full, stop):
            total += x[i] - x[i - length]
            out[i + shift] = total
