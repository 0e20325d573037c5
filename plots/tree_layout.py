"""Positions of a drawn tree's nodes, in inches: leaves side by side in order of time, a parent above its children."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

ENTRY, CHARACTER, PADDING = 0.36, 0.063, 0.12
BOX, LEVEL, SIBLINGS, COUSINS = 0.38, 0.74, 0.09, 0.2
MARGIN = 0.36
"""Beside a tree, for the arrows of the fingers."""


class Box(NamedTuple):
    """A node's place: left edge, bottom edge and width. All boxes are `BOX` high."""

    left: float
    bottom: float
    width: float

    @property
    def centre(self) -> float:
        return self.left + self.width / 2


class Tree(NamedTuple):
    """A laid-out tree: the box of each node by id, and the size of the whole."""

    boxes: Mapping[Any, Box]
    width: float
    height: float


def children(nodes: Sequence[Mapping[str, Any]], parent: Any) -> list[Mapping[str, Any]]:
    """The children of a node in order of time; `nodes` lists every level in that order."""
    return [node for node in nodes if node["parent"] == parent]


def lay_out(nodes: Sequence[Mapping[str, Any]]) -> Tree:
    """Place the nodes (dicts with id, level, parent, times and aggregate, the root first) from (0, 0) up and right.

    O(nodes^2), which is fast enough for trees that fit on a page.
    """
    boxes: dict[Any, Box] = {}
    width = _place(nodes, nodes[0], MARGIN, boxes)
    return Tree(boxes, width + 2 * MARGIN, nodes[0]["level"] * LEVEL + BOX)


def _width(node: Mapping[str, Any]) -> float:
    return max(ENTRY * max(len(node["times"]), 1), CHARACTER * len(node["aggregate"]) + PADDING)


def _place(nodes: Sequence[Mapping[str, Any]], node: Mapping[str, Any], left: float, boxes: dict[Any, Box]) -> float:
    """Place the subtree of a node with its left edge at `left`, and return its width."""
    subtrees, own_width = children(nodes, node["id"]), _width(node)
    gap = SIBLINGS if node["level"] == 1 else COUSINS
    subtrees_width = sum(_place(nodes, child, 0, {}) for child in subtrees) + gap * max(len(subtrees) - 1, 0)
    x = left + max(own_width - subtrees_width, 0) / 2
    for child in subtrees:
        x += _place(nodes, child, x, boxes) + gap
    width = max(own_width, subtrees_width)
    centre = left + width / 2
    if subtrees:
        centre = (boxes[subtrees[0]["id"]].centre + boxes[subtrees[-1]["id"]].centre) / 2
        centre = min(max(centre, left + own_width / 2), left + width - own_width / 2)
    boxes[node["id"]] = Box(centre - own_width / 2, node["level"] * LEVEL, own_width)
    return width
