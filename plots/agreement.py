"""The page that compares several runs: where they ran, their verdicts, and of two runs the times."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from plots.claims import markdown_cell, signed
from results.agreement import Compared, Run, compared, paces, share
from safeguards.files import write_atomically

WHAT = (
    "A verdict is decided if it says that a statement holds, holds in part, or does not hold. Runs agree on a "
    "statement if all that decided it say the same. How many of its configurations hold may differ."
)

PACES = (
    "How many times as long an operation takes in {1} as in {0}, over the cells that both timed: the median, and where "
    "eight of ten lie. For certain means that the whole interval (99 %, by the bootstrap over repetitions) is beyond 1."
)


def counted(lines: Sequence[Compared]) -> str:
    """The share of the statements on which the runs agree, in a sentence."""
    same, all_ = share(lines)
    if not all_:
        return "No statement was decided by two runs"
    return f"The runs agree on {same} of {all_} statements that at least two of them decided ({same / all_:.1%})"


def show(runs: Mapping[str, Run], path: str) -> int:
    """Write the page, and print where the runs differ, how much they agree, and where the page is; the exit code."""
    lines = compared(run.verdicts for run in runs.values())
    write_page(runs, lines, Path(path))
    for line in lines:
        if line.comparable and not line.agrees:
            said = ", ".join(f"{name}: {verdict.text}" for name, verdict in zip(runs, line.verdicts) if verdict)
            print(f"{line.experiment}, {line.panel}: {line.claim}: {said}")
    print(f"{counted(lines)}\nwrote {path}")
    return 0


def write_page(runs: Mapping[str, Run], lines: Sequence[Compared], path: Path) -> None:
    """Write where the runs ran, and their verdicts and times as tables in Markdown."""
    ran = [f"- {markdown_cell(name)}: {markdown_cell(run.where)}" for name, run in runs.items()]
    text = [
        "# Verdicts of several runs",
        "",
        *ran,
        "",
        f"{counted(lines)}. {WHAT}",
        "",
        *_verdicts(list(runs), lines),
        "",
    ]
    if len(runs) == 2 and (times := _times(*runs.values())):
        text += ["## Times", "", PACES.format(*map(markdown_cell, runs)), "", *times, ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "\n".join(text).encode())


def _verdicts(runs: Sequence[str], lines: Sequence[Compared]) -> list[str]:
    rows = []
    for line in lines:
        said = [signed(verdict) if verdict else "" for verdict in line.verdicts]
        agrees = ("yes" if line.agrees else "**no**") if line.comparable else ""
        rows.append([*(markdown_cell(text) for text in (line.experiment, line.panel, line.claim, *said)), agrees])
    return _table(["experiment", "figure", "claim", *map(markdown_cell, runs), "agree"], rows)


def _times(first: Run, second: Run) -> list[str]:
    """A line for each experiment that both runs timed; nothing if there is none."""
    rows = [
        [markdown_cell(pace.experiment), f"{pace.middle:.2f}", f"{pace.low:.2f} to {pace.high:.2f}",
         *(f"{count:,}" for count in (pace.cells, pace.slower, pace.faster))]
        for pace in paces(first.rows, second.rows)
    ]  # fmt: skip
    heading = ["experiment", "times as long", "eight of ten cells", "cells", "slower for certain", "faster for certain"]
    return _table(heading, rows) if rows else []


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (heading, ["---"] * len(heading), *rows)]
