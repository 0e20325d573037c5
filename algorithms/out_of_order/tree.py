"""The body of both B-trees: how nodes lie in memory and how entries move between them.

A node is a *row* of consecutive slots in two parallel arrays, `key` and `agg`:

    leaf     key  t0 t1 t2 ...            agg  v0 v1 v2 ...
    inner    key  z0 t0 z1 t1 z2 ...      agg  a(z0) v0 a(z1) v1 a(z2) ...

z are the children and a(z) is the partial aggregate kept for child z: it lives in its parent's row, at `home[z]`. Every
partial aggregate of the paper's Figure 2 is therefore the fold of one contiguous stretch of the node's own row (up: all
of it; inner: without both ends; left: without the first slot; right: without the last), and a node moves together with
its aggregate when rows shift. An earlier layout, with values and aggregates in arrays of their own, took 1.5 times as
long at out-of-order distance 1024.

Arity is one more than the number of entries (`size`), for leaves too, as in the paper. MAX_ARITY = 2 MIN_ARITY.
"""

import numpy as np

from algorithms.kernel import kernel, opaque
from algorithms.operators.monoid import unit
from algorithms.window import RESULT

LEVELS = 44
"""More than the height of any tree that fits in 64-bit memory (at least two children a node)."""

ROOT, LIFTED, PART, LOCAL = RESULT + 1, RESULT + 2, RESULT + 3, RESULT + 4
ROWS = LOCAL + 2 * LEVELS
"""Fixed slots of `agg`: the root's aggregate, a lifted value on its way in, a part of a range, the local folds of both
spines level by level (see fiba.py), then the rows."""

LEFT, RIGHT, BOTH = 1, 2, 3
"""Bits of `spine`: on the left spine, on the right spine; the root of a finger tree carries both, so that "which ends
of the row does the aggregate leave out" is the same question everywhere. Nodes of a classic tree carry none."""

NOTHING = -1

TREE = np.dtype(
    [
        (name, "i8")
        for name in (
            "root",
            "left",  # leftmost leaf, the left finger
            "right",  # rightmost leaf, the right finger
            "entries",  # in the tree, and in subtrees cut off but not yet dismantled
            "leaves",  # head of the list of free leaves (linked by `parent`)
            "inners",  # head of the list of free inner nodes
            "cut",  # head of the list of subtrees cut off by bulk evictions
            "min_arity",
            "root_spine",  # BOTH in a finger tree, 0 in a classic one
            "splits",
            "merges",
            "moves",  # steps of rebalancing: the coins spent of the paper's analysis
        )
    ]
)

NODE = np.dtype(
    [
        ("parent", "i4"),
        ("level", "i2"),  # height above the leaves
        ("spine", "i1"),
        ("step", "i1"),  # distance between entries in the row: 1 in a leaf, 2 in an inner node
        ("home", "i8"),  # position of the node's aggregate: in its parent's row, or ROOT
        ("row", "i8"),
        ("end", "i8"),  # one past the last position in use; the youngest entry is `step` before it
    ],
    align=True,
)
"""Half a cache line."""


def node_counts(capacity: int, min_arity: int) -> tuple[int, int]:
    """The most leaves and inner nodes that `capacity` entries can need.

    Every gap between neighbouring leaves holds one inner entry and a leaf holds min_arity - 1 at least, so there are at
    most (capacity + 1) / min_arity leaves; inner nodes follow from their arity. Two spare for a split under way.
    """
    leaves = (capacity + 1) // min_arity + 2
    return leaves, (leaves + min_arity) // (min_arity - 1) + 2


def tree_layout(op, capacity: int, min_arity: int) -> dict[str, tuple[int, np.dtype]]:
    """Slots of either tree, field by field: number and dtype."""
    leaves, inners = node_counts(capacity, min_arity)
    row_slots = ROWS + leaves * 2 * min_arity + inners * (4 * min_arity + 1)
    return {
        "tree": (1, TREE),
        "node": (leaves + inners, NODE),
        "key": (row_slots, np.dtype("i8")),
        "agg": (row_slots, op.dtype),
    }


