"""The family "levels": Monoid Tree Aggregators state by state, as queues of pairs with their stack and result pair.

Each row is one script; its facts contain the states, as described in experiments.mta.measuring.levels.
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

NODE, CHARACTER, SPACE, ROW, BOX, EDGE = 0.3, 0.075, 0.14, 0.5, 0.26, 0.25
"""Inches: width of a node and of each character of it, between pairs, from level to level, height of a box, margin."""

HEADING, TITLE, ASIDE, BETWEEN, HEADING_CHARACTER = 0.34, 0.3, 1.5, 0.45, 0.09
"""Inches: lines that name a figure and a state, room for stack and result pair, between states, a bold character."""

HEADING_SIZE, TITLE_SIZE, WIDEST = 10, 8.5, 10.0
"""Headings and titles: size in points, and the largest width of a line in inches."""

INK, FAINT, CHANGED, FILLS = "#222222", "#8a8a8a", "#d1341f", {"node": "#cfe0f5", "stack": "#f6e3c5", "R": "#d3ecd9"}
EMPTY = "∅"
NOTE = "∅: no node, or none any more. Red: not there, or another, in the state before. The stack's top is above."

Node = tuple[int, int]
"""The level and number of a node."""


class Options(Examples):
    """The examples are figures of the paper, or sections without figures."""

    def frames(self, examples: Iterable[Mapping[str, Any]]) -> Iterator[Frame]:
        """A state beside those that came before it."""
        for facts in sorted(examples, key=lambda facts: str(facts.get("figure"))):
            for number, state in enumerate(facts.get("states", ()), 1):
                until = {**facts, "states": facts["states"][:number]}
                yield Frame(f"{facts['figure']}, {state['title']}", facts["figure"], [until])


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the states in the rows' facts. Raises FigureError if there are none, or not those that `panels` names."""
    examples = {}
    for text in rows.loc[rows["status"] == OK, "facts"].drop_duplicates():
        facts = json.loads(text)
        if "states" in facts:
            examples.setdefault(facts["figure"], facts)
    usual = sorted(examples, key=lambda name: (not name.startswith("Section"), name))
    return drawing(spec.chosen(examples, usual, "states of levels"), spec.around(rows, NOTE))


def drawing(drawn: Sequence[Mapping[str, Any]], texts: Texts) -> Figure:
    """Draw the examples in reading order, the states of each from left to right, with the texts around them."""
    widest = max(map(_width, drawn))
    lines = _lines(drawn, widest)
    figure, axes, top = canvas(2 * EDGE + widest, [sum(max(map(_height, line)) for line in lines)], texts)
    for line in lines:
        left = EDGE
        for example in line:
            _draw_example(axes, example, left, top)
            left += _width(example)
        top -= max(map(_height, line))
    return figure


def nodes_of(state: Mapping[str, Any]) -> dict[Node, str]:
    """The text of every existing node."""
    texts = {}
    for level, queue in enumerate(state["levels"]):
        for p, pair in enumerate(queue["pairs"], queue["first"]):
            texts |= {(level, 2 * p + side): text for side, text in enumerate(pair) if text is not None}
    return texts


def _node_width(example: Mapping[str, Any]) -> float:
    longest = max((len(text) for state in example["states"] for text in nodes_of(state).values()), default=0)
    return max(NODE, 0.12 + CHARACTER * longest)


def _pitch(example: Mapping[str, Any]) -> float:
    return 2 * _node_width(example) + SPACE


def _span(state: Mapping[str, Any]) -> tuple[int, int]:
    """The first pair of leaves below or beside an existing node, and one past the last."""
    first = min(queue["first"] << level for level, queue in enumerate(state["levels"]))
    leaves = state["levels"][0]
    return min(first, leaves["first"]), leaves["first"] + len(leaves["pairs"])


def _state_width(example: Mapping[str, Any], state: Mapping[str, Any]) -> float:
    first, last = _span(state)
    needed = _pitch(example) * (last - first) + (ASIDE if state["results"] else 0) + BETWEEN
    return max(needed, *(text_width(line, TITLE_SIZE) + 0.1 for line in _title(example, state)))


def _title(example: Mapping[str, Any], state: Mapping[str, Any]) -> list[str]:
    asked = 0 if state is example["states"][0] else state["asked"]
    calls = f"; the policy was asked {'once' if asked == 1 else f'{asked} times'}" if asked else ""
    return wrapped(f"{state['title']}: {state['answer']}{calls}", WIDEST, TITLE_SIZE)


def _heading(example: Mapping[str, Any]) -> list[str]:
    name = series(example["algorithm"], {}).label
    return wrapped(f"{example['figure']}, {name}: {example['title']}", WIDEST, HEADING_SIZE, "bold")


