"""What a run prints when it is done: the verdicts, what was not measured and why, and the files written."""

import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from plots import Published, publish
from plots.claims import TERMINAL_STYLES, signed, summary
from plots.report import report
from plots.style import canonical, series
from results.schema import OK
from results.verdicts import UNDECIDED, Verdict

MOST_PROBLEMS = 8
MOST_LABELS = 3
INDENT = "    "
LABELS = {"says": "paper", "measured": "measured", "bound": "holds if", "reason": "why"}


def show(run: Any, published: Any) -> int:
    """Print the claims, what was not measured and why, and where the figures are, in the width of the terminal; the
    exit code: 1 where a measurement or a figure has failed.

    A run has a name, rows, verdicts, a warning, how many repetitions were measured now and kept, and whether any
    failed. What is published has the paths of files, the reasons of what was not drawn, and whether that is a failure.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)  # lines are wrapped here, with their indents

    def say(text: str, style: str = "") -> None:
        console.print(Text(text, style=style))

    say("")
    for verdict in run.verdicts:
        heading, *details = claim_lines(verdict, console.width)
        say(heading, TERMINAL_STYLES[verdict.word])
        for line in details:
            say(line)
    say(f"{run.name}: {summary(run.verdicts)}")
    again = " (force=true measures them again)" if run.kept else ""
    say(f"{run.measured} measured now, {run.kept} kept from earlier runs{again}")
    for line in textwrap.wrap(run.warning, console.width, subsequent_indent=INDENT):
        say(line, "bold yellow")
    for line in problem_lines(run.rows, console.width):
        say(line, "yellow")
    for figure, reason in published.undrawn.items():
        for line in textwrap.wrap(f"not drawn: {figure}: {reason}", console.width, subsequent_indent=INDENT):
            say(line, "yellow")
    for path in published.paths:
        say(f"wrote {path}")
    return 1 if run.failed or published.failed else 0


def show_all(ended: Iterable[tuple[str, int, float]], runs: Iterable[Any]) -> None:
    """Print a line for each experiment of a command: (name, exit code, seconds), with what has come of those that ran.

    A run has settings with its experiment's name, rows, verdicts, and how many repetitions were measured now and kept.
    """
    outcomes = {run.settings.name: run for run in runs}
    lines, statuses, verdicts, hours = [], Counter(), [], 0.0
    for name, code, seconds in ended:
        hours += seconds / 3600
        if name not in outcomes:
            lines.append(f"{name:<22} exit code {code}, its error is above")
            continue
        outcome = outcomes[name]
        bad = Counter(outcome.rows["status"][outcome.rows["status"] != OK])
        statuses += bad
        verdicts += outcome.verdicts
        absent = "".join(f", {count} {status}" for status, count in bad.items())
        done = f"{outcome.measured} measured, {outcome.kept} kept{absent}"
        lines.append(f"{name:<22} {seconds / 60:5.1f} min: {done}; {summary(outcome.verdicts)}")
    open_ones = open_lines(verdicts)
    lines += ["undecided, and what would decide:", *open_ones] if open_ones else []
    failed = ", ".join(f"{count} {status}" for status, count in statuses.items()) or "none failed"
    print("", *lines, f"all: {hours:.1f} hours; repetitions: {failed}; {summary(verdicts)}", sep="\n")


def drawn(runs: Collection[Any], folder: str, progress: Callable[[int, str], Any]) -> list[Published]:
    """Draw the figures of some runs, and show how many are done: see `publish`, and harness.progress.display."""
    total = sum(len(run.figures) for run in runs)
    with progress(total, f"figure{'s'[: total - 1]} to draw") as tell:
        return [publish(run, folder, tell) for run in runs]


def report_written(
    runs: Mapping[str, Any], folder: str, beside: Mapping[str, Any], progress: Callable[[int, str], Any]
) -> int:
    """Draw the figures of all runs again and write the report page; print what is on it and what could not be drawn.

    `runs` are by the names that they have on the page; `beside` are further runs, by name, whose verdicts stand beside.
    Returns the exit code.
    """
    published = drawn(runs.values(), folder, progress)
    print("making the page", file=sys.stderr, flush=True)
    verdicts = [verdict._replace(experiment=name) for name, run in runs.items() for verdict in run.verdicts]
    paths = [path for files in published for path in files.paths]
    page = report({name: run.rows for name, run in runs.items()}, verdicts, paths, f"{folder}/report.html", beside)
    print(f"wrote {page}: {sum(path.suffix == '.png' for path in paths)} figures, {len(verdicts)} claims")
    failed = [f"error: {name} is not drawn: {files.undrawn[name]}" for files in published for name in files.failed]
    print(*failed, sep="\n", end="\n" * bool(failed), file=sys.stderr)
    return 1 if failed else 0


def claim_lines(verdict: Verdict, width: int) -> list[str]:
    """A claim as lines of at most `width` characters: the verdict, the paper's statement and its place, the numbers."""
    lines = textwrap.wrap(f"{signed(verdict)}: {verdict.panel}", width, subsequent_indent=INDENT)
    lines += _wrapped(verdict.claim, width, INDENT)
    for key, label in LABELS.items():
        if text := getattr(verdict, key):
            lines += _wrapped(text, width, f"{INDENT}{label + ':':<10}")
    return lines


def open_lines(verdicts: Iterable[Verdict]) -> list[str]:
    """What is undecided, and what would decide it: one line for all of an experiment that have the same reason."""
    alike: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        if verdict.word == UNDECIDED:
            alike.setdefault((verdict.experiment, verdict.reason), []).append(verdict.claim)
    return [
        f"  {experiment}: {claims[0] if len(claims) == 1 else f'{len(claims)} statements'}: {reason}"
        for (experiment, reason), claims in alike.items()
    ]


def problem_lines(rows: pd.DataFrame, width: int) -> list[str]:
    """What has no result and why: one entry for each status and reason, with the series affected."""
    absent = rows[rows["status"] != OK]
    lines = []
    groups = list(absent.groupby(["status", "reason"], sort=False))
    for (status, reason), group in groups[:MOST_PROBLEMS]:
        pairs = group[["algorithm", "parameters"]].drop_duplicates().itertuples(index=False)
        labels = [series(algorithm, canonical(parameters)).label for algorithm, parameters in pairs]
        unlisted = f" and {len(labels) - MOST_LABELS} more" if len(labels) > MOST_LABELS else ""
        text = f"{status} ({len(group)}): {', '.join(labels[:MOST_LABELS])}{unlisted}: {reason}"
        lines += textwrap.wrap(text, width, subsequent_indent=INDENT)
    if len(groups) > MOST_PROBLEMS:
        lines.append(f"... and {len(groups) - MOST_PROBLEMS} more reasons, in the rows and on the report page")
    return lines


def _wrapped(text: str, width: int, label: str) -> list[str]:
    return textwrap.wrap(text, max(width, 40), initial_indent=label, subsequent_indent=" " * len(label))
