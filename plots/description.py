"""What a figure description may say, and the rows that it selects.

A description is plain configuration: it names columns of the row schema for the axes and panels, or keys of the JSON
columns, such as ``workload_parameters.queries``, and holds the texts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd

from plots.columns import FigureError, check_known, check_path, matches, text
from results.schema import OK

# What draws a figure, and which keys its description must have besides name and family.
FAMILIES = {
    "lines": ("x", "y"),
    "dots": ("x", "y"),
    "bars": ("x", "y"),
    "scatter": ("x", "y"),
    "steps": ("x", "y"),
    "violins": ("panel",),
    "trees": (),
    "slices": (),
    "levels": (),
    "table": ("rows", "columns", "y"),
}
# Keys that mean something to some families only.
KEYS_OF = {
    "fit": ("lines",),
    "confidence": ("lines",),
    "base": ("lines", "bars"),
    "stack": ("bars",),
    "stack_values": ("bars",),
    "panel_rows": ("violins",),
    **dict.fromkeys(("rows", "columns", "row_values", "column_values", "format", "ratio"), ("table",)),
}
X_SCALES = ("linear", "log2", "log10", "category")
Y_SCALES = ("linear", "log10")
FITS = ("log2", "linear")

# y: label of the axis. How each is computed from a row is in `plots.points`.
MEASURES = {
    "throughput": "throughput (million items/s)",
    "time_per_item": "time per item (ns)",
    "value": "",
    "per_operation": "",
}

# The rows or columns of a table that are the series: the label of the algorithm with its parameters.
SERIES = "series"
CHECK, TEXT = "check", "text"

X_LABELS = {
    "distance": "out-of-order distance d (items)",
    "window": "window size n (items)",
    "batch": "batch size m (items)",
}

LETTERS = {"distance": "d", "window": "n", "batch": "m"}

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_LISTS = ("panels", "x_values", "stack_values", "row_values", "column_values")
_TITLES = ("panel_titles", "titles")


class NoRowsError(FigureError):
    """A figure that nothing was measured for; it can be drawn when its experiment has been run."""


@dataclass(frozen=True)
class Description:
    """One figure. A path is a column of the row schema, or COLUMN.KEY of one of its JSON columns.

    name: name of the files to write.  family: the module of `plots` that draws it.
    x: path on the x axis.  y: key of `MEASURES`, or a path to numbers.
    metric: which rows, one or a list.  where: {path: value or values}, compared as text.
    panel: path with one panel a value; panels: its values in drawing order; panel_titles: {value: title}.
    panel_rows: path with one row of panels a value (violins).
    Trees, slices and levels have no x, y and panel; their panels are the states, streams or examples to draw, all if
    there are none.
    x_scale: linear; log2 or log10 (which have a place for 0, too); category: as text, those of `x_values` first.
    x_divide, y_divide: number of units of x or y in the unit of the label.  y_scale: linear or log10.
    confidence: per cent; lines are means and bands their confidence intervals, not medians and extremes (lines).
    fit: the least-squares straight line of each series over log2 x or over x (lines).
    base: {path: value}: y is divided by the series' own median where that holds, at the same x and panel (lines, bars).
    stack: path with one part of each bar a value; stack_values: the parts from below (bars).
    rows, columns: path, or `SERIES`; row_values, column_values: their order (tables).
    format: how a cell is written: a format such as "{:.2f}", `CHECK` or `TEXT` (tables).
    ratio: {over: where, under: where}: a cell is y of the one selection divided by y of the other (tables).
    titles: {value: text}, written for values of rows, columns, categories and parts.
    paper: where the original is, such as "FiBA, Figure 11".  caption: one or two sentences for the report page.

    Keys of the window's parameters that are x, panel, stack, rows or columns do not distinguish series.
    """

    name: str
    family: str
    x: str = ""
    y: str = ""
    metric: str | tuple[str, ...] = "time"
    where: Mapping[str, Any] = field(default_factory=dict)
    panel: str | None = None
    panels: tuple[str, ...] = ()
    panel_rows: str | None = None
    panel_titles: Mapping[str, str] = field(default_factory=dict)
    x_scale: str = "linear"
    x_values: tuple[str, ...] = ()
    x_divide: float = 1
    x_label: str = ""
    y_scale: str = "linear"
    y_divide: float = 1
    y_label: str = ""
    confidence: float | None = None
    fit: str | None = None
    base: Mapping[str, Any] = field(default_factory=dict)
    stack: str | None = None
    stack_values: tuple[str, ...] = ()
    rows: str | None = None
    row_values: tuple[str, ...] = ()
    columns: str | None = None
    column_values: tuple[str, ...] = ()
    format: str = "{:.3g}"
    ratio: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    paper: str = ""
    caption: str = ""

    def __post_init__(self) -> None:
        if not _FILE_NAME.fullmatch(self.name):
            raise FigureError(f"name is {self.name!r}; it must be a file name of letters, digits, '_', '-' and '.'")
        check_known("family", self.family, FAMILIES)
        for key in FAMILIES[self.family]:
            if not getattr(self, key):
                raise FigureError(f"the figure has no {key}; family {self.family} needs it")
        for key, families in KEYS_OF.items():
            if self.family not in families and getattr(self, key) != _default(key):
                raise FigureError(f"{key} is {getattr(self, key)!r}; only family {' or '.join(families)} has it")
        self._check_paths()
        check_known("x_scale", self.x_scale, X_SCALES)
        if self.family == "bars":
            check_known("x_scale of bars", self.x_scale, ["category"])
        if self.family == "scatter":
            check_known("x_scale of a scatter", self.x_scale, X_SCALES[:-1])
        if self.family == "steps":
            check_known("x_scale of steps", self.x_scale, X_SCALES[:1])
        check_known("y_scale", self.y_scale, Y_SCALES)
        if self.fit:
            check_known("fit", self.fit, FITS)
            if self.x_scale == "category":
                raise FigureError(f"fit is {self.fit!r} and x_scale is 'category'; a line is fitted over numbers")
        if self.confidence is not None and not 0 < self.confidence < 100:
            raise FigureError(f"confidence is {self.confidence!r}; it must be per cent between 0 and 100, such as 99")
        for key in ("x_divide", "y_divide"):
            if not getattr(self, key) > 0:
                raise FigureError(f"{key} is {getattr(self, key)!r}; it must be a positive number")
        _check_format(self.format)
        if self.ratio and (set(self.ratio) != {"over", "under"} or self.format in (CHECK, TEXT)):
            raise FigureError(f"ratio is {dict(self.ratio)!r}; it must be {{over: where, under: where}}, of numbers")

    def _check_paths(self) -> None:
        if "." in self.y or (self.y and self.format == TEXT):
            check_path("y", self.y)
        elif self.y:
            check_known("y", self.y, MEASURES)
        for key in ("x", "panel", "panel_rows", "stack", "rows", "columns"):
            path = getattr(self, key)
            if path and not (key in ("rows", "columns") and path == SERIES):
                check_path(key, path)
        for key, where in (("where", self.where), ("base", self.base), *self.ratio.items()):
            for path in where:
                check_path(key, path)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Description":
        """Make a description from configuration. Raises FigureError for unknown, missing and wrong keys."""
        names = [part.name for part in fields(cls)]
        for key in mapping:
            check_known("a key of the figure", key, names)
        for key in ("name", "family"):
            if not mapping.get(key):
                raise FigureError(f"the figure has no {key}; it must be given")
        given = {key: value for key, value in mapping.items() if value is not None}
        given |= {key: tuple(text(value) for value in given.get(key, ())) for key in _LISTS}
        given |= {key: {text(value): title for value, title in given.get(key, {}).items()} for key in _TITLES}
        if given["family"] == "bars":
            given.setdefault("x_scale", "category")
        if not isinstance(given.get("metric", ""), str):
            given["metric"] = tuple(given["metric"])
        return cls(**given)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics whose rows are drawn."""
        return (self.metric,) if isinstance(self.metric, str) else self.metric

    @property
    def varied(self) -> frozenset[str]:
        """The keys of `parameters` that are shown by a place and do not distinguish series."""
        paths = (self.x, self.panel, self.panel_rows, self.stack, self.rows, self.columns)
        return frozenset(path.partition(".")[2] for path in paths if path and path.startswith("parameters."))

    def axis_labels(self) -> tuple[str, str]:
        """Return the labels of the x and y axes, with units."""
        y = self.y_label or MEASURES.get(self.y) or " and ".join(self.metrics if self.y in MEASURES else [self.y])
        relative = ", ".join(f"{path.rpartition('.')[2]} = {text(value)}" for path, value in self.base.items())
        if relative and not self.y_label:
            y = f"{y.partition(' (')[0]}, relative to {relative}"
        return self.x_label or X_LABELS.get(self.x, self.x.rpartition(".")[2]), y

    def panel_title(self, value: str) -> str:
        """Return the title of the panel of `value`: as described, or the value with its letter or key."""
        return self.panel_titles.get(value, _named(self.panel, value))

    def row_title(self, value: str) -> str:
        """Return the title of the row of panels of `value`, likewise."""
        return self.panel_titles.get(value, _named(self.panel_rows, value))


