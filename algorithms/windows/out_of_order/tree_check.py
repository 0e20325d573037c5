"""Every invariant of both B-trees, checked from scratch in plain Python."""

import numpy as np

from algorithms.operators.monoid import combine, partials, unit
from algorithms.windows.out_of_order.tree import BOTH, LEFT, NOTHING, RIGHT, ROOT, at, row_of, spine_slot


def check(w, local_folds: bool = False) -> None:
    """Raise AssertionError, naming the node, where sizes, order, links, spines, aggregates or free lists are wrong.

    `local_folds`: the nodes of spines keep the folds of their rows, too. O(n) node visits, and O(n) combines a level.
    """
    _Walk(w, local_folds).run()


def same(a, b) -> bool:
    """Whether two partials are the same, floating-point fields up to rounding."""
    if a.tobytes() == b.tobytes():  # most often, and many times quicker
        return True
    left, right = np.atleast_1d(a), np.atleast_1d(b)
    if left.dtype.names:
        return all(same(left[name][0], right[name][0]) for name in left.dtype.names)
    if left.dtype.kind == "f":
        return np.allclose(left, right, rtol=1e-9, atol=1e-9, equal_nan=True)
    return bool(np.array_equal(left, right))


class _Walk:
    def __init__(self, w, local_folds: bool):
        self.w, self.header, self.local_folds = w, w.tree[0], local_folds
        self.scratch = partials(w.op, 1)
        self.visited: set[int] = set()
        self.leaf_depths: set[int] = set()
        self.times: list[int] = []

    def run(self) -> None:
        w, header = self.w, self.header
        root = int(header.root)
        assert at(w.node, root).parent == NOTHING and at(w.node, root).home == ROOT, "the root hangs on something"
        self.subtree(root, depth=0, left=True, right=True)
        assert len(self.leaf_depths) == 1, f"leaves at depths {self.leaf_depths}"
        assert self.times == sorted(set(self.times)), "times are not in strictly ascending order"
        assert self.first_leaf == header.left and self.last_leaf == header.right, "a finger is not at its end"
        self.aggregates(root)
        cut_entries = self.lists()
        assert header.entries == len(self.times) + cut_entries, f"{header.entries} entries counted"

    def subtree(self, y: int, depth: int, left: bool, right: bool) -> None:
        node, header = at(self.w.node, y), self.header
        assert y not in self.visited, f"node {y} has two parents"
        self.visited.add(y)
        is_root, is_leaf = y == header.root, node.step == 1
        arity = (node.end - row_of(y)) // node.step + 1
        assert arity <= 2 * header.min_arity, f"node {y}: arity {arity}"
        assert arity >= (1 if is_leaf else 2) if is_root else arity >= header.min_arity, f"node {y}: arity {arity}"
        spine = (BOTH if is_root else LEFT * left | RIGHT * right) & header.root_spine
        assert node.spine == spine, f"node {y}: spine {node.spine}, not {spine}"
        if is_leaf:
            assert node.level == 0 and (node.end - row_of(y)) == arity - 1
            self.leaf_depths.add(depth)
            self.first_leaf = y if left else self.first_leaf
            self.last_leaf = y
            self.times += [int(self.w.key[p]) for p in range(row_of(y), node.end)]
            return
        for p in range(row_of(y), int(node.end)):
            if (p - row_of(y)) % 2:
                self.times.append(int(self.w.key[p]))
                continue
            child = int(self.w.key[p])
            below = at(self.w.node, child)
            assert (below.parent, below.home) == (y, p), f"node {child}: parent {below.parent}, home {below.home}"
            assert below.level == node.level - 1, f"node {child}: level {below.level} under {node.level}"
            self.subtree(child, depth + 1, left and p == row_of(y), right and p == node.end - 1)

    def fold(self, positions):
        """The aggregate of the given positions; None for none."""
        folded = partials(self.w.op, 1)
        unit(self.w.op, folded, 0)
        for p in positions:
            combine(self.w.op, folded, 0, folded, 0, self.w.agg, p)
        return folded

    def everything(self, y: int) -> list[int]:
        """Positions of all entries below y, oldest first."""
        node, positions = at(self.w.node, y), []
        for p in range(row_of(y), int(node.end)):
            child = node.step == 2 and (p - row_of(y)) % 2 == 0
            positions += self.everything(int(self.w.key[p])) if child else [p]
        return positions

    def inside(self, y: int) -> list[int]:
        """Positions of the entries that y's own row stands for, given the ends that its spine leaves out."""
        node, positions = at(self.w.node, y), []
        for p in range(row_of(y), int(node.end)):
            if node.step == 1 or (p - row_of(y)) % 2:
                positions.append(p)
            elif not (p == row_of(y) and node.spine & LEFT) and not (p == node.end - 1 and node.spine & RIGHT):
                positions += self.everything(int(self.w.key[p]))
        return positions

    def aggregates(self, y: int, above: list[int] | None = None) -> None:
        """`above`: the entries that the parent's left or right aggregate stands for."""
        node, w = at(self.w.node, y), self.w
        inside = self.inside(y)
        covered = inside
        if node.spine in (LEFT, RIGHT):
            local = spine_slot(int(node.level), int(node.spine))
            assert w.key[local] == y, f"node {y} is not found by its level on spine {node.spine}"
            kept = not self.local_folds or same(self.fold([local])[0], self.fold(inside)[0])
            assert kept, f"node {y}: local fold {w.agg[local]}"
            covered = inside + (above or []) if node.spine == LEFT else (above or []) + inside
        expected = self.fold(covered)[0]
        assert same(self.fold([int(node.home)])[0], expected), f"node {y}: {w.agg[int(node.home)]}, not {expected}"
        if node.step == 2:
            below = covered if node.spine in (LEFT, RIGHT) else None
            for p in range(row_of(y), int(node.end), 2):
                child = int(w.key[p])
                self.aggregates(child, below if at(w.node, child).spine else None)

    def lists(self) -> int:
        """Walk the free and the cut lists: no node may be lost or listed twice. Gives the entries in cut subtrees."""
        w, header = self.w, self.header
        for head, step in ((header.leaves, 1), (header.inners, 2)):
            y = int(head)
            while y != NOTHING:
                assert y not in self.visited and at(w.node, y).step == step, (
                    f"free node {y} is in use or of the wrong kind"
                )
                self.visited.add(y)
                y = int(at(w.node, y).parent)
        entries, waiting = 0, []
        y = int(header.cut)
        while y != NOTHING:
            waiting.append(y)
            y = int(at(w.node, y).parent)
        while waiting:
            y = waiting.pop()
            assert y not in self.visited, f"cut node {y} is in use"
            self.visited.add(y)
            node = at(w.node, y)
            entries += int(node.end - row_of(y)) // int(node.step)
            if node.step == 2:
                waiting += [int(w.key[p]) for p in range(row_of(y), int(node.end), 2)]
        assert len(self.visited) == len(w.node), f"{len(w.node) - len(self.visited)} nodes are lost"
        return entries
