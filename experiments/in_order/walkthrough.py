"""Two-stacks and DABA at work: seven values come, two leave, two more come and leave; what is kept after each step.

No figure of the five papers: the drawings at the head of algorithms/windows/in_order/two_stacks.py and daba.py, made by
the code. The flip of two-stacks is at the first eviction; DABA does the same work a step at a time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from algorithms.windows.contract import Card, catalogue
from experiments.harness.cell import Cell
from experiments.harness.grid import example_only, scripted, unnamed
from experiments.harness.measured import Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.harness.walks import Step, walk
from experiments.in_order.measuring.stretches import played

OPERATOR, CAPACITY = "concat", 16
COME = [["insert", number, letter] for number, letter in enumerate("abcdefghi", 1)]
EVICT = ["evict"]
STEPS = [*COME[:5], EVICT, *COME[5:7], EVICT, EVICT, *COME[7:], EVICT, EVICT]


@experiment("in_order_walkthrough")
def in_order_walkthrough(settings: Settings) -> list[Cell]:
    """A cell for each window."""
    example_only(settings, OPERATOR)
    return [
        scripted(
            settings,
            algorithm["name"],
            {"figure": algorithm["name"], "title": "five come, one leaves, two come, two leave", "steps": STEPS},
            "stretches.kept",
            unnamed(algorithm),
            CAPACITY,
        )
        for algorithm in settings.algorithms
    ]


@in_order_walkthrough.quantity
def wrong_partials(measured: Measured) -> Table:
    """How many kept partials are not the letters of their elements in order, in all states."""

    def wrong(facts: dict[str, Any]) -> int:
        return sum(
            text != "".join(value for _, value in state["elements"][first:end])
            for state in facts["states"]
            for _, kept in state["parts"]
            for first, end, text in kept
        )

    return measured.computed(wrong, "algorithm")


@in_order_walkthrough.quantity
def wrong_answers(measured: Measured) -> Table:
    """How many states have another answer than the letters in the window."""

    def wrong(facts: dict[str, Any]) -> int:
        return sum(state["answer"] != "".join(value for _, value in state["elements"]) for state in facts["states"])

    return measured.computed(wrong, "algorithm")


@in_order_walkthrough.quantity
def most_made(measured: Measured) -> Table:
    """The most partials that a step makes: those of stretches of elements that had none before it."""

    def stretches(state: dict[str, Any]) -> set[tuple[int, int]]:
        moved = state["evicted"]
        return {(first + moved, end + moved) for _, kept in state["parts"] for first, end, _ in kept}

    def most(facts: dict[str, Any]) -> int:
        found = [stretches(state) for state in facts["states"]]
        return max(len(after - before) for before, after in zip(found, found[1:]))

    return measured.computed(most, "algorithm")


def telling() -> dict[str, Card]:
    """The windows whose cards say what they keep."""
    return {name: card for name, card in catalogue().items() if card.kept}


@walk("stretches", telling)
def own(algorithm: str, parameters: Mapping[str, int], operator: Any, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The states of a reader's own script."""
    states = list(played(algorithm, operator, len(steps) + 1, steps, **parameters))
    title = f"{operator.name}, step by step"
    return [{"figure": algorithm, "title": title, "algorithm": algorithm, "states": states}]
