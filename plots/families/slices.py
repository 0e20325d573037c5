"""The family "slices": short streams with the windows over them and the slices that they are cut into.

Each row is one technique on one script; its facts contain what is drawn (see experiments.cutty.measuring.cuts). Rows of
the same figure of a paper share a drawing: windows above the records, the slices of each technique below.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots.axes import LINE, write_down
from plots.columns import in_order
from plots.description import Frame
from plots.examples import Examples
from plots.layout import Texts, canvas
from plots.style import contrast, series
from plots.theme import text_width, wrapped
from results.schema import OK

RECORD, LABEL, EDGE = 0.46, 1.75, 0.2
"""Inches: width of a record, room for the labels on the left, margin."""

LANE, BOX, GAP, HEADING = 0.24, 0.27, 0.1, 0.36
"""Inches: height of a window's lane, of a row of boxes, between rows, of the line that names the figure."""

HEADING_SIZE, LABEL_SIZE = 10, 8.5

INK, CUT, FILLS = "#222222", "#d1341f", ("#cfe0f5", "#d3ecd9", "#f6e3c5", "#e6d9f0")
"""Colours of text, of the lines where slices begin, and of the windows of the queries in turn."""

NOTE = "Bars: windows that ended. Dashed: where windows begin and Cutty cuts. The last slice is still open."


Stream = Sequence[Mapping[str, Any]]
"""The facts of each technique on one stream."""


class Options(Examples):
    """The examples are streams, each a figure of the paper."""

    def frames(self, examples: Iterable[Mapping[str, Any]]) -> Iterator[Frame]:
        """A stream after each of its records, in all techniques."""
        streams: dict[str, list[Mapping[str, Any]]] = {}
        for facts in examples:
            if facts.get("states"):
                streams.setdefault(facts["figure"], []).append(facts)
        for name, stream in sorted(streams.items()):
            for number, letter in enumerate(stream[0]["letters"], 1):
                yield Frame(f"{name}, record {letter} has come", name, [_until(facts, number) for facts in stream])


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the streams in the rows' facts. Raises FigureError if there are none, or not those that `panels` names."""
    streams: dict[str, list[Mapping[str, Any]]] = {}
    for text in rows.loc[rows["status"] == OK, "facts"].drop_duplicates():
        facts = json.loads(text)
        if "slices" in facts:
            streams.setdefault(facts["figure"], []).append(facts)
    return drawing(spec.chosen(streams, in_order(streams), "slices"), spec.around(rows, NOTE))


