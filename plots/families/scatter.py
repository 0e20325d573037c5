"""The family "scatter": one point per row, x and y from columns or from keys of JSON columns; nothing is pooled."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import description
from plots.axes import log_ticks, mark_empty, one_range, plain_ticks, scale_y
from plots.description import Positive
from plots.layout import subplots
from plots.notes import around, notes
from plots.points import locate, of_series, panels, styles
from plots.style import Style, marker_look
from results.schema import OK

CROWD = 200
"""The number of points in a panel from which points are drawn translucent."""


@dataclass(frozen=True, kw_only=True)
class Options(description.Axes):
    """Points.  x_scale: linear, log2 or log10.  x_divide: number of units of x in the unit of the label."""

    x_scale: Literal["linear", "log2", "log10"] = "linear"
    x_divide: Positive = Positive(1)


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw a point for each row with a result, in the colour and marker of its series.

    Raises FigureError if the rows do not fit the description.
    """
    located = locate(spec, rows)
    drawn = located[located["status"] == OK]
    panel_values, entries = panels(spec, located), styles(drawn, spec.called)
    family_notes = [f"A point for each of {len(drawn):,} measurements."] if len(drawn) else []
    handles = [Line2D([], [], **_look(style, 1.0), label=style.label) for _, _, style in entries if style.label]
    titles = [spec.panel_title(value) for value in panel_values]
    texts = around(spec, rows, notes(spec, located, family_notes))
    figure, axes = subplots(titles, texts, handles, spec.axis_labels())
    for value, panel in zip(panel_values, axes, strict=True):
        in_panel = drawn[drawn["panel"] == value]
        _draw_panel(panel, in_panel, entries)
        if spec.x_scale == "linear":
            plain_ticks(panel, "x")
            panel.set_xlim(0, 1.04 * in_panel["x"].max() if in_panel["x"].max() > 0 else 1)
        else:
            log_ticks(panel, "x", 2 if spec.x_scale == "log2" else 10)
        scale_y(panel, spec.y_scale, in_panel["y"].max())
    if spec.same_y:
        one_range(axes)
    return figure


def _draw_panel(panel: Axes, drawn: pd.DataFrame, entries: list[tuple[str, str, Style]]) -> None:
    if drawn.empty:
        mark_empty(panel)
        panel.tick_params(axis="x", which="both", bottom=False, labelbottom=False)
        return
    alpha = 0.5 if len(drawn) > CROWD else 0.9
    for algorithm, parameters, style in entries:
        points = of_series(drawn, algorithm, parameters)
        panel.plot(points["x"], points["y"], **_look(style, alpha))


def _look(style: Style, alpha: float) -> dict[str, object]:
    return {**marker_look(style), "linestyle": "none", "alpha": alpha}
