"""FiBA with one addition of ours, as an ablation: a node of a spine also keeps the fold of its own row.

When a change higher up passes down a spine, the paper's algorithm (fiba.py) folds the row of every node on the way
again. Here that fold lies in a slot of the node's level, LOCAL, and each node costs one combine. An entry that is
appended in order costs one more, since it belongs to both.
"""

from typing import Any, NamedTuple

from algorithms.kernel import Slots, kernel
from algorithms.operators.monoid import combine, fold, lift
from algorithms.windows.contract import ANY_ORDER, Card, evict, insert
from algorithms.windows.out_of_order import tree_check
from algorithms.windows.out_of_order.b_tree import PARAMETERS, share
from algorithms.windows.out_of_order.fiba import TIME, append, fold_own, has_room, reach, share_fingers, spares
from algorithms.windows.out_of_order.rebalance import evict_entry, insert_lifted, repair, repair_spines
from algorithms.windows.out_of_order.tree import (
    BOTH,
    LEFT,
    LIFTED,
    RIGHT,
    at,
    prepare,
    row_of,
    spine_slot,
    take_entry,
    tree_layout,
)


class FiBAFolds(NamedTuple):
    op: Any
    tree: Slots
    node: Slots
    key: Slots
    agg: Slots


share(FiBAFolds)
share_fingers(FiBAFolds)


@repair.of(FiBAFolds)
def _(w, y):
    spine = at(w.node, y).spine
    if spine == 0:
        fold(w.op, w.agg, at(w.node, y).home, w.agg, row_of(y), at(w.node, y).end)
    else:
        fold_own(w, at(w.node, y).home if spine == BOTH else spine_slot(at(w.node, y).level, spine), y, spine)


@kernel
def chain(w, level, spine):
    """Repair a spine from its node of that level down to the finger: its local fold, and its parent's aggregate."""
    node, agg, root = w.node, w.agg, w.tree[0].root
    y = w.key[spine_slot(level, spine)]
    at_root, above = at(node, y).parent == root, at(node, at(node, y).parent).home
    while level >= 0:
        own = spine_slot(level, spine)
        home = at(node, w.key[own]).home
        if at_root:
            agg[home] = agg[own]
        elif spine == LEFT:
            combine(w.op, agg, home, agg, own, agg, above)
        else:
            combine(w.op, agg, home, agg, above, agg, own)
        at_root, above = False, home
        level -= 1


@repair_spines.of(FiBAFolds)
def _(w, y, hit):
    level, hit = reach(w, y, hit)
    if level >= 0 and hit & LEFT:
        chain(w, level, LEFT)
    if level >= 0 and hit & RIGHT:
        chain(w, level, RIGHT)


@insert.of(FiBAFolds)
def _(w, time, value):
    y = w.tree[0].right
    if has_room(w, y, time):
        p = append(w, y, time, value)
        if y != w.tree[0].root:
            combine(w.op, w.agg, spine_slot(0, RIGHT), w.agg, spine_slot(0, RIGHT), w.agg, p)
    else:
        lift(w.op, w.agg, LIFTED, value)
        insert_lifted(w, time, LIFTED)


@evict.of(FiBAFolds)
def _(w):
    y = w.tree[0].left
    if spares(w, y):
        take_entry(w, y, row_of(y))
        w.tree[0].entries -= 1
        repair(w, y)
        chain(w, 0, LEFT)
    else:
        evict_entry(w, y, row_of(y))


CARD = Card(
    name="fiba_folds",
    title="FiBA with the folds of its spines' rows",
    paper="ours, an addition to Tangwongsan, Hirzel, Schneider 2018",
    order=ANY_ORDER,
    operations=tuple(TIME),
    time=TIME,
    space="n + n / min_arity, in rows of 2 min_arity",
    window=FiBAFolds,
    layout=tree_layout,
    prepare=lambda w, capacity, min_arity: prepare(w, capacity, min_arity, BOTH),
    check=lambda w: tree_check.check(w, local_folds=True),
    parameters=PARAMETERS,
)
