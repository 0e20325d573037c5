"""The family "lines": one line per series over x, one panel per value of a column."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import printed
from plots.axes import mark_empty, one_range, plain_ticks, scale_y
from plots.bases import Based, relative
from plots.columns import FigureError
from plots.description import Names, Positive, Titles
from plots.fits import Fit, fitted, labelled
from plots.intervals import LEAST
from plots.layout import BESIDE_CATEGORIES, subplots
from plots.notes import around, notes, pooled_line, repetitions
from plots.points import of_series, panels, points, styles
from plots.scales import Scale, scale
from plots.style import Style, marker_look

SAME = 0.015
"""Of the height of a panel: lines nearer than this at every point are one line to the eye."""

WIDEST = 3
"""So many lines that lie under another are told apart by their width: more would fill the panel, and are a bundle."""


@dataclass(frozen=True, kw_only=True)
class Options(Based):
    """Lines over x.

    x_scale: linear; log2 or log10 (with a place for 0, too); category: values as text, those of `x_values` first, with
    their `titles`; no line joins others that are not numbers.  x_divide: number of units of x in the unit of the label.
    confidence: per cent; lines are then means and bands their confidence intervals, not medians and extremes.
    fit: draws the least-squares straight line of each series over log2 x (log2) or over x (linear).
    proportional: draws x times the value at x = 1, for each series that has one.
    """

    x_scale: Literal["linear", "log2", "log10", "category"] = "linear"
    x_divide: Positive = Positive(1)
    x_values: Names = ()
    titles: Titles = field(default_factory=dict)
    confidence: float | None = None
    fit: Literal["", "log2", "linear"] = ""
    proportional: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fit and self.x_scale == "category":
            raise FigureError(f"fit is {self.fit!r} and x_scale is 'category'; a line is fitted over numbers")
        if self.confidence is not None and not 0 < self.confidence < 100:
            raise FigureError(f"confidence is {self.confidence!r}; it must be per cent between 0 and 100, such as 99")


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the selected rows as lines with bands.

    Series are in the order of the style table with one legend; y starts at 0 if it is linear. Raises FigureError if the
    rows do not fit the description.
    """
    located = relative(spec, rows)
    every = points(located, spec.confidence)
    drawn = every[~(every["middle"] <= 0) | (spec.y_scale == "linear")]
    panel_values = panels(spec, located)
    layout = laid_out(spec, located)
    entries = styles(drawn, spec.called)
    fits = fitted(spec.fit, drawn)
    in_proportion = ["Thin dash-dotted lines: x times the value at x = 1."] if spec.proportional else []
    left_out = (
        ["Points at 0 are left out: a logarithmic axis has no place for them."] if len(drawn) < len(every) else []
    )
    alike = {value: _alike(_lines(drawn[drawn["panel"] == value], entries), spec.y_scale) for value in panel_values}
    bundles = (
        [f"More than {WIDEST + 1} lines that no eye tells apart are drawn as one, in the colour of the last."]
        if any(_bundled(pair) for pairs in alike.values() for pair in pairs)
        else []
    )
    family_notes = [*_bands(spec, drawn), *_fits(spec), *in_proportion, *left_out, *bundles, *pooled_line(located)]
    handles = [
        Line2D([], [], **_look(style), label=labelled(style.label, fits, algorithm, parameters))
        for algorithm, parameters, style in entries
    ]
    crosses = printed.placed(printed.checked(spec.printed), spec.x_scale, layout)
    handles += printed.handles(crosses)
    names = [name for _, name in layout.ticks] if spec.x_scale == "category" else []
    titles = [spec.panel_title(value) for value in panel_values]
    texts = around(spec, rows, notes(spec, located, family_notes))
    figure, axes = subplots(titles, texts, handles, spec.axis_labels(), categories=names)
    for value, panel in zip(panel_values, axes, strict=True):
        in_panel = drawn[drawn["panel"] == value]
        _draw_panel(panel, in_panel, located[located["panel"] == value], entries, layout, _hidden(alike[value]))
        _draw_fits(panel, [fit for fit in fits if fit.panel == value], layout, entries)
        if spec.proportional:
            _draw_proportional(panel, in_panel, entries, layout)
        if spec.base:
            panel.axhline(spec.level, color="#777777", linewidth=0.8, zorder=0.5)
        if names:
            _end_categories(panel, in_panel, layout)
        else:
            _number_ticks(panel, layout)
        highest = max(in_panel["high"].max(), printed.draw(panel, value, crosses))
        if spec.subtracted:
            plain_ticks(panel, "y")
        else:
            scale_y(panel, spec.y_scale, max(highest, 1) if spec.base else highest)
    if spec.same_y:
        one_range(axes)
    return figure


