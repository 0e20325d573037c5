"""The family "bars": one group of bars per category, a bar per series, in parts if the description stacks them."""

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from plots.columns import in_order
from plots.description import Description
from plots.notes import footer, is_draft, notes
from plots.points import locate, of_series, panels, points, styles
from plots.scales import Scale, scale
from plots.sheet import COLUMNS, Texts, category_ticks, finish_y, room_for, sheet, theme
from plots.style import Style

GROUP = 0.8
HATCHES = ("", "////", "....", "xxxx", "----")
LIGHTER = (0.0, 0.5, 0.75, 0.3, 0.6)
"""By part, from below: the hatch, and how far the colour is mixed with white; grey printing keeps them apart."""

PLAIN = "#555555"


def figure(spec: Description, rows: pd.DataFrame) -> Figure:
    """Draw medians as bars, with a whisker from the smallest to the largest repetition of the whole bar.

    Series are in the order of the style table, parts in that of `stack_values` from below. Raises FigureError if the
    rows do not fit the description.
    """
    located = locate(spec, rows)
    drawn = points(located)
    whole = _whole(located)
    shown = panels(spec, located)
    layout = scale(spec.x_scale, located["x"].to_numpy(), spec.x_values, spec.titles)
    entries = styles(drawn)
    parts = in_order(located["part"].dropna(), spec.stack_values)
    titles = [spec.panel_title(value) for value in shown]
    texts = Texts(spec.title, titles, notes(spec, located, drawn), footer(spec, rows), is_draft(rows))
    names = [name for _, name in layout.ticks]
    with theme():
        drawn_, axes = sheet(_legend(spec, entries, parts), texts, room_for(names, len(shown)))
        for number, (value, panel) in enumerate(zip(shown, axes, strict=True)):
            mine = whole[whole["panel"] == value]
            there = styles(located[located["panel"] == value])
            _draw_panel(panel, drawn[drawn["panel"] == value], mine, there, parts, layout)
            if spec.base:
                panel.axhline(1, color="#777777", linewidth=0.8)
            panel.set_xlabel(spec.axis_labels()[0])
            category_ticks(panel, names, len(shown))
            finish_y(panel, spec, mine["high"].max(), leftmost=number % COLUMNS == 0)
            if spec.y_scale == "log10" and len(mine) and (drawn["middle"] > 0).any():
                panel.set_ylim(_floor(drawn["middle"]), 1.3 * whole["high"].max())
    return drawn_


def _whole(located: pd.DataFrame) -> pd.DataFrame:
    """Smallest and largest sum of the parts of each bar over the repetitions that have every part."""
    bar = ["panel", "algorithm", "parameters", "x"]
    measured = located[located["y"].notna()]
    sums = measured.groupby([*bar, "repetition"])["y"].agg(["sum", "count"]).reset_index()
    full = sums[sums["count"] == sums.groupby(bar)["count"].transform("max")]
    return full.groupby(bar)["sum"].agg(low="min", high="max").reset_index()


def _draw_panel(
    panel: Axes,
    drawn: pd.DataFrame,
    whole: pd.DataFrame,
    entries: list[tuple[str, str, Style]],
    parts: list[str],
    layout: Scale,
) -> None:
    if drawn.empty:
        panel.text(0.5, 0.5, "no results", transform=panel.transAxes, ha="center", color="#777777")
    width = GROUP / max(len(entries), 1)
    for number, (algorithm, parameters, style) in enumerate(entries):
        shift = (number - (len(entries) - 1) / 2) * width
        bottoms = dict.fromkeys(layout.places, 0.0)
        for place, part in enumerate(parts):
            bar = of_series(drawn[drawn["part"] == part], algorithm, parameters)
            spots = bar["x"].map(layout.places).astype(float) + shift
            below = bar["x"].map(bottoms).astype(float)
            panel.bar(spots, bar["middle"], 0.92 * width, below, **_look(style.color, place))
            bottoms |= dict(zip(bar["x"], below + bar["middle"], strict=True))
        spread = of_series(whole, algorithm, parameters)
        panel.vlines(
            spread["x"].map(layout.places).astype(float) + shift,
            spread["low"],
            spread["high"],
            color="#222222",
            linewidth=1,
        )


def _legend(spec: Description, entries: list[tuple[str, str, Style]], parts: list[str]) -> list[Artist]:
    handles: list[Artist] = [
        Patch(**_look(style.color, 0), label=style.label) for _, _, style in entries if style.label
    ]
    if spec.stack:
        names = [spec.titles.get(part, part) for part in parts]
        handles += [Patch(**_look(PLAIN, place), label=name) for place, name in enumerate(names)]
    return handles


def _look(color: str, place: int) -> dict[str, object]:
    mixed = np.array(to_rgb(color)) * (1 - LIGHTER[place % len(LIGHTER)]) + LIGHTER[place % len(LIGHTER)]
    return {"facecolor": tuple(mixed), "edgecolor": color, "hatch": HATCHES[place % len(HATCHES)], "linewidth": 0.6}


def _floor(medians: pd.Series) -> float:
    """The power of ten below the smallest positive part: where bars on a logarithmic axis begin."""
    return float(10 ** np.floor(np.log10(medians[medians > 0].min()) - 0.01))
