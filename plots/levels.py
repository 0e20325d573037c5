"""The family "levels": Monoid Tree Aggregators state by state, as queues of pairs with their stack and result pair.

Rows are those of one script each; their facts hold the states (experiments.mta.measuring.levels says what is in them).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots.columns import FigureError
from plots.description import Description
from plots.notes import footer, is_draft
from plots.sheet import NOTE_LINE, Texts, theme, wrapped, write_around
from plots.style import series
from results.schema import OK

NODE, CHARACTER, SPACE, ROW, BOX, EDGE = 0.3, 0.075, 0.14, 0.5, 0.26, 0.25
"""Inches: width of a node and of each character of it, between pairs, from level to level, height of a box, margin."""

HEADING, TITLE, ASIDE, BETWEEN, HEADING_CHARACTER = 0.34, 0.3, 1.5, 0.45, 0.09
"""Inches: lines that name a figure and a state, room for stack and result pair, between states, a bold character."""

INK, FAINT, CHANGED, FILLS = "#222222", "#8a8a8a", "#d1341f", {"node": "#cfe0f5", "stack": "#f6e3c5", "R": "#d3ecd9"}
EMPTY = "∅"
NOTE = "∅: no node, or none any more. Red: not there, or another, in the state before. The stack's top is above."

Node = tuple[int, int]
"""Level and number of a node."""


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw the states in the rows' facts. Raises FigureError if there are none, or not those that `panels` names."""
    found = {}
    for text in rows.loc[rows["status"] == OK, "facts"].drop_duplicates():
        facts = json.loads(text)
        if "states" in facts:
            found.setdefault(facts["figure"], facts)
    if not found:
        raise FigureError("the rows hold no states of levels; see the reasons of rows that are not ok")
    if missing := [name for name in spec.panels if name not in found]:
        raise FigureError(f"panels has {', '.join(missing)}; the rows have {', '.join(sorted(found))}")
    absent = rows[rows["status"] != OK].groupby(["status", "reason"], sort=False).size()
    notes = [NOTE, *(f"Without a result ({n}): {status}: {reason}" for (status, reason), n in absent.items())]
    order = spec.panels or sorted(found, key=lambda name: (not name.startswith("Section"), name))
    return drawing([found[name] for name in order], Texts(spec.title, [], notes, footer(spec, rows), is_draft(rows)))


def drawing(drawn: Sequence[Mapping[str, Any]], texts: Texts) -> Figure:
    """Draw the examples in reading order, the states of each from left to right, with the texts around them."""
    widest = max(map(_width, drawn))
    lines, width = _lines(drawn, widest), 2 * EDGE + widest
    notes, origin = wrapped(texts, width)
    above, below = 0.5 if texts.title else 0.2, NOTE_LINE * (len(notes) + len(origin)) + 0.35
    height = above + sum(max(map(_height, line)) for line in lines) + below
    with theme():
        made = Figure(figsize=(width, height))
        FigureCanvasAgg(made)
        axes = made.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(0, height))
        axes.axis("off")
        top = height - above
        for line in lines:
            left = EDGE
            for one in line:
                _draw_example(axes, one, left, top)
                left += _width(one)
            top -= max(map(_height, line))
        write_around(made, texts, notes, origin)
    return made


def nodes_of(state: Mapping[str, Any]) -> dict[Node, str]:
    """The text of every node that there is."""
    found = {}
    for level, queue in enumerate(state["levels"]):
        for p, pair in enumerate(queue["pairs"], queue["first"]):
            found |= {(level, 2 * p + side): text for side, text in enumerate(pair) if text is not None}
    return found


def _node_width(one: Mapping[str, Any]) -> float:
    longest = max(len(text) for state in one["states"] for text in nodes_of(state).values())
    return max(NODE, 0.12 + CHARACTER * longest)


def _pitch(one: Mapping[str, Any]) -> float:
    return 2 * _node_width(one) + SPACE


def _span(state: Mapping[str, Any]) -> tuple[int, int]:
    """The first pair of the leaves that is below or beside what there is, and one past the last."""
    first = min(queue["first"] << level for level, queue in enumerate(state["levels"]))
    leaves = state["levels"][0]
    return min(first, leaves["first"]), leaves["first"] + len(leaves["pairs"])


