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
from algorithms.windows.contract import RESULT

LEVELS = 44
"""More than the height of any tree that fits in 64-bit memory (at least two children a node)."""

ROOT, LIFTED, PART, LOCAL = RESULT + 1, RESULT + 2, RESULT + 3, RESULT + 4
ROWS = LOCAL + 2 * LEVELS
"""Fixed slots of `agg`: the root's aggregate, a lifted value on its way in, a part of a range, the local folds of both
spines level by level (of fiba_folds.py), then the rows. In `key`, the slots from LOCAL on hold the spines' nodes.
"""

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
        ("parent", "i8"),
        ("home", "i8"),  # position of the node's aggregate: in its parent's row, or ROOT
        ("end", "i8"),  # one past the last position in use; the youngest entry is `step` before it
        ("level", "i2"),  # height above the leaves
        ("spine", "i2"),
        ("step", "i4"),  # distance between entries in the row: 1 in a leaf, 2 in an inner node
    ],
    align=True,
)
"""Half a cache line."""

NUMBER_BITS = 30
NUMBERS = (1 << NUMBER_BITS) - 1
"""A node is known by an int64 that holds its number in `node` and, above that, where its row begins: a walk down the
tree reads one key after another without waiting for a header in between (a fifth of the time at distance 1024)."""


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
    row = np.empty(leaves + inners, np.int64)
    row[:leaves] = ROWS + np.arange(leaves) * 2 * min_arity
    row[leaves:] = ROWS + leaves * 2 * min_arity + np.arange(inners) * (4 * min_arity + 1)
    names = row << NUMBER_BITS | np.arange(leaves + inners)
    node["end"] = row
    node["step"][:leaves], node["step"][leaves:] = 1, 2
    node["parent"][:-1] = names[1:]
    node["parent"][[leaves - 1, leaves + inners - 1]] = NOTHING
    header.leaves, header.inners, header.cut = names[0], names[leaves], NOTHING
    header.min_arity, header.root_spine = min_arity, root_spine
    plant(w)


# ------------------------------------------------------------------------------------------------------ nodes and rows


@kernel
def at(node, y):
    """The header of node y."""
    return node[y & NUMBERS]


@kernel
def row_of(y):
    """Where the row of node y begins."""
    return y >> NUMBER_BITS


@kernel
def first_entry(node, y):
    """Position of the oldest entry of node y."""
    return row_of(y) + at(node, y).step - 1


@kernel
def last_entry(node, y):
    """Position of the youngest entry of node y."""
    return at(node, y).end - at(node, y).step


@kernel
def entries_of(node, y):
    """Number of entries of node y, one less than its arity."""
    return (at(node, y).end - row_of(y)) >> (at(node, y).step - 1)


@kernel
def on_spine(node, y):
    """LEFT, RIGHT or 0; the root of a finger tree is on neither spine."""
    spine = at(node, y).spine
    return 0 if spine == BOTH else spine


@kernel
def put_on_spine(w, y, spine):
    """Set y's spine bits; a node of one spine is also found by its level."""
    at(w.node, y).spine = spine
    if spine == LEFT or spine == RIGHT:
        w.key[spine_slot(at(w.node, y).level, spine)] = y


@kernel
def spine_slot(level, spine):
    """The slot of a spine's node of that level: of its name in `key`, of its local fold in `agg`."""
    return LOCAL + 2 * level + spine - 1


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
    p, end = first, at(w.node, y).end
    while p < end:
        child = w.key[p]
        at(w.node, child).parent = y
        at(w.node, child).home = p
        p += 2


# ---------------------------------------------------------------------------------------------------------- allocation


@kernel(inline=False)
def dismantle(w):
    """Take one subtree off the cut list: free its root, put its children on the list. O(min_arity)."""
    header, node = w.tree[0], w.node
    y = header.cut
    header.cut = at(node, y).parent
    header.entries -= entries_of(node, y)
    if at(node, y).step == 2:
        for p in range(row_of(y), at(node, y).end, 2):
            at(node, w.key[p]).parent = header.cut
            header.cut = w.key[p]
    release(w, y)


@kernel
def new_leaf(w):
    """A leaf off the free list; if there is none, subtrees cut off earlier are dismantled until there is."""
    header = w.tree[0]
    while header.leaves == NOTHING:
        dismantle(w)
    y = header.leaves
    header.leaves = at(w.node, y).parent
    at(w.node, y).spine = 0
    return y


@kernel
def new_inner(w, level):
    """An inner node off the free list, as `new_leaf`."""
    header = w.tree[0]
    while header.inners == NOTHING:
        dismantle(w)
    y = header.inners
    header.inners = at(w.node, y).parent
    at(w.node, y).spine = 0
    at(w.node, y).level = level
    return y


@kernel
def release(w, y):
    """Put node y on its free list."""
    header, node = w.tree[0], w.node
    if at(node, y).step == 1:
        at(node, y).parent = header.leaves
        header.leaves = y
    else:
        at(node, y).parent = header.inners
        header.inners = y


@kernel
def make_root(w, y):
    header = w.tree[0]
    header.root = y
    at(w.node, y).parent = NOTHING
    at(w.node, y).home = ROOT
    at(w.node, y).spine = header.root_spine


