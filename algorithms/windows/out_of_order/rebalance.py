"""Insert and evict of both B-trees: change a leaf, rebalance upwards, then repair the aggregates that are stale.

The functions follow Figures 7 and 8 of the FiBA paper. `hit` is the pair hit_left, hit_right of the text as the bits
LEFT | RIGHT. In a classic tree no node is on a spine, so `hit` stays 0 and repair climbs to the root: one code serves
both, and only `repair` and `search_start` differ.
"""

from algorithms.kernel import generic, kernel
from algorithms.operators.monoid import combine, fold, unit
from algorithms.windows.out_of_order.tree import (
    BOTH,
    at,
    entries_of,
    first_entry,
    grow_root,
    last_entry,
    merge,
    move_from_left,
    move_from_right,
    on_spine,
    put_entry,
    row_of,
    shrink_root,
    split,
    take_entry,
)


@generic
def search_start(w, time):
    """A node whose subtree is the place of `time`: the root, or the lowest such node on the climb from a finger."""


@generic
def repair(w, y):
    """Recompute what is kept for node y from its row (localRepairAgg)."""


@generic
def repair_spines(w, y, hit):
    """From node y, whose own row is repaired, bring the spines below it up to date."""


@kernel
def fold_row(w, k, first, end):
    """agg[k] = fold of positions first .. end - 1; only an empty tree has an empty row."""
    if first < end:
        fold(w.op, w.agg, k, w.agg, first, end)
    else:
        unit(w.op, w.agg, k)


@kernel
def descend(w, y, time):
    """In the subtree of y: the node of `time`, its position in the row, and whether it is there already."""
    node, key = w.node, w.key
    while at(node, y).step == 2:
        p, end = row_of(y) + 1, at(node, y).end
        while p < end and key[p] < time:
            p += 2
        if p < end and key[p] == time:
            return y, p, True
        y = key[p - 1]
    p, row = at(node, y).end, row_of(y)  # from the young end: in a leaf a late time is mostly near it
    while p > row and key[p - 1] > time:
        p -= 1
    if p > row and key[p - 1] == time:
        return y, p - 1, True
    return y, p, False


@kernel
def search(w, time):
    return descend(w, search_start(w, time), time)


@kernel(inline=False)
def repair_path(w, y, hit):
    """Repair from y on: up while nodes hold up-aggregates, then down each spine that was hit (repairAggs)."""
    node = w.node
    repair(w, y)
    while at(node, y).spine == 0 and y != w.tree[0].root:
        y = at(node, y).parent
        repair(w, y)
    repair_spines(w, y, hit)


@kernel
def rebalance_for_insert(w, y):
    """Split nodes of too high arity, bottom-up; gives the node where that ended, and the spines hit."""
    header, node = w.tree[0], w.node
    most = 2 * header.min_arity - 1
    hit = on_spine(node, y)
    while entries_of(node, y) > most:
        if y == header.root:
            grow_root(w)
            hit = BOTH
        z = split(w, y)
        repair(w, y)
        repair(w, z)
        y = at(node, y).parent
        hit |= on_spine(node, y)
    return y, hit


@kernel
def rebalance_for_evict(w, y):
    """Merge or refill nodes of too low arity, bottom-up; gives the node where that ended, and the spines hit.

    The paper's pseudocode forgets the *left* spine of a sibling. It matters when the root has arity 2 and its right
    child borrows from its left child.
    """
    header, node, key = w.tree[0], w.node, w.key
    hit = on_spine(node, y)
    while y != header.root and entries_of(node, y) < header.min_arity - 1:
        parent, home = at(node, y).parent, at(node, y).home
        if home + 1 < at(node, parent).end:
            left, right = y, key[home + 2]
        else:
            left, right = key[home - 2], y
        hit |= on_spine(node, left) | on_spine(node, right)
        sibling = left + right - y
        if entries_of(node, sibling) < header.min_arity:
            merge(w, left, right)
            repair(w, left)
            if parent == header.root and entries_of(node, parent) == 0:
                shrink_root(w)
                return left, BOTH
        else:
            if sibling == right:
                move_from_right(w, left, right, 1)
            else:
                move_from_left(w, left, right)
            repair(w, left)
            repair(w, right)
        y = parent
        hit |= on_spine(node, y)
    return y, hit


@kernel(inline=False)
def insert_lifted(w, time, source):
    """Insert (time, agg[source]); at a time that is there already, combine with its value (the newcomer on the right).

    The paper's text says that insert replaces the value at an existing time; its authors' code combines.
    """
    y, p, found = search(w, time)
    if found:
        combine(w.op, w.agg, p, w.agg, p, w.agg, source)
        repair_path(w, y, on_spine(w.node, y))
    else:
        put_entry(w, y, p, time, source)
        w.tree[0].entries += 1
        top, hit = rebalance_for_insert(w, y)
        repair_path(w, top, hit)


@kernel(inline=False)
def evict_entry(w, y, p):
    """Remove the entry at position p of node y."""
    w.tree[0].entries -= 1
    if at(w.node, y).step == 1:
        take_entry(w, y, p)
        top, hit = rebalance_for_evict(w, y)
    else:
        top, hit = evict_inner(w, y, p)
    repair_path(w, top, hit)


@kernel
def evict_inner(w, y, p):
    """Write the next older or younger entry, from a leaf, over position p of inner node y (evictInner)."""
    node, key = w.node, w.key
    leaf = key[p + 1]
    if entries_of(node, leaf) >= w.tree[0].min_arity:
        while at(node, leaf).step == 2:
            leaf = key[row_of(leaf)]
        substitute = first_entry(node, leaf)
    else:
        leaf = key[p - 1]
        while at(node, leaf).step == 2:
            leaf = key[at(node, leaf).end - 1]
        substitute = last_entry(node, leaf)
    key[p] = key[substitute]
    w.agg[p] = w.agg[substitute]
    take_entry(w, leaf, substitute)
    top, hit = rebalance_for_evict(w, leaf)
    x = top
    while x != y and x != w.tree[0].root:
        x = at(node, x).parent
    if x != y:  # rebalancing went past y and repaired it on its way
        return top, hit
    while top != y:
        repair(w, top)
        top = at(node, top).parent
        hit |= on_spine(node, top)
    return top, hit


@kernel(inline=False)
def evict_at_time(w, time):
    """Remove the entry at `time`; whether there was one."""
    y, p, found = search(w, time)
    if found:
        evict_entry(w, y, p)
    return found
