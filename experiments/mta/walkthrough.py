"""The running examples of the MTA paper: section 3.2 and Figures 1, 2, 4 and 5, state by state.

Of Figure 2 the text has the policy, the youngest timestamp and what is left; the drawing was not at hand. Ours begins
with the four timestamps that a window of four time units can hold.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from algorithms.windows.contract import Card, card
from experiments.harness.cell import Cell
from experiments.harness.grid import example_only, scripted
from experiments.harness.measured import Measured, NotMeasuredError, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.harness.walks import Step, walk
from experiments.mta.measuring.levels import EMPTY, followed

OPERATOR = "sum"
LOG, AMORTISED = "log_mta", "amta"

SCRIPTS = (
    (
        LOG,
        {
            "figure": "Section 3.2",
            "title": "the maximum of the youngest that add up to at most 10 (max | sum)",
            "operator": "max under sum",
            "build": [2, 2, 3, 3],
            "steps": [["insert", 4]],
        },
    ),
    (
        LOG,
        {
            "figure": "Figure 1",
            "title": "a full binary tree as a list of queues, sums",
            "operator": "sum",
            "build": [1, 2, 1, 2, 1, 2],
            "steps": [],
        },
    ),
    (
        LOG,
        {
            "figure": "Figure 2",
            "title": "bulk eviction, max of timestamps, a window of four time units",
            "operator": "max of times",
            "build": [1, 2, 3, 4],
            "steps": [["insert", 8]],
        },
    ),
    (
        AMORTISED,
        {
            "figure": "Figure 4",
            "title": "forest, stack and result pair, sums",
            "operator": "sum",
            "build": [1, 2, 1, 2, 1, 2, 1, 2],
            "steps": [["insert", 1], ["evict"]],
        },
    ),
    (
        AMORTISED,
        {
            "figure": "Figure 5",
            "title": "single evictions, sums",
            "operator": "sum",
            "build": [1, 3, 2, 1, 2, 1, 1, 0, 3, 1],
            "steps": [["evict"], ["evict"]],
        },
    ),
)


@experiment("mta_walkthrough")
def mta_walkthrough(settings: Settings) -> list[Cell]:
    """A cell for each example."""
    example_only(settings, OPERATOR)
    if settings.algorithms:
        raise SettingsError(f"{settings.name} is a fixed example: leave algorithms out")
    return [scripted(settings, algorithm, script, "levels.pairs") for algorithm, script in SCRIPTS]


PRINTED: dict[tuple[str, str], tuple[Any, Callable[[list[dict[str, Any]]], Any]]] = {
    ("Section 3.2", "elements"): ([["2", "2", "3", "3"], ["3", "3", "4"]], lambda s: [_first(state) for state in s]),
    ("Section 3.2", "maxima"): (["3", "4"], lambda s: [state["answer"].split(" | ")[0] for state in s]),
    ("Figure 1", "levels"): (
        [[["1", "2"]] * 3, [["3", "3"], ["3", EMPTY]], [["6", "3"]]],
        lambda s: [level["pairs"] for level in s[0]["levels"]],
    ),
    ("Figure 2", "elements"): (["8"], lambda s: s[-1]["elements"]),
    ("Figure 4", "result pair"): (["6", "6"], lambda s: s[0]["results"]),
    ("Figure 4", "stack"): (["5", "3"], lambda s: s[0]["stack"]),
    ("Figure 4", "R1 after the insert"): ("7", lambda s: s[1]["results"][1]),
    ("Figure 4", "R0 after the evict"): ("5", lambda s: s[2]["results"][0]),
    ("Figure 5", "sums"): (
        [["7", "8", "15"], ["6", "8", "14"], ["3", "8", "11"]],
        lambda s: [[*state["results"], state["answer"]] for state in s],
    ),
}
"""By figure and part: what is printed, and where it is found in the states of the figure."""


def _first(state: dict[str, Any]) -> list[str]:
    return [node.split(" | ")[0] for node in state["elements"]]


def found_in(measured: Measured) -> dict[tuple[str, str], tuple[Any, Any]]:
    """What was found and what is printed, of the parts of figures that were played."""
    examples = {facts["figure"]: facts["states"] for facts in map(json.loads, measured.rows["facts"]) if facts}
    found = {
        (figure, part): (where_found(examples[figure]), printed)
        for (figure, part), (printed, where_found) in PRINTED.items()
        if figure in examples
    }
    levels = [level["pairs"] for states in examples.values() for state in states for level in state["levels"]]
    wrong = [pairs for pairs in levels if not _holds(pairs)]
    return found | ({("all", "invariants"): (wrong, [])} if levels else {})


@mta_walkthrough.quantity
def as_printed(measured: Measured) -> Table:
    """1 for every part of a figure that came out as printed, 0 for the others."""
    pairs = found_in(measured)
    if not pairs:
        raise NotMeasuredError("no example was played")
    runs = measured.total("pairs", "algorithm", "workload_parameters")
    index = pd.MultiIndex.from_tuples(list(pairs), names=["figure", "what"])
    values = [[float(found == printed)] * runs.shape[1] for found, printed in pairs.values()]
    return pd.DataFrame(values, index, runs.columns)


@mta_walkthrough.reason(as_printed)
def what_came_out(measured: Measured) -> str:
    """All parts that came out otherwise."""
    wrong = [f"{' '.join(key)} {found}, not {printed}" for key, (found, printed) in found_in(measured).items()
             if found != printed]  # fmt: skip
    return "; ".join(wrong)


def _holds(pairs: list[list[str | None]]) -> bool:
    """Whether only the first pair lacks its left node, and only the last its right one."""
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    is_whole = EMPTY not in lefts[1:] and EMPTY not in rights[:-1]
    return is_whole and [EMPTY, EMPTY] not in pairs


def aggregators() -> dict[str, Card]:
    """The windows that the snapshots are of."""
    return {name: card(name) for name in (LOG, AMORTISED)}


@walk("levels", aggregators)
def own(algorithm: str, parameters: Mapping[str, int], operator: Any, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The states of a reader's own script."""
    states = list(followed(algorithm, operator, steps))
    return [{"figure": "steps", "title": operator.name, "algorithm": algorithm, "states": states}]
