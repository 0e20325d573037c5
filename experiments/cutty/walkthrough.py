"""The worked examples of the Cutty paper, Figures 4 to 7: where streams are cut, and what windows are made of.

Of Figure 4 the text gives the slices of s1 to s8 and three windows; the drawing itself was not at hand. What ours has
besides is the least that makes these slices: a window that begins with s6 and one with s8, which do not end. Of
Figure 6 the text gives the two queries; the vehicle's reports are ours.
"""

import json
from typing import Any

import pandas as pd

from experiments.cutty.measuring.techniques import techniques
from experiments.harness.cell import Cell
from experiments.harness.grid import example_only, scripted
from experiments.harness.old_judgement import NOT_REPRODUCED, REPRODUCED, Judgement, NotMeasuredError
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

OPERATOR = "concat"
FIGURE_4 = {
    "figure": "Figure 4",
    "title": "deterministic windows of user-defined functions",
    "letters": "123456789",
    "first": 1,
    "columns": {},
    "queries": [
        {"title": "UDW A", "begins": [1, 3], "ends": [6, 9]},
        {"title": "UDW B", "begins": [1, 6], "ends": [7]},
        {"title": "UDW C", "begins": [8], "ends": []},
    ],
}
FIGURE_5 = {
    "figure": "Figure 5",
    "title": "two queries",
    "letters": "0123456789abc",
    "first": 0,
    "columns": {},
    "queries": [
        {"title": "range 4, slide 2", "range": 4, "slide": 2},
        {"title": "range 5, slide 3", "range": 5, "slide": 3},
    ],
}
FIGURE_6 = {
    "figure": "Figure 6",
    "title": "two measures: seconds and kilometres of a vehicle's reports",
    "letters": "abcdefghijk",
    "first": 0,
    "columns": {"time": [0, 1, 3, 5, 6, 8, 9, 12, 13, 15, 18], "km": [0, 2, 4, 5, 6, 8, 11, 12, 14, 16, 21]},
    "queries": [
        {"title": "range 10 s, slide 6 s", "range": 10, "slide": 6, "over": "time"},
        {"title": "range 10 km, slide 5 km", "range": 10, "slide": 5, "over": "km"},
    ],
}
FIGURE_7 = {
    "figure": "Figure 7",
    "title": "a count window of range 10 and slide 3",
    "letters": "0123456789abcdefg",
    "first": 0,
    "columns": {},
    "queries": [{"title": "range 10, slide 3", "range": 10, "slide": 3}],
}

SCRIPTS = (
    ("cutty", FIGURE_4),
    ("cutty", FIGURE_5),
    ("cutty", FIGURE_6),
    ("panes", FIGURE_7),
    ("pairs", FIGURE_7),
    ("cutty", FIGURE_7),
)


@experiment("cutty_walkthrough", techniques)
def cutty_walkthrough(settings: Settings) -> list[Cell]:
    """A cell for each figure of the example and technique that it shows."""
    example_only(settings, OPERATOR)
    if settings.algorithms:
        raise SettingsError(f"{settings.name} is a fixed example: leave algorithms out")
    return [scripted(settings, algorithm, script, "cuts.slices") for algorithm, script in SCRIPTS]


def facts_of(rows: pd.DataFrame, technique: str, figure: str) -> dict[str, Any]:
    """The facts of a technique in a figure. Raises NotMeasuredError if there are none."""
    for text in rows["facts"]:
        facts = json.loads(text)
        if (facts.get("technique"), facts.get("figure")) == (technique, figure):
            return facts
    raise NotMeasuredError(f"no rows of {technique} in {figure}")


def compared(found: list, printed: list, heading: str) -> Judgement:
    """Reproduced if what was found is what is printed."""
    text = " ".join(str(entry) for entry in found)
    reason = "" if found == printed else f"printed are {' '.join(str(entry) for entry in printed)}"
    return Judgement(NOT_REPRODUCED if reason else REPRODUCED, f"{heading} {text}", reason)


