"""What the two Monoid Tree Aggregators share: levels of nodes, which lie where the numbers of the elements say.

Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced Memory Footprint and Efficient Bulk
Evictions (IEEE TPDS, 2018). Level 0 holds the elements; node j of level l + 1 is the aggregate of nodes 2 j and 2 j + 1
of level l, which are a pair. A level is a queue of pairs. The first may have lost its left node, the last may not have
its right one yet (Invariant 1); no pair is empty (Invariant 2).

Elements are numbered from 0 and never anew, so `front` and `end` alone say which nodes there are, and removing pairs
from every level is nothing but a larger `front`. (The paper begins a new top level with a left node; here it is left or
right as its number says. The invariants hold all the same, and windows that were never empty since element 0 look as in
the paper's figures.)

The queue of a level is a ring of nodes; all lie in one array, as in a heap: level l begins at slot width / 2^l and has
as many slots. Nodes are found through `node`, times through `find`, and nothing else knows where they are.
"""

from typing import Any

import numpy as np

from algorithms.kernel import generic, kernel
from algorithms.operators.monoid import combine, partials, unit
from algorithms.windows.in_order.ring import check_ring, pointers
from algorithms.windows.out_of_order.tree_check import same


def level_pointers(*names: str) -> np.dtype:
    """The record of a window's pointers, and the width of its levels."""
    return pointers("front", "end", *names, "width")


def level_layout(record: np.dtype, first: int, width: int):
    """A layout: pointers, a ring of times, and in agg `first` slots and then the levels, `width` rings wide."""

    def layout(op, capacity: int) -> dict:
        ring = 1 << max(capacity - 1, 0).bit_length()
        return {"ends": (1, record), "time": (ring, np.dtype("i8")), "agg": (first + (width + 1) * ring, op.dtype)}

    return layout


@generic
def at(w, level, j):
    """The slot of node j of a level."""


@generic
def ready(w, front):
    """Load what removing the elements before `front` will read; a window in memory has it already."""


@ready.default
def _(w, front):
    pass


@kernel
def node(ends, first, level, j):
    """The slot of node j of a level."""
    slots = ends.width >> level
    return first + slots + (j & (slots - 1) & ends.mask)


def check_nodes(w: Any, first: int, counts: list[int], whole_only: bool) -> None:
    """Check nodes front >> level .. counts[level] - 1 of every level; `whole_only`: only those with all elements."""
    check_ring(w, "front", "end")
    ends = w.ends[0]
    front, end = int(ends.front), int(ends.end)
    for level, count in enumerate(counts):
        for j in range(front >> level, count):
            if not whole_only or j << level >= front:
                stretch = range(max(j << level, front), min((j + 1) << level, end))
                check_fold(w, first, stretch, node(ends, first, level, j), f"node {j} of level {level}")


def check_fold(w: Any, first: int, elements: range, k: int, name: str) -> None:
    """agg[k] is the aggregate of the elements. Copied by combines, without what a longer partial left there."""
    folded, stored = partials(w.op, 1), partials(w.op, 1)
    unit(w.op, folded, 0)
    for i in elements:
        combine(w.op, folded, 0, folded, 0, w.agg, node(w.ends[0], first, 0, i))
    unit(w.op, stored, 0)
    combine(w.op, stored, 0, stored, 0, w.agg, k)
    assert same(folded[0], stored[0]), f"{name}: {stored[0]}, not {folded[0]}"