def prepare(w, capacity: int, min_arity: int, root_spine: int) -> None:
    """Lay out the rows, put every node on a free list and plant an empty leaf as the root."""
    leaves, inners = node_counts(capacity, min_arity)
    header, node = w.tree[0], w.node.view(np.ndarray)
    node["row"][:leaves] = ROWS + np.arange(leaves) * 2 * min_arity
    node["row"][leaves:] = ROWS + leaves * 2 * min_arity + np.arange(inners) * (4 * min_arity + 1)
    node["step"][:leaves], node["step"][leaves:] = 1, 2
    node["parent"] = np.arange(1, leaves + inners + 1)
    node["parent"][[leaves - 1, leaves + inners - 1]] = NOTHING
    header.leaves, header.inners, header.cut = 0, leaves, NOTHING
    header.min_arity, header.root_spine = min_arity, root_spine
    plant(w)


# ------------------------------------------------------------------------------------------------------ nodes and rows


@kernel
def first_entry(node, y):
    """Position of the oldest entry of node y."""
    return node[y].row + node[y].step - 1


@kernel
def last_entry(node, y):
    """Position of the youngest entry of node y."""
    return node[y].end - node[y].step


@kernel
def entries_of(node, y):
    """Number of entries of node y, one less than its arity."""
    return (node[y].end - node[y].row) >> (node[y].step - 1)


@kernel
def on_spine(node, y):
    """LEFT, RIGHT or 0; the root of a finger tree is on neither spine."""
    spine = node[y].spine
    return 0 if spine == BOTH else spine


@kernel
def shift_up(w, first, end, by):
    """Move positions first .. end - 1 of the rows `by` places up."""
    p = opaque(end - 1)
    while p >= first:
        w.key[p + by] = w.key[p]
        w.agg[p + by] = w.agg[p]
        p = opaque(p - 1)


@kernel
def copy_row(w, to, first, end):
    """Copy positions first .. end - 1 to `to` and on; `to` may lie below `first` in the same row."""
    p, by = opaque(first), to - first
    while p < end:
        w.key[p + by] = w.key[p]
        w.agg[p + by] = w.agg[p]
        p = opaque(p + 1)


@kernel
def adopt(w, y, first):
    """Tell the children at position `first` and on in inner row y whose they are and where."""
    p, end = first, w.node[y].end
    while p < end:
        child = w.key[p]
        w.node[child].parent = y
        w.node[child].home = p
        p += 2


# ---------------------------------------------------------------------------------------------------------- allocation


@kernel(inline=False)
def dismantle(w):
    """Take one subtree off the cut list: free its root, put its children on the list. O(min_arity)."""
    header, node = w.tree[0], w.node
    y = header.cut
    header.cut = node[y].parent
    header.entries -= entries_of(node, y)
    if node[y].step == 2:
        for p in range(node[y].row, node[y].end, 2):
            node[w.key[p]].parent = header.cut
            header.cut = w.key[p]
    release(w, y)


@kernel
def new_leaf(w):
    """A leaf off the free list; if there is none, subtrees cut off earlier are dismantled until there is."""
    header = w.tree[0]
    while header.leaves == NOTHING:
        dismantle(w)
    y = header.leaves
    header.leaves = w.node[y].parent
    w.node[y].spine = 0
    return y


@kernel
def new_inner(w, level):
    """An inner node off the free list, as `new_leaf`."""
    header = w.tree[0]
    while header.inners == NOTHING:
        dismantle(w)
    y = header.inners
    header.inners = w.node[y].parent
    w.node[y].spine = 0
    w.node[y].level = level
    return y


@kernel
def release(w, y):
    """Put node y on its free list."""
    header, node = w.tree[0], w.node
    if node[y].step == 1:
        node[y].parent = header.leaves
        header.leaves = y
    else:
        node[y].parent = header.inners
        header.inners = y


@kernel
def make_root(w, y):
    header = w.tree[0]
    header.root = y
    w.node[y].parent = NOTHING
    w.node[y].home = ROOT
    w.node[y].spine = header.root_spine


@kernel
def plant(w):
    """Start over with an empty leaf as the root."""
    y = new_leaf(w)
    w.node[y].end = w.node[y].row
    w.tree[0].left = y
    w.tree[0].right = y
    make_root(w, y)
    unit(w.op, w.agg, ROOT)


# ------------------------------------------------------------------------------------------------- moves between nodes


@kernel
def put_entry(w, y, p, time, source):
    """Insert the entry (time, agg[source]) at position p of leaf y."""
    shift_up(w, p, w.node[y].end, 1)
    w.key[p] = time
    w.agg[p] = w.agg[source]
    w.node[y].end += 1


