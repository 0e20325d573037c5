"""The report page: one self-contained HTML file with the scoreboard, the figures, the statements and where all of it
comes from. It can be read without a script; with one it is filtered, sorted and explored.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from plots.claims import SIGNS, signed, summary
from plots.page.figures import as_svg
from plots.page.index import algorithms, anchor, operators, seen_in
from plots.page.provenance import origin, without_result
from plots.page.runs import of_the_page
from plots.page.scoreboard import agreeing, by_paper, experiment, subject, where_measured
from results import agreement
from results.verdicts import WORDS, Verdict
from safeguards.files import write_atomically

TEMPLATES = Path(__file__).parent / "templates"
DOCS = Path(__file__).resolve().parents[1] / "docs"
SCRIPTS = ("stepper.js", "report.js")


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

    runs = of_the_page(rows, list(verdicts), figures)
    whole = [run for run in runs if run.counts] or runs
    others = [run for run in runs if run not in whole]
    environment = _templates()
    environment.filters |= {
        "signed": signed,
        "id": anchor,
        "powers": _powers,
        "v": lambda word: f"v{WORDS.index(word)}",
    }
    claims = [claim for run in whole for claim in run.claims]
    elsewhere = {name: {claim.statement: claim for claim in run.verdicts} for name, run in (beside or {}).items()}
    folder = Path(out).parent
    pictures = {name: Path(run.folder) for name, run in (beside or {}).items() if run.folder}
    papers = by_paper(whole, folder, pictures)
    of_papers = subject(papers)
    page = environment.get_template("report.html").render(
        title=f"Sliding-window aggregation: which {'claims' if of_papers else 'goals'}{of_papers} hold here",
        subject=of_papers,
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        summary=summary(claims),
        origin=where_measured(whole),
        beside=agreeing(claims, beside or {}),
        elsewhere=elsewhere,
        papers=papers,
        others=[experiment(run, folder, pictures) for run in others],
        words=[(word, SIGNS[word]) for word in WORDS],
        algorithms=seen_in(whole, algorithms, DOCS / "algorithms", folder),
        operators=seen_in(whole, operators, DOCS / "operators", folder),
        origins=[origin(run) for run in runs if len(run.rows)],
        without_result=[entry for run in runs for entry in without_result(run)],
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
    frames = [(name, as_svg(svg)) for name, svg in states]
    return _templates().get_template("stepper.html").render(title=title, frames=frames, style=style, script=script)


def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _powers(text: str) -> Any:
    """The text as HTML, with powers such as 2^22 raised."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"\b(\d+)\^(\d+)", r"\1<sup>\2</sup>", str(escape(text))))  # noqa: S704 - escaped before
