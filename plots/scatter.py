"""The family "scatter": one point per row, x and y from columns or from keys of JSON columns; nothing is pooled."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots.description import Description
from plots.notes import footer, is_draft, notes
from plots.points import locate, of_series, panels, styles
from plots.sheet import COLUMNS, Texts, finish_y, log_ticks, sheet, theme
from plots.style import Style, marker_look
from results.schema import OK

CROWD = 200
"""Points of a panel from which on they are drawn translucent."""


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw a point for each row with a result, in the colour and marker of its series.

    Raises FigureError if the rows do not fit the description.
    """
    located = locate(spec, rows)
    drawn = located[located["status"] == OK]
    shown = panels(spec, located)
    entries = styles(drawn)
    titles = [spec.panel_title(value) for value in shown]
    texts = Texts(spec.title, titles, notes(spec, located, drawn), footer(spec, rows), is_draft(rows))
    with theme():
        handles = [Line2D([], [], **_look(style, 1.0), label=style.label) for _, _, style in entries if style.label]
        sheet_, axes = sheet(handles, texts)
        for number, (value, panel) in enumerate(zip(shown, axes, strict=True)):
            mine = drawn[drawn["panel"] == value]
            _draw_panel(panel, mine, entries)
            panel.set_xlabel(spec.axis_labels()[0])
            if spec.x_scale in ("log2", "log10"):
                log_ticks(panel, "x", 2 if spec.x_scale == "log2" else 10)
            else:
                panel.set_xlim(0, 1.04 * mine["x"].max() if mine["x"].max() > 0 else 1)
            finish_y(panel, spec, mine["y"].max(), leftmost=number % COLUMNS == 0)
    return sheet_


def _draw_panel(panel: Axes, drawn: pd.DataFrame, entries: list[tuple[str, str, Style]]) -> None:
    if drawn.empty:
        panel.text(0.5, 0.5, "no results", transform=panel.transAxes, ha="center", color="#777777")
    alpha = 0.5 if len(drawn) > CROWD else 0.9
    for algorithm, parameters, style in entries:
        points = of_series(drawn, algorithm, parameters)
        panel.plot(points["x"], points["y"], **_look(style, alpha))


def _look(style: Style, alpha: float) -> dict[str, object]:
    return {**marker_look(style), "linestyle": "none", "alpha": alpha}
