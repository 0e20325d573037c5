"""The family "lines": one line per series over x, one panel per value of a column."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots.description import Description
from plots.notes import footer, is_draft, notes
from plots.points import locate, panels, points, styles
from plots.scales import Scale, scale
from plots.sheet import COLUMNS, Texts, sheet, theme
from plots.style import Style


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw the selected rows as lines of medians with bands from the smallest to the largest repetition.

    Series are in the order of the style table with one legend; y starts at 0. Raises FigureError if the rows do not fit
    the description.
    """
    located = locate(spec, rows)
    drawn = points(located)
    shown = panels(spec, located)
    layout = scale(spec.x_scale, located["x"].to_numpy())
    entries = styles(drawn)
    titles = [spec.panel_title(value) for value in shown]
    texts = Texts(spec.title, titles, notes(spec, located, drawn), footer(spec, rows), is_draft(rows))
    with theme():
        handles = [Line2D([], [], **_look(style), label=style.label) for _, _, style in entries]
        sheet_, axes = sheet(handles, texts)
        for number, (value, panel) in enumerate(zip(shown, axes, strict=True)):
            _draw_panel(panel, drawn[drawn["panel"] == value], entries, layout)
            _finish_panel(panel, spec, layout, leftmost=number % COLUMNS == 0)
    return sheet_


def _draw_panel(panel: Axes, drawn: pd.DataFrame, entries: list[tuple[str, str, Style]], layout: Scale) -> None:
    if drawn.empty:
        panel.text(0.5, 0.5, "no results", transform=panel.transAxes, ha="center", color="#777777")
    aside = np.linspace(-layout.slot / 2, layout.slot / 2, len(entries) + 2)[1:-1]
    for (algorithm, parameters, style), shift in zip(entries, aside, strict=True):
        line = drawn[(drawn["algorithm"] == algorithm) & (drawn["parameters"] == parameters)].sort_values("x")
        for piece in _pieces(line, layout):
            places = piece["x"].map(layout.places).to_numpy()
            if layout.gap is not None and piece["x"].iloc[0] == 0:
                places = places + shift
            panel.plot(places, piece["median"], **_look(style))
            if len(piece) > 1:
                panel.fill_between(places, piece["low"], piece["high"], color=style.color, alpha=0.15, linewidth=0)
            else:
                panel.vlines(places, piece["low"], piece["high"], color=style.color, alpha=0.6, linewidth=1.2)


def _pieces(line: pd.DataFrame, layout: Scale) -> list[pd.DataFrame]:
    """Split a line at the break of the axis and where points are missing: nothing is drawn where nothing is known."""
    known = np.array(sorted(layout.places))
    index = np.searchsorted(known, line["x"].to_numpy())
    jumps = np.diff(index) > 1
    if layout.gap is not None:
        jumps |= line["x"].to_numpy()[:-1] == 0
    pieces = np.split(np.arange(len(line)), np.flatnonzero(jumps) + 1)
    return [line.iloc[piece] for piece in pieces if len(piece)]


def _finish_panel(panel: Axes, spec: Description, layout: Scale, leftmost: bool) -> None:
    x_label, y_label = spec.axis_labels()
    panel.set_xlabel(x_label)
    if leftmost:
        panel.set_ylabel(y_label)
    highest = panel.dataLim.y1
    panel.set_ylim(0, 1.06 * highest if np.isfinite(highest) and highest > 0 else 1)
    panel.grid(axis="x", visible=False)
    if layout.ticks:
        panel.set_xticks([place for place, _ in layout.ticks], [text for _, text in layout.ticks])
    places = list(layout.places.values())
    margin = 0.04 * (max(places) - min(places)) or 0.5
    panel.set_xlim(min(places) - max(margin, 0.6 * layout.slot), max(places) + margin)
    if layout.gap is not None:
        panel.text(layout.gap, 0, "//", transform=panel.get_xaxis_transform(), ha="center", va="center", size=8,
                   bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip


def _look(style: Style) -> dict[str, object]:
    return {
        "color": style.color,
        "marker": style.marker,
        "linestyle": style.line,
        "linewidth": 1.4,
        "markersize": 5.5,
        "markeredgewidth": 0.6 if style.marker not in ("x", "+") else 1.2,
        "markeredgecolor": "white" if style.marker not in ("x", "+") else style.color,
    }
