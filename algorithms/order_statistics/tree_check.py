"""The invariants of a tree, for tests and for `check()` of a window. Plain Python, O(n)."""

from collections.abc import Iterator
from typing import Any

from algorithms.order_statistics.tree import NOTHING, Counted


def items(tree: Any) -> list[tuple[int, int]]:
    """(key, load) of all keys, in their order."""

    def below(y: int, level: int) -> Iterator[tuple[int, int]]:
        for p in row(tree, y):
            if level > 0:
                yield from below(int(tree.load[p]), level - 1)
            else:
                yield int(tree.key[p]), int(tree.load[p])

    return list(below(int(tree.head[0].root), int(tree.head[0].height)))


def row(tree: Any, y: int) -> range:
    first = y << int(tree.head[0].bits)
    return range(first, first + int(tree.filled[y]))


def check_tree(tree: Any) -> None:
    """Raise AssertionError unless nodes are full enough, keys ascend, and what is said of children is true."""
    head, used = tree.head[0], set()
    counted = isinstance(tree, Counted)

    def walk(y: int, level: int) -> tuple[int, int]:
        """The sum and the largest of the loads below node y."""
        assert y not in used, f"node {y} has two parents"
        used.add(y)
        assert (y >= head.first_leaf) == (level == 0), f"node {y} at level {level}"
        fewest = head.least if y != head.root else 2 if level else 0
        assert fewest <= tree.filled[y] <= head.width, f"node {y} has {tree.filled[y]} slots"
        if level == 0:
            loads = [int(tree.load[p]) for p in row(tree, y)]
            assert not counted or all(load > 0 for load in loads), f"leaf {y} has a key that does not occur"
            return sum(loads), max(loads, default=0)
        told = []
        for p in row(tree, y):
            child = int(tree.load[p])
            told.append(walk(child, level - 1))
            assert tree.key[p] == tree.key[child << int(head.bits)], f"slot {p}: not the least key of its child"
            if counted:
                assert (tree.total[p], tree.most[p]) == told[-1], f"slot {p}: total and most of its child"
        return sum(total for total, _ in told), max(most for _, most in told)

    total, _ = walk(int(head.root), int(head.height))
    entries = items(tree)
    keys = [key for key, _ in entries]
    assert keys == sorted(keys), "keys descend"
    if counted:
        assert len(set(keys)) == len(keys), "a key occurs twice"
        assert head.entries == total, f"{head.entries} entries, and loads of {total}"
    assert head.keys == len(keys), f"{head.keys} keys, and {len(keys)} in leaves"
    free = [*listed(tree, int(head.leaves)), *listed(tree, int(head.inners))]
    assert sorted([*used, *free]) == list(range(len(tree.filled))), "nodes are lost, or in use and free"


def listed(tree: Any, y: int) -> Iterator[int]:
    """The nodes on a free list."""
    while y != NOTHING:
        yield y
        y = int(tree.filled[y])
