"""The description of a figure: the options that families share, and how they are checked.

A description is plain configuration. It names columns of the row schema for the axes and panels, or keys of the JSON
columns, such as ``workload_parameters.queries``, and has the texts. The options of a single family are in its module.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NewType, get_args, get_origin, get_type_hints

import pandas as pd

from plots.columns import FigureError, check_known, check_path, matches
from results.schema import OK

# The type of an option says how its value is read and checked.
ColumnPath = NewType("ColumnPath", str)
"""A column of the row schema, or COLUMN.KEY of one of its JSON columns."""

Where = Mapping[str, Any]
"""{path: value or values}, compared as text."""

Names = tuple[str, ...]
"""One text or several, in their order."""

Titles = Mapping[str, str]
"""{value: text to write for it}."""

Positive = NewType("Positive", float)

# y: label of the axis. How each is computed from a row is in `plots.points`.
MEASURES = {
    "throughput": "throughput (million items/s)",
    "time_per_item": "time per item (ns)",
    "value": "",
    "per_operation": "",
}

X_LABELS = {
    "distance": "out-of-order distance d (items)",
    "window": "window size n (items)",
    "batch": "batch size m (items)",
}

LETTERS = {"distance": "d", "window": "n", "batch": "m"}

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class NoRowsError(FigureError):
    """A figure without measured rows; it can be drawn once its experiment has run."""


class Frame(NamedTuple):
    """One state of a worked example, to be drawn alone: its name, the panel that it is, and the facts of its rows."""

    name: str
    panel: str
    facts: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Description:
    """The options of every figure. Those without a default are required.

    name: name of the files to write.  family: the module of `plots.families` that draws it.
    metric: the metrics of its rows, one or several.  where: selects among these rows.
    paper: where the original is, such as "FiBA, Figure 11".  caption: one or two sentences for the report page.
    clock: {metric: what is inside the clock and what is outside}.  assumes: what is not known and taken to be so.
    store: what the paper's key-value store was, a sentence; those of the rows are told before it.
    called: {algorithm: its name in the paper}, in addition to `plots.style.CALLED`.
    """

    name: str
    family: str
    metric: Names = ("time",)
    where: Where = field(default_factory=dict)
    title: str = ""
    paper: str = ""
    caption: str = ""
    clock: Titles = field(default_factory=dict)
    assumes: Names = ()
    store: str = ""
    called: Titles = field(default_factory=dict)

    def frames(self, examples: Iterable[Mapping[str, Any]]) -> Iterable[Frame]:
        """The states of worked examples, which are the facts of rows; of other figures none."""
        return ()

    def __post_init__(self) -> None:
        if not _FILE_NAME.fullmatch(self.name):
            raise FigureError(f"name is {self.name!r}; it must be a file name of letters, digits, '_', '-' and '.'")
        for key, path in self._paths():
            self._check_path(key, path)
        for key, kind in get_type_hints(type(self)).items():
            value = getattr(self, key)
            if get_origin(kind) is Literal and value not in get_args(kind):
                check_known(f"{key} of {self.family}", value, filter(None, get_args(kind)))
            elif kind is Positive and not value > 0:
                raise FigureError(f"{key} is {value!r}; it must be a positive number")
            elif kind == Where:
                for path in value:
                    check_path(key, path)

    def _paths(self) -> list[tuple[str, str]]:
        """The options that are paths and are set, with the paths."""
        kinds = get_type_hints(type(self))
        keys = [key for key, kind in kinds.items() if kind in (ColumnPath, ColumnPath | None)]
        return [(key, getattr(self, key)) for key in keys if getattr(self, key)]

    def _check_path(self, key: str, path: str) -> None:
        check_path(key, path)

    @property
    def metrics(self) -> str:
        """The metrics in words."""
        return " or ".join(map(repr, self.metric))

    @property
    def varied(self) -> frozenset[str]:
        """The keys of `parameters` that are shown by position and do not distinguish series."""
        return frozenset(path.partition(".")[2] for _, path in self._paths() if path.startswith("parameters."))

    def panel_title(self, value: str) -> str:
        """Return the name of the panel of `value`."""
        return value


@dataclass(frozen=True, kw_only=True)
class Panels(Description):
    """panel: path; each value gets a panel.  panels: its values in drawing order.  panel_titles: {value: title}."""

    panel: ColumnPath | None = None
    panels: Names = ()
    panel_titles: Titles = field(default_factory=dict)

    def panel_title(self, value: str) -> str:
        """Return the title of the panel of `value`: from the description, or the value with its letter or key."""
        return self.panel_titles.get(value, named(self.panel, value))


@dataclass(frozen=True, kw_only=True)
class Measured(Description):
    """y: key of `MEASURES`, or a path to numbers.  y_divide: number of units of y in the unit of the label."""

    y: str
    y_label: str = ""
    y_divide: Positive = Positive(1)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_y()

    def _check_y(self) -> None:
        if "." in self.y:
            check_path("y", self.y)
        else:
            check_known("y", self.y, MEASURES)

    def y_text(self) -> str:
        """Return the label of y, with its unit."""
        return self.y_label or MEASURES.get(self.y) or " and ".join(self.metric if self.y in MEASURES else [self.y])


@dataclass(frozen=True, kw_only=True)
class Axes(Panels, Measured):
    """x: path on the x axis.  y_scale: linear or log10.  same_y: one range of y for all panels."""

    x: ColumnPath
    x_label: str = ""
    y_scale: Literal["linear", "log10"] = "linear"
    same_y: bool = False

    def axis_labels(self) -> tuple[str, str]:
        """Return the labels of the x and y axes, with units."""
        return self.x_label or X_LABELS.get(self.x, self.x.rpartition(".")[2]), self.y_text()


def select(spec: Description, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the figure: those with its metrics, and every run without a result.

    A run without a result has the metric of its cell, which may differ from that of any row with a result, so it is
    always kept. Raises NoRowsError if there are no rows.
    """
    ok = rows["status"] == OK
    other_metrics = set(rows.loc[ok, "metric"]) - set(spec.metric)
    selected = rows["metric"].isin(spec.metric) | (~ok & ~rows["metric"].isin(other_metrics))
    selected &= matches(rows, spec.where)
    if not selected.any():
        where = f" and {dict(spec.where)}" if spec.where else ""
        raise NoRowsError(f"there are no rows with metric {spec.metrics}{where}; run the experiment first")
    return rows[selected]


def named(path: str | None, value: str) -> str:
    """A value of the column under a path, with its letter or key."""
    if path in LETTERS and value:
        return f"{LETTERS[path]} = {float(value):,.0f}"
    return f"{path.rpartition('.')[2]} = {value}" if path and "." in path else value
