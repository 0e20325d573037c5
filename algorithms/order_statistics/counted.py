"""What a counted tree answers: add and remove a value, the k-th, how many are smaller, the most frequent.

All take O(log n): two or three rows of 64 keys for a window of 500,000. A row is searched by comparing all of its keys,
without a branch, eight at a time: bisection within a row took longer, because its branches are mispredicted.
"""

from algorithms.kernel import kernel
from algorithms.order_statistics.tree import largest, leaf_of, make_room, mend, put, summed, take, up_to


@kernel
def add(tree, key):
    """One more entry of this value."""
    head = tree.head[0]
    y = leaf_of(tree, key)
    p = up_to(tree, y, key) - 1
    if p < y << head.bits or tree.key[p] != key:
        if tree.filled[y] == head.width:
            y = make_room(tree, key)
            p = up_to(tree, y, key) - 1
        p += 1
        put(tree, y, p, key, 0)
        head.keys += 1
    tree.load[p] += 1
    head.entries += 1
    tell_more(tree, key, tree.load[p])


@kernel
def tell_more(tree, key, load):
    """Parents on the path: one more entry of the key, which now has that load."""
    for level in range(1, tree.head[0].height + 1):
        p = tree.path[level]
        tree.key[p] = min(tree.key[p], key)
        tree.total[p] += 1
        tree.most[p] = max(tree.most[p], load)


@kernel
def remove(tree, key):
    """One entry less of this value, of which there is one."""
    head = tree.head[0]
    y = leaf_of(tree, key)
    p = up_to(tree, y, key) - 1
    load = tree.load[p]
    tree.load[p] = load - 1
    if load == 1:
        take(tree, y, p)
        head.keys -= 1
    head.entries -= 1
    tell_less(tree, y, load)
    if tree.filled[y] < head.least and head.height > 0:
        mend(tree)


@kernel
def tell_less(tree, y, load):
    """Parents on the path to leaf y: one entry less, of a key that had that load."""
    bits = tree.head[0].bits
    for level in range(1, tree.head[0].height + 1):
        p = tree.path[level]
        tree.key[p] = tree.key[y << bits]
        tree.total[p] -= 1
        if tree.most[p] == load:
            row = y << bits
            if level == 1:
                tree.most[p] = largest_until(tree.load, row, tree.filled[y], load)
            else:
                tree.most[p] = largest_until(tree.most, row, tree.filled[y], load)
        y = p >> bits


@kernel
def largest_until(a, first, n, enough):
    """The largest of n numbers, none larger than `enough`; where all values differ, the first is enough."""
    p, most = first, 0
    while p < first + n and most < enough:
        most = max(most, a[p])
        p += 1
    return most


@kernel
def place_of(tree, k):
    """(slot of the key, how many entries of it come before) of the k-th smallest entry, from 0; k < entries."""
    head = tree.head[0]
    y, level = head.root, head.height
    while level > 0:
        p = y << head.bits
        while k >= tree.total[p]:
            k -= tree.total[p]
            p += 1
        y, level = tree.load[p], level - 1
    p = y << head.bits
    while k >= tree.load[p]:
        k -= tree.load[p]
        p += 1
    return p, k


@kernel
def select(tree, k):
    """The k-th smallest entry, from 0; k < entries."""
    return tree.key[place_of(tree, k)[0]]


@kernel
def select_two(tree, k):
    """The k-th smallest entry and the one after it, or it twice if there is none; k < entries."""
    head = tree.head[0]
    p, before = place_of(tree, k)
    y = p >> head.bits
    if before + 1 < tree.load[p] or k + 1 == head.entries:
        return tree.key[p], tree.key[p]
    if p + 1 < (y << head.bits) + tree.filled[y]:
        return tree.key[p], tree.key[p + 1]
    return tree.key[p], select(tree, k + 1)


@kernel
def smaller_and_equal(tree, key):
    """How many entries are smaller than the key, and how many equal it."""
    head = tree.head[0]
    y, smaller = leaf_of(tree, key), 0
    for level in range(1, head.height + 1):
        p = tree.path[level]
        row = p >> head.bits << head.bits
        smaller += summed(tree.total, row, p - row)
    row, p = y << head.bits, up_to(tree, y, key)
    equal = tree.load[p - 1] if p > row and tree.key[p - 1] == key else 0
    return smaller + summed(tree.load, row, p - row) - equal, equal


@kernel
def most_frequent(tree):
    """(the smallest of the most frequent values, how often it occurs) of a tree that is not empty."""
    head = tree.head[0]
    y, level = head.root, head.height
    row, n = y << head.bits, tree.filled[y]
    most = largest(tree.most, row, n) if level > 0 else largest(tree.load, row, n)
    while level > 0:
        p = y << head.bits
        while tree.most[p] < most:
            p += 1
        y, level = tree.load[p], level - 1
    p = y << head.bits
    while tree.load[p] < most:
        p += 1
    return tree.key[p], most