def select(spec: Description, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that the figure is about: those of its metrics, and every run of them that gave no result.

    A run without a result has the metric of its cell, which may be one that no row with a result has: it is kept.
    Raises NoRowsError if there are none.
    """
    ok = rows["status"] == OK
    elsewhere = set(rows.loc[ok, "metric"]) - set(spec.metrics)
    wanted = rows["metric"].isin(spec.metrics) | (~ok & ~rows["metric"].isin(elsewhere))
    wanted &= matches(rows, spec.where)
    if not wanted.any():
        where = f" and {dict(spec.where)}" if spec.where else ""
        metrics = " or ".join(map(repr, spec.metrics))
        raise NoRowsError(f"there are no rows with metric {metrics}{where}; run the experiment first")
    return rows[wanted]


def _named(path: str | None, value: str) -> str:
    if path in LETTERS and value:
        return f"{LETTERS[path]} = {float(value):,.0f}"
    return f"{path.rpartition('.')[2]} = {value}" if path and "." in path else value


def _default(key: str) -> Any:
    part = next(part for part in fields(Description) if part.name == key)
    return part.default_factory() if callable(part.default_factory) else part.default


def _check_format(form: str) -> None:
    if form in (CHECK, TEXT):
        return
    try:
        good = form.format(1.0) != form
    except (ValueError, IndexError, KeyError):
        good = False
    if not good:
        raise FigureError(f"format is {form!r}; it must be {CHECK}, {TEXT} or such as '{{:.2f}}'")
