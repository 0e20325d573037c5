"""The page that compares the verdicts of several runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from plots.claims import markdown_cell, signed
from results.agreement import Compared, compared, share
from results.verdicts import Verdict
from safeguards.files import write_atomically

WHAT = (
    "A verdict is decided if it says that a statement holds, holds in part, or does not hold. Runs agree on a "
    "statement if all that decided it say the same. How many of its configurations hold may differ."
)


def counted(lines: Sequence[Compared]) -> str:
    """The share of the statements on which the runs agree, in a sentence."""
    same, all_ = share(lines)
    if not all_:
        return "No statement was decided by two runs"
    return f"The runs agree on {same} of {all_} statements that at least two of them decided ({same / all_:.1%})"


def show(runs: Mapping[str, Sequence[Verdict]], path: str) -> None:
    """Write the page, and print where the runs differ, how much they agree, and where the page is."""
    lines = compared(runs.values())
    write_page(list(runs), lines, Path(path))
    for line in lines:
        if line.comparable and not line.agrees:
            said = ", ".join(f"{name}: {verdict.text}" for name, verdict in zip(runs, line.verdicts) if verdict)
            print(f"{line.experiment}, {line.panel}: {line.claim}: {said}")
    print(f"{counted(lines)}\nwrote {path}")


def write_page(runs: Sequence[str], lines: Sequence[Compared], path: Path) -> None:
    """Write the verdicts in each of the named runs as a table in Markdown."""
    heading = ["experiment", "figure", "claim", *runs, "agree"]
    table = [f"| {' | '.join(map(markdown_cell, heading))} |", f"|{' --- |' * len(heading)}"]
    for line in lines:
        said = [signed(verdict) if verdict else "" for verdict in line.verdicts]
        agrees = ("yes" if line.agrees else "**no**") if line.comparable else ""
        cells = [markdown_cell(text) for text in (line.experiment, line.panel, line.claim, *said)]
        table.append(f"| {' | '.join([*cells, agrees])} |")
    text = "\n".join(["# Verdicts of several runs", "", f"{counted(lines)}. {WHAT}", "", *table, ""])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
