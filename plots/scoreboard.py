"""The README's scoreboard: how many statements of each paper hold, from the sidecars that a run has published.

python -m plots.scoreboard [FOLDER]     results/published, unless told otherwise
"""

import json
import sys
from collections import Counter
from pathlib import Path

from plots.claims import SIGNS
from plots.page.runs import OURS, PAPERS
from results.verdicts import WORDS, published_in

FOLDER = "results/published"


def scoreboard(folder: Path) -> str:
    """A line for each paper, as a table in Markdown; variants of an experiment do not count.

    Raises ValueError if an experiment of the folder has lost the sidecar with its verdicts. That one names its cells;
    verdicts it may have none, if the experiment has no statements.
    """
    sidecars = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    paper_of = {each["config"]["name"]: PAPERS.get(each["config"]["paper"], OURS) for each in sidecars}
    published, counts = published_in(folder), {paper: Counter[str]() for paper in paper_of.values()}
    if missing := sorted(paper_of.keys() - {each["config"]["name"] for each in sidecars if each.get("cells")}):
        raise ValueError(
            f"{folder} has no verdicts of {', '.join(missing)}; draw again: python run.py experiment={missing[0]} "
            f"action=draw results={folder} figure_folder={folder}"
        )
    for name, paper in paper_of.items():
        counts[paper] += Counter(verdict.word for verdict in published.get(name, ()))
    lines = [f"| | {' | '.join(f'{SIGNS[word]} {word}' for word in WORDS)} |", f"|{' --- |' * (1 + len(WORDS))}"]
    for paper in [*PAPERS.values(), OURS]:
        if paper in counts:
            lines.append(f"| {paper} | {' | '.join(str(counts[paper][word] or '–') for word in WORDS)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    try:
        print(scoreboard(Path(sys.argv[1] if len(sys.argv) > 1 else FOLDER)), end="")
    except ValueError as error:
        sys.exit(f"error: {error}")
