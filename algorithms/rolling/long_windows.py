"""Windows of very many rows, none of them missing: the block method with blocks much shorter than the window.

With blocks as long as the window (by_count.py) the ends of a block of a million rows leave the caches before they are
read, and a column of two windows has no parts for several threads. Here a window is the end of one short block, all
rows up to another, and the beginning of that:

    rows        a b | c d | e f | g h | ...      the window at g, of six rows:   b + (c + d) + (e + f) + g

What is in between is the same for all windows that end in a block, and is added up from the totals of blocks. Sums are
rounded no more often than there.
"""

from math import isqrt
from typing import NamedTuple

from algorithms.fours import alike, first_of, four, running_back
from algorithms.kernel import driver, generic, kernel, load, store
from algorithms.rolling import by_count, forms
from algorithms.rolling.by_count import ends_of_block
from algorithms.rolling.forms import add, merge

LONG = 2**18
"""Rows of the shortest windows for which this pays: the ends of such a block take 2 MB, as much as a second-level cache
has or more. Of windows of 100,000 rows sums take as long by_count, where no block is added up beforehand."""

BLOCK = 2**13
"""About how many rows a block has; four times the root of the window's, if that is more, so that totals are few."""


class Plan(NamedTuple):
    """Blocks of `rows` rows. The first of the `total` ones whose totals are needed begins at row `start`; the first row
    with an answer is the first of block number `inner`, and its window reaches back over `inner` blocks, `rest` rows
    and the end of another block."""

    length: int
    rows: int
    total: int
    start: int
    inner: int
    rest: int


def plan_of(n: int, length: int, shift: int) -> Plan:
    """The plan for windows of so many rows of a column of n."""
    blocks = max(1, length // max(BLOCK, 4 * isqrt(length)))
    rows = length // blocks
    inner, start = blocks - 1, length - 1 - (blocks - 1) * rows
    return Plan(length, rows, -(-(n - shift - start) // rows), start, inner, length - blocks * rows)


def suits(form, rows: int, length: int, least: int) -> bool:
    """Whether windows of so many rows of one group can be answered so, if no row is missing."""
    return type(form) in total_of.table and LONG <= length == least <= rows


@generic
def total_of(form, x, first, rows):
    """The partial of so many rows."""


@generic
def windows_of_block(form, x, out, plan, block, rows, middle, shift, ends, slot, step):
    """Answer for the rows of a block. `middle` is the partial of what is between both ends of each of their windows."""


@driver
def totals_of_blocks(form, x, totals, plan, first, last, n):
    """totals[b] = the partial of block b. Gives how many values are missing."""
    gaps = 0
    for b in range(first, last):
        begin = plan.start + b * plan.rows
        rows = min(plan.rows, n - begin)
        gaps += by_count.missing(x, begin, rows)
        store(totals, b, total_of(form, x, begin, rows))
    return gaps


@driver
def long_windows(form, x, out, totals, plan, first, last, n, shift, ends):
    """out[i + shift] = the answer of rows i - length + 1 .. i of x, for each row i of blocks first .. last - 1.

    ends: slots for plan.rows + 1 partials.
    """
    slot, step = 1, 1
    ends_of_block(form, x, plan.start + first * plan.rows - plan.length + 1, plan.rows - 1, ends, plan.rows - 1, -1)
    for b in range(first, last):
        block = plan.start + b * plan.rows
        store(ends, slot + step * (plan.rows - 1), form.identity)  # the last window has no end of a block
        middle = middle_of(form, x, totals, plan, b, block)
        windows_of_block(form, x, out, plan, block, min(plan.rows, n - shift - block), middle, shift, ends, slot, step)
        slot, step = plan.rows - slot, -step


@kernel(inline=False)
def middle_of(form, x, totals, plan, b, block):
    middle = form.identity
    begin = block - plan.inner * plan.rows - plan.rest
    for i in range(begin, begin + plan.rest):
        middle = add(form, middle, x[i])
    for k in range(b - plan.inner, b):
        middle = merge(form, middle, load(totals, k, form.identity))
    return middle


# ------------------------------------------------------------------------------------------------------ sums and means


@kernel(inline=False)
def total_in_fours(form, x, first, rows):
    """Two running sums of vectors, so that an addition waits for another once in eight rows."""
    one = other = alike(form.identity)
    for i in range(first, first + rows - rows % 8, 8):
        one, other = one + four(x, i), other + four(x, i + 4)
    total = first_of(running_back(one + other))
    for i in range(first + rows - rows % 8, first + rows):
        total = merge(form, total, x[i])
    return total


@kernel
def sums(form, x, out, plan, block, rows, middle, shift, ends, slot, step):
    by_count.sums_of_block(form, x, out, block, rows, block - plan.length, plan.rows, middle, shift, ends, plan.length)


for cls in (forms.Sum, forms.Mean):
    total_of.of(cls)(total_in_fours)
    windows_of_block.of(cls)(sums)


# ------------------------------------------------------------------------------------------------------------- moments


@kernel(inline=False)
def moments_in_fours(form, x, first, rows):
    """The mean, and then the squared distances from it."""
    mean = total_in_fours(forms.Sum(0.0, 0.0), x, first, rows) / rows
    center, squares = alike(-mean), alike(0.0)
    for i in range(first, first + rows - rows % 4, 4):
        distances = four(x, i) + center
        squares = squares + distances * distances
    m2 = first_of(running_back(squares))
    for i in range(first + rows - rows % 4, first + rows):
        m2 += (x[i] - mean) * (x[i] - mean)
    return forms.Moments(rows, mean, m2)


@kernel
def moments(form, x, out, plan, block, rows, middle, shift, ends, slot, step):
    old = block - plan.length + plan.rows  # the ends for the next block
    by_count.moments_of_block(form, x, out, block, rows, old, middle, shift, ends, slot, step, plan.length)


for cls in (forms.Spread, forms.Deviation):
    total_of.of(cls)(moments_in_fours)
    windows_of_block.of(cls)(moments)