def _until(facts: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The facts as they are after so many records; the others are blank, so that all drawings are of one size."""
    state, letters, blank = facts["states"][number - 1], facts["letters"], len(facts["letters"]) - number
    columns = {name: [*values[:number], *[""] * blank] for name, values in facts["columns"].items()}
    return {
        **facts,
        **state,
        "letters": [*letters[:number], *[""] * blank],
        "columns": columns,
        "all": facts["windows"],
    }


def drawing(streams: Sequence[Stream], texts: Texts) -> Figure:
    """Draw one stream below the other with the texts around them."""
    streams = [sorted(stream, key=lambda facts: series(facts["technique"], {}).order) for stream in streams]
    left = max(LABEL, *(text_width(label, LABEL_SIZE) + 0.24 for stream in streams for label in _labels(stream)))
    width = 2 * EDGE + left + RECORD * max(len(stream[0]["letters"]) for stream in streams)
    headings = [wrapped(_heading(stream), width - 2 * EDGE, HEADING_SIZE, "bold") for stream in streams]
    heights = [_height(stream) + LINE * (len(lines) - 1) for stream, lines in zip(streams, headings)]
    figure, axes, top = canvas(width, [sum(heights)], texts)
    for stream, lines, height in zip(streams, headings, heights):
        write_down(axes, EDGE, top - 0.2, lines, size=HEADING_SIZE, weight="bold", color=INK)
        _draw_stream(axes, stream, top - LINE * (len(lines) - 1), EDGE + left)
        top -= height
    return figure


def lanes(windows: Sequence[Sequence[Any]]) -> list[list[Sequence[Any]]]:
    """Windows [query, begin, end, ...] in as few lanes as possible, without overlap; queries do not share a lane."""
    lanes: list[list[Sequence[Any]]] = []
    for window in sorted(windows):
        free = [lane for lane in lanes if lane[0][0] == window[0] and lane[-1][2] <= window[1]]
        free[0].append(window) if free else lanes.append([window])
    return lanes


def _windows(facts: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
    """All windows of a stream, also those that have not ended yet in a state of it."""
    return facts.get("all", facts["windows"])


def _height(stream: Stream) -> float:
    rows = 1 + len(stream[0]["columns"]) + len(stream)
    return HEADING + LANE * len(lanes(_windows(stream[0]))) + rows * (BOX + GAP) + 2 * GAP


def _heading(stream: Stream) -> str:
    return f"{stream[0]['figure']}: {stream[0]['title']}"


def _labels(stream: Stream) -> list[str]:
    """The labels left of the lanes and of the rows of boxes."""
    queries = [stream[0]["queries"][query]["title"] for query in {window[0] for window in _windows(stream[0])}]
    return [*queries, "records", *stream[0]["columns"], *map(_slices_of, stream)]


def _slices_of(technique: Mapping[str, Any]) -> str:
    return f"slices of {series(technique['technique'], {}).label}"


def _draw_stream(axes: Axes, stream: Stream, top: float, left: float) -> None:
    facts = stream[0]
    first = facts["first"]
    y = top - HEADING
    labelled = set()
    for lane in lanes(_windows(facts)):
        query = lane[0][0]
        if query not in labelled:
            _label(axes, left, y - LANE / 2, facts["queries"][query]["title"])
        labelled.add(query)
        for _, begin, end, text in filter(facts["windows"].__contains__, lane):
            x, fill = left + (begin - first) * RECORD, FILLS[query % len(FILLS)]
            _box(axes, x, y - LANE, end - begin, LANE - 0.05, text, fill)
        y -= LANE
    upper = top - HEADING
    for name, values in (("records", facts["letters"]), *facts["columns"].items()):
        y -= BOX + GAP
        _label(axes, left, y + BOX / 2, name)
        for i, value in enumerate(values):
            _box(axes, left + i * RECORD, y, 1, BOX, str(value), "white" if name == "records" else "none")
    for technique in stream:
        y -= BOX + GAP
        color = series(technique["technique"], {}).color
        ink = max("#ffffff", INK, key=lambda ink: contrast(ink, color))
        _label(axes, left, y + BOX / 2, _slices_of(technique))
        for begin, end, text in technique["slices"]:
            _box(axes, left + (begin - first) * RECORD, y, end - begin, BOX, text, color, ink)
    for begin in sorted({begin for begin, _, _ in stream[-1]["slices"]}):
        x = left + (begin - first) * RECORD
        axes.plot([x, x], [y - 0.05, upper], color=CUT, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)


def _label(axes: Axes, left: float, middle: float, text: str) -> None:
    axes.text(left - 0.12, middle, text, size=LABEL_SIZE, color=INK, ha="right", va="center", parse_math=False)


def _box(axes: Axes, x: float, y: float, records: int, tall: float, text: str, fill: str, ink: str = INK) -> None:
    width = records * RECORD
    edge = "none" if fill == "none" else INK
    axes.add_patch(
        Rectangle((x + 0.02, y), width - 0.04, tall, facecolor=fill, edgecolor=edge, linewidth=0.7, zorder=2)
    )
    look = {"size": 8, "color": ink, "ha": "center", "va": "center_baseline", "parse_math": False, "zorder": 3}
    axes.text(x + width / 2, y + tall / 2, text, **look)
