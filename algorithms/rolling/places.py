"""The row of the greatest or least value in each window of a fixed number of rows.

The two scans of by_count.py, with the row beside each value: of equal values the first row is kept, and no row is
chosen by a branch, so that every order of values takes the same time. NaN is a missing value, and stands for the row of
a window that has none. Rows are floats in the loops: whole up to 2^53, and selected without a branch as values are.
"""

import numpy as np

from algorithms.kernel import driver, kernel


@driver
def fixed_places(x, out, pieces, first, last, length, shift, sign, values, rows):
    """out[i + shift] = the first row of the greatest value of sign * x in rows i - length + 1 .. i, or NaN.

    For each row of pieces first .. last - 1 (see by_count.Pieces). sign: 1.0 or -1.0; values and rows: slots for a
    float more than the longest window has rows.
    """
    for p in range(first, last):
        begin, end = pieces.begin[p], pieces.end[p]
        start, stop = pieces.bounds[p], min(pieces.bounds[p + 1], end - shift)
        longest = min(length, end - begin)
        if start == begin:
            for i in range(begin, min(begin + shift, end)):
                out[i] = np.nan
            for r in range(longest + 1):
                values[r], rows[r] = np.nan, np.nan
        else:
            ends_of_block(x, start - longest, longest, sign, values, rows)
        slot, step = 1, 1
        for block in range(start, stop, longest):
            none = slot + step * (longest - 1)  # the last window is the block itself
            values[none], rows[none] = np.nan, np.nan
            places_in_block(x, out, block, min(longest, stop - block), shift, sign, values, rows, slot, step)
            slot, step = longest - slot, -step


@kernel
def beats(value, best):
    """Whether a later value takes the place of the best before it. A missing one does not; anything beats a missing."""
    return (value == value) & (not best >= value)


@kernel
def ties(value, best):
    """Whether an earlier value takes the place of the best after it."""
    return (value == value) & (not best > value)


@kernel(inline=False)
def places_in_block(x, out, block, count, shift, sign, values, rows, slot, step):
    """Answer for the rows of a block, and find the best of each of its ends, which are stored where one was read."""
    head, head_row, tail, tail_row = np.nan, np.nan, np.nan, np.nan
    for r in range(count):
        i, j = block + r, block + count - 1 - r
        value, older = sign * x[i], sign * x[j]
        better = beats(value, head)
        head, head_row = value if better else head, float(i) if better else head_row
        end, end_row = values[slot], rows[slot]  # loaded in any case: a load is not done before it is decided
        out[i + shift] = head_row if beats(head, end) else end_row
        better = ties(older, tail)
        tail, tail_row = older if better else tail, float(j) if better else tail_row
        values[slot], rows[slot] = tail, tail_row
        slot += step


@kernel(inline=False)
def ends_of_block(x, block, count, sign, values, rows):
    """The best of each end of a block, from its last row back: of rows block + k .. in slot k."""
    tail, tail_row = np.nan, np.nan
    for k in range(count - 1, -1, -1):
        value = sign * x[block + k]
        better = ties(value, tail)
        tail, tail_row = value if better else tail, float(block + k) if better else tail_row
        values[k], rows[k] = tail, tail_row
