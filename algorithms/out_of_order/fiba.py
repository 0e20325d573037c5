"""FiBA, the finger B-tree aggregator: any order, and a cost of O(log d) for a value at distance d from an end.

Tangwongsan, Hirzel, Schneider: Sub-O(log n) Out-of-Order Sliding-Window Aggregation (arXiv 1810.11308, 2018; PVLDB
12(10), 2019), sections 3.2 to 4. The B-tree of b_tree.py, with two fingers and position-aware partial aggregates (the
paper's Figure 2):

    up      a node on no spine: its whole subtree
    inner   the root: everything but its first and its last subtree
    left    the left spine: what lies between the node's first subtree and the root's inner part
    right   the right spine, mirrored

so that a change near an end is repaired without a walk to the root, and the whole window is left finger + root + right
finger.

One thing is added to the paper. A node of a spine also keeps the fold of its own row (in a slot of its level, LOCAL):
when a change higher up passes down the spine, every node costs one combine instead of refolding its row.
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, fold, lift
from algorithms.out_of_order import tree_check
from algorithms.out_of_order.b_tree import PARAMETERS, share
from algorithms.out_of_order.ranges import aggregate_range
from algorithms.out_of_order.rebalance import (
    evict_entry,
    fold_row,
    insert_lifted,
    repair,
    repair_spines,
    search_start,
)
from algorithms.out_of_order.tree import (
    BOTH,
    LEFT,
    LIFTED,
    LOCAL,
    RIGHT,
    ROOT,
    entries_of,
    first_entry,
    last_entry,
    prepare,
    take_entry,
    tree_layout,
)
from algorithms.window import ANY_ORDER, Card, aggregate, aggregate_between, evict, insert


class FiBA(NamedTuple):
    op: Any
    tree: Slots
    node: Slots
    key: Slots
    agg: Slots


share(FiBA)


@search_start.of(FiBA)
def _(w, time):
    node, key, root = w.node, w.key, w.tree[0].root
    if node[root].step == 1:
        return root
    if time > key[last_entry(node, root)]:
        y = w.tree[0].right
        while node[y].parent != root and time < key[first_entry(node, y)]:
            y = node[y].parent
        return y
    if time < key[first_entry(node, root)]:
        y = w.tree[0].left
        while node[y].parent != root and time > key[last_entry(node, y)]:
            y = node[y].parent
        return y
    return root


@kernel
def local(w, y):
    """Where the fold of y's own row goes: its home if it is an up- or inner aggregate, else the slot of its level."""
    spine = w.node[y].spine
    if spine == LEFT or spine == RIGHT:
        return LOCAL + 2 * w.node[y].level + spine - 1
    return w.node[y].home


@repair.of(FiBA)
def _(w, y):
    node, spine = w.node, w.node[y].spine
    if spine == 0:
        fold(w.op, w.agg, node[y].home, w.agg, node[y].row, node[y].end)
    else:
        ends = node[y].step - 1  # a leaf has no children to leave out
        fold_row(w, local(w, y), node[y].row + ends * (spine & LEFT), node[y].end - ends * (spine >> 1))


@kernel
def chain(w, y):
    """The left or right aggregate of a spine node, from its own row and its parent's (which the root does not give)."""
    node, agg, home, parent = w.node, w.agg, w.node[y].home, w.node[y].parent
    if parent == w.tree[0].root:
        agg[home] = agg[local(w, y)]
    elif node[y].spine == LEFT:
        combine(w.op, agg, home, agg, local(w, y), agg, node[parent].home)
    else:
        combine(w.op, agg, home, agg, node[parent].home, agg, local(w, y))


@repair_spines.of(FiBA)
def _(w, y, hit):
    node, key = w.node, w.key
    if y != w.tree[0].root:
        hit = node[y].spine
        chain(w, y)
    if hit & LEFT:
        x = y
        while node[x].step == 2:
            x = key[node[x].row]
            chain(w, x)
    if hit & RIGHT:
        x = y
        while node[x].step == 2:
            x = key[node[x].end - 1]
            chain(w, x)


@insert.of(FiBA)
def _(w, time, value):
    header, node, agg = w.tree[0], w.node, w.agg
    y = header.right
    p = node[y].end
    if 0 < p - node[y].row < 2 * header.min_arity - 1 and time > w.key[p - 1]:  # in order, and there is room
        w.key[p] = time
        lift(w.op, agg, p, value)
        node[y].end = p + 1
        header.entries += 1
        combine(w.op, agg, node[y].home, agg, node[y].home, agg, p)
        if y != header.root:
            combine(w.op, agg, LOCAL + 1, agg, LOCAL + 1, agg, p)
    else:
        lift(w.op, agg, LIFTED, value)
        insert_lifted(w, time, LIFTED)


@evict.of(FiBA)
def _(w):
    header, node = w.tree[0], w.node
    y = header.left
    if entries_of(node, y) >= header.min_arity and y != header.root:
        take_entry(w, y, node[y].row)
        header.entries -= 1
        repair(w, y)
        chain(w, y)
    else:
        evict_entry(w, y, node[y].row)


@aggregate.of(FiBA)
def _(w, dst, k):
    header, node, agg = w.tree[0], w.node, w.agg
    if node[header.root].step == 1:
        dst[k] = agg[ROOT]
    else:
        combine(w.op, dst, k, agg, node[header.left].home, agg, ROOT)
        combine(w.op, dst, k, dst, k, agg, node[header.right].home)


@aggregate_between.of(FiBA)
def _(w, first, last, dst, k):
    """O(log d_first + log d_last + log of the number between): climb from a finger if the range is on one side."""
    node, key, root = w.node, w.key, w.tree[0].root
    y = root
    if node[root].step == 2 and first > key[last_entry(node, root)]:
        y = w.tree[0].right
        while node[y].parent != root and first < key[first_entry(node, y)]:
            y = node[y].parent
    elif node[root].step == 2 and last < key[first_entry(node, root)]:
        y = w.tree[0].left
        while node[y].parent != root and last > key[last_entry(node, y)]:
            y = node[y].parent
    aggregate_range(w, y, first, last, dst, k)


CARD = Card(
    name="fiba",
    title="FiBA, finger B-tree aggregator",
    paper="Tangwongsan, Hirzel, Schneider 2018",
    order=ANY_ORDER,
    operations=("insert", "evict", "query", "evict_at", "bulk_evict", "bulk_insert", "range_query"),
    time={
        "insert": "amortised O(1 + log d), worst O(log n)",
        "evict": "amortised O(1), worst O(log n)",
        "query": "at most 2",
        "evict_at": "amortised O(1 + log d), worst O(log n)",
        "bulk_evict": "amortised O(log m)",
        "bulk_insert": "O(log d + m (1 + log(d/m)))",
        "range_query": "O(log d_first + log d_last + log m)",
    },
    space="n + n / min_arity, in rows of 2 min_arity",
    window=FiBA,
    layout=tree_layout,
    prepare=lambda w, capacity, min_arity: prepare(w, capacity, min_arity, BOTH),
    check=tree_check.check,
    parameters=PARAMETERS,
)
