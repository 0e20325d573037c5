"""The classic B-tree augmented with aggregates: every node keeps the aggregate of its subtree.

Basic algorithm of Tangwongsan, Hirzel, Schneider: Sub-O(log n) Out-of-Order Sliding-Window Aggregation (arXiv
1810.11308, 2018), section 3.1, and the baseline of that paper (`bclassic`). Its memory and its rebalancing are
FiBA's (tree.py, rebalance.py); every search starts at the root and every repair climbs to it.
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots
from algorithms.operators.monoid import lift
from algorithms.windows.contract import (
    ANY_ORDER,
    Card,
    Parameter,
    aggregate,
    aggregate_between,
    bulk_evict,
    bulk_insert,
    evict,
    evict_at,
    has_time,
    insert,
    oldest,
    size,
    youngest,
)
from algorithms.windows.out_of_order import tree_check
from algorithms.windows.out_of_order.bulk import evict_until, insert_sorted
from algorithms.windows.out_of_order.ranges import aggregate_range
from algorithms.windows.out_of_order.rebalance import (
    evict_at_time,
    evict_entry,
    fold_row,
    insert_lifted,
    repair,
    repair_spines,
    search,
    search_start,
)
from algorithms.windows.out_of_order.tree import (
    LIFTED,
    NOTHING,
    ROOT,
    at,
    dismantle,
    last_entry,
    prepare,
    row_of,
    tree_layout,
)


class BTree(NamedTuple):
    op: Any
    tree: Slots
    node: Slots
    key: Slots
    agg: Slots


@search_start.of(BTree)
def _(w, time):
    return w.tree[0].root


@repair.of(BTree)
def _(w, y):
    fold_row(w, at(w.node, y).home, row_of(y), at(w.node, y).end)


@repair_spines.of(BTree)
def _(w, y, hit):
    pass


@aggregate.of(BTree)
def _(w, dst, k):
    dst[k] = w.agg[ROOT]


@insert.of(BTree)
def _(w, time, value):
    lift(w.op, w.agg, LIFTED, value)
    insert_lifted(w, time, LIFTED)


def share(window):
    """The operations that are the same in both trees, for one class of window."""

    @evict_at.of(window)
    def _(w, time):
        return evict_at_time(w, time)

    @has_time.of(window)
    def _(w, time):
        _, _, found = search(w, time)
        return found

    @bulk_evict.of(window)
    def _(w, time):
        evict_until(w, time)

    @bulk_insert.of(window)
    def _(w, times, values, first, last):
        insert_sorted(w, times, values, first, last)

    @oldest.of(window)
    def _(w):
        return w.key[row_of(w.tree[0].left)]

    @youngest.of(window)
    def _(w):
        return w.key[last_entry(w.node, w.tree[0].right)]

    @size.of(window)
    def _(w):
        while w.tree[0].cut != NOTHING:
            dismantle(w)
        return w.tree[0].entries


share(BTree)


@evict.of(BTree)
def _(w):
    y = w.tree[0].left
    evict_entry(w, y, row_of(y))


@aggregate_between.of(BTree)
def _(w, first, last, dst, k):
    aggregate_range(w, w.tree[0].root, first, last, dst, k)


PARAMETERS = {"min_arity": Parameter(2, 2, "least number of children of a node; the most is twice that")}
PAPER = "Tangwongsan, Hirzel, Schneider 2018, section 3.1"

CARD = Card(
    name="b_tree",
    title="Classic B-tree with aggregates",
    paper=PAPER,
    order=ANY_ORDER,
    operations=("insert", "evict", "query", "evict_at", "bulk_evict", "bulk_insert", "range_query"),
    time={
        "insert": "O(log n)",
        "evict": "O(log n)",
        "query": "0",
        "evict_at": "O(log n)",
        "bulk_evict": "O(log n) for any number",
        "bulk_insert": "O(log n + m (1 + log(n/m)))",
        "range_query": "O(log n)",
    },
    space="n + n / min_arity, in rows of 2 min_arity",
    window=BTree,
    layout=tree_layout,
    prepare=lambda w, capacity, min_arity: prepare(w, capacity, min_arity, 0),
    check=tree_check.check,
    parameters=PARAMETERS,
)
