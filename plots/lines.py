"""The family "lines": one line per series over x, one panel per value of a column."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots.description import Description
from plots.fits import Fit, fitted, labelled
from plots.notes import footer, is_draft, notes
from plots.points import locate, of_series, panels, points, styles
from plots.scales import Scale, scale
from plots.sheet import COLUMNS, Texts, category_ticks, finish_y, room_for, sheet, theme
from plots.style import Style, marker_look


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw the selected rows as lines of medians with bands from the smallest to the largest repetition.

    With `confidence` they are lines of means with their confidence intervals as bands.

    Series are in the order of the style table with one legend; y starts at 0 if it is linear. Raises FigureError if the
    rows do not fit the description.
    """
    located = locate(spec, rows)
    drawn = points(located, spec.confidence)
    shown = panels(spec, located)
    layout = scale(spec.x_scale, located["x"].to_numpy(), spec.x_values, spec.titles)
    entries = styles(drawn)
    fits = fitted(spec, drawn)
    titles = [spec.panel_title(value) for value in shown]
    texts = Texts(spec.title, titles, notes(spec, located, drawn), footer(spec, rows), is_draft(rows))
    with theme():
        handles = [
            Line2D([], [], **_look(style), label=labelled(style.label, fits, algorithm, parameters))
            for algorithm, parameters, style in entries
        ]
        names = [name for _, name in layout.ticks] if spec.x_scale == "category" else []
        sheet_, axes = sheet(handles, texts, room_for(names, len(shown)))
        for number, (value, panel) in enumerate(zip(shown, axes, strict=True)):
            mine = drawn[drawn["panel"] == value]
            _draw_panel(panel, mine, entries, layout)
            _draw_fits(panel, [fit for fit in fits if fit.panel == value], layout, entries)
            if spec.base:
                panel.axhline(1, color="#777777", linewidth=0.8, zorder=0.5)
            panel.set_xlabel(spec.axis_labels()[0])
            category_ticks(panel, names, len(shown)) if names else _number_ticks(panel, layout)
            finish_y(panel, spec, mine["high"].max(), leftmost=number % COLUMNS == 0)
    return sheet_


def _draw_panel(panel: Axes, drawn: pd.DataFrame, entries: list[tuple[str, str, Style]], layout: Scale) -> None:
    if drawn.empty:
        panel.text(0.5, 0.5, "no results", transform=panel.transAxes, ha="center", color="#777777")
    aside = np.linspace(-layout.slot / 2, layout.slot / 2, len(entries) + 2)[1:-1]
    for (algorithm, parameters, style), shift in zip(entries, aside, strict=True):
        line = of_series(drawn, algorithm, parameters)
        line = line.assign(place=line["x"].map(layout.places)).sort_values("place")
        for piece in _pieces(line, layout):
            places = piece["place"].to_numpy()
            if layout.gap is not None and piece["x"].iloc[0] == 0:
                places = places + shift
            panel.plot(places, piece["middle"], **_look(style))
            if len(piece) > 1:
                panel.fill_between(places, piece["low"], piece["high"], color=style.color, alpha=0.15, linewidth=0)
            else:
                panel.vlines(places, piece["low"], piece["high"], color=style.color, alpha=0.6, linewidth=1.2)


def _pieces(line: pd.DataFrame, layout: Scale) -> list[pd.DataFrame]:
    """Split a line at the break of the axis and where points are missing: nothing is drawn where nothing is known."""
    known = np.array(sorted(layout.places.values()))
    index = np.searchsorted(known, line["place"].to_numpy())
    jumps = np.diff(index) > 1
    if layout.gap is not None:
        jumps |= line["x"].to_numpy()[:-1] == 0
    pieces = np.split(np.arange(len(line)), np.flatnonzero(jumps) + 1)
    return [line.iloc[piece] for piece in pieces if len(piece)]


def _draw_fits(panel: Axes, fits: list[Fit], layout: Scale, entries: list[tuple[str, str, Style]]) -> None:
    """Draw each fit between its smallest and largest x: a curve where the axis and the fit differ in scale."""
    colors = {(algorithm, parameters): style.color for algorithm, parameters, style in entries}
    for fit in fits:
        xs = np.geomspace(fit.first, fit.last, 200) if fit.first > 0 else np.linspace(fit.first, fit.last, 200)
        known = sorted(x for x in layout.places if fit.first <= x <= fit.last)
        places = np.interp(xs, known, [layout.places[x] for x in known]) if layout.ticks else xs
        color = colors[fit.algorithm, fit.parameters]
        panel.plot(places, fit(xs), color=color, linestyle=(0, (5, 3)), linewidth=0.8, zorder=1.5)


def _number_ticks(panel: Axes, layout: Scale) -> None:
    """Write the ticks of x, give the axis its range, and break it where it says."""
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
    return {**marker_look(style), "linestyle": style.line, "linewidth": 1.4}
