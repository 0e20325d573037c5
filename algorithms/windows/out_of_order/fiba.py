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
from algorithms.windows.contract import ANY_ORDER, Card, aggregate, aggregate_between, evict, insert
from algorithms.windows.out_of_order import tree_check
from algorithms.windows.out_of_order.b_tree import PARAMETERS, share
from algorithms.windows.out_of_order.ranges import aggregate_range
from algorithms.windows.out_of_order.rebalance import (
    evict_entry,
    fold_row,
    insert_lifted,
    repair,
    repair_spines,
    search_start,
)
from algorithms.windows.out_of_order.tree import (
    BOTH,
    LEFT,
    LIFTED,
    LOCAL,
    RIGHT,
    ROOT,
    at,
    entries_of,
    first_entry,
    last_entry,
    prepare,
    row_of,
    spine_slot,
    take_entry,
    tree_layout,
)


class FiBA(NamedTuple):
    op: Any
    tree: Slots
    node: Slots
    key: Slots
    agg: Slots


share(FiBA)


@kernel
def climb_right(w, time):
    """The lowest node of the right spine that begins no later than `time`, or the root's last child."""
    level, top = 0, at(w.node, w.tree[0].root).level - 1
    y = w.key[spine_slot(0, RIGHT)]
    if time < w.key[row_of(y)] and level < top:
        level = 1
        while level < top and time < w.key[row_of(w.key[spine_slot(level, RIGHT)]) + 1]:
            level += 1
    return w.key[spine_slot(level, RIGHT)]


@kernel
def climb_left(w, time):
    """The lowest node of the left spine that ends no earlier than `time`, or the root's first child."""
    level, top = 0, at(w.node, w.tree[0].root).level - 1
    while level < top and time > w.key[last_entry(w.node, w.key[spine_slot(level, LEFT)])]:
        level += 1
    return w.key[spine_slot(level, LEFT)]


@search_start.of(FiBA)
def _(w, time):
    node, key, root = w.node, w.key, w.tree[0].root
    if at(node, root).step == 2:
        if time > key[last_entry(node, root)]:
            return climb_right(w, time)
        if time < key[first_entry(node, root)]:
            return climb_left(w, time)
    return root


@repair.of(FiBA)
def _(w, y):
    node, spine = w.node, at(w.node, y).spine
    if spine == 0:
        fold(w.op, w.agg, at(node, y).home, w.agg, row_of(y), at(node, y).end)
    else:
        ends = at(node, y).step - 1  # a leaf has no children to leave out
        target = at(node, y).home if spine == BOTH else spine_slot(at(node, y).level, spine)
        fold_row(w, target, row_of(y) + ends * (spine & LEFT), at(node, y).end - ends * (spine >> 1))


@kernel
def chain(w, level, spine):
    """The left or right aggregate of a spine's node: its local fold and its parent's, down to the finger."""
    agg, root_home = w.agg, ROOT
    above = at(w.node, at(w.node, w.key[spine_slot(level, spine)]).parent).home
    while level >= 0:
        own = spine_slot(level, spine)
        home = at(w.node, w.key[own]).home
        if above == root_home:
            agg[home] = agg[own]
        elif spine == LEFT:
            combine(w.op, agg, home, agg, own, agg, above)
        else:
            combine(w.op, agg, home, agg, above, agg, own)
        above = home
        level -= 1


@repair_spines.of(FiBA)
def _(w, y, hit):
    level = at(w.node, y).level
    if y == w.tree[0].root:
        level -= 1
    else:
        hit = at(w.node, y).spine
    if level >= 0 and hit & LEFT:
        chain(w, level, LEFT)
    if level >= 0 and hit & RIGHT:
        chain(w, level, RIGHT)


@insert.of(FiBA)
def _(w, time, value):
    header, node, agg = w.tree[0], w.node, w.agg
    y = header.right
    p = at(node, y).end
    if 0 < p - row_of(y) < 2 * header.min_arity - 1 and time > w.key[p - 1]:  # in order, and there is room
        w.key[p] = time
        lift(w.op, agg, p, value)
        at(node, y).end = p + 1
        header.entries += 1
        combine(w.op, agg, at(node, y).home, agg, at(node, y).home, agg, p)
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
        take_entry(w, y, row_of(y))
        header.entries -= 1
        repair(w, y)
        chain(w, 0, LEFT)
    else:
        evict_entry(w, y, row_of(y))


@aggregate.of(FiBA)
def _(w, dst, k):
    header, node, agg = w.tree[0], w.node, w.agg
    if at(node, header.root).step == 1:
        dst[k] = agg[ROOT]
    else:
        combine(w.op, dst, k, agg, at(node, header.left).home, agg, ROOT)
        combine(w.op, dst, k, dst, k, agg, at(node, header.right).home)


@aggregate_between.of(FiBA)
def _(w, first, last, dst, k):
    """O(log d_first + log d_last + log of the number between): climb from a finger if the range is on one side."""
    node, key, y = w.node, w.key, w.tree[0].root
    if at(node, y).step == 2 and first > key[last_entry(node, y)]:
        y = climb_right(w, first)
    elif at(node, y).step == 2 and last < key[first_entry(node, y)]:
        y = climb_left(w, last)
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
