"""The levels of a Monoid Tree Aggregator, its stack and its result pair, state by state: what the paper's figures show.

A script is {"figure", "title", "operator": see `example`, "build": the values that come first, "steps": then one
operation for each further state, ["insert", value] or ["evict"]}. Nothing is deferred here: a result pair and stack
that a window would compute later are computed for the drawing, as in the paper's pseudocode.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from algorithms import operators
from algorithms.windows import slide_policies as policies
from algorithms.windows.in_order import amta
from algorithms.windows.in_order.mta import at
from algorithms.windows.make import window
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement

CAPACITY, BOUND, SPAN = 32, 10, 4
EMPTY = None
"""The neutral element in a pair that has lost its left node, or has not got its right one yet."""


class Example(NamedTuple):
    """An operator, the slide policy if there is one, and the names of the answers that are shown."""

    operator: Any
    policy: Any
    shown: tuple[str, ...]


def example(name: str) -> Example:
    """The operator and policy of a script."""
    if name == "sum":
        return Example(operators.make("sum", "int64"), None, ())
    if name == "max of times":
        op = operators.product(time=operators.make("max", "int64"))
        return Example(op, policies.counting(policies.time_range(SPAN)), ("time",))
    if name == "max under sum":
        fields = {name: operators.make(name, "int64") for name in ("max", "sum", "last")}
        return Example(operators.product(**fields), policies.sum_bound(BOUND), ("max", "sum"))
    raise ValueError(f"operator is {name!r}; a script has sum, max of times or max under sum")


def play(algorithm: str, script: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The states of a script: the first after all of `build`, then one for each step.

    A state has title, levels, stack (the top first), results (R0 and R1), answer, elements (from the oldest) and asked:
    the calls of the policy in this step. A level, lowest first, has the number of its first pair and its pairs of
    texts, EMPTY where there is no node. Raises AssertionError where an invariant of the window fails.
    """
    op, policy, shown = example(script["operator"])
    w = window(algorithm, operator=op, capacity=CAPACITY, policy=policy)
    time = 0
    for value in script["build"]:
        w.insert(time, value)
        time += 1
    yield _state(w, shown, f"{', '.join(map(str, script['build']))} have come", policy)
    for step in script["steps"]:
        _calls(policy, reset=True)
        if step[0] == "insert":
            w.insert(time, step[1])
            time += 1
        else:
            w.evict()
        yield _state(w, shown, " ".join(map(str, step)), policy)


def followed(algorithm: str, operator: Any, steps: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """The states of an empty window after each step: ["insert", time, value] or ["evict"]. See `play`."""
    w = window(algorithm, operator=operator, capacity=len(steps) + 1)
    for name, *given in steps:
        w.insert(*given) if name == "insert" else w.evict()
        yield _state(w, (), " ".join(map(str, (name, *given))), None)


def _calls(policy: Any, reset: bool = False) -> int:
    """The calls of a counting policy since the last reset; 0 of another."""
    if not isinstance(policy, policies.CountingPolicy):
        return 0
    calls = int(policy.calls[0])
    if reset:
        policy.calls[0] = 0
    return calls


def _state(w: Any, shown: tuple[str, ...], title: str, policy: Any) -> dict[str, Any]:
    w.check()
    k = w._w
    ends, forest = k.ends[0], isinstance(k, amta.AMTA)
    if forest and ends.due == 1:
        amta.compute_results(k)

    def text(slot: int) -> str:
        answer = operators.present(w.op, k.agg, slot)
        return " | ".join(str(getattr(answer, name)) for name in shown) if shown else str(answer)

    stack = [text(amta.STACK + i) for i in reversed(range(int(ends.stacked)))] if forest else []
    levels = list(_levels(k, forest, text))
    return {
        "title": title,
        "levels": levels or [{"first": 0, "pairs": [[EMPTY, EMPTY]]}],
        "stack": stack,
        "results": [text(amta.R0), text(amta.R1)] if forest else [],
        "answer": str(w.query()) if not shown else " | ".join(str(getattr(w.query(), name)) for name in shown),
        "elements": [node for pair in levels[0]["pairs"] for node in pair if node is not EMPTY] if levels else [],
        "asked": _calls(policy),
    }


def _levels(k: Any, forest: bool, text: Any) -> Iterator[dict[str, Any]]:
    """The pairs of each level that has a node, the lowest level first."""
    front, end, top = int(k.ends[0].front), int(k.ends[0].end), int(k.ends[0].top)
    for level in range(top + 1):
        first, last = front >> level, int(amta.nodes(k.ends[0], level)) if forest else ((end - 1) >> level) + 1
        texts = {j: text(int(at(k, level, j))) for j in range(first, last)}
        pairs = [[texts.get(2 * p), texts.get(2 * p + 1)] for p in range(first >> 1, ((last - 1) >> 1) + 1)]
        if pairs:
            yield {"first": first >> 1, "pairs": pairs}


@measurement("levels.pairs", counted=True)
def pairs(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """How many pairs the last state of the cell's script has; the facts have all states."""
    script = cell.stream
    states = list(play(cell.algorithm, script))
    last = sum(len(level["pairs"]) for level in states[-1]["levels"])
    facts = {"figure": script["figure"], "title": script["title"], "algorithm": cell.algorithm, "states": states}
    return {"value": float(last), "operations": len(states), "checksum": None, "facts": facts}
