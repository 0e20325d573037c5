"""The partial aggregates that a window keeps after each operation of a script, and the elements that each is of.

A script is {"figure", "title", "steps": one operation for each state, as `played` takes them}.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from algorithms import operators
from algorithms.windows.contract import ANY_ORDER
from algorithms.windows.make import window
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement


def played(
    algorithm: str, operator: Any, capacity: int, steps: Sequence[Sequence[Any]], **parameters: int
) -> Iterator[dict[str, Any]]:
    """The states of a window of the catalogue whose card says what it keeps, one after each step.

    A step is ["insert", time, value], ["evict"], or ["evict_at", time] where the card has it. A state has title,
    answer (of query), evicted (how many were the oldest and left), elements ([time, value] from the oldest), and parts:
    [name, [[first, end, aggregate], ...]] of elements first .. end - 1, numbered from the oldest. Values and aggregates
    are texts. Raises AssertionError where an invariant fails, and what the window raises.
    """
    w = window(algorithm, operator=operator, capacity=capacity, **parameters)
    elements: list[list[Any]] = []
    evicted = 0
    for name, *given in steps:
        if name == "insert":
            time, value = given
            w.insert(time, value)
            place = sum(other <= time for other, _ in elements)
            if w.card.order == ANY_ORDER and place and elements[place - 1][0] == time:
                elements[place - 1][1] = str(w.range_query(time, time))
            else:
                elements.insert(place, [time, str(value)])
        elif name == "evict":
            w.evict()
            del elements[0]
            evicted += 1
        else:
            w.evict_at(*given)
            place = [time for time, _ in elements].index(given[0])
            del elements[place]
            evicted += place == 0
        yield {
            "title": " ".join(map(str, (name, *given))),
            "answer": str(w.query()),
            "evicted": evicted,
            "elements": [list(element) for element in elements],
            "parts": _parts(w),
        }


def _parts(w: Any) -> list[list[Any]]:
    """What the window keeps, by part, in the order in which its card names them."""
    w.check()
    parts: dict[str, list[list[Any]]] = {}
    for part, first, end, slot in w.card.kept(w._w):
        parts.setdefault(part, []).append([first, end, str(operators.present(w.op, w._w.agg, slot))])
    return [[name, found] for name, found in parts.items()]


@measurement("stretches.kept", counted=True)
def kept(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """How many partials the window keeps after the last step of the cell's script; the facts have all states."""
    script = cell.stream
    op = operators.make(cell.operator, "int64")
    states = list(played(cell.algorithm, op, cell.window, script["steps"], **cell.parameters))
    last = sum(len(found) for _, found in states[-1]["parts"])
    facts = {"figure": script["figure"], "title": script["title"], "algorithm": cell.algorithm, "states": states}
    return {"value": float(last), "operations": len(states), "checksum": None, "facts": facts}
