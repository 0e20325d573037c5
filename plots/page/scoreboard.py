"""The scoreboard of a page: the experiments of each paper with their verdicts, and where all of it was measured."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from plots.agreement import counted
from plots.claims import SIGNS
from plots.page.figures import figure, smaller
from plots.page.index import algorithms, anchor, operators
from plots.page.runs import OURS, Run
from plots.sidecar import machines
from results import agreement
from results.verdicts import WORDS, Verdict

THUMBNAIL = 300
"""Pixels across of the picture that stands for an experiment."""


def where_measured(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Where and when the runs that count were made."""
    frames = [run.rows for run in runs if len(run.rows)]
    if not frames:
        return []
    rows = pd.concat([frame[["machine", "machine_facts", "profile", "git_revision", "started"]] for frame in frames])
    places = {
        f"{facts.get('processor', 'a machine')}, {facts.get('cores', '?')} cores" for facts in machines(rows).values()
    }
    revisions = sorted({revision[:10] for revision in rows["git_revision"] if revision})
    shown = ", ".join(revisions[:3]) + (f" and {len(revisions) - 3} others" if len(revisions) > 3 else "")
    first, last = rows["started"].min(), rows["started"].max()
    days = f"{first:%Y-%m-%d}" if first.date() == last.date() else f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    profiles = ", ".join(sorted(set(rows["profile"])))
    told = [("machine", "; ".join(sorted(places))), ("measured", days), ("profile", profiles), ("revision", shown)]
    return told + _code([sidecar["code"] for run in runs for sidecar in run.figures.values() if sidecar.get("code")])


def _code(codes: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """How many rows were measured by code that does as the one that drew does: whatever revisions the rows are from."""
    if len(drawn_by := {code["revision"][:10] for code in codes}) != 1:
        return []
    rows, of_it = (sum(code[key] for code in codes) for key in ("rows", "rows_of_it"))
    share = f"all {rows:,} rows were" if rows == of_it else f"{of_it:,} of {rows:,} rows were"
    return [("code", f"{share} measured by the code of revision {drawn_by.pop()}, or by one that measures alike")]


def agreeing(claims: Sequence[Verdict], runs: Mapping[str, agreement.Run]) -> list[tuple[str, str, str]]:
    """Of each other run its name, where it ran, and how far it agrees with these verdicts."""
    return [(name, run.where, counted(agreement.compared([claims, run.verdicts]))) for name, run in runs.items()]


def by_paper(runs: Sequence[Run], folder: Path, beside: Mapping[str, Path]) -> list[dict[str, Any]]:
    """The entries of the papers, in the order of the runs: title, counts, and the experiments."""
    papers: dict[str, list[Run]] = {}
    for run in runs:
        papers.setdefault(run.paper, []).append(run)
    return [
        {
            "title": paper,
            "counts": counts([claim for run in found for claim in run.claims]),
            "experiments": [experiment(run, folder, beside) for run in found],
        }
        for paper, found in papers.items()
    ]


def subject(papers: Sequence[dict[str, Any]]) -> str:
    """Whose claims are on the page, such as " of two papers"; empty where they are this project's own."""
    number = sum(paper["title"] != OURS for paper in papers)
    return ("", " of one paper", " of two papers", " of three papers", " of four papers", " of five papers")[number]


def counts(claims: Sequence[Verdict]) -> list[tuple[str, str, int]]:
    """The verdicts by word: word, sign and number, without words that no statement has."""
    numbers = [(word, SIGNS[word], sum(claim.word == word for claim in claims)) for word in WORDS]
    return [entry for entry in numbers if entry[2]]


def experiment(run: Run, folder: Path, beside: Mapping[str, Path]) -> dict[str, Any]:
    """What is shown of a run, on a page in the folder; `beside` are the folders of other runs' figures by name."""
    figures = [figure(stem, sidecar, run.rows, beside) for stem, sidecar in run.figures.items()]
    panels = list(dict.fromkeys(re.split(r", section", claim.panel)[0] for claim in run.claims))
    title = (figures[0]["title"] if figures else "") or run.name
    return {
        "name": run.name,
        "title": title,
        "panels": ", ".join(panels[:3]) + (" …" if len(panels) > 3 else ""),
        "thumbnail": smaller(next(iter(run.figures)), THUMBNAIL) if run.figures else "",
        "counts": counts(run.claims),
        "claims": run.claims,
        "figures": figures,
        "algorithms": " ".join(map(anchor, sorted(algorithms(run)))),
        "operators": " ".join(map(anchor, sorted(operators(run)))),
        "rows": len(run.rows),
        "command": f"python run.py experiment={run.experiment}",
        "file": _rows_file(run, folder),
    }


def _rows_file(run: Run, folder: Path) -> str:
    """Where the rows are, seen from a page in the folder: their file, or their folder if there are several."""
    for sidecar in run.figures.values():
        files, results = sidecar.get("rows", {}).get("files"), sidecar.get("config", {}).get("results")
        if files and results:
            file = Path(results) / next(iter(files))
            return Path(os.path.relpath(file if len(files) == 1 else file.parent, folder)).as_posix()
    return ""
