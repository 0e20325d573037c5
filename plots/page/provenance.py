"""Where the rows of a page come from, and the cells that gave no result."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from plots.columns import listed, text
from plots.page.runs import Run
from plots.points import GRID
from plots.sidecar import machines
from plots.style import canonical, series
from results.schema import OK

GIVEN = ("workload_parameters", "batch", "metric")
"""Columns that tell cells apart and that the table has no columns for."""

POINT = ["algorithm", "parameters", *GRID, "status", "reason"]


def origin(run: Run) -> dict[str, Any]:
    """The entry of one run in the provenance table."""
    rows = run.rows
    changed = " + uncommitted changes" if rows["git_dirty"].any() else ""
    return {
        "name": run.name,
        "entries": [
            ("rows", f"{len(rows):,}"),
            ("profile", listed(rows["profile"])),
            ("measured", f"{rows['started'].min():%Y-%m-%d %H:%M} to {rows['started'].max():%Y-%m-%d %H:%M} UTC"),
            ("revision", listed(rows["git_revision"].str[:10]) + changed),
            ("code hashes", listed(rows["code_hash"].str[:10])),
            ("executor", listed(rows["executor"])),
            *((f"machine {key}", _facts(facts)) for key, facts in machines(rows).items()),
            *(("versions", _facts(json.loads(facts))) for facts in sorted(rows["versions"].unique())),
        ],
    }


def without_result(run: Run) -> list[dict[str, Any]]:
    """One entry per grid point and reason for the rows that are not ok."""
    if "status" not in run.rows:
        return []
    absent = run.rows[run.rows["status"] != OK]
    varied = _varied(run.rows)
    entries = []
    for values, group in absent.groupby(POINT, dropna=False, sort=True):
        entry = dict(zip(POINT, values, strict=True))
        label = series(entry["algorithm"], canonical(entry["parameters"])).label
        distance = "" if pd.isna(entry["distance"]) else int(entry["distance"])
        given = ", ".join(f"{key}={value}" for key, value in _given(entry).items() if key in varied and value)
        shown = {"experiment": run.name, "series": label, "given": given, "distance": distance, "rows": len(group)}
        entries.append(entry | shown)
    return entries


def _varied(rows: pd.DataFrame) -> set[str]:
    """What `_given` says in several ways of these rows, so that it tells some from others."""
    each = [_given(record) for record in rows[list(GIVEN)].drop_duplicates().to_dict("records")]
    return {key for given in each for key in given if len({other.get(key) for other in each}) > 1}


def _given(record: Mapping[str, Any]) -> dict[str, str]:
    """The size of batches, what is measured, and other parameters of the workload, as texts; empty without one."""
    others = {key: value for key, value in json.loads(record["workload_parameters"]).items() if key not in GRID}
    given = {"batch": record["batch"], "metric": record["metric"], **others}
    return {key: text(value) for key, value in given.items()}


def _facts(facts: Mapping[str, Any]) -> str:
    """Facts as one line of text; braces and quotes of JSON are for machines."""
    line = ", ".join(f"{key} {value}" for key, value in facts.items())
    return re.sub(r"[{}\[\]'\"]", "", line)
