"""The sidecar of a figure: a JSON file with the rows, configuration, code and machine that it comes from."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from results.schema import COLUMNS
from results.store import IDENTITY
from results.verdicts import Verdict, as_data
from safeguards.secrets import with_secrets_hidden

PACKAGES = ("matplotlib", "numpy", "pandas", "seaborn")


class OfTheRun(NamedTuple):
    """What one of the sidecars of a run has about the whole run.

    Its verdicts; the ids of the cells of its rows, because code of a later day may plan others from the same
    configuration; and the code that draws: its revision, and how many of the rows it would keep.
    """

    verdicts: Sequence[Verdict] = ()
    cells: Sequence[str] = ()
    code: Mapping[str, Any] = {}


NOTHING = OfTheRun()


def sidecar(
    description: Mapping[str, Any],
    rows: pd.DataFrame,
    config: Mapping[str, Any],
    row_files: Mapping[str, str],
    told: Iterable[tuple[str, str]] = (),
    of_the_run: OfTheRun = NOTHING,
) -> bytes:
    """Return the sidecar as JSON text (UTF-8).

    Keys: figure (the description), told (what goes with it: [heading, text]), config (with its secrets hidden), rows
    (count, sha256 of their content, files), measured (first and last start, UTC), drawn (now, UTC), git (revisions,
    dirty), code_hashes, trace_hashes, profiles, machines ({id: facts}), versions (of the measurement, and of the
    packages that drew), verdicts and cells (those of the whole run, in one of its sidecars; see
    `results.verdicts.published_in`), code (there, too: revision and dirty of the code that drew; of so many rows, those
    that it would keep).
    """
    content = {
        "figure": description,
        "told": [list(entry) for entry in told],
        "config": with_secrets_hidden(config),
        "rows": {"count": len(rows), "sha256": rows_hash(rows), "files": row_files},
        "measured": {"first": rows["started"].min().isoformat(), "last": rows["started"].max().isoformat()},
        "drawn": datetime.now(UTC).isoformat(timespec="seconds"),
        "git": {"revisions": _distinct(rows["git_revision"]), "dirty": bool(rows["git_dirty"].any())},
        "code_hashes": _distinct(rows["code_hash"]),
        "trace_hashes": _distinct(rows["trace_hash"]),
        "profiles": _distinct(rows["profile"]),
        "machines": machines(rows),
        "versions": {
            "measured_with": [json.loads(text) for text in _distinct(rows["versions"])],
            "drawn_with": {name: version(name) for name in PACKAGES},
        },
        "verdicts": [as_data(verdict) for verdict in of_the_run.verdicts],
        "cells": list(of_the_run.cells),
        "code": dict(of_the_run.code),
    }
    return (json.dumps(_plain(content), indent=2, ensure_ascii=False) + "\n").encode()


def or_as_before(path: Path, content: bytes) -> bytes:
    """The sidecar at the path if it says the same but for when the figure was drawn, else the new one.

    So a folder of figures that is drawn again by the same code does not change.
    """
    there = path.read_bytes() if path.is_file() else b""
    return there if _undated(there) == _undated(content) else content


def _undated(content: bytes) -> list[bytes]:
    return [line for line in content.splitlines() if not line.startswith(b'  "drawn": ')]


def rows_hash(rows: pd.DataFrame) -> str:
    """Return the SHA-256 of the rows' content, in hexadecimal digits; neither file layout nor row order changes it.

    O(rows log rows).
    """
    names = [column.name for column in COLUMNS]
    ordered = rows[names].sort_values([*IDENTITY, "started", "attempt"], kind="stable")
    digest = hashlib.sha256()
    for record in ordered.itertuples(index=False, name=None):
        digest.update(json.dumps([_cell(value) for value in record], ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def machines(rows: pd.DataFrame) -> dict[str, Any]:
    """Return the facts of every machine in the rows by its short id."""
    pairs = rows[["machine", "machine_facts"]].drop_duplicates().sort_values(["machine", "machine_facts"])
    return {machine: json.loads(facts) for machine, facts in pairs.itertuples(index=False)}


def _cell(value: Any) -> Any:
    """Turn a value of a DataFrame into one that JSON always writes in the same way."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return value
    if pd.isna(value):
        return None
    return value.isoformat() if isinstance(value, datetime) else value


def _distinct(column: pd.Series) -> list[str]:
    return sorted(set(column))


def _plain(value: Any) -> Any:
    """Turn configuration objects (any mappings and sequences, paths, dates) into values that JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, str | int | float | bool | None):
        return value
    if hasattr(value, "__iter__"):
        return [_plain(entry) for entry in value]
    return str(value)
