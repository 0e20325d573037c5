"""Quantiles of windows of a fixed number of rows, from blocks that are sorted beforehand.

J. Suomela: Median Filtering Is Equivalent to Sorting (arXiv 1406.1717, 2014).

Rows are cut into blocks as long as the window, so that a window is the end of one block and the beginning of the next.
Each block is sorted, and its rows are linked in that order. Then every row leaves the one list and enters the other in
constant time: links of the block before are cut from its first row on, and those of the block itself, which were cut
from its last row back beforehand, are put back in the opposite order, each where it was. In each list a pointer is at
the first row that is not among the lowest `rank` ones of both; it moves by a step or two a row.

    time    sorting blocks, O(log w) a row, and O(1) a row beyond that; space O(w) beside the column of a block's order
"""

from typing import NamedTuple

import numpy as np

from algorithms.arguments import EXACT
from algorithms.kernel import Slots, as_slots, driver, kernel, slots
from algorithms.order_statistics import codes
from algorithms.threads import shared, threads_for

TOGETHER = 2**16
"""Rows that are sorted at a time, so that their order stays in the cache; at least a block."""


class Links(NamedTuple):
    """Two lists, each of `length` rows and an end that is greater than all: the next row by value, the one before, and
    the place of each row in its sorted block. Rows of the second list are numbered from length + 1 on."""

    next: Slots
    prev: Slots
    place: Slots


def suits(column: np.ndarray, length: int) -> bool:
    """Whether windows of so many rows of a column can be taken from sorted blocks, and are many enough for it."""
    if len(column) < 4 * length:
        return False
    if column.dtype.kind == "i":
        return len(column) == 0 or bool(column.min() >= -EXACT and column.max() <= EXACT)
    return bool(column.max(initial=-np.inf) < np.inf)  # neither NaN nor infinity, which the end of a list stands for


def quantiles(column: np.ndarray, length: int, fractions: list[float], interpolation: str) -> np.ndarray:
    """The quantiles of the windows that end with each row from number `length` on: (n - length, fractions), float64.

    The column has no missing values and none that is infinite; see `suits`.
    """
    x, n = as_slots(column.astype(np.float64, copy=False)), len(column)
    answers = np.empty((n - length, len(fractions)))
    wanted = [tuple(each.item() for each in codes.neighbours(np.array(length), f)) for f in fractions]
    blocks, threads = -(-n // length), threads_for(n)
    cuts = np.unique(np.linspace(1, blocks, threads + 1).astype(int)).tolist()

    def run(first: int, last: int) -> None:
        links, step = links_of(length), max(1, TOGETHER // length)
        before = order_of(x, first - 1, first, length)
        for start in range(first, last, step):
            stop = min(start + step, last)
            order = np.concatenate([before, order_of(x, start, stop, length)])
            rows = slice((start - 1) * length, min(stop * length, n) - length)
            low, high = np.empty((2, rows.stop - rows.start))
            for j, (rank, part) in enumerate(wanted):
                found = as_slots(low), as_slots(high)
                select(x, as_slots(order), *found, links, start, stop, n, length, rank)
                answers[rows, j] = codes.interpolated(low, high, np.array(rank), np.array(part), interpolation)
            before = order[-length:]

    shared(zip(cuts[:-1], cuts[1:], strict=True), run, threads)
    return answers


def links_of(length: int) -> Links:
    return Links(*(slots(2 * (length + 1), "i4", name) for name in Links._fields))


def order_of(x: Slots, first: int, last: int, length: int) -> np.ndarray:
    """For each of the blocks first .. last - 1, its rows in order of their values, numbered within the block."""
    values = np.asarray(x)[first * length : last * length]
    whole = len(values) // length * length
    order = np.argsort(values[:whole].reshape(-1, length), axis=1).reshape(-1)
    return np.concatenate([order, np.argsort(values[whole:])]) if whole < len(values) else order


@driver
def select(x, order, low, high, links, first, last, n, length, rank):
    """For each row of blocks first .. last - 1 the value of this rank in its window, and the next higher one.

    order: see `order_of`, of the blocks from first - 1 on.
    """
    old, new = 0, length + 1
    link(links, order, 0, length, old, length)
    from_old, below_old = old + order[rank], rank
    for block in range(first, last):
        start = block * length
        rows = min(length, n - start)
        link(links, order, (block - first + 1) * length, rows, new, length)
        unlink_all(links, new, rows)
        from_new, below_new = new + length, 0
        for r in range(rows):
            from_old, below_old = leave(links, old + r, from_old, below_old)
            from_new = enter(links, new + r, from_new)
            if below_old + below_new < rank:
                if value(x, from_old, old, start - length, length) <= value(x, from_new, new, start, length):
                    from_old, below_old = links.next[from_old], below_old + 1
                else:
                    from_new, below_new = links.next[from_new], below_new + 1
            a, b = value(x, from_old, old, start - length, length), value(x, from_new, new, start, length)
            i = start - first * length + r
            if a <= b:
                low[i] = a
                high[i] = min(b, value(x, links.next[from_old], old, start - length, length))
            else:
                low[i] = b
                high[i] = min(a, value(x, links.next[from_new], new, start, length))
        old, new, from_old, below_old = new, old, from_new, below_new


@kernel(inline=False)
def link(links, order, first, rows, base, length):
    """Make a list of a block's rows, in the order that begins at order[first]."""
    end = base + length
    links.place[end] = length
    p = end
    for j in range(rows):
        q = base + order[first + j]
        links.next[p], links.prev[q], links.place[q] = q, p, j
        p = q
    links.next[p], links.prev[end] = end, p


@kernel(inline=False)
def unlink_all(links, base, rows):
    """Take out all rows, the last one first. Each keeps its own links, by which it finds its place again."""
    for q in range(base + rows - 1, base - 1, -1):
        links.next[links.prev[q]], links.prev[links.next[q]] = links.next[q], links.prev[q]


@kernel
def leave(links, q, start, below):
    """Take out row q. The rows below the pointer are one fewer, unless there were none: it, or else the highest."""
    links.next[links.prev[q]], links.prev[links.next[q]] = links.next[q], links.prev[q]
    if links.place[q] < links.place[start]:
        return start, below - 1
    if q == start:
        start = links.next[start]
    return (links.prev[start], below - 1) if below > 0 else (start, below)


@kernel
def enter(links, q, start):
    """Put row q back. As many rows are below the pointer as before, so that it goes a step back if q is among them."""
    links.next[links.prev[q]], links.prev[links.next[q]] = q, q
    return links.prev[start] if links.place[q] < links.place[start] else start


@kernel
def value(x, q, base, start, length):
    """The value of row q of the list that begins at `base` and has the rows from x[start] on; the end's is infinite."""
    return np.inf if q == base + length else x[start + q - base]
