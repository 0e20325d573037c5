"""docs/statements.md: every panel and every statement of every paper, made from the data that verdicts come from.

python -m docs.statements            write the page again
python -m docs.statements --check    say whether it is missing or differs from the data; exit code 1 if so
"""

import functools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from experiments.harness.judgement import bound_of
from experiments.harness.registry import find
from experiments.harness.statements import FILE, Statement, in_folder
from plots.claims import markdown_cell
from safeguards.files import write_atomically

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_suffix(".md")

OURS = ("spark", "peers")
"""Folders whose statements are this project's own."""

HEADING = """<!-- from experiments/*/statements.yaml and conf/experiment: python -m docs.statements -->
# Panels and statements

What is drawn of each paper, and what its text states about it: with the paper's own few words or number, and what must
be measured for the statement to hold, or why it can have no verdict. Where the bound comes from is in brackets. How a
verdict is found is on [a page of its own](verdicts.md).

Panels whose name begins with "ours" are not in the paper.
"""


def folders() -> list[Path]:
    """The folders with statements, those of papers first."""
    found = sorted(path.parent for path in (ROOT / "experiments").glob(f"*/{FILE}"))
    return sorted(found, key=lambda folder: folder.name in OURS)


def page() -> str:
    """The whole page as Markdown."""
    return "\n".join([HEADING, *(line for folder in folders() for line in _section(folder))])


def _section(folder: Path) -> Iterator[str]:
    title = (folder / "__init__.py").read_text(encoding="utf-8").strip().strip('"')
    yield f"## {folder.name}\n\n{title}\n"
    yield _table(("panel", "title", "experiment"), list(_panels(folder)))
    heading = ("panel", "experiment", "claim", "in the paper's words", "what is computed", "holds if")
    yield _table(heading, [_cells(statement) for statement in in_folder(folder).statements])


def _panels(folder: Path) -> Iterator[tuple[str, ...]]:
    """The figures of the experiments in a folder: where the original is, the title, and the command's name for them."""
    for config in _configs():
        if any(_registers(module, config.get("name", "")) for module in folder.glob("*.py")):
            for figure in (*config["figures"], *config.get("trace_figures", ())):
                yield figure.get("paper") or "ours", figure.get("title") or figure["name"], config["name"]


@functools.cache
def _configs() -> list[dict[str, Any]]:
    """The configuration of each experiment, in order of the file's name."""
    paths = sorted((ROOT / "conf/experiment").glob("*.yaml"))
    return [yaml.safe_load(path.read_text(encoding="utf-8")) or {} for path in paths]


@functools.cache
def _registers(module: Path, name: str) -> bool:
    return f'@experiment("{name}"' in module.read_text(encoding="utf-8")


def _cells(statement: Statement) -> tuple[str, ...]:
    holds_if = f"not judged: {statement.not_judged}" if statement.not_judged else bound_of(statement)
    experiment = statement.experiment or "none"
    return statement.place, experiment, statement.claim, statement.says, _computed(statement), holds_if


def _computed(statement: Statement) -> str:
    """What the quantity is, in the first sentence of its documentation, and for which configurations."""
    if statement.not_judged:
        return "nothing"
    text = find(statement.experiment).quantities[statement.quantity].__doc__ or statement.quantity
    sentence = re.split(r"\.(?:\s|$)", " ".join(text.split()))[0]
    chosen = ", ".join(f"{key} {_plain(value)}" for key, value in statement.where.items())
    return f"{sentence} ({chosen})" if chosen else sentence


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " or ".join(map(_plain, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *([markdown_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def stale(path: Path = PAGE) -> bool:
    """Whether the page is missing or differs from the data."""
    return not path.is_file() or path.read_text(encoding="utf-8") != page()


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if stale():
            sys.exit("docs/statements.md is missing or not what the data say")
    else:
        write_atomically(PAGE, page().encode())
        print("docs/statements.md written")
