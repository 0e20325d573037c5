"""The family "bars": one group of bars per category, a bar per series, in parts if the description stacks them.

On a logarithmic axis, which has no zero to begin at, points stand for the bars.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from plots import printed
from plots.axes import mark_empty, one_range, plain_ticks, scale_y
from plots.bases import Based, relative
from plots.columns import in_order
from plots.description import ColumnPath, Names, Titles
from plots.layout import BESIDE_CATEGORIES, subplots
from plots.notes import around, notes, pooled_line, repetitions
from plots.points import of_series, panels, points, styles
from plots.scales import Scale, scale
from plots.style import Style

GROUP = 0.8
HATCHES = ("", "////", "....", "xxxx", "----")
LIGHTER = (0.0, 0.5, 0.75, 0.3, 0.6)
"""For each part, from below: the hatch, and how far the colour is mixed with white, to be distinct in grey, too."""

PLAIN = "#555555"
POINT = {"marker": "s", "markersize": 6.5, "linestyle": "none", "markeredgecolor": "white", "markeredgewidth": 0.6}


@dataclass(frozen=True, kw_only=True)
class Options(Based):
    """Bars over the categories of x.

    x_values: the categories that come first.  stack: path; each value is one part of a bar.
    stack_values: the parts from below.  titles: {value: text}, written for categories and parts.
    """

    x_scale: Literal["category"] = "category"
    x_values: Names = ()
    stack: ColumnPath | None = None
    stack_values: Names = ()
    titles: Titles = field(default_factory=dict)


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw medians as bars, with a whisker from the smallest to the largest repetition of the whole bar.

    Series are in the order of the style table, parts in that of `stack_values` from below. Raises FigureError if the
    rows do not fit the description.
    """
    located = relative(spec, rows, spec.stack)
    drawn = points(located)
    whole = _whole(located)
    panel_values = panels(spec, located)
    layout = scale(spec.x_scale, located["x"].to_numpy(), spec.x_values, spec.titles)
    parts = in_order(located["part"].dropna(), spec.stack_values)
    kind = "Points" if spec.y_scale == "log10" else "Bars"
    family_notes = [*repetitions(drawn, kind, "whiskers: smallest to largest"), *pooled_line(located)]
    titles, names = [spec.panel_title(value) for value in panel_values], [name for _, name in layout.ticks]
    handles, texts = (
        _legend(spec, styles(drawn, spec.called), parts),
        around(spec, rows, notes(spec, located, family_notes)),
    )
    crosses = printed.placed(printed.checked(spec.printed), spec.x_scale, layout)
    handles += printed.handles(crosses)
    figure, axes = subplots(titles, texts, handles, spec.axis_labels(), categories=names)
    for value, panel in zip(panel_values, axes, strict=True):
        bars = whole[whole["panel"] == value]
        panel_styles = styles(located[located["panel"] == value], spec.called)
        _draw_panel(panel, drawn[drawn["panel"] == value], bars, panel_styles, parts, layout, spec.y_scale == "log10")
        _narrow(panel, located.loc[located["panel"] == value, "x"].map(layout.places))
        if spec.base:
            panel.axhline(spec.level, color="#777777", linewidth=0.8)
        highest = max(bars["high"].max(), printed.draw(panel, value, crosses, _shift_of(panel_styles)))
        if spec.subtracted:
            plain_ticks(panel, "y")
        else:
            scale_y(panel, spec.y_scale, max(highest, 1) if spec.base else highest)
        if spec.y_scale == "log10" and len(bars) and (drawn["middle"] > 0).any():
            panel.set_ylim(_floor(drawn["middle"], whole["low"]), 1.5 * whole["high"].max())
    if spec.same_y:
        one_range(axes)
    return figure


def _whole(located: pd.DataFrame) -> pd.DataFrame:
    """The smallest and largest sum of the parts of each bar, over the repetitions that have every part."""
    bar = ["panel", "algorithm", "parameters", "x"]
    measured = located[located["y"].notna()]
    sums = measured.groupby([*bar, "repetition"])["y"].agg(["sum", "count"]).reset_index()
    complete = sums[sums["count"] == sums.groupby(bar)["count"].transform("max")]
    return complete.groupby(bar)["sum"].agg(low="min", high="max").reset_index()


def _draw_panel(
    panel: Axes,
    drawn: pd.DataFrame,
    whole: pd.DataFrame,
    entries: list[tuple[str, str, Style]],
    parts: list[str],
    layout: Scale,
    logarithmic: bool,
) -> None:
    if drawn.empty:
        mark_empty(panel)
    width = GROUP / max(len(entries), 1)
    for number, (algorithm, parameters, style) in enumerate(entries):
        shift = _shift(number, len(entries))
        bottoms = dict.fromkeys(layout.places, 0.0)
        for place, part in enumerate(parts):
            bar = of_series(drawn[drawn["part"] == part], algorithm, parameters)
            xs = bar["x"].map(layout.places).astype(float) + shift
            below = bar["x"].map(bottoms).astype(float)
            if logarithmic:
                panel.plot(xs, below + bar["middle"], color=style.color, **POINT)
            else:
                panel.bar(xs, bar["middle"], 0.92 * width, below, **_look(style.color, place))
            bottoms |= dict(zip(bar["x"], below + bar["middle"], strict=True))
        spread = of_series(whole, algorithm, parameters)
        panel.vlines(
            spread["x"].map(layout.places).astype(float) + shift,
            spread["low"],
            spread["high"],
            color="#222222",
            linewidth=1,
        )


def _narrow(panel: Axes, places: pd.Series) -> None:
    """Leave out the categories at either end of which a panel has no rows at all."""
    if len(places):
        panel.set_xlim(places.min() - BESIDE_CATEGORIES, places.max() + BESIDE_CATEGORIES)


def _shift(number: int, entries: int) -> float:
    """How far the bars of a series are from the middle of their group."""
    return (number - (entries - 1) / 2) * GROUP / max(entries, 1)


def _shift_of(entries: list[tuple[str, str, Style]]) -> Callable[[str], float]:
    """As `_shift`, by the algorithm; 0 for none of these."""
    shifts = {algorithm: _shift(number, len(entries)) for number, (algorithm, _, _) in enumerate(entries)}
    return lambda algorithm: shifts.get(algorithm, 0.0)


def _legend(spec: Options, entries: list[tuple[str, str, Style]], parts: list[str]) -> list[Artist]:
    handles: list[Artist] = [
        Patch(**_look(style.color, 0), label=style.label) for _, _, style in entries if style.label
    ]
    if spec.stack:
        names = [spec.titles.get(part, part) for part in parts]
        handles += [Patch(**_look(PLAIN, place), label=name) for place, name in enumerate(names)]
    return handles


def _look(color: str, place: int) -> dict[str, object]:
    fill = np.array(to_rgb(color)) * (1 - LIGHTER[place % len(LIGHTER)]) + LIGHTER[place % len(LIGHTER)]
    return {"facecolor": tuple(fill), "edgecolor": color, "hatch": HATCHES[place % len(HATCHES)], "linewidth": 0.6}


def _floor(medians: pd.Series, lows: pd.Series) -> float:
    """Where a logarithmic axis begins: below the smallest positive part, and below the whiskers that end above 0."""
    ends = pd.concat([medians / 1.5, lows / 1.1])
    return float(ends[ends > 0].min())
