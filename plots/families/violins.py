"""The family "violins": the distribution of single operations, one violin per series, on a logarithmic scale.

The width of a violin is the share of samples at that latency; the bar in it is the median, the short black bar the
99.9th percentile, and the thin line runs from the smallest to the largest sample. Repetitions run the same rounds, so
the open circle is the costliest round without noise: the largest of the rounds' minima over the repetitions. If the
counter that samples are read from did not advance, a sample is drawn at the counter's step.
"""

import itertools
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.axes import mark_empty
from plots.columns import in_order, texts
from plots.description import ColumnPath, NoRowsError, Panels, named
from plots.layout import BESIDE_CATEGORIES, COLUMNS, subplots
from plots.notes import around, without_result
from plots.points import of_series, placed, styles
from plots.style import Style, series
from results.laps import of_the_same_operations
from results.schema import OK

BINS = 160
HALF_WIDTH = 0.42
QUANTILES = (0.0, 0.5, 0.999, 1.0)


@dataclass(frozen=True, kw_only=True)
class Options(Panels):
    """Violins.  panel_rows: path; each value gets a row of panels; `panel_titles` apply to its values, too.

    same_y: one range of y for all panels.
    """

    panel: ColumnPath = field()
    panel_rows: ColumnPath | None = None
    y_label: str = "latency of a round (cycles)"
    same_y: bool = False

    def row_title(self, value: str) -> str:
        """Return the title of the row of panels of `value`: as described, or the value with its letter or key."""
        return self.panel_titles.get(value, named(self.panel_rows, value))

    def title_at(self, column: str, row: str) -> str:
        """Return the title of the panel in a column and a row."""
        return ", ".join(filter(None, (self.panel_title(column), self.row_title(row))))


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the samples of the selected rows: a panel for each pair of `panel_rows` and `panel` values.

    Raises NoRowsError if no row has samples.
    """
    rows = placed(spec, rows).assign(line=texts(rows, spec.panel_rows) if spec.panel_rows else "")
    sampled = rows[(rows["status"] == OK) & rows["samples"].notna()]
    if sampled.empty:
        raise NoRowsError(f"there are no samples of metric {spec.metrics}; run the experiment first")
    step = _step(sampled["samples"])
    entries = styles(sampled, spec.called)
    lines = in_order(sampled["line"])
    columns = spec.panels or in_order(sampled["panel"])
    places = list(itertools.product(lines, columns))
    titles = [spec.title_at(column, line) for line, column in places]
    names = [style.label for _, _, style in entries]
    texts_around = around(spec, rows, _notes(spec, rows, sampled, step))
    across = len(columns) if spec.panel_rows else COLUMNS
    labels = ("", spec.y_label)
    figure, axes = subplots(titles, texts_around, labels=labels, categories=names, turned=True, columns=across)
    bounds = [
        _draw_panel(panel, sampled[(sampled["panel"] == column) & (sampled["line"] == line)], entries, step)
        for (line, column), panel in zip(places, axes, strict=True)
    ]
    for panel, own in zip(axes, bounds, strict=True):
        if own:
            _in_decades(panel, [end for each in bounds for end in each] if spec.same_y else own)
        else:
            mark_empty(panel)
    return figure


def _draw_panel(panel: Axes, chosen: pd.DataFrame, entries: list[tuple[str, str, Style]], step: float) -> list[float]:
    """Draw the series that have samples in a panel, side by side. The ends of all their samples, as logarithms."""
    bounds: list[float] = []
    names: list[str] = []
    texts_below = [label.get_text() for label in panel.get_xticklabels()]
    for name, (algorithm, parameters, style) in zip(texts_below, entries, strict=True):
        in_series = of_series(chosen, algorithm, parameters)
        if len(in_series):
            place = len(names)
            repetitions = [np.log10(np.maximum(repetition, step)) for repetition in in_series["samples"]]
            samples = np.concatenate(repetitions)
            _violin(panel, place, samples, style)
            if len(repetitions) > 1 and of_the_same_operations(repetitions):
                worst = np.minimum.reduce(repetitions).max()
                panel.plot(place, worst, marker="o", markerfacecolor="white", markeredgecolor="black", markersize=5)
            names.append(name)
            bounds += [samples.min(), samples.max()]
    if names:
        panel.set_xticks(range(len(names)), names)
        panel.set_xlim(-BESIDE_CATEGORIES, len(names) - 1 + BESIDE_CATEGORIES)
    return bounds


def _in_decades(panel: Axes, logarithms: list[float]) -> None:
    """Let y go over the whole decades of these."""
    low = int(np.floor(min(logarithms)))
    high = max(int(np.ceil(max(logarithms))), low + 1)
    panel.set_ylim(low, high)
    panel.set_yticks(range(low, high + 1), [f"$10^{{{k}}}$" for k in range(low, high + 1)])


def _step(samples: pd.Series) -> float:
    """The smallest step in which the counter is seen to advance, except once in a thousand times. Not advancing is 0,
    or 1: some processors never return the same reading twice."""
    advances = np.concatenate([readings[readings > 1] for readings in map(np.asarray, samples)])
    return float(np.quantile(advances, 0.001)) if len(advances) else 1.0


def _violin(panel: Axes, place: int, samples: np.ndarray, style: Style) -> None:
    least, median, tail, most = np.quantile(samples, QUANTILES)
    counts, edges = np.histogram(samples, bins=BINS)
    kernel = np.exp(-0.5 * (np.arange(-6, 7) / 2.0) ** 2)
    density = np.convolve(counts, kernel / kernel.sum(), mode="same")
    width = HALF_WIDTH * density / density.max()
    middles = (edges[:-1] + edges[1:]) / 2
    panel.vlines(place, least, most, color=style.color, linewidth=0.8)
    panel.fill_betweenx(middles, place - width, place + width, color=style.color, alpha=0.35, linewidth=0)
    panel.hlines(median, place - HALF_WIDTH, place + HALF_WIDTH, color=style.color, linewidth=2.2)
    panel.hlines(tail, place - HALF_WIDTH / 2, place + HALF_WIDTH / 2, color="black", linewidth=1.4)
    panel.hlines([least, most], place - 0.12, place + 0.12, color=style.color, linewidth=1)


def _notes(spec: Options, rows: pd.DataFrame, sampled: pd.DataFrame, step: float) -> list[str]:
    def place(row: pd.Series) -> str:
        label = series(row["algorithm"], row["parameters"], spec.called).label
        return " / ".join(filter(None, (label, spec.title_at(row["panel"], row["line"]))))

    counts = sampled["samples"].map(len)
    counter = "the processor's time-stamp counter" if (sampled["unit"] == "cycles").all() else "the system's clock"
    timing = f"timed one by one by {counter}, in steps of {step:,.0f}"
    bars = "Coloured bar: median; black bar: 99.9th percentile; line: smallest to largest"
    known = any(len(cell) > 1 and of_the_same_operations(list(cell)) for _, cell in sampled.groupby("cell")["samples"])
    circle = "open circle: the costliest round, each taken in its quietest repetition; " if known else ""
    absent = without_result(rows, "Not measured", place)
    return [f"{bars}; {circle}{counts.sum():,} rounds in all, {timing}.", *absent]
