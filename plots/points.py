"""From raw rows to what is drawn: one point for each panel, series, x and part, and the points that are missing."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from plots.columns import FigureError, column, in_order, texts
from plots.description import Axes, Description, Measured, Panels
from plots.intervals import half_width
from plots.style import Style, canonical, series
from results.laps import typical_values
from results.schema import OK, SKIPPED

POINT = ["panel", "algorithm", "parameters", "x", "part"]

# Columns that make different grid points: their values must not be pooled into one median.
GRID = ("operator", "workload", "workload_parameters", "window", "distance", "batch", "metric")
# Columns in which repetitions of one grid point may differ; a figure that pools several values says so.
ORIGIN = {"profile": "profiles", "machine": "machines", "code_hash": "code versions", "trace_hash": "traces"}

REASON_LENGTH = 120


class Missing(NamedTuple):
    """Repetitions without a result: their series, their place, how many of how many, and why."""

    panel: str
    label: str
    xs: tuple[Any, ...]
    whole_series: bool
    partly: bool
    status: str
    reason: str


def placed(spec: Description, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the column panel (text), and with empty columns part, x and y for the caller to fill.

    Keys that the figure shows by position are removed from the parameters.
    """
    panel = getattr(spec, "panel", None)
    return rows.assign(
        panel=texts(rows, panel) if panel else "",
        part="",
        x="",
        y=float("nan"),
        parameters=without_keys(rows["parameters"], spec.varied),
    )


def locate(spec: Measured, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows as `placed` does, with y (float64), and x if the figure has axes (float64; text for categories).

    y is NaN without a result.
    """
    located = placed(spec, rows).assign(y=_y(spec, rows))
    if isinstance(spec, Axes):
        located["x"] = _x(spec, rows)
    return skip_missing_y(spec, located) if "." in spec.y else located


def skip_missing_y(spec: Measured, located: pd.DataFrame) -> pd.DataFrame:
    """Turn rows that have a result, but not the y under the description's path, into rows without a result.

    Facts may give under ``lacking.KEY`` the reason why they have no KEY. O(rows).
    """
    name, _, key = spec.y.partition(".")
    absent = (located["status"] == OK) & located["y"].isna()
    reasons = [json.loads(text).get("lacking", {}).get(key) for text in located.loc[absent, "facts"]]
    located.loc[absent, "reason"] = [reason or f"the row's {name} have no {key}" for reason in reasons]
    located.loc[absent, "status"] = SKIPPED
    return located


def without_keys(parameters: pd.Series, keys: frozenset[str]) -> pd.Series:
    """Return a column of parameters in canonical form without the keys. O(rows + distinct texts)."""
    canonical_without = {
        text: canonical({name: value for name, value in json.loads(text).items() if name not in keys})
        for text in parameters.unique()
    }
    return parameters.map(canonical_without)


def _x(spec: Axes, rows: pd.DataFrame) -> pd.Series:
    values = column(rows, spec.x)
    if values[(rows["status"] == OK) | ("." not in spec.x)].isna().any():
        raise FigureError(f"x is {spec.x!r}, which is empty in some rows; choose a column that all rows have")
    if spec.x_scale == "category":
        return texts(rows, spec.x).where(values.notna())
    return numbers("x", spec.x, values) / spec.x_divide


def _y(spec: Measured, rows: pd.DataFrame) -> pd.Series:
    ok = rows["status"] == OK
    if spec.y in ("throughput", "time_per_item") and not (rows.loc[ok, "unit"] == "ns").all():
        units = sorted(rows.loc[ok, "unit"].unique())
        raise FigureError(f"y is {spec.y!r}, which is computed from nanoseconds; the rows are in {', '.join(units)}")
    if "." in spec.y:
        return numbers("y", spec.y, column(rows, spec.y).where(ok)) / spec.y_divide
    value = typical_values(rows).where(ok)
    if value[ok].isna().any():
        raise FigureError(f"y is {spec.y!r}, but rows of metric {spec.metrics} hold samples; family violins draws them")
    if spec.y == "throughput":
        return rows["operations"] / value * 1e3 / spec.y_divide
    return value / (1 if spec.y == "value" else rows["operations"]) / spec.y_divide


def numbers(key: str, path: str, values: pd.Series) -> pd.Series:
    """Return the values as float64. Raises FigureError if one is neither a number nor missing."""
    try:
        return values.astype("float64")
    except (TypeError, ValueError):
        raise FigureError(f"{key} is {path!r}, which is not a number in some rows; choose numbers") from None


def points(located: pd.DataFrame, confidence: float | None = None) -> pd.DataFrame:
    """Return one line per panel, algorithm, parameters, x and part: middle, low, high (float64), repetitions (int),
    counted (bool): whether the value is exact.

    They are the median, smallest and largest over repetitions; with `confidence` (per cent) the mean and the ends of
    its confidence interval. Raises FigureError if a point would pool rows of different grid points.
    """
    measured = located[located["status"] == OK]
    check_not_pooled(measured, POINT, GRID)
    grouped = measured.groupby(POINT)
    common = {"repetitions": ("y", "count"), "counted": ("counted", "all")}
    if confidence is None:
        return grouped.agg(middle=("y", "median"), low=("y", "min"), high=("y", "max"), **common).reset_index()
    means = grouped.agg(middle=("y", "mean"), around=("y", lambda y: half_width(y, confidence)), **common).reset_index()
    means = means.assign(low=means["middle"] - means["around"], high=means["middle"] + means["around"])
    return means[[*POINT, "middle", "low", "high", "repetitions", "counted"]]


def check_not_pooled(measured: pd.DataFrame, point: Sequence[str], grid: Sequence[str]) -> None:
    """Raise FigureError if rows that agree in `point` differ in a column of `grid`: they have no common median."""
    for name in grid:
        counts = measured.groupby(list(point))[name].nunique(dropna=False)
        if (counts > 1).any():
            values = ", ".join(str(value) for value in sorted(measured[name].unique(), key=str)[:5])
            raise FigureError(
                f"the figure would pool rows with different {name} ({values}) in one point; "
                f"make {name} its x or panel, or select one value with where: {{{name}: ...}}"
            )


def pooled(located: pd.DataFrame) -> list[str]:
    """Return the origins that some point pools, such as "2 machines"; empty if every point has one origin."""
    measured = located[located["status"] == OK].groupby(POINT)
    counts = {words: measured[column].nunique().max() for column, words in ORIGIN.items()}
    return [f"{count} {words}" for words, count in counts.items() if count > 1]


def styles(located: pd.DataFrame, called: Mapping[str, str] | None = None) -> list[tuple[str, str, Style]]:
    """Return (algorithm, parameters, style) of every series, in legend order; `called`: see `style.series`."""
    pairs = located[["algorithm", "parameters"]].drop_duplicates().itertuples(index=False)
    entries = [(algorithm, parameters, series(algorithm, parameters, called)) for algorithm, parameters in pairs]
    return sorted(entries, key=lambda entry: (entry[2].order, _numbers_by_value(entry[2].label)))


def _numbers_by_value(label: str) -> list[tuple[int, str]]:
    """What orders labels by their text, and the numbers in them by value: 5000 before 20000."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", label)]