def _width(example: Mapping[str, Any]) -> float:
    usual = min(HEADING_CHARACTER * (len(example["title"]) + 24), WIDEST)
    heading = max(usual, *(text_width(line, HEADING_SIZE, "bold") for line in _heading(example)))
    return max(sum(_state_width(example, state) for state in example["states"]), heading)


def _extra_lines(example: Mapping[str, Any]) -> float:
    """Inches that heading and titles need beyond one line each."""
    return LINE * (len(_heading(example)) + max(len(_title(example, state)) for state in example["states"]) - 2)


def _height(example: Mapping[str, Any]) -> float:
    rows = max(max(len(state["levels"]), len(state["stack"]) * BOX / ROW + 1) for state in example["states"])
    return HEADING + TITLE + _extra_lines(example) + ROW * rows + 0.25


def _lines(drawn: Sequence[Mapping[str, Any]], widest: float) -> list[list[Mapping[str, Any]]]:
    """The examples in rows, as many side by side as there is room for."""
    lines: list[list[Mapping[str, Any]]] = [[]]
    for example in drawn:
        if lines[-1] and sum(map(_width, [*lines[-1], example])) > widest:
            lines.append([])
        lines[-1].append(example)
    return lines


def _draw_example(axes: Axes, example: Mapping[str, Any], left: float, top: float) -> None:
    write_down(axes, left, top - 0.2, _heading(example), size=HEADING_SIZE, weight="bold", color=INK)
    top -= LINE * (len(_heading(example)) - 1)
    before = None
    for state in example["states"]:
        _draw_state(axes, example, state, before, left, top - HEADING)
        left, before = left + _state_width(example, state), state


def _draw_state(axes: Axes, example: Mapping, state: Mapping, before: Mapping | None, left: float, top: float) -> None:
    write_down(axes, left, top - 0.12, _title(example, state), size=TITLE_SIZE, color=INK, va="center")
    top -= LINE * (len(_title(example, state)) - 1)
    node_width, pitch, (first, last) = _node_width(example), _pitch(example), _span(state)
    top_level = len(state["levels"]) - 1
    bottom = top - TITLE - ROW * top_level - BOX
    nodes, nodes_before = nodes_of(state), nodes_of(before) if before else None

    def corner(level: int, p: int) -> tuple[float, float]:
        middle = ((p << level) + ((1 << level) - 1) / 2 - first) * pitch
        return left + max(middle, 0), bottom + ROW * level

    for level, queue in enumerate(state["levels"]):
        for p, pair in enumerate(queue["pairs"], queue["first"]):
            x, y = corner(level, p)
            for side, text in enumerate(pair):
                node = (level, 2 * p + side)
                changed = nodes_before is not None and nodes_before.get(node) != nodes.get(node)
                _box(axes, x + side * node_width, y, node_width, text, FILLS["node"], changed)
                below = state["levels"][level - 1] if level else None
                if below and 0 <= node[1] - below["first"] < len(below["pairs"]):
                    child = corner(level - 1, node[1])
                    ends = [x + (side + 0.5) * node_width, child[0] + node_width], [y, child[1] + BOX]
                    axes.plot(*ends, color=FAINT, linewidth=0.9, zorder=1)
    if state["results"]:
        _draw_aside(axes, state, before, left + pitch * (last - first) + 0.1, bottom)


def _draw_aside(axes: Axes, state: Mapping[str, Any], before: Mapping | None, left: float, bottom: float) -> None:
    """The result pair, and the stack above it."""
    for place, text in enumerate(state["results"]):
        x = left + 0.32 + place * NODE
        _box(axes, x, bottom, NODE, text, FILLS["R"], before is not None and before["results"][place] != text)
    look = {"size": 8.5, "color": INK, "va": "center"}
    axes.text(left + 0.05, bottom + BOX / 2, "R", **look)
    for place, text in enumerate(reversed(state["stack"])):
        stack_before = list(reversed(before["stack"])) if before else None
        changed = stack_before is not None and (place >= len(stack_before) or stack_before[place] != text)
        _box(axes, left + 0.32, bottom + ROW + place * BOX, NODE, text, FILLS["stack"], changed)
    axes.text(left + 0.38 + NODE, bottom + ROW + BOX / 2, "stack" if state["stack"] else "stack empty", **look)


def _box(axes: Axes, x: float, y: float, width: float, text: str | None, fill: str, changed: bool) -> None:
    edge = {"edgecolor": CHANGED, "linewidth": 1.8, "zorder": 3} if changed else {"edgecolor": INK, "linewidth": 0.7}
    axes.add_patch(Rectangle((x, y), width, BOX, facecolor="white" if text is None else fill, **{"zorder": 2, **edge}))
    look = {"size": 8, "ha": "center", "va": "center_baseline", "parse_math": False, "zorder": 4}
    axes.text(x + width / 2, y + BOX / 2, EMPTY if text is None else text, color=FAINT if text is None else INK, **look)
