"""A B-tree after each operation of a script: its nodes, its partial aggregates, and the coins of FiBA's analysis.

The analysis (FiBA paper, section 3.3) pays for every split, merge and move with a coin. Coins lie at the nodes; an
operation that needs more is billed for the rest, one that needs fewer is refunded, and billed coins never exceed 2. How
many lie where is reconstructed from what each step of the paper's example spends, is billed and is refunded:

    arity MIN_ARITY, not the root   1    one more eviction makes it merge or move
    arity MAX_ARITY                 2    one more insertion splits it, and the right half begins with a coin of its own
    any other                       0

Nothing else fits: steps AB and BC fix the differences between arities 2, 3 and 4, and DE fixes the 0. Of the root, KL
says that arity 2 has as many coins as arity 3 and GH that arity 4 has two more.
"""

import random
from collections.abc import Iterator
from typing import Any

from algorithms import operators
from algorithms.windows.facade import Window
from algorithms.windows.make import window
from algorithms.windows.out_of_order.tree import BOTH, LEFT, RIGHT, at, entries_of, first_entry, row_of
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement

KINDS = {0: "up", LEFT: "left", RIGHT: "right", BOTH: "inner"}
"""Which partial aggregate of the paper's Figure 2 a node keeps, by its bits of spine."""

STEPS = ("splits", "merges", "moves")


def coins_at(arity: int, min_arity: int, is_root: bool) -> int:
    """Coins that lie at a node between operations."""
    if arity == 2 * min_arity:
        return 2
    return int(arity == min_arity and not is_root)


def stored_coins(w: Window) -> int:
    """The coins at all nodes of a B-tree. O(n) node visits."""
    tree, header = w._w, w._w.tree[0]
    root, least, total, waiting = int(header.root), int(header.min_arity), 0, [int(header.root)]
    while waiting:
        y = waiting.pop()
        total += coins_at(int(entries_of(tree.node, y)) + 1, least, y == root)
        waiting += children_of(tree, y)
    return total


def children_of(tree: Any, y: int) -> list[int]:
    """The children of node y, in order of time; none of a leaf."""
    header = at(tree.node, y)
    return [] if header.step == 1 else [int(child) for child in tree.key[row_of(y) : int(header.end) : 2]]


def nodes_of(w: Window) -> list[dict[str, Any]]:
    """The nodes of a B-tree, level by level from the root and in order of time. O(n) node visits.

    Each has id, level (0: leaf), parent (None: root), times, values (as the operator presents them), kind of aggregate,
    aggregate (presented), coins, and finger ("left", "right", "left right" or "").
    """
    tree, header = w._w, w._w.tree[0]
    nodes, waiting = [], [(int(header.root), None)]
    for y, parent in waiting:
        node, first = at(tree.node, y), int(first_entry(tree.node, y))
        entries = range(first, int(node.end), int(node.step))
        waiting += [(child, y) for child in children_of(tree, y)]
        nodes.append(
            {
                "id": y,
                "level": int(node.level),
                "parent": parent,
                "times": [int(tree.key[p]) for p in entries],
                "values": [operators.present(w.op, tree.agg, p) for p in entries],
                "kind": KINDS[int(node.spine)],
                "aggregate": operators.present(w.op, tree.agg, int(node.home)),
                "coins": coins_at(len(entries) + 1, int(header.min_arity), parent is None),
                "finger": " ".join(side for side in ("left", "right") if header[side] == y),
            }
        )
    return nodes


def apply(w: Window, operation: str, time: int | None = None, value: Any = None) -> dict[str, int]:
    """Do one operation: its splits, merges and moves, and the coins that it spent, was billed and was refunded."""
    before, stored = _steps(w), stored_coins(w)
    if operation == "insert":
        w.insert(time, value)
    elif operation == "evict":
        w.evict()
    elif operation == "evict_at":
        w.evict_at(time)
    else:
        raise ValueError(f"operation is {operation!r}; it must be insert, evict or evict_at")
    counts = {name: now - then for name, now, then in zip(STEPS, _steps(w), before)}
    spent = sum(counts.values())
    lacking = spent + stored_coins(w) - stored
    return {**counts, "spent": spent, "billed": max(lacking, 0), "refunded": max(-lacking, 0)}


def _steps(w: Window) -> list[int]:
    return [int(w._w.tree[0][name]) for name in STEPS]


def play(w: Window, script: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The states of a script: {"figure", "states", "build", "steps"}, operations as [name, time, value].

    The first state is that after all of `build`, and each step leads to the next. A state has figure, state (a letter),
    answer (of query), nodes (see `nodes_of`) and step: None, or the operation, its counts (see `apply`) and changed,
    the ids of the nodes whose entries or aggregate are new. Raises AssertionError where an invariant fails.
    """
    for operation in script["build"]:
        apply(w, *operation)
    yield _state(w, script["figure"], script["states"][0], None)
    for letter, operation in zip(script["states"][1:], script["steps"]):
        before = {node["id"]: _contents(node) for node in nodes_of(w)}
        counts = apply(w, *operation)
        changed = [node["id"] for node in nodes_of(w) if _contents(node) != before.get(node["id"])]
        yield _state(w, script["figure"], letter, {"operation": operation, **counts, "changed": changed})


def _contents(node: dict[str, Any]) -> tuple:
    return node["times"], node["aggregate"]


def _state(w: Window, figure: str, letter: str, step: dict[str, Any] | None) -> dict[str, Any]:
    w.check()
    return {"figure": figure, "state": letter, "answer": w.query(), "step": step, "nodes": nodes_of(w)}


def bills(w: Window, count: int, seed: int) -> list[int]:
    """Coins billed (negative: refunded) to each of `count` random operations on an empty window.

    The window swells until it is full and shrinks until it is empty, again and again, so that nodes of every height
    split, merge and move.
    """
    chance, billed, swelling = random.Random(seed), [], True
    for _ in range(count):
        swelling = len(w) == 0 or (swelling and len(w) < w.capacity)
        time = chance.randrange(2 * w.capacity)
        if len(w) < w.capacity and (len(w) == 0 or chance.random() < (0.7 if swelling else 0.3)):
            counts = apply(w, "insert", time, "x")
        elif chance.random() < 0.5:
            counts = apply(w, "evict")
        else:
            counts = apply(w, "evict_at", time)
        billed.append(counts["billed"] - counts["refunded"])
    return billed


@measurement("snapshots.coins", counted=True)
def coins(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The coins billed in a cell whose workload parameters are a script, or {"random": operations, "seed"}.

    The value is the most coins that were billed to one operation; facts hold the states of a script.
    """
    script = cell.stream
    op = operators.make(cell.operator, "int64")
    w = window(cell.algorithm, operator=op, capacity=cell.window, **cell.parameters)
    if "random" in script:
        billed = bills(w, script["random"], script["seed"])
        facts: dict[str, Any] = {"most_billed": max(billed), "most_refunded": -min(billed)}
    else:
        states = list(play(w, script))
        billed = [state["step"]["billed"] for state in states if state["step"]]
        facts = {"states": states}
    return {
        "value": float(max(billed, default=0)),
        "operations": len(billed),
        "checksum": None,
        "compile_seconds": 0.0,
        "facts": facts,
    }
