"""The family "slices": short streams with the windows over them and the slices that they are cut into.

Rows are those of one technique and script each; their facts hold what is drawn (see experiments.cutty.measuring.cuts).
Rows of the same figure of a paper share the drawing: windows above the records, the slices of each below.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots.columns import FigureError, in_order
from plots.description import Description
from plots.notes import footer, is_draft
from plots.sheet import NOTE_LINE, Texts, theme, wrapped, write_around
from plots.style import series
from results.schema import OK

RECORD, LABEL, EDGE = 0.46, 1.75, 0.2
"""Inches: width of a record, room for the labels on the left, margin."""

LANE, BOX, GAP, HEADING = 0.24, 0.27, 0.1, 0.36
"""Inches: height of a window's lane, of a row of boxes, between rows, of the line that names the figure."""

INK, CUT, FILLS = "#222222", "#d1341f", ("#cfe0f5", "#d3ecd9", "#f6e3c5", "#e6d9f0")
"""Text; the lines where slices begin; windows of the queries, one after the other."""

NOTE = "Bars: windows that ended. Dashed: where windows begin and Cutty cuts. The last slice is still open."


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw the streams in the rows' facts. Raises FigureError if there are none, or not those that `panels` names."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for text in rows.loc[rows["status"] == OK, "facts"].drop_duplicates():
        facts = json.loads(text)
        if "slices" in facts:
            found.setdefault(facts["figure"], []).append(facts)
    if not found:
        raise FigureError("the rows hold no slices; see the reasons of rows that are not ok")
    if missing := [name for name in spec.panels if name not in found]:
        raise FigureError(f"panels has {', '.join(missing)}; the rows have {', '.join(sorted(found))}")
    absent = rows[rows["status"] != OK].groupby(["status", "reason"], sort=False).size()
    notes = [NOTE, *(f"Without a result ({n}): {status}: {reason}" for (status, reason), n in absent.items())]
    drawn = [found[name] for name in (spec.panels or in_order(found))]
    return drawing(drawn, Texts(spec.title, [], notes, footer(spec, rows), is_draft(rows)))


def drawing(drawn: Sequence[Sequence[Mapping[str, Any]]], texts: Texts) -> Figure:
    """Draw one stream below the other, each a list of the facts of its techniques, with the texts around them."""
    drawn = [sorted(one, key=lambda facts: series(facts["technique"], {}).order) for one in drawn]
    width = 2 * EDGE + LABEL + RECORD * max(len(one[0]["letters"]) for one in drawn)
    notes, origin = wrapped(texts, width)
    above, below = 0.5 if texts.title else 0.2, NOTE_LINE * (len(notes) + len(origin)) + 0.35
    height = above + sum(map(_height, drawn)) + below
    with theme():
        made = Figure(figsize=(width, height))
        FigureCanvasAgg(made)
        axes = made.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(0, height))
        axes.axis("off")
        top = height - above
        for one in drawn:
            _draw_stream(axes, one, top)
            top -= _height(one)
        write_around(made, texts, notes, origin)
    return made


def lanes(windows: Sequence[Sequence[Any]]) -> list[list[Sequence[Any]]]:
    """Windows [query, begin, end, ...] in as few lanes as can be, none over another; queries do not share a lane."""
    made: list[list[Sequence[Any]]] = []
    for window in sorted(windows):
        free = [lane for lane in made if lane[0][0] == window[0] and lane[-1][2] <= window[1]]
        free[0].append(window) if free else made.append([window])
    return made


def _height(one: Sequence[Mapping[str, Any]]) -> float:
    rows = 1 + len(one[0]["columns"]) + len(one)
    return HEADING + LANE * len(lanes(one[0]["windows"])) + rows * (BOX + GAP) + 2 * GAP


def _draw_stream(axes: Axes, one: Sequence[Mapping[str, Any]], top: float) -> None:
    facts, left = one[0], EDGE + LABEL
    first = facts["first"]
    axes.text(EDGE, top - 0.2, f"{facts['figure']}: {facts['title']}", size=10, weight="bold", color=INK)
    y = top - HEADING
    named = set()
    for lane in lanes(facts["windows"]):
        query = lane[0][0]
        if query not in named:
            _label(axes, y - LANE / 2, facts["queries"][query]["title"])
        named.add(query)
        for _, begin, end, text in lane:
            _box(
                axes,
                left + (begin - first) * RECORD,
                y - LANE,
                end - begin,
                LANE - 0.05,
                text,
                FILLS[query % len(FILLS)],
            )
        y -= LANE
    upper = top - HEADING
    for name, values in (("records", facts["letters"]), *facts["columns"].items()):
        y -= BOX + GAP
        _label(axes, y + BOX / 2, name)
        for i, value in enumerate(values):
            _box(axes, left + i * RECORD, y, 1, BOX, str(value), "white" if name == "records" else "none")
    for technique in one:
        y -= BOX + GAP
        style = series(technique["technique"], {})
        _label(axes, y + BOX / 2, f"slices of {style.label}")
        for begin, end, text in technique["slices"]:
            _box(axes, left + (begin - first) * RECORD, y, end - begin, BOX, text, style.color, "white")
    for begin in sorted({begin for technique in one[-1:] for begin, _, _ in technique["slices"]}):
        x = left + (begin - first) * RECORD
        axes.plot([x, x], [y - 0.05, upper], color=CUT, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)


def _label(axes: Axes, middle: float, text: str) -> None:
    axes.text(EDGE + LABEL - 0.12, middle, text, size=8.5, color=INK, ha="right", va="center", parse_math=False)


def _box(axes: Axes, x: float, y: float, records: int, tall: float, text: str, fill: str, ink: str = INK) -> None:
    wide = records * RECORD
    edge = "none" if fill == "none" else INK
    axes.add_patch(Rectangle((x + 0.02, y), wide - 0.04, tall, facecolor=fill, edgecolor=edge, linewidth=0.7, zorder=2))
    look = {"size": 8, "color": ink, "ha": "center", "va": "center_baseline", "parse_math": False, "zorder": 3}
    axes.text(x + wide / 2, y + tall / 2, text, **look)