def ended_windows(facts: dict[str, Any]) -> list[list[int]]:
    """The windows that ended, as s[first, last]."""
    return [[begin, end - 1] for _, begin, end, _ in facts["windows"]]


@cutty_walkthrough.claim("Figure 4", "s1 to s8 are cut into four slices", "s[1,2] s[3,5] s[6,7] s[8,8]")
def slices_of_figure_4(rows: pd.DataFrame) -> Judgement:
    slices = [[begin, min(end - 1, 8)] for begin, end, _ in facts_of(rows, "cutty", "Figure 4")["slices"]]
    return compared(slices, [[1, 2], [3, 5], [6, 7], [8, 8]], "slices")


@cutty_walkthrough.claim("Figure 4", "Windows end upon the record after them", "s[1,5] s[1,6] s[3,8]")
def windows_of_figure_4(rows: pd.DataFrame) -> Judgement:
    return compared(ended_windows(facts_of(rows, "cutty", "Figure 4")), [[1, 5], [1, 6], [3, 8]], "windows")


@cutty_walkthrough.claim(
    "Figure 5", "Slices begin where a window of either query does, and only there", "0 2 3 4 6 ..."
)
def slices_of_figure_5(rows: pd.DataFrame) -> Judgement:
    facts = facts_of(rows, "cutty", "Figure 5")
    records = range(len(facts["letters"]))
    begins = [i for i in records if i % 2 == 0 or i % 3 == 0]
    return compared([begin for begin, _, _ in facts["slices"]], begins, "slices begin at")


@cutty_walkthrough.claim("Figure 5", "Windows 1 and 2 begin with record 0; window 1 ends with record 3", "[0,3] [0,4]")
def windows_of_figure_5(rows: pd.DataFrame) -> Judgement:
    return compared(ended_windows(facts_of(rows, "cutty", "Figure 5"))[:2], [[0, 3], [0, 4]], "windows")


@cutty_walkthrough.claim("Figure 6", "Queries over time and over distance share slices", "cut at 6 s and at 5 km")
def slices_of_figure_6(rows: pd.DataFrame) -> Judgement:
    facts = facts_of(rows, "cutty", "Figure 6")
    edges = {first_at(facts["columns"][name], slide) for name, slide in (("time", 6), ("km", 5))}
    begins = sorted(set().union(*edges))
    return compared([begin for begin, _, _ in facts["slices"]], begins, "slices begin at report")


def first_at(measure: list[int], slide: int) -> frozenset[int]:
    """The records that are the first at or after a multiple of the slide."""
    return frozenset(i for i, x in enumerate(measure) if i == 0 or x // slide > measure[i - 1] // slide)


@cutty_walkthrough.claim("Figure 7", "Panes cuts into slices of 1, Pairs of 1 and 2, Cutty of 3 records", "1; 1, 2; 3")
def slices_of_figure_7(rows: pd.DataFrame) -> Judgement:
    lengths = []
    for name in ("panes", "pairs", "cutty"):
        closed = facts_of(rows, name, "Figure 7")["slices"][:-1]
        lengths.append(sorted({end - begin for begin, end, _ in closed}))
    return compared(lengths, [[1], [1, 2], [3]], "lengths")


@cutty_walkthrough.claim("Figures 4-7", "A window's aggregate is that of its records in order", "all")
def aggregates_are_right(rows: pd.DataFrame) -> Judgement:
    examples = [json.loads(text) for text in rows["facts"]]
    windows = [(example, window) for example in examples for window in example.get("windows", ())]
    if not windows:
        raise NotMeasuredError("no windows")
    wrong = [
        f"{example['figure']}: {text} of records {begin} to {end - 1}"
        for example, (_, begin, end, text) in windows
        if text != example["letters"][begin - example["first"] : end - example["first"]]
    ]
    measured = f"{len(windows) - len(wrong)} of {len(windows)} windows"
    return Judgement(NOT_REPRODUCED if wrong else REPRODUCED, measured, "; ".join(wrong))
