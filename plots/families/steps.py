"""The family "steps": values that change during a run, one line of steps for each row, from lists in its facts.

x and y are paths to lists of equal length. A y of null is infinity; if y_scale is log10, infinity has a place above all
other values and 0 one below. Facts that name a list under ``bounded`` have its bound under ``bound``, which is drawn.
"""

import json
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import description
from plots.axes import mark_empty, one_range, scale_y
from plots.columns import FigureError, column
from plots.description import Positive
from plots.layout import subplots
from plots.notes import around, notes
from plots.points import of_series, panels, placed, styles
from plots.scales import Scale, scale
from plots.style import Style
from results.schema import OK

BOUND = {"color": "#b00020", "linestyle": "dashed", "linewidth": 1.0}


@dataclass(frozen=True, kw_only=True)
class Options(description.Axes):
    """Courses.  x_divide: number of units of x in the unit of the label."""

    x_divide: Positive = Positive(1)


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the courses, one panel for each value of `panel`. Raises FigureError if the rows do not fit."""
    located = placed(spec, rows)
    measured = located[located["status"] == OK]
    panel_values, entries = panels(spec, located), styles(measured, spec.called)
    drawn = measured.assign(course=courses(spec, measured))
    layout = _layout(drawn) if spec.y_scale == "log10" else None
    family_notes = [f"A line for each of {len(measured):,} measurements."] if len(measured) else []
    handles = [Line2D([], [], color=style.color, label=style.label) for *_, style in entries]
    if any(_bound(spec, facts) is not None for facts in drawn["facts"]):
        handles.append(Line2D([], [], **BOUND, label="bound"))
    titles = [spec.panel_title(value) for value in panel_values]
    texts = around(spec, rows, notes(spec, located, family_notes))
    figure, axes = subplots(titles, texts, handles, spec.axis_labels())
    for value, panel in zip(panel_values, axes, strict=True):
        highest = _draw_panel(panel, spec, drawn[drawn["panel"] == value], entries, layout)
        if layout:
            panel.set_yticks([place for place, _ in layout.ticks], [text for _, text in layout.ticks])
        else:
            scale_y(panel, "linear", highest)
    if spec.same_y:
        one_range(axes)
    return figure


def courses(spec: Options, rows: pd.DataFrame) -> list[tuple[np.ndarray, np.ndarray]]:
    """The x and y of each row in the units of the labels, float64; y is infinite where the list has null.

    Raises FigureError if one is not a list, or their lengths differ.
    """
    courses = []
    for x, y in zip(column(rows, spec.x), column(rows, spec.y), strict=True):
        if not isinstance(x, list) or not isinstance(y, list) or len(x) != len(y):
            raise FigureError(f"x is {spec.x!r} and y is {spec.y!r}; they must be lists of equal length in every row")
        values = [math.inf if value is None else value for value in y]
        courses.append((np.array(x, float) / spec.x_divide, np.array(values, float) / spec.y_divide))
    return courses


def _layout(drawn: pd.DataFrame) -> Scale:
    """Positions of the values of y on a logarithmic axis, 0 below and infinity above."""
    values = np.unique(np.concatenate([np.zeros(0), *(y for _, y in drawn["course"])]))
    layout = scale("log2", values[np.isfinite(values)])
    if np.isfinite(values).all():
        return layout
    top = max(layout.places.values()) + 1
    return layout._replace(places={**layout.places, math.inf: top}, ticks=[*layout.ticks, (top, "∞")])


def _bound(spec: Options, text: str) -> float | None:
    """The bound of the list that the figure shows, in the unit of the label; None if the facts bound another list."""
    facts = json.loads(text)
    return facts["bound"] / spec.y_divide if f"facts.{facts.get('bounded')}" == spec.y else None


def _draw_panel(
    panel: Axes, spec: Options, drawn: pd.DataFrame, entries: list[tuple[str, str, Style]], layout: Scale | None
) -> float:
    """Draw the rows of a panel, and return the largest y."""
    if drawn.empty:
        mark_empty(panel)
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
