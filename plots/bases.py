"""y relative to a base: each series is divided by its own value at the base, or that is subtracted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from plots import printed
from plots.columns import FigureError, matches, text, texts
from plots.description import Axes, Where
from plots.points import locate, without_keys
from results.schema import OK, SKIPPED


@dataclass(frozen=True, kw_only=True)
class Based(Axes):
    """base: selects rows; y is divided by the series' own median over these, at the same x and panel.

    compared: ratio; difference: that median is subtracted from y instead.
    printed: points {x, y, panel, series} that the paper's text has, in the units of the axes; panel and series (an
    algorithm) may be left out.
    """

    base: Where = field(default_factory=dict)
    compared: Literal["ratio", "difference"] = "ratio"
    printed: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        printed.checked(self.printed)
        if self.compared == "difference" and self.y_scale != "linear":
            raise FigureError("compared is 'difference', which may be negative; it needs y_scale: linear")

    @property
    def level(self) -> int:
        """The y of what is no different from its base."""
        return 1 if self.compared == "ratio" else 0

    @property
    def subtracted(self) -> bool:
        """Whether y is the difference from a base, which may be negative and has the unit of y."""
        return bool(self.base) and self.compared == "difference"

    def y_text(self) -> str:
        """Return the label of y, with its unit or with the base that it is relative to."""
        label = super().y_text()
        if self.y_label or not self.base:
            return label
        relative = ", ".join(f"{path.rpartition('.')[2]} = {text(value)}" for path, value in self.base.items())
        name, _, unit = label.partition(" (")
        return f"{name}, relative to {relative}" + (f" ({unit}" if unit and self.subtracted else "")


def relative(spec: Based, rows: pd.DataFrame, part: str | None = None) -> pd.DataFrame:
    """Locate the rows as `points.locate` does, with the text under the path `part`, and compare y with any base.

    The base is the median of y over the base's rows with the same series, panel, part and x, except for what the
    base itself fixes. The rows of the base are left out. Points whose base has no result have no result either. Raises
    FigureError if no row belongs to the base.
    """
    located = locate(spec, rows).assign(part=texts(rows, part) if part else "")
    if not spec.base:
        return located
    is_base = matches(rows, spec.base)
    if not is_base.any():
        raise FigureError(f"base is {dict(spec.base)!r}, which no row has; there is nothing to compare with")
    is_fixed = {"panel": spec.panel in spec.base, "x": spec.x in spec.base, "part": part in spec.base}
    keys = ["algorithm", "own", *(column for column, fixed in is_fixed.items() if not fixed)]
    base_keys = frozenset(path.partition(".")[2] for path in spec.base if path.startswith("parameters."))
    located = located.assign(own=without_keys(located["parameters"], base_keys))
    base = located[is_base].groupby(keys)["y"].median().rename("base")
    located = located[~is_base].join(base, on=keys)
    without_base = located["base"].isna() & (located["status"] == OK)
    located.loc[without_base, ["status", "reason"]] = (SKIPPED, "there is no result to compare with")
    y = located["y"] / located["base"] if spec.compared == "ratio" else located["y"] - located["base"]
    return located.assign(y=y).drop(columns=["own", "base"])
