"""The small print of a figure: what was measured how, what was not measured, and where the numbers come from."""

import json

import pandas as pd

from plots.description import Description
from plots.intervals import LEAST
from plots.points import Missing, missing, pooled

# How a family shows the median over repetitions, and the smallest and largest.
SHOWN = {"lines": ("Lines", "bands"), "bars": ("Bars", "whiskers"), "table": ("Cells", "below or in brackets")}

MOST_LINES = 8
MOST_FACTS = 3
DRAFT = "draft: uncommitted code"


def notes(spec: Description, located: pd.DataFrame, drawn: pd.DataFrame) -> list[str]:
    """Return the lines below the panels: facts about the workload, repetitions, pooled origins, missing points.

    `located` and `drawn` are what `points.locate` and `points.points` return.
    """
    lines = [*_distances(located), *_repetitions(spec, drawn), *_fits(spec)]
    if spec.family in SHOWN and (origins := pooled(located)):
        lines.append(f"Some points pool {', '.join(origins)}.")
    absent = [_missing_line(spec, entry) for entry in missing(located)]
    shown = absent if len(absent) <= MOST_LINES else absent[: MOST_LINES - 1]
    lines += shown
    if len(shown) < len(absent):
        lines.append(f"… and {len(absent) - len(shown)} more entries without a result: see the report page.")
    return lines


def footer(spec: Description, rows: pd.DataFrame) -> str:
    """Return one line: paper, profile, machine, date of the measurement (UTC), revision of the code."""
    parts = [
        spec.paper,
        f"profile {_listed(rows['profile'])}",
        f"machine {_listed(rows['machine'])}",
        f"measured {rows['started'].max():%Y-%m-%d}",
        f"revision {_listed(rows['git_revision'].str[:10])}",
    ]
    return " · ".join(part for part in parts if part and not part.endswith(" "))


def is_draft(rows: pd.DataFrame) -> bool:
    """Say whether any row was measured with uncommitted changes."""
    return bool(rows["git_dirty"].any())


def distances(facts: pd.Series) -> list[str]:
    """Return the different texts under the key ``distances`` in a column of facts, in order of appearance."""
    texts = (json.loads(text).get("distances") for text in facts.unique())
    return list(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def _distances(located: pd.DataFrame) -> list[str]:
    texts = distances(located["facts"])
    if len(texts) > MOST_FACTS:
        return [f"Workload: {len(texts)} traces, the first: {texts[0]}; the last: {texts[-1]}"]
    return [f"Workload: {text}" for text in texts]


def _repetitions(spec: Description, drawn: pd.DataFrame) -> list[str]:
    if drawn.empty:
        return []
    if spec.family not in SHOWN:
        return [f"A {'line' if spec.family == 'steps' else 'point'} for each of {len(drawn):,} measurements."]
    low, high = drawn["repetitions"].min(), drawn["repetitions"].max()
    if high == 1:
        return ["One repetition: the spread is not known."]
    count = f"{low}" if low == high else f"{low} to {high}"
    what, spread = SHOWN[spec.family]
    if spec.confidence is not None:
        interval = f"{spread}: {spec.confidence:g} % confidence interval of the mean"
        enough = f"too few for a confidence interval, which takes {LEAST}" if high < LEAST else interval
        return [f"{what}: mean of {count} repetitions; {enough}."]
    return [f"{what}: median of {count} repetitions; {spread}: smallest to largest."]


def _fits(spec: Description) -> list[str]:
    over = {"log2": "log2 x", "linear": "x"}.get(spec.fit or "")
    return (
        [f"Thin dashed lines: least squares of the medians over {over}; R² is the variance explained."] if over else []
    )


def _missing_line(spec: Description, entry: Missing) -> str:
    where = " / ".join(filter(None, (entry.label, entry.panel and spec.panel_title(entry.panel))))
    at = "" if entry.whole_series else f" at {spec.x} {_values(entry.xs)}"
    what = "Repetitions missing" if entry.partly else "Not measured"
    return f"{what}: {where}{at}: {entry.status}: {entry.reason}"


def _values(xs: tuple[float | str, ...]) -> str:
    texts = [x if isinstance(x, str) else f"{x:,.0f}" if float(x).is_integer() else f"{x:g}" for x in xs]
    return ", ".join(texts) if len(texts) <= 4 else f"{texts[0]} … {texts[-1]} ({len(texts)} values)"


def _listed(column: pd.Series) -> str:
    return ", ".join(sorted(set(column)))
