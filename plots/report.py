"""The report page: one self-contained HTML file with the scoreboard, the figures, the statements and where all of it
comes from. It can be read without a script; with one it is filtered, sorted and explored.
"""

import base64
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pandas as pd

from plots.agreement import counted
from plots.claims import SIGNS, signed, summary
from plots.sidecar import machines
from plots.style import CALLED, canonical, series
from results import agreement
from results.schema import OK
from results.verdicts import WORDS, Verdict
from safeguards.files import write_atomically

TEMPLATES = Path(__file__).parent / "templates"
DOCS = Path(__file__).resolve().parents[1] / "docs"
SCRIPTS = ("stepper.js", "report.js")
POINT = ["algorithm", "parameters", "operator", "workload", "window", "distance", "status", "reason"]
PAPERS = {
    "fiba": "FiBA: finger B-trees for out-of-order windows",
    "reactive_aggregator": "The Reactive Aggregator",
    "cutty": "Cutty: slicing for shared windows",
    "mta": "Monoid Tree Aggregators",
    "compressed_windows": "Compressed windows",
}
"""The five papers, in the order of the page."""

OURS = "Goals and checks of this project"
SMOKE = "smoke"
THUMBNAIL, BESIDE, COLOURS = 300, 720, 48
"""Of the picture that stands for an experiment, and of another run's figure: pixels across, and colours."""


class Run(NamedTuple):
    """One experiment as it was run: its name, rows, verdicts and figures (stems of files)."""

    name: str
    rows: pd.DataFrame
    claims: list[Verdict]
    figures: dict[Path, Mapping[str, Any]]
    """The sidecar of each."""

    @property
    def experiment(self) -> str:
        return str(self.rows["experiment"].iloc[0]) if len(self.rows) else self.name

    @property
    def counts(self) -> bool:
        """Whether it is a run of the whole experiment: of its own settings, and not of the smallest sizes."""
        return self.name == self.experiment and (self.rows.empty or SMOKE not in set(self.rows["profile"]))

    @property
    def paper(self) -> str:
        papers = [] if self.rows.empty else [paper for paper in self.rows["paper"].unique() if paper]
        return PAPERS.get(papers[0], OURS) if papers else OURS


def report(
    rows: Mapping[str, pd.DataFrame],
    verdicts: Iterable[Verdict],
    figures: Iterable[Path | str],
    out: Path | str,
    beside: Mapping[str, agreement.Run] | None = None,
) -> Path:
    """Write the report page to the file `out` and return its path.

    `rows` are the rows of each run by its name, which its verdicts have as their experiment; `figures` are files that
    `plots.draw` wrote (of each figure its SVG is embedded, or else its PNG, with the texts of the sidecar). The
    scoreboard counts the runs of whole experiments; variants and smoke runs follow at the end, unless there is nothing
    else. `beside` are further runs by name, such as of another machine: where they ran, how far they agree with this
    one, their verdict on each statement, and their figures of the same names. Nothing on the page is loaded from
    elsewhere. Raises OSError if a figure cannot be read or the page cannot be written.
    """
    from markupsafe import Markup

    runs = _runs(rows, list(verdicts), figures)
    whole = [run for run in runs if run.counts] or runs
    others = [run for run in runs if run not in whole]
    environment = _templates()
    environment.filters |= {"signed": signed, "id": _id, "powers": _powers, "v": lambda word: f"v{WORDS.index(word)}"}
    claims = [claim for run in whole for claim in run.claims]
    elsewhere = {name: {claim.statement: claim for claim in run.verdicts} for name, run in (beside or {}).items()}
    folder = Path(out).parent
    pictures = {name: Path(run.folder) for name, run in (beside or {}).items() if run.folder}
    papers = _papers(whole, folder, pictures)
    subject = _subject(papers)
    page = environment.get_template("report.html").render(
        title=f"Sliding-window aggregation: which {'claims' if subject else 'goals'}{subject} hold here",
        subject=subject,
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        summary=summary(claims),
        origin=_front(whole),
        beside=_beside(claims, beside or {}),
        elsewhere=elsewhere,
        papers=papers,
        others=[_experiment(run, folder, pictures) for run in others],
        words=[(word, SIGNS[word]) for word in WORDS],
        algorithms=_seen_in(whole, _algorithms, DOCS / "algorithms", folder),
        operators=_seen_in(whole, _operators, DOCS / "operators", folder),
        origins=[_origin(run) for run in runs if len(run.rows)],
        without_result=[entry for run in runs for entry in _without_result(run)],
        style=Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),
        script=Markup("".join((TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS)),
    )
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, page.encode())
    return path