def _state_width(one: Mapping[str, Any], state: Mapping[str, Any]) -> float:
    first, last = _span(state)
    return _pitch(one) * (last - first) + (ASIDE if state["results"] else 0) + BETWEEN


def _width(one: Mapping[str, Any]) -> float:
    return max(sum(_state_width(one, state) for state in one["states"]), HEADING_CHARACTER * (len(one["title"]) + 24))


def _height(one: Mapping[str, Any]) -> float:
    tall = max(max(len(state["levels"]), len(state["stack"]) * BOX / ROW + 1) for state in one["states"])
    return HEADING + TITLE + ROW * tall + 0.25


def _lines(drawn: Sequence[Mapping[str, Any]], widest: float) -> list[list[Mapping[str, Any]]]:
    """The examples that stand side by side, as many as there is room for."""
    lines: list[list[Mapping[str, Any]]] = [[]]
    for one in drawn:
        if lines[-1] and sum(map(_width, [*lines[-1], one])) > widest:
            lines.append([])
        lines[-1].append(one)
    return lines


def _draw_example(axes: Axes, one: Mapping[str, Any], left: float, top: float) -> None:
    name = series(one["algorithm"], {}).label
    axes.text(left, top - 0.2, f"{one['figure']}, {name}: {one['title']}", size=10, weight="bold", color=INK)
    before = None
    for state in one["states"]:
        _draw_state(axes, one, state, before, left, top - HEADING)
        left, before = left + _state_width(one, state), state


def _draw_state(axes: Axes, one: Mapping, state: Mapping, before: Mapping | None, left: float, top: float) -> None:
    asked = f"; the policy asked {state['asked']} times" if state["asked"] and before else ""
    look = {"size": 8.5, "color": INK, "va": "center", "parse_math": False}
    axes.text(left, top - 0.12, f"{state['title']}: {state['answer']}{asked}", **look)
    wide, pitch, (first, last) = _node_width(one), _pitch(one), _span(state)
    high = len(state["levels"]) - 1
    bottom = top - TITLE - ROW * high - BOX
    there, old = nodes_of(state), nodes_of(before) if before else None

    def corner(level: int, p: int) -> tuple[float, float]:
        middle = ((p << level) + ((1 << level) - 1) / 2 - first) * pitch
        return left + max(middle, 0), bottom + ROW * level

    for level, queue in enumerate(state["levels"]):
        for p, pair in enumerate(queue["pairs"], queue["first"]):
            x, y = corner(level, p)
            for side, text in enumerate(pair):
                node = (level, 2 * p + side)
                changed = old is not None and old.get(node) != there.get(node)
                _box(axes, x + side * wide, y, wide, text, FILLS["node"], changed)
                below = state["levels"][level - 1] if level else None
                if below and 0 <= node[1] - below["first"] < len(below["pairs"]):
                    to = corner(level - 1, node[1])
                    ends = [x + (side + 0.5) * wide, to[0] + wide], [y, to[1] + BOX]
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
        old = list(reversed(before["stack"])) if before else None
        changed = old is not None and (place >= len(old) or old[place] != text)
        _box(axes, left + 0.32, bottom + ROW + place * BOX, NODE, text, FILLS["stack"], changed)
    axes.text(left + 0.38 + NODE, bottom + ROW + BOX / 2, "stack" if state["stack"] else "stack empty", **look)


def _box(axes: Axes, x: float, y: float, wide: float, text: str | None, fill: str, changed: bool) -> None:
    edge = {"edgecolor": CHANGED, "linewidth": 1.8, "zorder": 3} if changed else {"edgecolor": INK, "linewidth": 0.7}
    axes.add_patch(Rectangle((x, y), wide, BOX, facecolor="white" if text is None else fill, **{"zorder": 2, **edge}))
    look = {"size": 8, "ha": "center", "va": "center_baseline", "parse_math": False, "zorder": 4}
    axes.text(x + wide / 2, y + BOX / 2, EMPTY if text is None else text, color=FAINT if text is None else INK, **look)
