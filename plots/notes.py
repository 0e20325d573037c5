"""The small print of a figure: how it was measured, what was not measured, and where the numbers come from."""

import json
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from plots.columns import listed
from plots.description import Description
from plots.layout import Texts
from plots.points import Missing, missing, pooled, shortened
from plots.style import series
from plots.telling import on_image
from results.schema import OK

MOST_LINES = 8
MOST_PLACES = 12
MOST_FACTS = 3


def around(spec: Description, rows: pd.DataFrame, notes: Iterable[str]) -> Texts:
    """Return the texts around a figure: its title, what goes with it and the notes, where the rows come from, and
    whether it is a draft."""
    return Texts(spec.title, [*on_image(spec, rows), *notes], footer(spec, rows), bool(rows["git_dirty"].any()))


def notes(spec: Description, located: pd.DataFrame, family_notes: Iterable[str]) -> list[str]:
    """Return the lines below the panels: facts about the workload, the family's own lines, missing points.

    `located` is what `points.placed` or `points.locate` returns.
    """
    lines = [*_distances(located), *family_notes]
    alike: dict[tuple[bool, str, str], list[Missing]] = {}
    for entry in missing(located, spec.called):
        alike.setdefault((entry.partly, entry.status, entry.reason), []).append(entry)
    groups = list(alike.values())
    shown = groups if len(groups) <= MOST_LINES else groups[: MOST_LINES - 1]
    lines += [_missing_line(spec, entries) for entries in shown]
    if more := sum(map(len, groups[len(shown) :])):
        lines.append(f"… and {more} more entries without a result: see the report page.")
    return lines


def repetitions(drawn: pd.DataFrame, drawn_as: str, spread: str, middle: str = "median") -> list[str]:
    """Describe points (as `points.points` returns them): the middle of how many repetitions, and what the spread is."""
    if drawn.empty:
        return []
    if drawn["counted"].all():
        return ["Counted, not timed: the same in every repetition."]
    low, high = drawn["repetitions"].min(), drawn["repetitions"].max()
    if high == 1:
        return ["One repetition: the spread is not known."]
    return [f"{drawn_as}: {middle} of {low if low == high else f'{low} to {high}'} repetitions; {spread}."]


def pooled_line(located: pd.DataFrame) -> list[str]:
    """Return a note about the origins that some point pools."""
    origins = pooled(located)
    return [f"Some points pool {', '.join(origins)}."] if origins else []


def _label(row: pd.Series) -> str:
    return series(row["algorithm"], row["parameters"]).label


def without_result(
    rows: pd.DataFrame, words: str = "Without a result", place: Callable[[pd.Series], str] = _label
) -> list[str]:
    """Return a line for each status and reason of rows that are not ok: their number, and each of their places once."""
    absent = rows[rows["status"] != OK].sort_values(["algorithm", "parameters", "window", "distance"], kind="stable")
    absent = absent.assign(reason=absent["reason"].map(shortened), place=[place(row) for _, row in absent.iterrows()])
    return [
        f"{words} ({len(alike)}): {_first_places(list(alike['place'].unique()))}: {status}: {reason}"
        for (status, reason), alike in absent.groupby(["status", "reason"], sort=False)
    ]


def footer(spec: Description, rows: pd.DataFrame) -> str:
    """Return one line: paper, profile, machine, date of the measurement (UTC), revision of the code."""
    facts = [
        spec.paper,
        f"profile {listed(rows['profile'])}",
        f"machine {listed(rows['machine'])}",
        f"measured {rows['started'].max():%Y-%m-%d}",
        f"revision {listed(rows['git_revision'].str[:10])}",
    ]
    return " · ".join(fact for fact in facts if fact and not fact.endswith(" "))


def distances(facts: pd.Series) -> list[str]:
    """Return the different texts under the key ``distances`` in a column of facts, in order of appearance."""
    texts = (json.loads(text).get("distances") for text in facts.unique())
    return list(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def _distances(located: pd.DataFrame) -> list[str]:
    texts = distances(located["facts"])
    if len(texts) > MOST_FACTS:
        return [f"Order of arrival: {len(texts)} traces, the first: {texts[0]}; the last: {texts[-1]}"]
    return [f"Order of arrival: {text}" for text in texts]


def _missing_line(spec: Description, entries: Sequence[Missing]) -> str:
    """What is missing for one and the same reason."""
    first = entries[0]
    heading = "Repetitions missing" if first.partly else "Not measured"
    places = _first_places([_place(spec, entry) for entry in entries])
    return f"{heading}: {places}: {first.status}: {first.reason}"


def _first_places(places: list[str]) -> str:
    more = len(places) - MOST_PLACES
    return "; ".join([*places[:MOST_PLACES], *([f"and {more} more"] if more > 0 else [])])


def _place(spec: Description, entry: Missing) -> str:
    where = " / ".join(filter(None, (entry.label, entry.panel and spec.panel_title(entry.panel))))
    at = "" if entry.whole_series or not any(map(str, entry.xs)) else f" at {spec.x} {_values(entry.xs)}"
    return where + at


def _values(xs: tuple[float | str, ...]) -> str:
    texts = [x if isinstance(x, str) else f"{x:,.0f}" if float(x).is_integer() else f"{x:g}" for x in xs]
    return ", ".join(texts) if len(texts) <= 4 else f"{texts[0]} … {texts[-1]} ({len(texts)} values)"
