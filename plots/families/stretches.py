"""The family "stretches": the partial aggregates that a window keeps, state by state, below the elements they are of.

Each row is one script; its facts contain the states, as described in experiments.in_order.measuring.stretches, and
`from`, the number of the first state to draw, where that is not 0.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots.axes import LINE, write_down
from plots.description import Frame
from plots.examples import Examples
from plots.layout import Texts, canvas
from plots.style import series
from plots.theme import text_width, wrapped
from results.schema import OK

CELL, CHARACTER, PADDING, LANE, BOX, EDGE, BETWEEN = 0.36, 0.07, 0.1, 0.22, 0.19, 0.2, 0.35
"""Inches: least width of an element, width of a character, around a text, height of a lane and of a box in it, margin,
between states."""

HEADING, TITLE, BELOW, WIDEST = 0.34, 0.24, 0.2, 10.5
"""Inches: lines that name an example and a state, below a state, and the largest width of a line of states."""

HEADING_SIZE, TITLE_SIZE, SIZE = 10, 8.5, 8

INK, CHANGED, FILLS = "#222222", "#d1341f", ("#cfe0f5", "#d3ecd9", "#f6e3c5", "#e6d9f0", "#f3d3d3")
"""Colours of text, of what a step has made, and of the parts in turn."""

NOTE = "A box is an aggregate that is kept, below the elements that it is of. Red: made by the step, of other elements."


class Options(Examples):
    """The examples are windows, by the names of their scripts."""

    def frames(self, examples: Iterable[Mapping[str, Any]]) -> Iterator[Frame]:
        """A state alone; the one before it tells what is new."""
        for facts in sorted(examples, key=lambda facts: series(facts["algorithm"], {}).order):
            for number, state in enumerate(facts["states"]):
                last = facts["states"][max(number - 1, 0) : number + 1]
                alone = {**facts, "states": last, "from": len(last) - 1}
                yield Frame(f"{facts['figure']}, {state['title']}", facts["figure"], [alone])


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the states in the rows' facts. Raises FigureError if there are none, or not those that `panels` names."""
    examples: dict[str, Mapping[str, Any]] = {}
    for text in rows.loc[rows["status"] == OK, "facts"].drop_duplicates():
        facts = json.loads(text)
        if "states" in facts:
            examples.setdefault(facts["figure"], facts)
    usual = sorted(examples, key=lambda name: series(examples[name]["algorithm"], {}).order)
    return drawing(spec.chosen(examples, usual, "states of windows"), spec.around(rows, NOTE))


def drawing(drawn: Sequence[Mapping[str, Any]], texts: Texts) -> Figure:
    """Draw the examples one below the other, the states of each in reading order, with the texts around them."""
    lines = [line for example in drawn for line in _lines(example)]
    heads = [text_width(text, HEADING_SIZE, "bold") for example in drawn for text in _heading(example)]
    width = 2 * EDGE + max(*(_line_width(*line) for line in lines), *heads, 4.0)
    heights = [_line_height(*line) for line in lines]
    figure, axes, top = canvas(width, [sum(heights)], texts)
    for (example, numbers), height in zip(lines, heights):
        y, x = top, EDGE
        if numbers[0] == example.get("from", 0):
            write_down(axes, EDGE, y - 0.2, _heading(example), size=HEADING_SIZE, weight="bold", color=INK)
            y -= _head_height(example)
        for number in numbers:
            _draw_state(axes, example, number, x, y)
            x += _width(example, number) + BETWEEN
        top -= height
    return figure


Line = tuple[Mapping[str, Any], Sequence[int]]
"""An example, and the numbers of its states that stand beside each other."""


def _lines(example: Mapping[str, Any]) -> list[Line]:
    lines: list[tuple[Mapping[str, Any], list[int]]] = []
    for number in range(example.get("from", 0), len(example["states"])):
        if not lines or _line_width(example, [*lines[-1][1], number]) > WIDEST:
            lines.append((example, []))
        lines[-1][1].append(number)
    return list(lines)


def _line_width(example: Mapping[str, Any], numbers: Sequence[int]) -> float:
    return sum(_width(example, number) for number in numbers) + BETWEEN * (len(numbers) - 1)


def _line_height(example: Mapping[str, Any], numbers: Sequence[int]) -> float:
    heading = _head_height(example) if numbers[0] == example.get("from", 0) else 0
    extra = max(len(_title(example, number)) - 1 for number in numbers) * LINE
    lanes_of = [sum(len(lanes(kept)) for _, kept in example["states"][number]["parts"]) for number in numbers]
    return heading + TITLE + extra + LANE * (1 + max(lanes_of)) + BELOW


