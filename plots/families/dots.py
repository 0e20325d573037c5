"""The family "dots": one line per grid point, its time on a logarithmic scale, with a reference number if any.

A row's facts may contain that number under the key ``reference``, in the unit of the axis.
"""

import json
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots.axes import log_ticks, mark_empty
from plots.description import ColumnPath, Measured, Panels
from plots.layout import MARGIN, Sizes, subplots
from plots.notes import around, without_result
from plots.points import locate, panels
from plots.style import Style, series
from plots.theme import NOTE_SIZE, text_width
from results.schema import OK

REFERENCE = {"marker": "D", "markerfacecolor": "none", "markeredgecolor": "#b00020", "linestyle": "none"}
MEASURED = {"marker": "o", "color": "#333333", "linestyle": "none"}
LABELS = 2.8

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, kw_only=True)
class Options(Panels, Measured):
    """Dots.  x: path of what distinguishes the grid points, shown in their labels; the axis shows y."""

    x: ColumnPath


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw medians over repetitions as dots, the range as a line, and the reference as an open diamond."""
    located = locate(spec, rows)
    measured = located[located["status"] == OK]
    panel_values = panels(spec, located)
    drawn = [_points(measured[measured["panel"] == value]) for value in panel_values]
    handles = [
        Line2D([], [], **MEASURED, label="measured (median, smallest to largest)"),
        Line2D([], [], **REFERENCE, label="reference"),
    ]
    widest = max((text_width(name, NOTE_SIZE) for points in drawn for name in points["name"]), default=0.0)
    room = max(LABELS, widest + MARGIN)
    sizes = Sizes(0.25 + 0.17 * max(1, *map(len, drawn)), room, room)
    titles = [spec.panel_title(value) for value in panel_values]
    texts = around(spec, rows, without_result(located, "Not measured", _name))
    figure, axes = subplots(titles, texts, handles, (spec.y_text(), ""), sizes)
    for points, panel in zip(drawn, axes, strict=True):
        _draw_panel(panel, points)
    return figure


def _points(located: pd.DataFrame) -> pd.DataFrame:
    """One line per grid point, in the order of window, distance and the style table."""
    keys = ["window", "distance", "batch", "algorithm", "parameters"]
    points = located.groupby(keys, dropna=False).agg(
        median=("y", "median"), low=("y", "min"), high=("y", "max"), facts=("facts", "first")
    )
    points = points.reset_index()
    points["style"] = [_style(point) for _, point in points.iterrows()]
    points["order"] = [style.order for style in points["style"]]
    points["name"] = [_name(point) for _, point in points.iterrows()]
    order = ["window", "distance", "batch", "order"]
    return points.sort_values(order, kind="stable", na_position="first").reset_index(drop=True)


def _draw_panel(panel: Axes, points: pd.DataFrame) -> None:
    if points.empty:
        mark_empty(panel)
        panel.set_xticks([])
        return
    for place, point in points.iterrows():
        style = point["style"]
        panel.hlines(place, point["low"], point["high"], color=style.color, linewidth=1.6)
        panel.plot(point["median"], place, marker=style.marker, color=style.color, markersize=6, linestyle="none")
        reference = json.loads(point["facts"]).get("reference")
        if reference is not None:
            panel.plot(reference, place, **REFERENCE, markersize=5)
    log_ticks(panel, "x")
    panel.set_yticks(range(len(points)), points["name"])
    panel.tick_params(axis="y", labelsize=NOTE_SIZE)
    panel.set_ylim(len(points) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)


def _style(point: pd.Series) -> Style:
    return series(point["algorithm"], point["parameters"])


def _name(point: pd.Series) -> str:
    batch = "" if pd.isna(point["batch"]) else f", m = {_power(point['batch'])}"
    return f"{_style(point).label}, n = {_power(point['window'])}, d = {_power(point['distance'])}{batch}"


def _power(number: float) -> str:
    number = int(number)
    exponent = number.bit_length() - 1
    return f"2{str(exponent).translate(RAISED)}" if number > 4 and number == 1 << exponent else str(number)
