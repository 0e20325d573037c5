"""The Reactive Aggregator's update, which knows the front and the back of the window (section 5.2 of its paper).

The window's slots are those from the front's to the back's, or all but those between if the ring wraps. So a node is in
use if it lies between the paths from these two leaves to the root, or not between them; on the paths a node may have
one child in use, whose aggregate it then has without a combine. Nodes that are not in use are never read or written.
"""

from algorithms.kernel import kernel, trailing_zeros
from algorithms.windows.in_order.flat_fat import TREE, changed_stretches, is_inverted, join, join_paths


@kernel
def in_use(i, front, back, inverted):
    """Whether node i has elements below it: it lies between the paths of front and back, or not if inverted."""
    return (i >= front or i <= back) if inverted else (front <= i and i <= back)


@kernel
def join_used(w, i, front, back, inverted):
    """Node i from those of its children that are in use; front and back are on the children's level."""
    left = in_use(2 * i, front, back, inverted)
    right = in_use(2 * i + 1, front, back, inverted)
    if left and right:
        join(w, i)
    elif left or right:
        w.agg[TREE + i] = w.agg[TREE + (2 * i if left else 2 * i + 1)]


@kernel
def join_between(w, first, last, front, back, inverted):
    """Nodes first .. last, all in use: only those on the paths of front and back may have a child that is not."""
    for i in range(first, last + 1):
        if i == front >> 1 or i == back >> 1:
            join_used(w, i, front, back, inverted)
        else:
            join(w, i)


@kernel
def join_stretches_used(w, level, count, front, back, inverted):
    """The parents of the nodes in the stretches, if in use, each once. `level` is the first node of their level."""
    f, b, done = front >> 1, back >> 1, level - 1
    for k in range(count):
        stretch = w.stretch[k]
        stretch.first >>= 1
        stretch.last >>= 1
        first, last = max(level + stretch.first, done + 1), level + stretch.last
        done = max(done, last)
        if inverted:  # up to the back, and from the front on
            join_between(w, first, min(last, b), front, back, inverted)
            join_between(w, max(first, b + 1, f), last, front, back, inverted)
        else:
            join_between(w, max(first, f), min(last, b), front, back, inverted)


@kernel
def in_stretches(w, count, i):
    """Whether place i of the level that was joined last is in one of the stretches."""
    inside = False
    for k in range(count):
        inside = inside or w.stretch[k].first <= i <= w.stretch[k].last
    return inside


@kernel
def join_work(w, level, count, front, back, inverted):
    """The parents of the nodes on the work list, each once, but for those in the stretches; they are the next list."""
    state, waiting = w.state[0], 0
    for k in range(state.waiting):
        node = w.work[k] >> 1
        if w.listed[node] == 0 and not in_stretches(w, count, node - level):
            w.listed[node] = 1
            w.work[waiting] = node
            waiting += 1
    for k in range(waiting):
        join_used(w, w.work[k], front, back, inverted)
        w.listed[w.work[k]] = 0
    state.waiting = waiting


@kernel(inline=None)
def update(w):
    """Algorithm 2: the parents of all changed leaves, level by level, each once."""
    ends, state = w.ends[0], w.state[0]
    level = ends.mask + 1
    front, back, inverted = level + (ends.front & ends.mask), level + ((ends.end - 1) & ends.mask), is_inverted(ends)
    if state.fifo == 0:  # all slots are in use, some by the identity
        front, back, inverted = level, level + ends.mask, False
    count = changed_stretches(w)
    while level > 1:
        level >>= 1
        join_stretches_used(w, level, count, front, back, inverted)
        join_work(w, level, count, front, back, inverted)
        front, back = front >> 1, back >> 1
    state.waiting = 0


@kernel
def climb(w, a, b, level, moved):
    """The next level of the paths of front and back, which have not met: what is outside of them is not in use."""
    if level >= moved:
        if a & 1:
            w.agg[TREE + (a >> 1)] = w.agg[TREE + a]
        else:
            join(w, a >> 1)
    if b & 1:
        join(w, b >> 1)
    else:
        w.agg[TREE + (b >> 1)] = w.agg[TREE + b]


@kernel(inline=None)
def update_ends(w):
    """A newcomer, and the oldest evicted or not: the paths of front and back to where they meet, and on to the root.

    Below the lowest 1 of its number the front is the first leaf of its nodes: nothing was evicted there.
    """
    ends = w.ends[0]
    ring, inverted = ends.mask + 1, is_inverted(ends)
    a, b = ring + (ends.front & ends.mask), ring + ((ends.end - 1) & ends.mask)
    level, moved = 0, trailing_zeros(a) if ends.clean_front < ends.front else 64
    while a >> 1 != b >> 1:
        climb(w, a, b, level, moved)
        a, b, level = a >> 1, b >> 1, level + 1
    if a != b:
        a >>= 1
        join(w, a)
    while a > 1:
        if inverted:
            join(w, a >> 1)
        else:
            w.agg[TREE + (a >> 1)] = w.agg[TREE + a]
        a >>= 1
    ends.clean_front, ends.clean_end = ends.front, ends.end


@kernel
def refresh(w):
    """Bring the tree up to date with a window that is not empty; a slide by one goes without stretches."""
    ends, state = w.ends[0], w.state[0]
    evicted, inserted = ends.front - ends.clean_front, ends.end - ends.clean_end
    if state.waiting > 0 or evicted > 1 or inserted != 1:
        if evicted > 0 or inserted > 0 or state.waiting > 0:
            update(w)
    elif state.fifo > 0:
        update_ends(w)
    else:
        ring = ends.mask + 1
        newcomer = ring + (ends.clean_end & ends.mask)
        join_paths(w, ring + (ends.clean_front & ends.mask) if evicted > 0 else newcomer, newcomer)
        ends.clean_front, ends.clean_end = ends.front, ends.end