def _heading(example: Mapping[str, Any]) -> list[str]:
    text = f"{series(example['algorithm'], {}).label}: {example['title']}"
    return wrapped(text, WIDEST, HEADING_SIZE, "bold")


def _head_height(example: Mapping[str, Any]) -> float:
    return HEADING + LINE * (len(_heading(example)) - 1)


def _title(example: Mapping[str, Any], number: int) -> list[str]:
    state = example["states"][number]
    return wrapped(f"{state['title']}: {state['answer']}", WIDEST, TITLE_SIZE)


def _cell(state: Mapping[str, Any]) -> float:
    """The width of an element, so that every text fits."""
    needed = [len(_element(*element)) for element in state["elements"]]
    needed += [len(text) / (end - first) for _, kept in state["parts"] for first, end, text in kept]
    return max(CELL, PADDING + CHARACTER * max(needed, default=0))


def _element(time: Any, value: str) -> str:
    return f"{time}:{value}"


def _label(state: Mapping[str, Any]) -> float:
    return max(text_width(name, SIZE) for name in ("elements", *(name for name, _ in state["parts"]))) + 0.1


def _width(example: Mapping[str, Any], number: int) -> float:
    state = example["states"][number]
    drawn = _label(state) + _cell(state) * len(state["elements"])
    return max(drawn, *(text_width(line, TITLE_SIZE) for line in _title(example, number)))


def lanes(kept: Sequence[Sequence[Any]]) -> list[list[Sequence[Any]]]:
    """Stretches [first, end, ...] in as few lanes as possible, the longest first, without overlap."""
    found: list[list[Sequence[Any]]] = []
    for one in sorted(kept, key=lambda one: (one[0] - one[1], one[0])):
        free = [lane for lane in found if all(one[0] >= end or one[1] <= first for first, end, *_ in lane)]
        free[0].append(one) if free else found.append([one])
    return found


def made(example: Mapping[str, Any], number: int) -> set[tuple[str, int, int]]:
    """What state `number` keeps and the one before does not: part, and elements as numbered from the start."""
    if number == 0:
        return set()
    before, after = (set(_numbered(example["states"][each])) for each in (number - 1, number))
    return after - before


def _numbered(state: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    gone = state["evicted"]
    return ((name, first + gone, end + gone) for name, kept in state["parts"] for first, end, _ in kept)


def _fills(example: Mapping[str, Any]) -> dict[str, str]:
    """The colour of each part, the same in all states."""
    names = dict.fromkeys(name for state in example["states"] for name, _ in state["parts"])
    return {name: FILLS[place % len(FILLS)] for place, name in enumerate(names)}


def _draw_state(axes: Axes, example: Mapping[str, Any], number: int, left: float, top: float) -> None:
    state, title = example["states"][number], _title(example, number)
    write_down(axes, left, top - 0.14, title, size=TITLE_SIZE, color=INK)
    start, cell, new, gone = left + _label(state), _cell(state), made(example, number), state["evicted"]
    y = top - TITLE - LINE * (len(title) - 1) - LANE
    _name(axes, start, y, "elements")
    for place, element in enumerate(state["elements"]):
        _box(axes, start + place * cell, y, cell, _element(*element), "white", False)
    fills = _fills(example)
    for name, kept in state["parts"]:
        for lane_number, lane in enumerate(lanes(kept)):
            y -= LANE
            if lane_number == 0:
                _name(axes, start, y, name)
            for first, end, text in lane:
                changed = (name, first + gone, end + gone) in new
                _box(axes, start + first * cell, y, (end - first) * cell, text, fills[name], changed)


def _name(axes: Axes, start: float, y: float, text: str) -> None:
    axes.text(start - 0.06, y + BOX / 2, text, size=SIZE, color=INK, ha="right", va="center", parse_math=False)


def _box(axes: Axes, x: float, y: float, width: float, text: str, fill: str, changed: bool) -> None:
    edge = {"edgecolor": CHANGED, "linewidth": 1.6, "zorder": 3} if changed else {"edgecolor": INK, "linewidth": 0.6}
    axes.add_patch(Rectangle((x + 0.015, y), width - 0.03, BOX, facecolor=fill, **{"zorder": 2, **edge}))
    look = {"size": SIZE, "ha": "center", "va": "center_baseline", "parse_math": False, "zorder": 4}
    axes.text(x + width / 2, y + BOX / 2, text, color=INK, **look)