def of_series(located: pd.DataFrame, algorithm: str, parameters: str) -> pd.DataFrame:
    """Return the lines of one series."""
    return located[(located["algorithm"] == algorithm) & (located["parameters"] == parameters)]


def panels(spec: Panels, located: pd.DataFrame) -> list[str]:
    """Return the values of the panel column: those of the description in its order, then any others of the rows."""
    return in_order(located["panel"], spec.panels) if spec.panel else [""]


def missing(located: pd.DataFrame, called: Mapping[str, str] | None = None) -> Iterator[Missing]:
    """Yield the repetitions without a result, those of one series with one reason together, in legend order."""
    has_result = located[located["status"] == OK].groupby(POINT).size().rename("results")
    absent = located[located["status"] != OK].join(has_result, on=POINT)
    absent = absent.assign(reason=absent["reason"].map(shortened), partly=absent["results"].notna())
    for algorithm, parameters, style in styles(absent, called):
        absent_of_series = of_series(absent, algorithm, parameters)
        for (panel, status, reason, partly), group in absent_of_series.groupby(["panel", "status", "reason", "partly"]):
            in_panel = of_series(located[located["panel"] == panel], algorithm, parameters)
            xs = tuple(sorted(group["x"].dropna().unique()))
            is_whole = not partly and set(xs) == set(in_panel["x"].dropna())
            yield Missing(panel, style.label, xs, is_whole, partly, status, reason)


OF_A_CELL = re.compile(r"^.*? (needs up to [\d.,]+ GiB) for [\d,]+ entries")
"""What a cell is called, the memory that it needs, and for how many entries."""


def shortened(reason: str) -> str:
    """The reason without the cell, which its line names anyway, and without its entries, of which some have one or two
    more than the window: so cells that need as much memory share a line."""
    reason = OF_A_CELL.sub(r"\1", " ".join(reason.split()))
    return reason if len(reason) <= REASON_LENGTH else reason[: REASON_LENGTH - 1] + "…"