@kernel
def plant(w):
    """Start over with an empty leaf as the root."""
    y = new_leaf(w)
    at(w.node, y).end = row_of(y)
    w.tree[0].left = y
    w.tree[0].right = y
    make_root(w, y)
    unit(w.op, w.agg, ROOT)


# ------------------------------------------------------------------------------------------------- moves between nodes


@kernel
def put_entry(w, y, p, time, source):
    """Insert the entry (time, agg[source]) at position p of leaf y."""
    shift_up(w, p, at(w.node, y).end, 1)
    w.key[p] = time
    w.agg[p] = w.agg[source]
    at(w.node, y).end += 1


@kernel
def take_entry(w, y, p):
    """Remove the entry at position p of leaf y."""
    copy_row(w, p, p + 1, at(w.node, y).end)
    at(w.node, y).end -= 1


@kernel(inline=False)
def grow_root(w):
    """Height increase: a new root above the old one, which is then its only child, on both spines until it splits."""
    old = w.tree[0].root
    top = new_inner(w, at(w.node, old).level + 1)
    at(w.node, top).end = row_of(top) + 1
    make_root(w, top)
    w.key[row_of(top)] = old
    adopt(w, top, row_of(top))


@kernel(inline=False)
def shrink_root(w):
    """Height decrease: the only child of an empty root becomes the root."""
    old = w.tree[0].root
    make_root(w, w.key[row_of(old)])
    release(w, old)


@kernel(inline=False)
def split(w, y):
    """Split node y of arity 2 MIN_ARITY + 1: its middle entry and a new right neighbour go up into the parent."""
    header, node = w.tree[0], w.node
    header.splits += 1
    step, parent, home = at(node, y).step, at(node, y).parent, at(node, y).home
    z = new_leaf(w) if step == 1 else new_inner(w, at(node, y).level)
    middle = row_of(y) + step * header.min_arity + step - 1
    copy_row(w, row_of(z), middle + 1, at(node, y).end)
    at(node, z).end = row_of(z) + at(node, y).end - middle - 1
    at(node, y).end = middle
    if step == 2:
        adopt(w, z, row_of(z))
    shift_up(w, home + 1, at(node, parent).end, 2)
    w.key[home + 1] = w.key[middle]
    w.agg[home + 1] = w.agg[middle]
    w.key[home + 2] = z
    at(node, parent).end += 2
    adopt(w, parent, home + 2)
    put_on_spine(w, z, at(node, y).spine & RIGHT)
    put_on_spine(w, y, at(node, y).spine & LEFT)
    if header.right == y:
        header.right = z
    return z


@kernel(inline=False)
def merge(w, y, z):
    """Merge z into its left neighbour y, with the entry between them."""
    header, node = w.tree[0], w.node
    header.merges += 1
    step, parent, gap = at(node, y).step, at(node, y).parent, at(node, z).home
    end = at(node, y).end
    w.key[end] = w.key[gap - 1]
    w.agg[end] = w.agg[gap - 1]
    copy_row(w, end + 1, row_of(z), at(node, z).end)
    at(node, y).end = end + 1 + at(node, z).end - row_of(z)
    if step == 2:
        adopt(w, y, end + 1)
    copy_row(w, gap - 1, gap + 1, at(node, parent).end)
    at(node, parent).end -= 2
    adopt(w, parent, gap)
    put_on_spine(w, y, at(node, y).spine | at(node, z).spine & RIGHT)
    if header.right == z:
        header.right = y
    release(w, z)


@kernel(inline=False)
def move_from_right(w, y, z, count):
    """Move the `count` oldest entries (and children) of z over to its left neighbour y, through the parent's entry."""
    node, step, between = w.node, at(w.node, y).step, at(w.node, z).home - 1
    end, taken = at(node, y).end, row_of(z) + step * count
    w.key[end] = w.key[between]
    w.agg[end] = w.agg[between]
    copy_row(w, end + 1, row_of(z), taken - 1)
    w.key[between] = w.key[taken - 1]
    w.agg[between] = w.agg[taken - 1]
    copy_row(w, row_of(z), taken, at(node, z).end)
    at(node, y).end += step * count
    at(node, z).end -= step * count
    if step == 2:
        adopt(w, y, end + 1)
        adopt(w, z, row_of(z))
    w.tree[0].moves += 1


@kernel(inline=False)
def move_from_left(w, y, z):
    """Move the youngest entry (and child) of y over to its right neighbour z, through the parent's entry."""
    node, step, between = w.node, at(w.node, y).step, at(w.node, z).home - 1
    row = row_of(z)
    shift_up(w, row, at(node, z).end, step)
    w.key[row + step - 1] = w.key[between]
    w.agg[row + step - 1] = w.agg[between]
    last = last_entry(node, y)
    w.key[between] = w.key[last]
    w.agg[between] = w.agg[last]
    if step == 2:
        w.key[row] = w.key[last + 1]
        w.agg[row] = w.agg[last + 1]
    at(node, y).end -= step
    at(node, z).end += step
    if step == 2:
        adopt(w, z, row)
    w.tree[0].moves += 1
