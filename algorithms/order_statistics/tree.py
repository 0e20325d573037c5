"""A counted B-tree: keys in order, with how many entries lie below each child.

A node is a row of 2^bits slots in parallel arrays. A leaf's row has keys and their loads; an inner row has, for each
child, its least key, its number, and of a tree that counts, the entries below it and the largest load below it. Keys
are int64 (`codes.py` makes them of floats), so that one search serves every type of value.

Two trees are made of this. In `Counted` a key occurs once and its load is how many entries have it: so the number of
keys is the number of distinct values, and the largest load that of the mode. In `Timed` keys are times, the loads are
what was inserted then, and equal times keep the order in which they came.

The way from the root to a leaf is noted in `path`, so that nodes need no parents. Counted B-trees are folklore; see
Knuth, The Art of Computer Programming 3, section 6.2.3, for lists indexed by subtree sizes.
"""

from typing import NamedTuple

import numpy as np

from algorithms.kernel import Slots, generic, kernel, move

LEVELS = 32
"""More than the height of any tree that fits into memory: a node has at least two children."""

NOTHING = -1

HEAD = np.dtype(
    [
        (name, "i8")
        for name in (
            "root",
            "height",  # of the root above the leaves
            "keys",  # how many there are
            "entries",  # the sum of all loads, where loads are counts
            "leaves",  # head of the list of free leaves, linked by `filled`
            "inners",  # head of the list of free inner nodes
            "bits",  # a row has 2^bits slots
            "width",  # 2^bits
            "least",  # fewest slots in use of a node that is not the root
            "first_leaf",  # its number: inner nodes have those below
        )
    ]
)


class Counted(NamedTuple):
    """A tree of distinct keys. load: how often each occurs; total, most: for each child, the sum and largest of these.

    Inner nodes come first, so that `total` and `most` end where leaves begin.
    """

    head: Slots
    path: Slots
    filled: Slots
    key: Slots
    load: Slots
    total: Slots
    most: Slots


class Timed(NamedTuple):
    """A tree of times, equal ones in the order of arrival. load: the code of the value inserted then."""

    head: Slots
    path: Slots
    filled: Slots
    key: Slots
    load: Slots


def node_counts(capacity: int, bits: int) -> tuple[int, int]:
    """The most leaves and inner nodes for that many keys, one of each more for a split, and a level's rounding each."""
    least = fewest(1 << bits)
    leaves = capacity // least + 2
    return leaves, leaves // (least - 1) + LEVELS