def stepping_page(title: str, states: Iterable[tuple[str, str]]) -> str:
    """A page that steps through states, which are names and SVGs."""
    from markupsafe import Markup

    parts = ("report.css", "stepper.js")
    style, script = (Markup((TEMPLATES / name).read_text(encoding="utf-8")) for name in parts)
    frames = [(name, _as_svg(svg)) for name, svg in states]
    return _templates().get_template("stepper.html").render(title=title, frames=frames, style=style, script=script)


def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


# --------------------------------------------------------------------------------------------------------------- runs


def _runs(rows: Mapping[str, pd.DataFrame], verdicts: list[Verdict], figures: Iterable[Path | str]) -> list[Run]:
    """The runs in the order of their papers. A figure belongs to the run whose experiment drew it."""
    stems = list(dict.fromkeys(Path(path).with_suffix("") for path in figures if Path(path).suffix in MEDIA))
    names = list(dict.fromkeys([*rows, *(verdict.experiment for verdict in verdicts)]))
    drawn: dict[str, dict[Path, Mapping[str, Any]]] = {name: {} for name in names}
    for stem in stems:
        sidecar = _sidecar(stem)
        drawn.setdefault(_run_of(stem, sidecar, names), {})[stem] = sidecar
    empty = pd.DataFrame({"experiment": [], "paper": [], "profile": []})
    runs = [
        Run(name, rows.get(name, empty), [claim for claim in verdicts if claim.experiment == name], found)
        for name, found in drawn.items()
    ]
    order = [*PAPERS.values(), OURS]
    return sorted(runs, key=lambda run: (order.index(run.paper), _first_number(run), run.name))


def _first_number(run: Run) -> float:
    """The number of the first figure that a run's statements are about; those about no figure come last."""
    numbers = [int(found[1]) for claim in run.claims if (found := re.match(r"Figures? (\d+)", claim.panel))]
    return min(numbers, default=float("inf"))


def _run_of(stem: Path, sidecar: Mapping[str, Any], names: Sequence[str]) -> str:
    """The run that a figure is of: the one whose experiment, and end of the name, it has."""
    config = sidecar.get("config", {})
    own = [name for name in names if name.startswith(str(config.get("name")))] if "name" in config else []
    fitting = [name for name in own if stem.name.endswith(name.removeprefix(str(config["name"])))]
    return max(fitting, key=len) if fitting else next((name for name in names if stem.name.startswith(name)), stem.name)


def _sidecar(stem: Path) -> dict[str, Any]:
    path = stem.with_name(f"{stem.name}.json")
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _id(text: str) -> str:
    """The text as an anchor."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-") or "none"


def _powers(text: str) -> Any:
    """The text as HTML, with powers such as 2^22 raised."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"\b(\d+)\^(\d+)", r"\1<sup>\2</sup>", str(escape(text))))  # noqa: S704 - escaped before


# --------------------------------------------------------------------------------------------------------- scoreboard


def _front(runs: Sequence[Run]) -> list[tuple[str, str]]:
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


def _beside(claims: Sequence[Verdict], runs: Mapping[str, agreement.Run]) -> list[tuple[str, str, str]]:
    """Of each other run its name, where it ran, and how far it agrees with these verdicts."""
    return [(name, run.where, counted(agreement.compared([claims, run.verdicts]))) for name, run in runs.items()]


def _papers(runs: Sequence[Run], folder: Path, beside: Mapping[str, Path]) -> list[dict[str, Any]]:
    papers: dict[str, list[Run]] = {}
    for run in runs:
        papers.setdefault(run.paper, []).append(run)
    return [
        {
            "title": paper,
            "counts": _counts([claim for run in found for claim in run.claims]),
            "experiments": [_experiment(run, folder, beside) for run in found],
        }
        for paper, found in papers.items()
    ]


