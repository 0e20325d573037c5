"""Range queries of both B-trees: the aggregate of the entries with first <= time <= last (FiBA paper, Figure 10).

The recursion of the text, as two loops. From the lowest node that has an entry in the range, one chain of nodes leads
down to the range's first entry and one to its last; every other child in the range lies between two entries of one of
these nodes, so it is on no spine and its up-aggregate can be taken whole. That is what the text's -inf and +inf encode.
"""

from algorithms.kernel import kernel
from algorithms.operators.monoid import combine, fold, unit
from algorithms.windows.out_of_order.tree import PART, at, first_entry, last_entry, row_of


@kernel
def after(w, y, time):
    """Position of the first entry of node y that is not older than `time`; one step past the last if there is none."""
    node, key = w.node, w.key
    p, end = first_entry(node, y), at(node, y).end
    while p < end and key[p] < time:
        p += at(node, y).step
    return p


@kernel
def before(w, y, time):
    """Position of the last entry of node y that is not younger than `time`; one step before the first if none."""
    node, key = w.node, w.key
    p, row = last_entry(node, y), row_of(y)
    while p >= row and key[p] > time:
        p -= at(node, y).step
    return p


@kernel(inline=False)
def aggregate_range(w, y, first, last, dst, k):
    """dst[k] = the aggregate of all entries in first .. last; y is a node whose subtree holds them all."""
    node, key, op, agg = w.node, w.key, w.op, w.agg
    while True:
        p, end = after(w, y, first), at(node, y).end
        if p < end and key[p] <= last:
            break
        if at(node, y).step == 1:
            unit(op, dst, k)
            return
        y = key[p - 1]
    q = before(w, y, last)
    fold(op, dst, k, agg, p, q + 1)
    add_left_chain(w, y, p, first, dst, k)
    add_right_chain(w, y, q, last, dst, k)


@kernel
def add_left_chain(w, y, p, first, dst, k):
    """dst[k] = (entries from `first` on, left of position p of node y) + dst[k], one piece a level."""
    node, key, op, agg = w.node, w.key, w.op, w.agg
    exact = key[p] == first
    while at(node, y).step == 2 and not exact:
        y = key[p - 1]
        p, end = after(w, y, first), at(node, y).end
        if p < end:
            fold(op, agg, PART, agg, p, end)
            combine(op, dst, k, agg, PART, dst, k)
            exact = key[p] == first


@kernel
def add_right_chain(w, y, q, last, dst, k):
    """dst[k] = dst[k] + (entries up to `last`, right of position q of node y), one piece a level."""
    node, key, op, agg = w.node, w.key, w.op, w.agg
    exact = key[q] == last
    while at(node, y).step == 2 and not exact:
        y = key[q + 1]
        q, row = before(w, y, last), row_of(y)
        if q >= row:
            fold(op, agg, PART, agg, row, q + 1)
            combine(op, dst, k, dst, k, agg, PART)
            exact = key[q] == last
