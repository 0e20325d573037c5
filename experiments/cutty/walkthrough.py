"""The worked examples of the Cutty paper, Figures 4 to 7: where streams are cut, and what windows are made of.

Of Figure 4 the text gives the slices of s1 to s8 and three windows; the drawing itself was not at hand. What ours has
besides is the least that makes these slices: a window that begins with s6 and one with s8, which do not end. Of
Figure 6 the text gives the two queries; the vehicle's reports are ours.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from experiments.cutty.measuring.cuts import play
from experiments.cutty.measuring.techniques import techniques
from experiments.harness.cell import Cell
from experiments.harness.grid import example_only, scripted
from experiments.harness.measured import Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.harness.walks import Step, walk

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


PRINTED_CUTS: dict[tuple[str, str], Callable[[int], bool]] = {
    ("Figure 4", "cutty"): lambda i: i in (1, 3, 6, 8),
    ("Figure 5", "cutty"): lambda i: i % 2 == 0 or i % 3 == 0,
    ("Figure 6", "cutty"): lambda i: (
        first_of(FIGURE_6["columns"]["time"], 6, i) or first_of(FIGURE_6["columns"]["km"], 5, i)
    ),
    ("Figure 7", "panes"): lambda i: True,
    ("Figure 7", "pairs"): lambda i: i % 3 < 2,
    ("Figure 7", "cutty"): lambda i: i % 3 == 0,
}
"""Whether a slice begins with record i: the figures' dashed lines, at window begins, and the lengths of section 6."""

PRINTED_WINDOWS = {"Figure 4": [[1, 5], [1, 6], [3, 8]], "Figure 5": [[0, 3], [0, 4]]}
"""The windows of the text by their first and last record, in the order in which they end."""


def first_of(measure: list[int], slide: int, i: int) -> bool:
    """Whether record i is the first at or after a multiple of the slide."""
    return i == 0 or measure[i] // slide > measure[i - 1] // slide


@cutty_walkthrough.quantity
def wrong_cuts(measured: Measured) -> Table:
    """How many records begin a slice and should not, or should and do not."""

    def wrong(facts: dict[str, Any]) -> int:
        begins = PRINTED_CUTS[facts["figure"], facts["technique"]]
        records = range(facts["first"], facts["first"] + len(facts["letters"]))
        return len({i for i in records if begins(i)} ^ {begin for begin, _, _ in facts["slices"]})

    return measured.computed(wrong, "figure", "algorithm")


@cutty_walkthrough.quantity
def wrong_windows(measured: Measured) -> Table:
    """How many of the windows that the text names did not end in their place."""

    def wrong(facts: dict[str, Any]) -> int:
        ended = [[begin, end - 1] for _, begin, end, _ in facts["windows"]]
        printed = PRINTED_WINDOWS[facts["figure"]]
        return sum(place >= len(ended) or ended[place] != window for place, window in enumerate(printed))

    return measured.computed(wrong, "figure", "algorithm", figure=list(PRINTED_WINDOWS))


@cutty_walkthrough.quantity
def wrong_aggregates(measured: Measured) -> Table:
    """How many windows have another aggregate than their records' letters in order."""

    def wrong(facts: dict[str, Any]) -> int:
        first, letters = facts["first"], facts["letters"]
        return sum(text != letters[begin - first : end - first] for _, begin, end, text in facts["windows"])

    return measured.computed(wrong, "figure", "algorithm")


@walk("slices", techniques)
def own(algorithm: str, parameters: Mapping[str, int], operator: Any, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The slices and windows of a reader's own script."""
    records = [(time, letter) for name, time, letter in steps if name == "insert"]
    script = {
        "figure": "your script",
        "title": "windows of records",
        "letters": "".join(letter for _, letter in records),
        "first": 0,
        "columns": {"time": [time for time, _ in records]},
        "queries": [
            {"title": f"range {length}, slide {slide}", "range": length, "slide": slide}
            for name, length, slide in steps
            if name == "window"
        ],
    }
    return [play(algorithm, script, operator.name)]
