"""Time windows over rows that come out of order: of the rows that have arrived, those that lie in the window by time.

A segment tree for each group, with a leaf for each of its rows in the order of times: a row that arrives sets its leaf
and the log2 n partials above it, and the window of a row is a range of leaves, log2 n partials again. Leaves of rows to
come are the identity. Rows of equal times keep the order in which they came.
"""

import numpy as np

from algorithms.kernel import Slots, as_slots, driver, kernel, row
from algorithms.operators.monoid import combine, lift, lower, unit
from algorithms.rolling.extent import ByTime

LEFT, RIGHT, TREE = 0, 1, 2
"""agg[LEFT] and agg[RIGHT] are the two ends of a range; partial p of a tree, 1 its root, is agg[TREE + p]."""


def ranks(extent: ByTime) -> tuple[Slots, Slots, Slots]:
    """For each row its place by time within its group, and the first and last + 1 places of its window."""
    times, bounds = np.asarray(extent.times), np.asarray(extent.bounds)
    rank, low, high = (np.empty(len(times), np.int64) for _ in range(3))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
        group = times[begin:end]
        order = np.argsort(group, kind="stable")
        ordered = group[order]
        rank[begin:end][order] = np.arange(end - begin)
        low[begin:end] = np.searchsorted(ordered, group - extent.reach, "left")
        high[begin:end] = np.searchsorted(ordered, group, "right" if extent.to_the_end else "left")
    return as_slots(rank), as_slots(low), as_slots(high)


def room(bounds: np.ndarray) -> int:
    """How many partials the tree of the largest group takes."""
    return TREE + 2 * leaves_for(int(np.diff(bounds).max(initial=0)))


@kernel
def leaves_for(rows):
    leaves = 1
    while leaves < rows:
        leaves *= 2
    return leaves


@driver
def late_rows(op, x, valid, out, bounds, first, last, rank, low, high, agg):
    """For each group first .. last - 1 and each of its rows i: out[i] = answer of the valid rows in its window.

    x: a column, or a tuple of columns, as the operator takes values.
    """
    for g in range(first, last):
        leaves = leaves_for(bounds[g + 1] - bounds[g])
        for p in range(2 * leaves):
            unit(op, agg, TREE + p)
        for i in range(bounds[g], bounds[g + 1]):
            if valid[i]:
                arrive(op, row(x, i), leaves + rank[i], agg)
            aggregate_range(op, leaves + low[i], leaves + high[i], agg)
            out[i] = lower(op, agg, LEFT)


@kernel(inline=False)
def arrive(op, value, p, agg):
    lift(op, agg, TREE + p, value)
    while p > 1:
        p >>= 1
        combine(op, agg, TREE + p, agg, TREE + 2 * p, agg, TREE + 2 * p + 1)


@kernel(inline=False)
def aggregate_range(op, p, q, agg):
    """agg[LEFT] = the leaves p .. q - 1, in their order."""
    unit(op, agg, LEFT)
    unit(op, agg, RIGHT)
    while p < q:
        if p & 1:
            combine(op, agg, LEFT, agg, LEFT, agg, TREE + p)
            p += 1
        if q & 1:
            q -= 1
            combine(op, agg, RIGHT, agg, TREE + q, agg, RIGHT)
        p >>= 1
        q >>= 1
    combine(op, agg, LEFT, agg, LEFT, agg, RIGHT)
