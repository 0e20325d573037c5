"""The running examples of the MTA paper: section 3.2 and Figures 1, 2, 4 and 5, state by state.

Of Figure 2 the text has the policy, the youngest timestamp and what is left; the drawing was not at hand. Ours begins
with the four timestamps that a window of four time units can hold.
"""

import json
from typing import Any

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import example_only, scripted
from experiments.harness.old_judgement import NOT_REPRODUCED, REPRODUCED, Judgement, NotMeasuredError
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.mta.measuring.levels import EMPTY

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


def states_of(rows: pd.DataFrame, figure: str) -> list[dict[str, Any]]:
    """The states of a figure. Raises NotMeasuredError if there are none."""
    for text in rows["facts"]:
        facts = json.loads(text)
        if facts.get("figure") == figure:
            return facts["states"]
    raise NotMeasuredError(f"no rows of {figure}")


def compared(found: list, printed: list, heading: str) -> Judgement:
    """Reproduced if what was found is what is printed."""
    reason = "" if found == printed else f"printed is {printed}"
    return Judgement(NOT_REPRODUCED if reason else REPRODUCED, f"{heading} {found}", reason)


@mta_walkthrough.claim("section 3.2", "4 comes, the oldest two go", "[2, 2, 3, 3], max 3; then [3, 3, 4], max 4")
def section_3_2(rows: pd.DataFrame) -> Judgement:
    found = [
        [[int(node.split(" | ")[0]) for node in state["elements"]], int(state["answer"].split(" | ")[0])]
        for state in states_of(rows, "Section 3.2")
    ]
    return compared(found, [[[2, 2, 3, 3], 3], [[3, 3, 4], 4]], "elements and maxima")


@mta_walkthrough.claim("Figure 1", "Every node is the aggregate of the pair below it", "1 2 1 2 1 2; 3 3 3; 6 3")
def figure_1(rows: pd.DataFrame) -> Judgement:
    (state,) = states_of(rows, "Figure 1")
    found = [level["pairs"] for level in state["levels"]]
    printed = [[["1", "2"]] * 3, [["3", "3"], ["3", EMPTY]], [["6", "3"]]]
    return compared(found, printed, "levels")


@mta_walkthrough.claim("Figure 2", "8 comes and leaves nothing else in the window", "three steps, root to leaves")
def figure_2(rows: pd.DataFrame) -> Judgement:
    state = states_of(rows, "Figure 2")[-1]
    return compared(
        [state["elements"], state["asked"] <= 3], [["8"], True], f"asked {state['asked']} times; left, few:"
    )


@mta_walkthrough.claim("Figure 4", "Result pair and stack", "6 and 6, 5 over 3; an insert: R1 = 7; an evict: R0 = 5")
def figure_4(rows: pd.DataFrame) -> Judgement:
    built, inserted, evicted = states_of(rows, "Figure 4")
    found = [built["results"], built["stack"], inserted["results"][1], evicted["results"][0]]
    return compared(found, [["6", "6"], ["5", "3"], "7", "5"], "R, stack, R1, R0")


@mta_walkthrough.claim("Figure 5", "Sums as the oldest go one by one", "15; then 6 + 8 = 14; then 3 + 8 = 11")
def figure_5(rows: pd.DataFrame) -> Judgement:
    found = [[*state["results"], state["answer"]] for state in states_of(rows, "Figure 5")]
    return compared(found, [["7", "8", "15"], ["6", "8", "14"], ["3", "8", "11"]], "R0, R1 and sum")


@mta_walkthrough.claim("Invariants 1 and 2", "Only a first pair lacks its left node, a last its right one", "all")
def invariants(rows: pd.DataFrame) -> Judgement:
    examples = [json.loads(text) for text in rows["facts"]]
    levels = [
        level["pairs"] for example in examples for state in example.get("states", ()) for level in state["levels"]
    ]
    if not levels:
        raise NotMeasuredError("no levels")
    wrong = [pairs for pairs in levels if not _holds(pairs)]
    measured = f"{len(levels) - len(wrong)} of {len(levels)} levels"
    return Judgement(NOT_REPRODUCED if wrong else REPRODUCED, measured, "; ".join(map(str, wrong)))


def _holds(pairs: list[list[str | None]]) -> bool:
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    is_whole = EMPTY not in lefts[1:] and EMPTY not in rights[:-1]
    return is_whole and [EMPTY, EMPTY] not in pairs
