"""The family "dots": one line per grid point, its time on a logarithmic scale, beside a reference number if any.

A row's facts may hold the number under the key ``reference``, in the unit of the axis.
"""

import json

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots.description import Description
from plots.notes import footer, is_draft
from plots.points import locate, panels
from plots.sheet import Sizes, Texts, log_ticks, sheet, theme
from plots.style import series
from results.schema import OK

REFERENCE_COLOR = "#b00020"
LABELS = 2.8


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw medians over repetitions as dots, the range as a line, and the reference as an open diamond."""
    located = locate(spec, rows)
    located = located[located["status"] == OK]
    shown = panels(spec, located)
    handles = [
        Line2D([], [], color="#333333", marker="o", linestyle="none", label="measured (median, smallest to largest)"),
        Line2D(
            [],
            [],
            markeredgecolor=REFERENCE_COLOR,
            markerfacecolor="none",
            marker="D",
            linestyle="none",
            label="reference",
        ),  # fmt: skip
    ]
    most = max(len(_points(located[located["panel"] == value])) for value in shown)
    texts = Texts(spec.title, [spec.panel_title(value) for value in shown], [], footer(spec, rows), is_draft(rows))
    with theme():
        drawn, axes = sheet(handles, texts, Sizes(0.25 + 0.17 * most, LABELS, LABELS))
        for value, panel in zip(shown, axes, strict=True):
            _draw_panel(panel, _points(located[located["panel"] == value]))
            panel.set_xlabel(spec.axis_labels()[1])
    return drawn


def _points(located: pd.DataFrame) -> pd.DataFrame:
    """One line per grid point, in the order of window, distance and the style table."""
    keys = ["window", "distance", "batch", "algorithm", "parameters"]
    points = located.groupby(keys, dropna=False).agg(
        median=("y", "median"), low=("y", "min"), high=("y", "max"), facts=("facts", "first")
    )
    points = points.reset_index()
    points["style"] = [series(*pair) for pair in zip(points["algorithm"], points["parameters"], strict=True)]
    points["order"] = [style.order for style in points["style"]]
    by = ["window", "distance", "batch", "order"]
    return points.sort_values(by, kind="stable", na_position="first").reset_index(drop=True)


def _draw_panel(panel: Axes, points: pd.DataFrame) -> None:
    names = []
    for place, point in points.iterrows():
        style = point["style"]
        panel.hlines(place, point["low"], point["high"], color=style.color, linewidth=1.6)
        panel.plot(point["median"], place, marker=style.marker, color=style.color, markersize=6, linestyle="none")
        reference = json.loads(point["facts"]).get("reference")
        if reference is not None:
            panel.plot(
                reference, place, marker="D", markerfacecolor="none", markeredgecolor=REFERENCE_COLOR, markersize=5
            )
        batch = "" if pd.isna(point["batch"]) else f", m = {_power(point['batch'])}"
        names.append(f"{style.label}, n = {_power(point['window'])}, d = {_power(point['distance'])}{batch}")
    log_ticks(panel, "x")
    panel.set_yticks(range(len(names)), names)
    panel.tick_params(axis="y", labelsize=7.5)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)


def _power(number: float) -> str:
    number = int(number)
    exponent = number.bit_length() - 1
    return f"2^{exponent}" if number > 4 and number == 1 << exponent else str(number)