@kernel
def take_entry(w, y, p):
    """Remove the entry at position p of leaf y."""
    copy_row(w, p, p + 1, w.node[y].end)
    w.node[y].end -= 1


@kernel(inline=False)
def grow_root(w):
    """Height increase: a new root above the old one, which is then its only child, on both spines until it splits."""
    old = w.tree[0].root
    top = new_inner(w, w.node[old].level + 1)
    w.node[top].end = w.node[top].row + 1
    make_root(w, top)
    w.key[w.node[top].row] = old
    adopt(w, top, w.node[top].row)


@kernel(inline=False)
def shrink_root(w):
    """Height decrease: the only child of an empty root becomes the root."""
    old = w.tree[0].root
    make_root(w, w.key[w.node[old].row])
    release(w, old)


@kernel(inline=False)
def split(w, y):
    """Split node y of arity 2 MIN_ARITY + 1: its middle entry and a new right neighbour go up into the parent."""
    header, node = w.tree[0], w.node
    header.splits += 1
    step, parent, home = node[y].step, node[y].parent, node[y].home
    z = new_leaf(w) if step == 1 else new_inner(w, node[y].level)
    middle = node[y].row + step * header.min_arity + step - 1
    copy_row(w, node[z].row, middle + 1, node[y].end)
    node[z].end = node[z].row + node[y].end - middle - 1
    node[y].end = middle
    if step == 2:
        adopt(w, z, node[z].row)
    shift_up(w, home + 1, node[parent].end, 2)
    w.key[home + 1] = w.key[middle]
    w.agg[home + 1] = w.agg[middle]
    w.key[home + 2] = z
    node[parent].end += 2
    adopt(w, parent, home + 2)
    node[z].spine = node[y].spine & RIGHT
    node[y].spine &= LEFT
    if header.right == y:
        header.right = z
    return z


@kernel(inline=False)
def merge(w, y, z):
    """Merge z into its left neighbour y, with the entry between them."""
    header, node = w.tree[0], w.node
    header.merges += 1
    step, parent, gap = node[y].step, node[y].parent, node[z].home
    end = node[y].end
    w.key[end] = w.key[gap - 1]
    w.agg[end] = w.agg[gap - 1]
    copy_row(w, end + 1, node[z].row, node[z].end)
    node[y].end = end + 1 + node[z].end - node[z].row
    if step == 2:
        adopt(w, y, end + 1)
    copy_row(w, gap - 1, gap + 1, node[parent].end)
    node[parent].end -= 2
    adopt(w, parent, gap)
    node[y].spine |= node[z].spine & RIGHT
    if header.right == z:
        header.right = y
    release(w, z)


@kernel(inline=False)
def move_from_right(w, y, z, count):
    """Move the `count` oldest entries (and children) of z over to its left neighbour y, through the parent's entry."""
    node, step, between = w.node, w.node[y].step, w.node[z].home - 1
    end, taken = node[y].end, node[z].row + step * count
    w.key[end] = w.key[between]
    w.agg[end] = w.agg[between]
    copy_row(w, end + 1, node[z].row, taken - 1)
    w.key[between] = w.key[taken - 1]
    w.agg[between] = w.agg[taken - 1]
    copy_row(w, node[z].row, taken, node[z].end)
    node[y].end += step * count
    node[z].end -= step * count
    if step == 2:
        adopt(w, y, end + 1)
        adopt(w, z, node[z].row)
    w.tree[0].moves += 1


@kernel(inline=False)
def move_from_left(w, y, z):
    """Move the youngest entry (and child) of y over to its right neighbour z, through the parent's entry."""
    node, step, between = w.node, w.node[y].step, w.node[z].home - 1
    row = node[z].row
    shift_up(w, row, node[z].end, step)
    w.key[row + step - 1] = w.key[between]
    w.agg[row + step - 1] = w.agg[between]
    last = last_entry(node, y)
    w.key[between] = w.key[last]
    w.agg[between] = w.agg[last]
    if step == 2:
        w.key[row] = w.key[last + 1]
        w.agg[row] = w.agg[last + 1]
    node[y].end -= step
    node[z].end += step
    if step == 2:
        adopt(w, z, row)
    w.tree[0].moves += 1
