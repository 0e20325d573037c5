"""The README's scoreboard: how many statements of each paper hold, from the pages that a run has published.

python -m plots.scoreboard [FOLDER]     results/published, unless told otherwise
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from plots.claims import COLUMNS, SIGNS
from plots.report import OURS, PAPERS
from results.verdicts import WORDS

FOLDER = "results/published"
PLACE = 1 + list(COLUMNS).index("text")
"""Of the verdict among the cells of a line, which begins with a border."""

CELL = re.compile(r"(?<!\\)\|")
"""The border of a cell in a line of a table."""


def verdicts_of(page: Path) -> Counter:
    """The verdicts in the table at the end of a run's page, by word."""
    word_of = {sign: word for word, sign in SIGNS.items()}
    found: Counter = Counter()
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in CELL.split(line)]
        sign, _, text = cells[PLACE].partition(" ") if len(cells) > PLACE + 1 else ("", "", "")
        if text and sign in word_of:
            found[word_of[sign]] += 1
    return found


def scoreboard(folder: Path) -> str:
    """A line for each paper, as a table in Markdown."""
    paper_of = {}
    for path in sorted(folder.glob("*.json")):
        config = json.loads(path.read_text(encoding="utf-8"))["config"]
        paper_of[config["name"]] = PAPERS.get(config["paper"], OURS)
    counts: dict[str, Counter] = {}
    for name, paper in paper_of.items():
        counts[paper] = counts.get(paper, Counter()) + verdicts_of(folder / f"{name}.md")
    lines = [f"| | {' | '.join(f'{SIGNS[word]} {word}' for word in WORDS)} |", f"|{' --- |' * (1 + len(WORDS))}"]
    for paper in [*PAPERS.values(), OURS]:
        if paper in counts:
            lines.append(f"| {paper} | {' | '.join(str(counts[paper][word] or '–') for word in WORDS)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(scoreboard(Path(sys.argv[1] if len(sys.argv) > 1 else FOLDER)), end="")
