"""The family "trees": search trees state by state, with the partial aggregate and the coins of every node.

Each row is one script; its facts contain the states (see experiments.fiba.measuring.snapshots).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Rectangle

from plots.axes import LINE, write_down
from plots.description import Frame
from plots.examples import Examples
from plots.layout import Heading, Legend, Texts, canvas
from plots.theme import text_width, wrapped
from plots.tree_captions import caption, heading
from plots.tree_layout import BOX, ENTRY, Box, Tree, children, lay_out
from results.schema import OK

COLUMNS = 2
HEADING, BETWEEN_ROWS, EDGE = 0.57, 0.25, 0.2
LEAST_WIDTH, KEY, CHARACTER = 6.6, 2.9, 0.066
"""Inches: the least width of the figure, so that the legend has room; a key of the legend; a character of a caption."""

CAPTION_SIZE, WIDEST = 8.5, 7.0
"""Captions: size in points, and the largest width of a line in inches."""

NOTE = "A box holds a node's entries, time:value, and below them its partial aggregate; coins lie on top of it."

INK, EDGES, CHANGED, COIN, RIM = "#222222", "#8a8a8a", "#d1341f", "#f2b705", "#8f6a00"
FILLS = {
    "inner": ("#c9c9c9", INK, "root: inner aggregate"),
    "left": ("#1f4e8c", "white", "left spine: left aggregate"),
    "right": ("#1d6b3a", "white", "right spine: right aggregate"),
    "below left": ("#cfe0f5", INK, "up-aggregate, affects the left spine"),
    "below right": ("#d3ecd9", INK, "up-aggregate, affects the right spine"),
    "up": ("white", INK, "other nodes: up-aggregate"),
}
"""By place in the tree: fill, colour of the text, and text of the legend."""


class State(NamedTuple):
    """One state to draw, and the nodes of the state before it in its script, for the caption of the step."""

    facts: Mapping[str, Any]
    before: Mapping[str, Any] | None


class Options(Examples):
    """The examples are states, by their letters."""

    def frames(self, examples: Iterable[Mapping[str, Any]]) -> Iterator[Frame]:
        """A state alone, with what the step to it has changed."""
        with_states = [facts for facts in examples if facts.get("states")]
        for facts in sorted(with_states, key=lambda facts: str(facts["states"][0]["figure"])):
            for state in facts["states"]:
                yield Frame(heading(state), state["state"], [facts])


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the states in the rows' facts. Raises FigureError if there are none, or not those that `panels` names."""
    states: dict[str, State] = {}
    for text in rows.loc[rows["status"] == OK, "facts"]:
        before = None
        for facts in json.loads(text).get("states", ()):
            states.setdefault(facts["state"], State(facts, before))
            before = facts
    usual_order = sorted(states, key=lambda name: (states[name].facts["figure"], name))
    return drawing(spec.chosen(states, usual_order, "states of trees", "states "), spec.around(rows, NOTE))


def drawing(drawn: Sequence[State], texts: Texts) -> Figure:
    """Draw states in reading order, two per row, with a new row for each figure of the paper and texts around them."""
    trees = [lay_out(state.facts["nodes"]) for state in drawn]
    lines = _rows(drawn)
    columns = max(len(line) for line in lines)
    captions = [wrapped(caption(state.facts, state.before), WIDEST, CAPTION_SIZE) for state in drawn]
    caption_widths = (max(CHARACTER * len(text), text_width(text, CAPTION_SIZE)) for text in sum(captions, []))
    column = EDGE + max(*(tree.width for tree in trees), *caption_widths)
    width = max(columns * column + EDGE, LEAST_WIDTH)
    extra = [LINE * (len(text) - 1) for text in captions]
    heights = [HEADING + max(trees[number].height + extra[number] for number in line) for line in lines]
    legend = Legend(_legend(drawn), KEY, 0, by_row=False, look={"fontsize": CAPTION_SIZE})
    body = sum(heights), BETWEEN_ROWS * len(lines)
    figure, axes, top = canvas(width, body, texts, legend=legend, heading=Heading(0.15, 0.28))
    for line, height in zip(lines, heights):
        for place, number in enumerate(line):
            left = EDGE + place * (width - EDGE) / columns
            _draw_state(axes, drawn[number].facts, captions[number], trees[number], left, top - BETWEEN_ROWS)
        top -= BETWEEN_ROWS + height
    return figure