def laid_out(spec: Options, located: pd.DataFrame) -> Scale:
    """The x axis of all panels."""
    return scale(spec.x_scale, located["x"].to_numpy(), spec.x_values, spec.titles)


def _bands(spec: Options, drawn: pd.DataFrame) -> list[str]:
    if spec.confidence is None:
        return repetitions(drawn, "Lines", "bands: smallest to largest")
    spread = f"bands: {spec.confidence:g} % confidence interval of the mean"
    few = drawn["repetitions"] < LEAST
    if few.any():
        spread += f"; points of fewer than {LEAST} repetitions have no band"
    if few.any() and few.all():
        spread = f"too few for a confidence interval, which takes {LEAST}"
    return repetitions(drawn, "Lines", spread, "mean")


def _fits(spec: Options) -> list[str]:
    over = {"log2": "log2 x", "linear": "x"}.get(spec.fit)
    note = f"Thin dashed lines: least squares of the medians over {over}; R² is the variance explained."
    return [note] if over else []


def _draw_panel(
    panel: Axes,
    drawn: pd.DataFrame,
    located: pd.DataFrame,
    entries: list[tuple[str, str, Style]],
    layout: Scale,
    hidden: list[int],
) -> None:
    if drawn.empty:
        mark_empty(panel)
    shifts = np.linspace(-layout.slot / 2, layout.slot / 2, len(entries) + 2)[1:-1]
    lines = _lines(drawn, entries)
    for (algorithm, parameters, style), line, above, shift in zip(entries, lines, hidden, shifts, strict=True):
        for piece in pieces(line, of_series(located, algorithm, parameters), layout):
            places = piece["place"].to_numpy()
            if layout.gap is not None and piece["x"].iloc[0] == 0:
                places = places + shift
            panel.plot(places, piece["middle"], **_look(style, above))
            if len(piece) > 1:
                panel.fill_between(places, piece["low"], piece["high"], color=style.color, alpha=0.15, linewidth=0)
            else:
                panel.vlines(places, piece["low"], piece["high"], color=style.color, alpha=0.6, linewidth=1.2)


def pieces(line: pd.DataFrame, located: pd.DataFrame, layout: Scale) -> list[pd.DataFrame]:
    """Split a line at the break of the axis, before each category without an order, and at missing points.

    A point is missing where `located`, the rows of the line's series in its panel, have an x and the line has none: the
    cell has failed, or the axis has no place for its value. What only other lines have is not missing: some windows are
    measured at fewer x than others. The pieces and their points are in the order of x, and have its `place`.
    """
    line = line.assign(place=line["x"].map(layout.places).astype(float)).sort_values("place")
    places = line["place"].to_numpy()
    tried = np.unique(located["x"].dropna().map(layout.places).to_numpy(float))
    jumps = (np.diff(np.searchsorted(tried, places)) > 1) | (places[1:] >= layout.ordered)
    if layout.gap is not None:
        jumps |= line["x"].to_numpy()[:-1] == 0
    parts = np.split(np.arange(len(line)), np.flatnonzero(jumps) + 1)
    return [line.iloc[part] for part in parts if len(part)]


