"""What the report page has beside a figure: its points as plain data, for a reader who hides series, changes scales and
asks a point for its value; and the states of a worked example one by one, for a reader who steps through it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from plots import described, families, figure
from plots.bases import relative
from plots.description import select
from plots.families.lines import laid_out, pieces
from plots.points import of_series, panels, points, styles
from plots.scales import Scale
from results.schema import OK

DIGITS = 5
"""Significant digits of y: no two points that differ by less can be told apart. An x is exact: it is looked up."""

DASHES = {"solid": "", "dashed": "6 3", "dotted": "2 3", "dashdot": "7 3 2 3"}
"""How a line of the style table is dashed in an SVG."""


def explorable(description: Mapping[str, Any], rows: pd.DataFrame) -> dict[str, Any] | None:
    """The lines of a figure: {x, y: labels; x_scale, y_scale; categories; panels: titles; series}. None for other
    families.

    `categories` are the names along x in their order, if x_scale is category. A series has name, color, dash, panel (a
    number), x (numbers, or such names), middle, low, high, n, the repetitions of each point, and pieces, the places in
    these at which the line begins anew. O(rows). Raises FigureError as drawing does.
    """
    if families.described(description).family != "lines":
        return None
    spec = described(description, rows)
    located = relative(spec, select(spec, rows))
    drawn = points(located, spec.confidence)
    values = panels(spec, located)
    layout = laid_out(spec, located)
    texts = spec.x_scale == "category"
    in_panels = [(drawn[drawn["panel"] == value], located[located["panel"] == value]) for value in values]
    series = []
    for algorithm, parameters, style in styles(drawn, spec.called):
        for number, (in_panel, tried) in enumerate(in_panels):
            line = of_series(in_panel, algorithm, parameters).dropna(subset="middle")
            if len(line):
                look = {"name": style.label, "color": style.color, "dash": DASHES[style.line], "panel": number}
                found = pieces(line, of_series(tried, algorithm, parameters), layout)
                series.append({**look, **_columns(found, layout if texts else None)})
    x, y = spec.axis_labels()
    scales = {"x_scale": spec.x_scale, "y_scale": spec.y_scale}
    names = [name for _, name in layout.ticks] if texts else []
    titles = [spec.panel_title(value) for value in values]
    return {"x": x, "y": y, **scales, "categories": names, "panels": titles, "series": series}


def frames(description: Mapping[str, Any], rows: pd.DataFrame) -> Iterator[tuple[str, bytes]]:
    """The states of a worked example in their order: the name of each, and a drawing of it as SVG.

    The drawings have no title and no small print: these are around the stepper. Figures that are not of examples have
    no states. Raises FigureError as drawing does.
    """
    from plots.theme import render

    good = rows[rows["status"] == OK]
    examples = [json.loads(text) for text in good["facts"].drop_duplicates()]
    for frame in families.described(description).frames(examples):
        shown = good.iloc[[0] * len(frame.facts)].assign(facts=[json.dumps(facts) for facts in frame.facts])
        alone = {**description, "panels": [frame.panel], "title": "", "small_print": False}
        yield frame.name, render(figure(alone, shown), "svg")


def _columns(pieces: list[pd.DataFrame], named: Scale | None) -> dict[str, list[Any]]:
    """A line, whose pieces are in order, in columns; x by name where there are names."""
    line = pd.concat(pieces)
    numbers = {name: [_rounded(value) for value in line[name]] for name in ("middle", "low", "high")}
    names = dict(named.ticks) if named else {}
    xs = [names[place] if named else _whole(x) for x, place in zip(line["x"], line["place"], strict=True)]
    begins = [sum(map(len, pieces[:number])) for number in range(len(pieces))]
    return {"x": xs, **numbers, "n": line["repetitions"].tolist(), "pieces": begins}


def _rounded(value: float) -> float | int:
    return _whole(float(f"{value:.{DIGITS}g}"))


def _whole(value: float) -> float | int:
    """The value, which is shorter in JSON as an integer if it is whole."""
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
