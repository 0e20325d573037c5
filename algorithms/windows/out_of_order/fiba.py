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

An aggregate of a spine depends on its parent's, so these are repaired from above: after a change, every node down the
spine folds its row again. fiba_folds.py saves that.
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


@kernel
def fold_own(w, k, y, spine):
    """agg[k] = fold of node y's row without the ends that lie on its spine; a leaf has no children to leave out."""
    ends = at(w.node, y).step - 1
    fold_row(w, k, row_of(y) + ends * (spine & LEFT), at(w.node, y).end - ends * (spine >> 1))


@kernel
def reach(w, y, hit):
    """The level below which spines must be repaired once node y is, and which: its own, or below the root those hit."""
    level = at(w.node, y).level
    return (level - 1, hit) if y == w.tree[0].root else (level, at(w.node, y).spine)


@repair.of(FiBA)
def _(w, y):
    spine = at(w.node, y).spine
    if spine == 0:
        fold(w.op, w.agg, at(w.node, y).home, w.agg, row_of(y), at(w.node, y).end)
    elif spine == BOTH:  # others of a spine wait for their parents: repair_spines
        fold_own(w, at(w.node, y).home, y, BOTH)


@kernel
def refold(w, level, spine):
    """Repair a spine from its node of that level down to the finger, by its own row and its parent's aggregate."""
    node, agg = w.node, w.agg
    while level >= 0:
        y = w.key[spine_slot(level, spine)]
        home, parent = at(node, y).home, at(node, y).parent
        fold_own(w, home, y, spine)
        if parent != w.tree[0].root:
            above = at(node, parent).home
            if spine == LEFT:
                combine(w.op, agg, home, agg, home, agg, above)
            else:
                combine(w.op, agg, home, agg, above, agg, home)
        level -= 1


@repair_spines.of(FiBA)
def _(w, y, hit):
    level, hit = reach(w, y, hit)
    if hit & LEFT:
        refold(w, level, LEFT)
    if hit & RIGHT:
        refold(w, level, RIGHT)


@kernel
def has_room(w, y, time):
    """Whether the right finger, leaf y, takes an entry in order."""
    p = at(w.node, y).end
    return 0 < p - row_of(y) < 2 * w.tree[0].min_arity - 1 and time > w.key[p - 1]


@kernel
def append(w, y, time, value):
    """Put the youngest entry into leaf y, the right finger; gives its position."""
    p = at(w.node, y).end
    w.key[p] = time
    lift(w.op, w.agg, p, value)
    at(w.node, y).end = p + 1
    w.tree[0].entries += 1
    combine(w.op, w.agg, at(w.node, y).home, w.agg, at(w.node, y).home, w.agg, p)
    return p


@insert.of(FiBA)
def _(w, time, value):
    y = w.tree[0].right
    if has_room(w, y, time):
        append(w, y, time, value)
    else:
        lift(w.op, w.agg, LIFTED, value)
        insert_lifted(w, time, LIFTED)


@kernel
def spares(w, y):
    """Whether the left finger, leaf y, can lose an entry without rebalancing."""
    return entries_of(w.node, y) >= w.tree[0].min_arity and y != w.tree[0].root


@evict.of(FiBA)
def _(w):
    y = w.tree[0].left
    if spares(w, y):
        take_entry(w, y, row_of(y))
        w.tree[0].entries -= 1
        refold(w, 0, LEFT)
    else:
        evict_entry(w, y, row_of(y))


def share_fingers(window):
    """The operations that do not depend on how spines are repaired, for one class of window."""

    @search_start.of(window)
    def _(w, time):
        node, key, root = w.node, w.key, w.tree[0].root
        if at(node, root).step == 2:
            if time > key[last_entry(node, root)]:
                return climb_right(w, time)
            if time < key[first_entry(node, root)]:
                return climb_left(w, time)
        return root

    @aggregate.of(window)
    def _(w, dst, k):
        header, node, agg = w.tree[0], w.node, w.agg
        if at(node, header.root).step == 1:
            dst[k] = agg[ROOT]
        else:
            combine(w.op, dst, k, agg, at(node, header.left).home, agg, ROOT)
            combine(w.op, dst, k, dst, k, agg, at(node, header.right).home)

    @aggregate_between.of(window)
    def _(w, first, last, dst, k):
        """O(log d_first + log d_last + log of the number between): climb from a finger if the range is on one side."""
        node, key, y = w.node, w.key, w.tree[0].root
        if at(node, y).step == 2 and first > key[last_entry(node, y)]:
            y = climb_right(w, first)
        elif at(node, y).step == 2 and last < key[first_entry(node, y)]:
            y = climb_left(w, last)
        aggregate_range(w, y, first, last, dst, k)


share_fingers(FiBA)


TIME = {
    "insert": "amortised O(1 + log d), worst O(log n)",
    "evict": "amortised O(1), worst O(log n)",
    "query": "at most 2",
    "evict_at": "amortised O(1 + log d), worst O(log n)",
    "bulk_evict": "amortised O(log m)",
    "bulk_insert": "O(log d + m (1 + log(d/m)))",
    "range_query": "O(log d_first + log d_last + log m)",
}

CARD = Card(
    name="fiba",
    title="FiBA, finger B-tree aggregator",
    paper="Tangwongsan, Hirzel, Schneider 2018",
    order=ANY_ORDER,
    operations=tuple(TIME),
    time=TIME,
    space="n + n / min_arity, in rows of 2 min_arity",
    window=FiBA,
    layout=tree_layout,
    prepare=lambda w, capacity, min_arity: prepare(w, capacity, min_arity, BOTH),
    check=tree_check.check,
    parameters=PARAMETERS,
)
