"""The family "steps": what changed in the course of a run, one line of steps for each row, from lists in its facts.

x and y are paths to lists of equal length. A y of null is infinity, which has a place above all others where y_scale is
log10, as 0 has one below. Facts that name a list under ``bounded`` have its bound under ``bound``, which is drawn.
"""

import json
import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots.columns import FigureError, column, texts
from plots.description import Description
from plots.notes import footer, is_draft, notes
from plots.points import of_series, panels, styles, without
from plots.scales import Scale, scale
from plots.sheet import COLUMNS, Texts, finish_y, sheet, theme
from plots.style import Style
from results.schema import OK

BOUND = {"color": "#b00020", "linestyle": "dashed", "linewidth": 1.0}


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw the courses, one panel for each value of `panel`. Raises FigureError if the rows do not fit."""
    located = rows.assign(
        panel=texts(rows, spec.panel) if spec.panel else "",
        parameters=without(rows["parameters"], spec.varied),
        part="",
        x=0.0,
        y=0.0,
    )
    measured = located[located["status"] == OK]
    shown, entries = panels(spec, measured), styles(measured)
    drawn = measured.assign(course=courses(spec, measured))
    layout = _layout(drawn) if spec.y_scale == "log10" else None
    around = [spec.panel_title(value) for value in shown], notes(spec, located, measured), footer(spec, rows)
    with theme():
        handles = [Line2D([], [], color=style.color, label=style.label) for *_, style in entries]
        if any(_bound(spec, facts) is not None for facts in drawn["facts"]):
            handles.append(Line2D([], [], **BOUND, label="bound"))
        made, axes = sheet(handles, Texts(spec.title, *around, is_draft(rows)))
        for number, (value, panel) in enumerate(zip(shown, axes, strict=True)):
            highest = _draw_panel(panel, spec, drawn[drawn["panel"] == value], entries, layout)
            panel.set_xlabel(spec.axis_labels()[0])
            if layout:
                panel.set_yticks([place for place, _ in layout.ticks], [text for _, text in layout.ticks])
                panel.set_ylabel(spec.axis_labels()[1] if number % COLUMNS == 0 else "")
            else:
                finish_y(panel, spec, highest, leftmost=number % COLUMNS == 0)
    return made


def courses(spec: Description, rows: pd.DataFrame) -> list[tuple[np.ndarray, np.ndarray]]:
    """The x and y of each row in the units of the labels, float64; y is infinite where the list has null.

    Raises FigureError where one is not a list, or they differ in length.
    """
    found = []
    for x, y in zip(column(rows, spec.x), column(rows, spec.y), strict=True):
        if not isinstance(x, list) or not isinstance(y, list) or len(x) != len(y):
            raise FigureError(f"x is {spec.x!r} and y is {spec.y!r}; they must be lists of equal length in every row")
        known = [math.inf if value is None else value for value in y]
        found.append((np.array(x, float) / spec.x_divide, np.array(known, float) / spec.y_divide))
    return found


def _layout(drawn: pd.DataFrame) -> Scale:
    """Places of the values of y on a logarithmic axis, 0 below and infinity above."""
    values = np.unique(np.concatenate([np.zeros(0), *(y for _, y in drawn["course"])]))
    made = scale("log2", values[np.isfinite(values)])
    if np.isfinite(values).all():
        return made
    top = max(made.places.values()) + 1
    return made._replace(places={**made.places, math.inf: top}, ticks=[*made.ticks, (top, "∞")])


def _bound(spec: Description, text: str) -> float | None:
    """The bound of what the figure shows, in the unit of the label; None where the facts bound another list."""
    facts = json.loads(text)
    return facts["bound"] / spec.y_divide if f"facts.{facts.get('bounded')}" == spec.y else None


def _draw_panel(
    panel: Axes, spec: Description, drawn: pd.DataFrame, entries: list[tuple[str, str, Style]], layout: Scale | None
) -> float:
    """Draw the rows of a panel; the largest y."""
    highest = 0.0
    for algorithm, parameters, style in entries:
        for x, y in of_series(drawn, algorithm, parameters)["course"]:
            places = [layout.places[value] for value in y] if layout else y
            panel.step(x, places, where="post", color=style.color, linewidth=1.1, alpha=0.7)
            highest = max(highest, float(np.max(places, initial=0)))
    for bound in {_bound(spec, facts) for facts in drawn["facts"]} - {None}:
        panel.axhline(bound, **BOUND)
        highest = max(highest, bound)
    return highest