def _subject(papers: Sequence[dict[str, Any]]) -> str:
    """Whose claims are on the page, such as " of two papers"; empty where they are this project's own."""
    number = sum(paper["title"] != OURS for paper in papers)
    return ("", " of one paper", " of two papers", " of three papers", " of four papers", " of five papers")[number]


def _counts(claims: Sequence[Verdict]) -> list[tuple[str, str, int]]:
    """The verdicts by word: word, sign and number, without words that no statement has."""
    numbers = [(word, SIGNS[word], sum(claim.word == word for claim in claims)) for word in WORDS]
    return [entry for entry in numbers if entry[2]]


def _experiment(run: Run, folder: Path, beside: Mapping[str, Path]) -> dict[str, Any]:
    """What is shown of a run, on a page in the folder; `beside` are the folders of other runs' figures by name."""
    figures = [_figure(stem, sidecar, run.rows, beside) for stem, sidecar in run.figures.items()]
    panels = list(dict.fromkeys(re.split(r", section", claim.panel)[0] for claim in run.claims))
    title = figures[0]["title"] if figures else run.name
    return {
        "name": run.name,
        "title": title,
        "panels": ", ".join(panels[:3]) + (" …" if len(panels) > 3 else ""),
        "thumbnail": _smaller(next(iter(run.figures)), THUMBNAIL) if run.figures else "",
        "counts": _counts(run.claims),
        "claims": run.claims,
        "figures": figures,
        "algorithms": " ".join(map(_id, sorted(_algorithms(run)))),
        "operators": " ".join(map(_id, sorted(_operators(run)))),
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


# ------------------------------------------------------------------------------------------------------------ figures

MEDIA = (".svg", ".png")
"""Kinds of files of a figure, in the order in which they are taken."""


def _figure(
    stem: Path, sidecar: Mapping[str, Any], measured: pd.DataFrame, beside: Mapping[str, Path]
) -> dict[str, Any]:
    """The texts of a figure, its picture as an address with the content, and its points if it can be explored."""
    pictures = {name: _smaller(_same_in(folder, stem.name), BESIDE) for name, folder in beside.items()}
    description = sidecar.get("figure", {})
    texts = {key: str(description.get(key, "")) for key in ("title", "caption", "paper")}
    rows = sidecar.get("rows")
    return {
        "name": stem.name,
        "uri": _picture(stem),
        **texts,
        "told": sidecar.get("told", []),
        "rows": f"{rows['count']} rows, SHA-256 {rows['sha256'][:16]}…" if rows else "",
        "draft": "draft: uncommitted code" if sidecar.get("git", {}).get("dirty") else "",
        "points": _points(description, measured) if description and len(measured) else "",
        "frames": _frames(description, measured) if description and len(measured) else [],
        "beside": [(name, picture) for name, picture in pictures.items() if picture],
    }


def _same_in(folder: Path, name: str) -> Path:
    """The figure of that name among those of another run, which may have been drawn with a profile in its name."""
    names = [path.name.removesuffix(".png") for path in sorted(folder.glob(f"{name}*.png"))]
    fitting = [found for found in names if re.fullmatch(r"(-profile_\w+)?", found.removeprefix(name))]
    return folder / (fitting[0] if fitting else name)


def _picture(stem: Path) -> str:
    svg = stem.with_name(f"{stem.name}.svg")
    if svg.is_file():
        return _as_svg(svg.read_text(encoding="utf-8"))
    return _as_png(stem.with_name(f"{stem.name}.png").read_bytes())


def _as_svg(content: str) -> str:
    """The address of an SVG that `render` made: without double quotes and ampersands, so that it needs no escapes."""
    from markupsafe import Markup

    encoded = quote(content, safe=" =/;:,'()!*~@$+<>{}[]").replace("http:", "http%3A")
    return Markup("data:image/svg+xml," + encoded)  # noqa: S704 - what could end the attribute is encoded


def _as_png(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def _smaller(stem: Path, across: int) -> str:
    """The picture of a figure in so many pixels across at most; empty if there is no PNG of it."""
    from PIL import Image

    path = stem.with_name(f"{stem.name}.png")
    if not path.is_file():
        return ""
    with Image.open(path) as picture:
        small = picture.convert("RGB")
        small.thumbnail((across, across))
        buffer = io.BytesIO()
        small.quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(buffer, "PNG", optimize=True)
    return _as_png(buffer.getvalue())


def _points(description: Mapping[str, Any], rows: pd.DataFrame) -> str:
    """The points of a figure as JSON for a script element; empty if it cannot be explored."""
    from plots.columns import FigureError
    from plots.exploring import explorable

    try:
        found = explorable(description, rows)
    except FigureError:
        return ""
    return json.dumps(found, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c") if found else ""


def _frames(description: Mapping[str, Any], rows: pd.DataFrame) -> list[tuple[str, str]]:
    """The states of a worked example, as pictures."""
    from plots.columns import FigureError
    from plots.exploring import frames

    try:
        return [(name, _as_svg(svg.decode())) for name, svg in frames(description, rows)]
    except FigureError:
        return []


# ------------------------------------------------------------------------------------------- algorithms and operators


def _algorithms(run: Run) -> dict[str, str]:
    """The algorithms of a run, by what they are called in its figures. Rows about a workload alone have none."""
    if "algorithm" not in run.rows:
        return {}
    called = CALLED.get(next(iter(set(run.rows["paper"]) - {""}), ""), {})
    pairs = run.rows[["algorithm", "parameters"]].drop_duplicates().itertuples(index=False)
    return {series(name, canonical(parameters), called).label: name for name, parameters in pairs if name}


def _operators(run: Run) -> dict[str, str]:
    """The operators of a run, by their names; one with a narrow version of values is the same operator."""
    names = set(run.rows["operator"]) - {""} if "operator" in run.rows else ()
    return {name: name.partition(":")[0] for name in names}


def _seen_in(runs: Sequence[Run], named: Any, docs: Path, folder: Path) -> list[dict[str, Any]]:
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


# --------------------------------------------------------------------------------------------------------- provenance


def _origin(run: Run) -> dict[str, Any]:
    """The entry of one run in the provenance table."""
    rows = run.rows
    changed = " + uncommitted changes" if rows["git_dirty"].any() else ""
    return {
        "name": run.name,
        "entries": [
            ("rows", f"{len(rows):,}"),
            ("profile", _listed(rows["profile"])),
            ("measured", f"{rows['started'].min():%Y-%m-%d %H:%M} to {rows['started'].max():%Y-%m-%d %H:%M} UTC"),
            ("revision", _listed(rows["git_revision"].str[:10]) + changed),
            ("code hashes", _listed(rows["code_hash"].str[:10])),
            ("executor", _listed(rows["executor"])),
            *((f"machine {key}", _facts(facts)) for key, facts in machines(rows).items()),
            *(("versions", _facts(json.loads(text))) for text in sorted(rows["versions"].unique())),
        ],
    }


def _without_result(run: Run) -> list[dict[str, Any]]:
    """One entry per grid point and reason for the rows that are not ok."""
    if "status" not in run.rows:
        return []
    absent = run.rows[run.rows["status"] != OK]
    entries = []
    for values, group in absent.groupby(POINT, dropna=False, sort=True):
        entry = dict(zip(POINT, values, strict=True))
        label = series(entry["algorithm"], canonical(entry["parameters"])).label
        distance = "" if pd.isna(entry["distance"]) else int(entry["distance"])
        entries.append(entry | {"experiment": run.name, "series": label, "distance": distance, "rows": len(group)})
    return entries


def _facts(facts: Mapping[str, Any]) -> str:
    """Facts as one line of text; braces and quotes of JSON are for machines."""
    text = ", ".join(f"{key} {value}" for key, value in facts.items())
    return re.sub(r"[{}\[\]'\"]", "", text)


def _listed(column: pd.Series) -> str:
    return ", ".join(sorted(value for value in column.unique() if value))