def _draw_fits(panel: Axes, fits: list[Fit], layout: Scale, entries: list[tuple[str, str, Style]]) -> None:
    """Draw each fit between its smallest and largest x above 0 that has a place: a curve where the axis and the fit
    differ in scale."""
    colors = {(algorithm, parameters): style.color for algorithm, parameters, style in entries}
    for fit in fits:
        first = min(x for x in layout.places if x >= fit.first and (x > 0 or layout.between is np.asarray))
        xs = np.geomspace(first, fit.last, 200) if first > 0 else np.linspace(first, fit.last, 200)
        color = colors[fit.algorithm, fit.parameters]
        panel.plot(layout.between(xs), fit(xs), color=color, linestyle=(0, (5, 3)), linewidth=0.8, zorder=1.5)


def _draw_proportional(panel: Axes, drawn: pd.DataFrame, entries: list[tuple[str, str, Style]], layout: Scale) -> None:
    """Draw x times the value at x = 1 of each series that has one, at the series' x."""
    for algorithm, parameters, style in entries:
        line = of_series(drawn, algorithm, parameters).sort_values("x")
        one = line.loc[line["x"] == 1, "middle"]
        if len(one) and np.isfinite(one.iloc[0]):
            places = line["x"].map(layout.places)
            panel.plot(places, line["x"] * one.iloc[0], color=style.color, linestyle="-.", linewidth=0.8, zorder=1.5)


def _number_ticks(panel: Axes, layout: Scale) -> None:
    """Write the ticks of x, set the range of the axis, and break it where the layout says."""
    panel.grid(axis="x", visible=False)
    if layout.ticks:
        panel.set_xticks([place for place, _ in layout.ticks], [text for _, text in layout.ticks])
    places = list(layout.places.values())
    margin = 0.04 * (max(places) - min(places)) or 0.5
    panel.set_xlim(min(places) - max(margin, 0.6 * layout.slot), max(places) + margin)
    if layout.gap is not None:
        panel.text(layout.gap, 0, "//", transform=panel.get_xaxis_transform(), ha="center", va="center", size=8,
                   bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip


def _end_categories(panel: Axes, drawn: pd.DataFrame, layout: Scale) -> None:
    """Leave out categories without an order that are beyond all that the panel has."""
    last = max([layout.ordered - 1, *drawn["x"].map(layout.places)])
    panel.set_xlim(right=last + BESIDE_CATEGORIES)


def _lines(drawn: pd.DataFrame, entries: list[tuple[str, str, Style]]) -> list[pd.DataFrame]:
    return [of_series(drawn, algorithm, parameters) for algorithm, parameters, _ in entries]


def _alike(lines: list[pd.DataFrame], y_scale: str) -> list[list[bool]]:
    """For each two lines, whether they are one to the eye: no point is further from the other's than `SAME`."""
    middles = [line.set_index("x")["middle"].sort_index() for line in lines]
    heights = middles if y_scale == "linear" else [np.log(middle) for middle in middles]
    known = pd.concat(heights).dropna() if heights else pd.Series(dtype=float)
    near = SAME * (known.max() - (0 if y_scale == "linear" else known.min()))

    def alike(one: pd.Series, other: pd.Series) -> bool:
        return len(one) > 0 and one.index.equals(other.index) and np.allclose(one, other, rtol=0, atol=near)

    return [[alike(one, other) for other in heights] for one in heights]


def _hidden(pairs: list[list[bool]]) -> list[int]:
    """For each line, how many of the later ones hide it; 0 for a line of a bundle. `pairs`: see `_alike`."""
    return [0 if _bundled(pair) else sum(pair[place + 1 :]) for place, pair in enumerate(pairs)]


def _bundled(pair: list[bool]) -> bool:
    """Whether a line, which is alike with itself, is so with more than `WIDEST` others."""
    return sum(pair) - 1 > WIDEST


def _look(style: Style, above: int = 0) -> dict[str, Any]:
    """How a line is drawn; one that others hide is wider by their number, so that it is seen around them."""
    look = marker_look(style)
    return {
        **look,
        "linestyle": style.line,
        "linewidth": 1.4 + 2.6 * above,
        "markersize": look["markersize"] + 4.5 * above,
    }
