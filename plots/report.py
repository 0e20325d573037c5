"""The report page: one self-contained HTML file with the scoreboard of claims, the figures and their provenance."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from plots.claims import COLUMNS, SIGNS, signed, summary
from plots.sidecar import machines
from plots.style import canonical, series
from results.schema import OK
from results.verdicts import WORDS, Verdict
from safeguards.files import write_atomically

TEMPLATES = Path(__file__).parent / "templates"
MEDIA_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}  # in order of preference
POINT = ["algorithm", "parameters", "operator", "workload", "window", "distance", "status", "reason"]


def report(
    rows: Mapping[str, pd.DataFrame],
    verdicts: Iterable[Verdict],
    figures: Iterable[Path | str],
    out: Path | str,
    title: str = "Sliding-window aggregation: what was replicated",
) -> Path:
    """Write the report page to the file `out` and return its path.

    `rows` are the rows of each experiment by its name; `figures` are files that `plots.draw` wrote (for each figure its
    SVG is embedded, or else its PNG, with the caption of the sidecar). Nothing on the page is loaded from elsewhere.
    Raises OSError if a figure cannot be read or the page cannot be written.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    claims = list(verdicts)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("report.html").render(
        title=title,
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        summary=summary(claims),
        papers=_scoreboard(rows, claims),
        claim_columns=COLUMNS,
        verdict_words=WORDS,
        signs=SIGNS,
        signed=signed,
        figures=_figures(figures),
        origins=[_origin(name, frame) for name, frame in rows.items() if len(frame)],
        without_result=[entry for name, frame in rows.items() for entry in _without_result(name, frame)],
    )
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, page.encode())
    return path


def _scoreboard(rows: Mapping[str, pd.DataFrame], verdicts: list[Verdict]) -> list[dict[str, Any]]:
    """Group the verdicts by the paper of their experiment, in order of appearance, with the counts of each."""
    papers: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        papers.setdefault(_paper(rows.get(verdict.experiment), verdict.experiment), []).append(verdict)
    return [
        {
            "paper": paper,
            "claims": claims,
            "counts": {word: sum(claim.word == word for claim in claims) for word in WORDS},
        }
        for paper, claims in papers.items()
    ]


def _paper(frame: pd.DataFrame | None, experiment: str) -> str:
    """Return the paper that the rows name, or the experiment if no row names one."""
    papers = [] if frame is None else [paper for paper in frame["paper"].unique() if paper]
    return papers[0] if papers else experiment


def _figures(paths: Iterable[Path | str]) -> list[dict[str, Any]]:
    """Return name, data URI, title, caption and origin of each figure; one entry for the files of one figure."""
    suffixes_of: dict[Path, set[str]] = {}
    for path in map(Path, paths):
        suffixes_of.setdefault(path.with_suffix(""), set()).add(path.suffix)
    figures = []
    for stem, suffixes in suffixes_of.items():
        suffix = next((kind for kind in MEDIA_TYPES if kind in suffixes), None)
        if suffix:
            image = stem.with_name(stem.name + suffix)
            encoded = base64.b64encode(image.read_bytes()).decode()
            figures.append({"name": stem.name, "uri": f"data:{MEDIA_TYPES[suffix]};base64,{encoded}", **_caption(stem)})
    return figures


def _caption(stem: Path) -> dict[str, Any]:
    """Return the texts of a figure from its sidecar; empty texts if it has none."""
    path = stem.with_name(f"{stem.name}.json")
    sidecar = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    description = sidecar.get("figure", {})
    texts: dict[str, Any] = {key: str(description.get(key, "")) for key in ("title", "caption", "paper")}
    texts["told"] = sidecar.get("told", [])
    rows = sidecar.get("rows")
    texts["rows"] = f"{rows['count']} rows, SHA-256 {rows['sha256'][:16]}…" if rows else ""
    texts["draft"] = "draft: uncommitted code" if sidecar.get("git", {}).get("dirty") else ""
    return texts


def _origin(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    """Return the entry of one experiment in the provenance table."""
    return {
        "experiment": name,
        "rows": len(rows),
        "profiles": _listed(rows["profile"]),
        "measured": f"{rows['started'].min():%Y-%m-%d %H:%M} to {rows['started'].max():%Y-%m-%d %H:%M} UTC",
        "revisions": _listed(rows["git_revision"].str[:10])
        + (" + uncommitted changes" if rows["git_dirty"].any() else ""),
        "code": _listed(rows["code_hash"].str[:10]),
        "executors": _listed(rows["executor"]),
        "machines": {key: _facts(facts) for key, facts in machines(rows).items()},
        "versions": [_facts(json.loads(text)) for text in sorted(rows["versions"].unique())],
    }


def _without_result(name: str, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return one entry per grid point and reason for the rows of an experiment that are not ok."""
    absent = rows[rows["status"] != OK]
    entries = []
    for values, group in absent.groupby(POINT, dropna=False, sort=True):
        entry = dict(zip(POINT, values, strict=True))
        label = series(entry["algorithm"], canonical(entry["parameters"])).label
        distance = "" if pd.isna(entry["distance"]) else int(entry["distance"])
        entries.append(entry | {"experiment": name, "series": label, "distance": distance, "rows": len(group)})
    return entries


def _facts(facts: Mapping[str, Any]) -> str:
    """Return facts as one line of text; braces and quotes of JSON are for machines."""
    text = ", ".join(f"{key} {value}" for key, value in facts.items())
    return re.sub(r"[{}\[\]'\"]", "", text)


def _listed(column: pd.Series) -> str:
    return ", ".join(sorted(value for value in column.unique() if value))
