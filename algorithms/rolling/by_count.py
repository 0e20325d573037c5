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

from algorithms.kernel import Slots, as_slots, driver, kernel, load, store
from algorithms.rolling.forms import add, answer, answer_if, merge

FEWEST = 4
"""Blocks of a piece: the ends of the block before it are aggregated once more."""


class Pieces(NamedTuple):
    """Piece p is rows bounds[p] .. bounds[p + 1] - 1, of the group that is rows begin[p] .. end[p] - 1. Nothing of one
    piece is needed for another, so that threads can have one each."""

    bounds: Slots
    begin: Slots
    end: Slots


def pieces_of(bounds: Slots, length: int, rows: int) -> Pieces:
    """Each group as one piece, or if it is long, in pieces of about so many rows: whole blocks, and at least
    `FEWEST` of them. O(groups)."""
    ends, piece = np.asarray(bounds), max(rows // length, FEWEST) * length
    long = np.flatnonzero(2 * np.diff(ends) > 3 * max(rows, FEWEST * length))
    inner = [np.arange(ends[g] + piece, ends[g + 1] - piece // 2, piece) for g in long.tolist()]
    cuts = np.sort(np.concatenate([ends, *inner]))
    group = np.searchsorted(ends, cuts[:-1], "right") - 1
    return Pieces(*map(as_slots, (cuts, ends[group], ends[group + 1])))


@driver
def fixed(form, x, out, pieces, first, last, length, shift, least, ends):
    """out[i + shift] = the answer of rows i - length + 1 .. i of x, for each row of pieces first .. last - 1.

    pieces: see `Pieces`. length: at least 1; ends: slots for length + 1 partials.
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
        present, back = 0, 0
    else:
        present, back = ends_of_block(form, x, start - longest, longest, ends), longest
    block, slot, step = start, 1, 1
    while block < stop:
        rows = min(longest, stop - block)
        gaps = missing(x, block, rows)
        store(ends, slot + step * (longest - 1), form.identity)  # the last window is the block itself
        if gaps == 0 and present == longest >= least:
            full_windows(form, x, out, block, rows, shift, ends, slot, step, longest)
        else:
            present = windows_with_gaps(form, x, out, block, rows, shift, ends, slot, step, present, back, least)
        block, slot, step, back = block + longest, longest - slot, -step, longest


@kernel(inline=False)
def ends_of_block(form, x, block, rows, ends):
    """Aggregate the ends of the block before a piece, where its first block looks for them. Gives its values."""
    tail = form.identity
    for r in range(rows):
        tail = add(form, tail, x[block + rows - 1 - r])
        store(ends, rows - 1 - r, tail)
    return rows - missing(x, block, rows)


@kernel
def missing(x, first, rows):
    """How many of so many values are missing."""
    gaps = 0
    for i in range(first, first + rows):
        gaps += x[i] != x[i]
    return gaps


@kernel(inline=False)
def full_windows(form, x, out, block, rows, shift, ends, slot, step, present):
    """Answer for the rows of one block, where neither it nor the one before misses a value.

    Its own ends are aggregated in the same loop: two chains of merges, of which neither waits for the other. Each end
    is stored where one of the block before was read last, so that the next block reads them in the other direction.
    With room for the ends of two blocks, those of 1,000 rows left the first-level cache: 1.6 ns a row, not 1.3.
    """
    head, tail = form.identity, form.identity
    for r in range(rows):
        head = add(form, head, x[block + r])
        whole = merge(form, load(ends, slot, form.identity), head)
        out[block + r + shift] = answer(form, whole, present)
        tail = add(form, tail, x[block + rows - 1 - r])
        store(ends, slot, tail)
        slot += step


@kernel(inline=False)
def windows_with_gaps(form, x, out, block, rows, shift, ends, slot, step, present, back, least):
    """The same for any block. Rows leave that are `back` rows back, 0 for none.

    Gives the number of values in the window that ends with the block.
    """
    head, tail = form.identity, form.identity
    for r in range(rows):
        value = x[block + r]
        present += value == value
        if back > 0:
            left = x[block + r - back]
            present -= left == left
        head = add(form, head, value)
        whole = merge(form, load(ends, slot, form.identity), head)
        out[block + r + shift] = answer_if(form, whole, present, least)
        tail = add(form, tail, x[block + rows - 1 - r])
        store(ends, slot, tail)
        slot += step
    return present


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
