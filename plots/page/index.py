"""The index of a page: which algorithms and operators are in which experiments, and the pages about them."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plots.page.runs import Run
from plots.style import CALLED, canonical, series


def anchor(text: str) -> str:
    """The text as an anchor."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-") or "none"


def algorithms(run: Run) -> dict[str, str]:
    """The algorithms of a run, by what they are called in its figures. Rows about a workload alone have none."""
    if "algorithm" not in run.rows:
        return {}
    called = CALLED.get(next(iter(set(run.rows["paper"]) - {""}), ""), {})
    pairs = run.rows[["algorithm", "parameters"]].drop_duplicates().itertuples(index=False)
    return {series(name, canonical(parameters), called).label: name for name, parameters in pairs if name}


def operators(run: Run) -> dict[str, str]:
    """The operators of a run, by their names; one with a narrow version of values is the same operator."""
    names = set(run.rows["operator"]) - {""} if "operator" in run.rows else ()
    return {name: name.partition(":")[0] for name in names}


def seen_in(runs: Sequence[Run], named: Any, docs: Path, folder: Path) -> list[dict[str, Any]]:
    """For each name its page in a folder of the documentation, if it has one, and the experiments that it is in."""
    seen: dict[str, list[str]] = {}
    pages: dict[str, str] = {}
    for run in runs:
        for name, own in named(run).items():
            seen.setdefault(name, []).append(run.name)
            if name not in pages and (page := docs / f"{own}.md").is_file():
                pages[name] = Path(os.path.relpath(page, folder.resolve())).as_posix()
    ordered = sorted(seen.items(), key=lambda pair: pair[0].lower())
    return [{"name": name, "page": pages.get(name, ""), "experiments": names} for name, names in ordered]
