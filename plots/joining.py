"""The jobs of a multirun in one figure: over what they differ in, such as the window of window=1024,4096."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from plots import Published, draw, fails, families, reason
from plots.columns import column, in_order, texts
from plots.description import NoRowsError, select

WINDOW, PARAMETERS = "window", "workload_parameters"

FAMILY = "lines"
"""The family of figures that are joined: it has the axis that is put in place of the old one."""

OF_THE_OLD_X = ("x_label", "x_divide", "x_values", "titles", "fit", "proportional", "printed", "x_scale")
"""Options of a description that go with its x."""

FOLDER = "joined"
"""Below the folder of figures: a joined figure belongs to no single run."""


def joined(runs: Sequence[Any]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The descriptions of the figures in which these runs of one experiment meet, and the rows that each is drawn from.

    A run has rows, figures, and a variant (the end of its figures' names). Nothing comes of runs that differ in more
    than one number of their rows, or in none. The x of a figure becomes what the runs differ in. Of the old x the
    smallest and the largest value count that all runs have, with a figure for each.
    """
    if len(runs) < 2 or (over := _difference([run.rows for run in runs])) is None:
        return
    rows = pd.concat([run.rows for run in runs], ignore_index=True)
    scale = {"x_scale": "log2"} if pd.to_numeric(column(rows, over)).min() > 0 else {}
    for description in runs[0].figures:
        if description["family"] != FAMILY:
            continue
        name = f"{description['name'].removesuffix(runs[0].variant)}{_common([run.variant for run in runs])}-over_"
        name += over.rpartition(".")[2]
        kept = {key: value for key, value in description.items() if key not in OF_THE_OLD_X}
        if (old := description["x"]) == over:
            yield {**description, "name": name}, rows
            continue
        values = _in_all([_rows_of(description, run.rows) for run in runs], old)
        for value in dict.fromkeys([*values[:1], *values[-1:]]):
            short = old.rpartition(".")[2]
            where = {**description.get("where", {}), old: value}
            title = f"{description.get('title', name)}; here over the {over.rpartition('.')[2]}, {short} {value}"
            yield {**kept, **scale, "x": over, "where": where, "title": title, "name": f"{name}-{short}_{value}"}, rows


def _rows_of(description: Mapping[str, Any], rows: pd.DataFrame) -> pd.DataFrame:
    """Those of the rows that a figure shows; maybe none."""
    try:
        return select(families.described(description), rows)
    except NoRowsError:
        return rows[:0]


def _difference(tables: Sequence[pd.DataFrame]) -> str | None:
    """The path of the only number of which each run has one value, and no two the same; None if there is none."""
    found = [path for path in _paths(tables) if _differs([texts(rows, path) for rows in tables])]
    if WINDOW in found:  # a workload's own parameters follow from it
        return WINDOW
    return found[0] if len(found) == 1 else None


def _paths(tables: Sequence[pd.DataFrame]) -> list[str]:
    parameters = {key for rows in tables for text in rows[PARAMETERS].unique() for key in json.loads(text)}
    return [WINDOW, *(f"{PARAMETERS}.{key}" for key in sorted(parameters))]


def _differs(values: Sequence[pd.Series]) -> bool:
    each = [set(of_run) for of_run in values]
    all_of_them = set.union(*each)
    numbers = pd.to_numeric(pd.Series(sorted(all_of_them)), errors="coerce")
    return all(len(of_run) == 1 for of_run in each) and len(all_of_them) == len(each) and bool(numbers.notna().all())


def _in_all(tables: Sequence[pd.DataFrame], path: str) -> list[str]:
    """The values under a path that every run has."""
    return in_order(set.intersection(*(set(texts(rows, path)) for rows in tables)))


def _common(variants: Sequence[str]) -> str:
    """The settings that the variants have in common, written as they are."""
    first, *others = ([part for part in variant.split("-") if part] for variant in variants)
    return "".join(f"-{part}" for part in first if all(part in other for other in others))


def with_joined(published: Published, runs: Sequence[Any], folder: str) -> Published:
    """What is published of the last run, and the figures in which it meets others of its experiment, drawn here.

    They are in a folder of their own below the `folder` of figures. One that cannot be drawn is left out and reported,
    as `publish` does with those of a run. Raises OSError if the folder cannot be written.
    """
    same = [run for run in runs if run.settings.name == runs[-1].settings.name]
    files = {name: digest for run in same for name, digest in run.row_files.items()}
    paths, undrawn, failed = list(published.paths), dict(published.undrawn), list(published.failed)
    for description, rows in joined(same):
        try:
            paths += draw(description, rows, Path(folder) / FOLDER, runs[-1].config, files)
        except OSError:
            raise
        except Exception as error:
            undrawn[description["name"]] = reason(error)
            failed += [description["name"]] if fails(error) else []
    return Published(paths, undrawn, failed)
