"""What a figure description may say, and the rows that it selects.

A description is plain configuration: it names columns of the row schema for the axes and panels, and holds the texts.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd

from results.schema import OK, SCHEMA

# What draws a figure, and which keys its description must have besides name and family.
FAMILIES = {"lines": ("x", "y"), "dots": ("x", "y"), "violins": ("panel",), "trees": ()}
X_SCALES = ("linear", "log2")

# y: label of the axis. How each is computed from a row is in `plots.points`.
MEASURES = {"throughput": "throughput (million items/s)", "time_per_item": "time per item (ns)"}

X_LABELS = {
    "distance": "out-of-order distance d (items)",
    "window": "window size n (items)",
    "batch": "batch size m (items)",
}

LETTERS = {"distance": "d", "window": "n", "batch": "m"}

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class FigureError(ValueError):
    """A figure that cannot be drawn; the message names the key, its value and what would be right."""


@dataclass(frozen=True)
class Description:
    """One figure.

    name: name of the files to write.  family: the module of `plots` that draws it.
    x: column on the x axis.  y: key of `MEASURES`.  metric, where: which rows ({column: value or values}).
    panel: column with one panel a value; panels: its values in drawing order; panel_titles: {value: title}.
    panel_rows: column with one row of panels a value (violins).
    Trees have no x, y and panel; their panels are the states to draw, all if there are none.
    x_scale: linear or log2 (which has a place for 0, too).  x_divide: number of units of x in the unit of `x_label`.
    paper: where the original is, such as "FiBA, Figure 11".  caption: one or two sentences for the report page.
    """

    name: str
    family: str
    x: str = ""
    y: str = ""
    metric: str = "time"
    where: Mapping[str, Any] = field(default_factory=dict)
    panel: str | None = None
    panels: tuple[str, ...] = ()
    panel_rows: str | None = None
    panel_titles: Mapping[str, str] = field(default_factory=dict)
    x_scale: str = "linear"
    x_divide: float = 1
    x_label: str = ""
    y_label: str = ""
    title: str = ""
    paper: str = ""
    caption: str = ""

    def __post_init__(self) -> None:
        if not _FILE_NAME.fullmatch(self.name):
            raise FigureError(f"name is {self.name!r}; it must be a file name of letters, digits, '_', '-' and '.'")
        _check_known("family", self.family, FAMILIES)
        for key in FAMILIES[self.family]:
            if not getattr(self, key):
                raise FigureError(f"the figure has no {key}; family {self.family} needs it")
        if self.y:
            _check_known("y", self.y, MEASURES)
        _check_known("x_scale", self.x_scale, X_SCALES)
        for key, columns in (
            ("x", [self.x]),
            ("panel", [self.panel]),
            ("panel_rows", [self.panel_rows]),
            ("where", self.where),
        ):
            for column in filter(None, columns):
                _check_known(key, column, SCHEMA.names)
        if not self.x_divide > 0:
            raise FigureError(f"x_divide is {self.x_divide!r}; it must be a positive number")

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Description":
        """Make a description from configuration. Raises FigureError for unknown, missing and wrong keys."""
        names = [part.name for part in fields(cls)]
        for key in mapping:
            _check_known("a key of the figure", key, names)
        for key in ("name", "family"):
            if not mapping.get(key):
                raise FigureError(f"the figure has no {key}; it must be given")
        given = {key: value for key, value in mapping.items() if value is not None}
        given["panels"] = tuple(str(value) for value in given.get("panels", ()))
        given["panel_titles"] = {str(value): title for value, title in given.get("panel_titles", {}).items()}
        return cls(**given)

    def axis_labels(self) -> tuple[str, str]:
        """Return the labels of the x and y axes, with units."""
        return self.x_label or X_LABELS.get(self.x, self.x), self.y_label or MEASURES[self.y]

    def panel_title(self, value: str) -> str:
        """Return the title of the panel of `value`: as described, or the value, with its letter if it has one."""
        letter = LETTERS.get(self.panel or "")
        return self.panel_titles.get(value, f"{letter} = {float(value):,.0f}" if letter else value)


def select(spec: Description, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that the figure is about: those of its metric, and every run that gave no result.

    Raises FigureError if there are none.
    """
    wanted = (rows["metric"] == spec.metric) | (rows["status"] != OK)
    for column, value in spec.where.items():
        values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
        wanted &= rows[column].isin(values)
    if not wanted.any():
        where = f" and {dict(spec.where)}" if spec.where else ""
        raise FigureError(f"there are no rows with metric {spec.metric!r}{where}; run the experiment first")
    return rows[wanted]


def _check_known(key: str, value: Any, known: Iterable[str]) -> None:
    known = list(known)
    if value not in known:
        near = difflib.get_close_matches(str(value), known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it must be one of {', '.join(known)}"
        raise FigureError(f"{key} is {value!r}; {hint}")