def fewest(width: int) -> int:
    """The fewest slots in use. A quarter, not a half: a node that was just split is far from being joined again."""
    return max(width // 4, 2)


def tree_layout(capacity: int, bits: int, counted: bool) -> dict[str, tuple[int, np.dtype]]:
    """Slots of a tree for at most `capacity` keys, field by field: number and dtype."""
    leaves, inners = node_counts(capacity, bits)
    whole, rows = np.dtype("i8"), (leaves + inners) << bits
    loads = np.dtype("i4") if counted else whole  # counts below 2^31, which take half the memory and cache
    layout = {"head": (1, HEAD), "path": (LEVELS, whole), "filled": (leaves + inners, whole)}
    layout |= {"key": (rows, whole), "load": (rows, loads)}
    return layout | ({"total": (inners << bits, whole), "most": (inners << bits, whole)} if counted else {})


def prepare(tree, capacity: int, bits: int) -> None:
    """Put every node on its free list and plant an empty leaf as the root."""
    leaves, inners = node_counts(capacity, bits)
    head, filled = tree.head[0], np.asarray(tree.filled)
    filled[:] = np.arange(1, leaves + inners + 1)
    filled[[inners - 1, leaves + inners - 1]] = NOTHING
    head.inners, head.leaves = 0, inners
    head.bits, head.width, head.least, head.first_leaf = bits, 1 << bits, fewest(1 << bits), inners
    head.root = new_leaf(tree)


# --------------------------------------------------------------------------------------------- what the kinds differ in


@generic
def shift(tree, to, first, n):
    """Copy n slots of a row, or of two rows of the same kind; they may overlap."""


@shift.of(Timed)
def _(tree, to, first, n):
    move(tree.key, to, first, n)
    move(tree.load, to, first, n)


@shift.of(Counted)
def _(tree, to, first, n):
    move(tree.key, to, first, n)
    move(tree.load, to, first, n)
    if first >> tree.head[0].bits < tree.head[0].first_leaf:
        move(tree.total, to, first, n)
        move(tree.most, to, first, n)


@generic
def describe(tree, p):
    """Write anew what the slot p of an inner row says of its child."""


@describe.of(Timed)
def _(tree, p):
    tree.key[p] = tree.key[tree.load[p] << tree.head[0].bits]


@describe.of(Counted)
def _(tree, p):
    y = tree.load[p]
    row, n = y << tree.head[0].bits, tree.filled[y]
    tree.key[p] = tree.key[row]
    if y < tree.head[0].first_leaf:
        tree.total[p], tree.most[p] = summed(tree.total, row, n), largest(tree.most, row, n)
    else:
        tree.total[p], tree.most[p] = summed(tree.load, row, n), largest(tree.load, row, n)


@kernel
def summed(a, first, n):
    """a[first] + ... + a[first + n - 1]."""
    total = 0
    for p in range(first, first + n):
        total += a[p]
    return total


@kernel
def largest(a, first, n):
    """The largest of a[first] ... a[first + n - 1], at least one."""
    most = a[first]
    for p in range(first + 1, first + n):
        most = max(most, a[p])
    return most


# ------------------------------------------------------------------------------------------------------------ searching


@kernel
def up_to(tree, y, key):
    """One past the last slot of row y whose key is at most `key`."""
    row = y << tree.head[0].bits
    p = row
    for q in range(row, row + tree.filled[y]):
        p += int(tree.key[q] <= key)
    return p


@kernel
def leaf_of(tree, key):
    """The leaf of the last key that is at most `key`, or the first leaf; the way to it is noted in `path`."""
    head = tree.head[0]
    y, level = head.root, head.height
    while level > 0:
        p = max(up_to(tree, y, key) - 1, y << head.bits)
        tree.path[level] = p
        y, level = tree.load[p], level - 1
    return y


@kernel
def leaf_at(tree, last):
    """The first leaf, or the last; the way to it is noted in `path`."""
    head = tree.head[0]
    y, level = head.root, head.height
    while level > 0:
        p = (y << head.bits) + (tree.filled[y] - 1 if last else 0)
        tree.path[level] = p
        y, level = tree.load[p], level - 1
    return y


# ----------------------------------------------------------------------------------------------------------- nodes


@kernel
def new_leaf(tree):
    y = tree.head[0].leaves
    tree.head[0].leaves = tree.filled[y]
    tree.filled[y] = 0
    return y


@kernel
def new_inner(tree):
    y = tree.head[0].inners
    tree.head[0].inners = tree.filled[y]
    tree.filled[y] = 0
    return y


@kernel
def release(tree, y):
    """Put node y on its free list."""
    if y < tree.head[0].first_leaf:
        tree.filled[y] = tree.head[0].inners
        tree.head[0].inners = y
    else:
        tree.filled[y] = tree.head[0].leaves
        tree.head[0].leaves = y


@kernel
def put(tree, y, p, key, load):
    """Insert a slot at p of row y, which has room."""
    shift(tree, p + 1, p, (y << tree.head[0].bits) + tree.filled[y] - p)
    tree.key[p] = key
    tree.load[p] = load
    tree.filled[y] += 1


@kernel
def take(tree, y, p):
    """Remove the slot p of row y."""
    tree.filled[y] -= 1
    shift(tree, p, p + 1, (y << tree.head[0].bits) + tree.filled[y] - p)


# ---------------------------------------------------------------------------------------------------------- inserting


@kernel(inline=False)
def split(tree, level):
    """Split the full node of that level on the path; its parent, if it has one, has room."""
    head = tree.head[0]
    if level == head.height:
        top = new_inner(tree)
        put(tree, top, top << head.bits, 0, head.root)
        head.root, head.height = top, level + 1
        tree.path[level + 1] = top << head.bits
    p, half = tree.path[level + 1], head.width >> 1
    y, z = tree.load[p], new_inner(tree) if level > 0 else new_leaf(tree)
    shift(tree, z << head.bits, (y << head.bits) + half, half)
    tree.filled[y], tree.filled[z] = half, half
    put(tree, p >> head.bits, p + 1, 0, z)
    describe(tree, p)
    describe(tree, p + 1)


@kernel(inline=False)
def make_room(tree, key):
    """Split nodes on the way to the full leaf of a key, the highest first, until the leaf has room. Gives the leaf."""
    head = tree.head[0]
    y = leaf_of(tree, key)
    while tree.filled[y] == head.width:
        level = 0
        while level < head.height and tree.filled[tree.path[level + 1] >> head.bits] == head.width:
            level += 1
        split(tree, level)
        y = leaf_of(tree, key)
    return y


# ----------------------------------------------------------------------------------------------------------- removing


@kernel(inline=False)
def mend(tree):
    """Join the nodes on the path that have too few slots with a neighbour, or have it give some; lowest first."""
    head = tree.head[0]
    level = 1
    while level <= head.height and tree.filled[tree.load[tree.path[level]]] < head.least:
        p = tree.path[level]
        parent = p >> head.bits
        even_out(tree, parent, p - int(p + 1 == (parent << head.bits) + tree.filled[parent]))
        level += 1
    if head.height > 0 and tree.filled[head.root] == 1:
        top = head.root
        head.root, head.height = tree.load[top << head.bits], head.height - 1
        release(tree, top)


@kernel
def even_out(tree, parent, p):
    """Join the children at p and p + 1 of a parent's row, if that leaves room to grow; or give both as many slots."""
    head = tree.head[0]
    y, z = tree.load[p], tree.load[p + 1]
    row, other, m, n = y << head.bits, z << head.bits, tree.filled[y], tree.filled[z]
    kept = m + n if m + n <= head.width - (head.width >> 2) else (m + n) >> 1
    if kept < m:
        shift(tree, other + m - kept, other, n)
        shift(tree, other, row + kept, m - kept)
    else:
        shift(tree, row + m, other, kept - m)
        shift(tree, other, other + kept - m, m + n - kept)
    tree.filled[y], tree.filled[z] = kept, m + n - kept
    describe(tree, p)
    if kept < m + n:
        describe(tree, p + 1)
    else:
        release(tree, z)
        take(tree, parent, p + 1)
