"""What a tree of times does for a window in any order: say which entry is oldest, and take entries anywhere.

All take O(log n). Entries with equal times keep the order in which they came.
"""

from algorithms.kernel import kernel
from algorithms.order_statistics.tree import leaf_at, leaf_of, make_room, mend, put, take, up_to


@kernel
def put_at(tree, time, code):
    """Insert an entry after those of its time."""
    head = tree.head[0]
    y = leaf_of(tree, time)
    if tree.filled[y] == head.width:
        y = make_room(tree, time)
    put(tree, y, up_to(tree, y, time), time, code)
    head.keys += 1
    for level in range(1, head.height + 1):
        tree.key[tree.path[level]] = min(tree.key[tree.path[level]], time)


@kernel
def first_slot(tree):
    """The slot of the oldest entry of a tree that is not empty; the way to it is noted in `path`."""
    return leaf_at(tree, False) << tree.head[0].bits


@kernel
def last_slot(tree):
    """The slot of the youngest entry of a tree that is not empty."""
    y = leaf_at(tree, True)
    return (y << tree.head[0].bits) + tree.filled[y] - 1


@kernel
def slot_at(tree, time):
    """The slot of the youngest entry of exactly this time, or -1; the way to it is noted in `path`."""
    y = leaf_of(tree, time)
    p = up_to(tree, y, time) - 1
    return p if p >= y << tree.head[0].bits and tree.key[p] == time else -1


@kernel
def take_from(tree, p):
    """Remove the entry in slot p, to which `path` leads, and give its code."""
    head, code = tree.head[0], tree.load[p]
    y = p >> head.bits
    take(tree, y, p)
    head.keys -= 1
    child = y
    for level in range(1, head.height + 1):
        tree.key[tree.path[level]] = tree.key[child << head.bits]
        child = tree.path[level] >> head.bits
    if tree.filled[y] < head.least and head.height > 0:
        mend(tree)
    return code