def _rows(drawn: Sequence[State]) -> list[list[int]]:
    """Numbers of the states that go into each row."""
    lines: list[list[int]] = []
    for number, state in enumerate(drawn):
        new = not lines or len(lines[-1]) == COLUMNS or drawn[lines[-1][0]].facts["figure"] != state.facts["figure"]
        lines.append([number]) if new else lines[-1].append(number)
    return lines


def _legend(drawn: Sequence[State]) -> list[Any]:
    """One key for each style of node that occurs."""
    places = {place for state in drawn for place in places_of(state.facts["nodes"]).values()}
    keys: list[Any] = [
        Patch(facecolor=fill, edgecolor=INK, label=text) for place, (fill, _, text) in FILLS.items() if place in places
    ]
    if any(state.facts["step"] for state in drawn):
        keys.append(Patch(facecolor="none", edgecolor=CHANGED, linewidth=2, label="changed by the step"))
    if any(node["coins"] for state in drawn for node in state.facts["nodes"]):
        look = {"marker": "o", "markerfacecolor": COIN, "markeredgecolor": RIM, "linestyle": "none"}
        keys.append(Line2D([], [], **look, label="coin"))
    if "inner" in places:
        keys.append(Line2D([], [], color=INK, marker=">", solid_capstyle="projecting", label="finger"))
    return keys


def places_of(nodes: Sequence[Mapping[str, Any]]) -> dict[Any, str]:
    """The key of `FILLS` for each node by id: its kind of aggregate; if that is up, which spine sees its changes."""
    places = {nodes[0]["id"]: nodes[0]["kind"]}
    for node in nodes[1:]:
        above = places[node["parent"]]
        below = f"below {above}" if above in ("left", "right") else above if above.startswith("below") else "up"
        places[node["id"]] = below if node["kind"] == "up" else node["kind"]
    return places


def _draw_state(axes: Axes, facts: Mapping[str, Any], step: list[str], tree: Tree, left: float, top: float) -> None:
    axes.text(left, top - 0.13, heading(facts), size=10, weight="bold", color=INK, parse_math=False)
    write_down(axes, left, top - 0.31, step, size=CAPTION_SIZE, color=INK)
    base = top - HEADING - LINE * (len(step) - 1) - tree.height
    changed = set(facts["step"]["changed"]) if facts["step"] else set()
    places = places_of(facts["nodes"])
    for node in facts["nodes"]:
        box = _moved(tree.boxes[node["id"]], left, base)
        for number, child in enumerate(children(facts["nodes"], node["id"])):
            below = _moved(tree.boxes[child["id"]], left, base)
            x = box.left + number * box.width / len(node["times"])
            axes.plot([x, below.centre], [box.bottom, below.bottom + BOX], color=EDGES, linewidth=0.9, zorder=1)
        _draw_node(axes, node, box, places[node["id"]], node["id"] in changed)


def _moved(box: Box, left: float, base: float) -> Box:
    return Box(box.left + left, box.bottom + base, box.width)


def _draw_node(axes: Axes, node: Mapping[str, Any], box: Box, place: str, changed: bool) -> None:
    fill, ink, _ = FILLS[place]
    outline = {"edgecolor": CHANGED, "linewidth": 2.2} if changed else {"edgecolor": INK, "linewidth": 0.8}
    axes.add_patch(Rectangle((box.left, box.bottom), box.width, BOX, facecolor=fill, zorder=2, **outline))
    middle = {"ha": "center", "va": "center_baseline", "color": ink, "parse_math": False, "zorder": 3}
    cell = max(box.width / max(len(node["times"]), 1), ENTRY)
    for number, (time, value) in enumerate(zip(node["times"], node["values"])):
        axes.text(box.left + (number + 0.5) * cell, box.bottom + 0.69 * BOX, f"{time}:{value}", size=7.5, **middle)
    aggregate = {"size": 7.5, "family": "DejaVu Sans Mono", "style": "oblique"}
    axes.text(box.centre, box.bottom + 0.25 * BOX, node["aggregate"], **aggregate, **middle)
    for number in range(node["coins"]):
        centre = (box.left + box.width - 0.03 - 0.13 * number, box.bottom + BOX + 0.05)
        axes.add_patch(Circle(centre, 0.055, facecolor=COIN, edgecolor=RIM, linewidth=0.8, zorder=4))
    for side, edge, way in (("left", box.left, -1), ("right", box.left + box.width, 1)):
        if side in node["finger"].split() and place != "up":
            height = box.bottom + BOX / 2
            look = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 1}
            axes.annotate("", (edge, height), (edge + 0.3 * way, height), arrowprops=look)
