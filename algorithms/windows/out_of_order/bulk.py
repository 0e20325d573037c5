"""Bulk evict and bulk insert of both B-trees.

The extension of FiBA by Tangwongsan, Hirzel and Schneider (Out-of-Order Sliding-Window Aggregation with Efficient Bulk
Evictions and Insertions, PVLDB 16, 2023): evicting the m oldest entries costs amortised O(log m), inserting a sorted
batch of m at distance d costs O(log d + m (1 + log(d/m))).
"""

from algorithms.kernel import kernel, row
from algorithms.operators.monoid import combine, lift
from algorithms.windows.out_of_order.ranges import after
from algorithms.windows.out_of_order.rebalance import (
    descend,
    rebalance_for_evict,
    rebalance_for_insert,
    repair,
    repair_path,
    search_start,
)
from algorithms.windows.out_of_order.tree import (
    BOTH,
    LEFT,
    LIFTED,
    RIGHT,
    adopt,
    at,
    copy_row,
    entries_of,
    last_entry,
    merge,
    move_from_right,
    on_spine,
    plant,
    put_entry,
    put_on_spine,
    row_of,
    shrink_root,
)


@kernel
def cut_off(w, y):
    """Put the subtree of y on the cut list, to be dismantled when its nodes are needed."""
    at(w.node, y).parent = w.tree[0].cut
    w.tree[0].cut = y


@kernel
def cut_row(w, y, time):
    """Drop from node y the entries that are not younger than `time`, with the children left of them."""
    header, node = w.tree[0], w.node
    p = after(w, y, time + 1)
    if at(node, y).step == 1:
        first_kept = p
        header.entries -= p - row_of(y)
    else:
        first_kept = p - 1
        header.entries -= (first_kept - row_of(y)) >> 1
        for k in range(row_of(y), first_kept, 2):
            cut_off(w, w.key[k])
    copy_row(w, row_of(y), first_kept, at(node, y).end)
    at(node, y).end -= first_kept - row_of(y)
    if at(node, y).step == 2:
        adopt(w, y, row_of(y))


@kernel
def cut_path(w, y, time):
    """Cut node y and, down to the leaf, the child that `time` falls into: the new left spine, too thin in places."""
    header, node = w.tree[0], w.node
    cut_row(w, y, time)
    while at(node, y).step == 2:
        y = w.key[row_of(y)]
        put_on_spine(w, y, at(node, y).spine | LEFT & header.root_spine)
        cut_row(w, y, time)
    header.left = y
    while at(node, header.root).step == 2 and entries_of(node, header.root) == 0:
        shrink_root(w)


@kernel
def thicken(w, y):
    """Down the left spine from y: share with or merge into the right neighbour until no node lacks more than one entry.

    A node may lack one because its child merged; then it has merged or been refilled itself before and its parent has
    not lost any, so the ordinary rebalancing that follows always finds a sibling. Gives the spines hit.
    """
    header, node, key = w.tree[0], w.node, w.key
    hit = 0
    while True:
        if y != header.root and entries_of(node, y) < header.min_arity - 1:
            parent = at(node, y).parent
            z = key[at(node, y).home + 2]
            hit |= on_spine(node, z)
            entries_y, entries_z = entries_of(node, y), entries_of(node, z)
            if entries_y + entries_z + 1 < 2 * header.min_arity:
                merge(w, y, z)
                if parent == header.root and entries_of(node, parent) == 0:
                    shrink_root(w)
            else:
                move_from_right(w, y, z, (entries_z - entries_y) >> 1)
                repair(w, z)
        if at(node, y).step == 1:
            return hit
        y = key[row_of(y)]


@kernel(inline=False)
def evict_until(w, time):
    """Remove every entry that is not younger than `time`; amortised O(log m) for m of them."""
    header, node, key = w.tree[0], w.node, w.key
    y = header.left
    if row_of(y) == at(node, y).end or key[row_of(y)] > time:
        return
    if key[last_entry(node, header.right)] <= time:
        cut_off(w, header.root)
        plant(w)
        return
    while y != header.root and key[last_entry(node, y)] <= time:
        y = at(node, y).parent
    level, root = at(node, y).level + 1, header.root  # thickening y changes its parent, too
    cut_path(w, y, time)
    hit = thicken(w, header.root if y == root else y) | LEFT
    if header.root != root:
        hit = BOTH
    x = header.left
    while True:
        x, more = rebalance_for_evict(w, x)
        hit |= more
        if x == header.root or at(node, x).level >= level:
            break
        repair(w, x)
        x = at(node, x).parent
    repair_path(w, x, hit)


@kernel
def climb(w, y, time):
    """Leave node y upwards, repairing what is left, until `time` falls into the subtree; gives node, spines hit."""
    header, node, key = w.tree[0], w.node, w.key
    hit = 0
    while y != header.root:
        if y == header.right or at(node, y).spine & RIGHT or time < key[last_entry(node, y)]:
            break  # there is nothing right of the right edge, or the time lies within
        parent, gap = at(node, y).parent, at(node, y).home + 1
        if gap < at(node, parent).end and time < key[gap]:
            break
        repair(w, y)
        y = parent
        hit |= on_spine(node, y)
    return y, hit


@kernel(inline=False)
def insert_sorted(w, times, values, first, last):
    """Insert entries first .. last - 1 of two columns in order of time, repairing each node once when it is left."""
    header, node = w.tree[0], w.node
    if first >= last:
        return
    y, hit, peak, most = search_start(w, times[first]), 0, 0, 2 * header.min_arity - 1
    for i in range(first, last):
        time = times[i]
        end = at(node, y).end
        if i > first and y == header.right and end - row_of(y) < most and w.key[end - 1] < time:  # in order
            w.key[end] = time
            lift(w.op, w.agg, end, row(values, i))
            at(node, y).end = end + 1
            header.entries += 1
            continue
        lift(w.op, w.agg, LIFTED, row(values, i))
        if i > first:
            y, more = climb(w, y, time)
            hit |= more
            peak = max(peak, at(node, y).level)
        y, p, found = descend(w, y, time)
        hit |= on_spine(node, y)
        if found:
            combine(w.op, w.agg, p, w.agg, p, w.agg, LIFTED)
        else:
            put_entry(w, y, p, time, LIFTED)
            header.entries += 1
            y, more = rebalance_for_insert(w, y)
            hit |= more
        peak = max(peak, at(node, y).level)
    while at(node, y).level < peak:
        repair(w, y)
        y = at(node, y).parent
        hit |= on_spine(node, y)
    repair_path(w, y, hit)
