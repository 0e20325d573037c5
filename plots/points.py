"""From raw rows to what is drawn: one point for each panel, series and x, and the points that are missing."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from plots.description import Description, FigureError
from plots.style import Style, canonical, series
from results.schema import OK

POINT = ["panel", "algorithm", "parameters", "x"]

# Columns that make different grid points: their values must not be pooled into one median.
GRID = ("operator", "workload", "workload_parameters", "window", "distance", "batch")
# Columns in which repetitions of one grid point may differ; a figure that pools several values says so.
ORIGIN = {"profile": "profiles", "machine": "machines", "code_hash": "code versions", "trace_hash": "traces"}

REASON_LENGTH = 120


class Missing(NamedTuple):
    """Repetitions without a result: of which series, where, how many of how many, and why."""

    panel: str
    label: str
    xs: tuple[float, ...]
    whole_series: bool
    partly: bool
    status: str
    reason: str


def locate(spec: Description, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with columns panel (text), x (float64) and y (float64, NaN without a result) added."""
    if not (rows.loc[rows["status"] == OK, "unit"] == "ns").all():
        units = sorted(rows.loc[rows["status"] == OK, "unit"].unique())
        raise FigureError(f"y is {spec.y!r}, which is computed from nanoseconds; the rows are in {', '.join(units)}")
    if rows[spec.x].isna().any():
        raise FigureError(f"x is {spec.x!r}, which is empty in some rows; choose a column that all rows have")
    rows = rows.assign(
        panel=rows[spec.panel].astype(str) if spec.panel else "",
        parameters=rows["parameters"].map(canonical),
        x=rows[spec.x].astype("float64") / spec.x_divide,
    )
    measured = rows["value"].where(rows["status"] == OK).astype("float64")
    if spec.y == "throughput":
        return rows.assign(y=rows["operations"] / measured * 1e3)
    return rows.assign(y=measured / rows["operations"])


def points(located: pd.DataFrame) -> pd.DataFrame:
    """Return one line per panel, algorithm, parameters and x: median, low, high (float64) and repetitions (int).

    Raises FigureError if a point would pool rows of different grid points.
    """
    measured = located[located["status"] == OK]
    for column in GRID:
        counts = measured.groupby(POINT)[column].nunique(dropna=False)
        if (counts > 1).any():
            values = ", ".join(str(value) for value in sorted(measured[column].unique(), key=str)[:5])
            raise FigureError(
                f"the figure would pool rows with different {column} ({values}) in one point; "
                f"make {column} its x or panel, or select one value with where: {{{column}: ...}}"
            )
    grouped = measured.groupby(POINT)["y"]
    return grouped.agg(median="median", low="min", high="max", repetitions="count").reset_index()


def pooled(located: pd.DataFrame) -> list[str]:
    """Say which origins are pooled in some point, such as "2 machines"; empty if every point has one origin."""
    measured = located[located["status"] == OK].groupby(POINT)
    counts = {words: measured[column].nunique().max() for column, words in ORIGIN.items()}
    return [f"{count} {words}" for words, count in counts.items() if count > 1]


def styles(located: pd.DataFrame) -> list[tuple[str, str, Style]]:
    """Return (algorithm, parameters, style) of every series, in legend order."""
    pairs = located[["algorithm", "parameters"]].drop_duplicates().itertuples(index=False)
    found = [(algorithm, parameters, series(algorithm, parameters)) for algorithm, parameters in pairs]
    return sorted(found, key=lambda entry: (entry[2].order, entry[2].label))


def panels(spec: Description, located: pd.DataFrame) -> list[str]:
    """Return the values of the panel column: those of the description in its order, then any others of the rows."""
    found = set(located["panel"])
    if not spec.panel:
        return [""]
    return [*spec.panels, *sorted(found - set(spec.panels))]


def missing(located: pd.DataFrame) -> Iterator[Missing]:
    """Yield the repetitions without a result, those of one series with one reason together, in legend order."""
    has_result = located[located["status"] == OK].groupby(POINT).size().rename("results")
    without = located[located["status"] != OK].join(has_result, on=POINT)
    without = without.assign(reason=without["reason"].map(_shortened), partly=without["results"].notna())
    for algorithm, parameters, style in styles(without):
        of_series = without[(without["algorithm"] == algorithm) & (without["parameters"] == parameters)]
        for (panel, status, reason, partly), group in of_series.groupby(["panel", "status", "reason", "partly"]):
            whole = located[
                (located["panel"] == panel)
                & (located["algorithm"] == algorithm)
                & (located["parameters"] == parameters)
            ]
            xs = tuple(sorted(group["x"].unique()))
            is_whole = not partly and set(xs) == set(whole["x"])
            yield Missing(panel, style.label, xs, is_whole, partly, status, reason)


def _shortened(reason: str) -> str:
    reason = " ".join(reason.split())
    return reason if len(reason) <= REASON_LENGTH else reason[: REASON_LENGTH - 1] + "…"
