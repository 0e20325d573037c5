"""Verdicts as people read them: signs, a table in Markdown, and counts."""

from collections import Counter
from collections.abc import Iterable, Sequence

from results.verdicts import (
    DOES_NOT_HOLD,
    HOLDS,
    IN_PART,
    NOT_JUDGED,
    NOT_MEASURED,
    UNDECIDED,
    WORDS,
    Verdict,
)

COLUMNS = {
    "panel": "figure",
    "claim": "claim",
    "says": "paper",
    "measured": "measured",
    "bound": "holds if",
    "text": "verdict",
    "reason": "why",
}
"""The columns of a table of verdicts: attributes of a verdict, and their headings."""

# A sign beside the word, so that the verdict does not hang on colour alone.
SIGNS = {HOLDS: "✓", IN_PART: "≈", DOES_NOT_HOLD: "✗", UNDECIDED: "?", NOT_MEASURED: "–", NOT_JUDGED: "·"}
TERMINAL_STYLES = {
    HOLDS: "green",
    IN_PART: "yellow",
    DOES_NOT_HOLD: "bold red",
    UNDECIDED: "cyan",
    NOT_MEASURED: "dim",
    NOT_JUDGED: "dim",
}


def signed(verdict: Verdict) -> str:
    """The sign and the words of a verdict."""
    return f"{SIGNS[verdict.word]} {verdict.text}"


def claims_markdown(verdicts: Iterable[Verdict]) -> str:
    """Return the verdicts as a Markdown table with a heading line."""
    heading = [f"| {' | '.join(COLUMNS.values())} |", f"|{' --- |' * len(COLUMNS)}"]
    body = []
    for verdict in verdicts:
        cells = {key: getattr(verdict, key) for key in COLUMNS} | {"text": signed(verdict)}
        body.append(f"| {' | '.join(map(markdown_cell, cells.values()))} |")
    return "\n".join([*heading, *body]) + "\n"


def summary(verdicts: Sequence[Verdict]) -> str:
    """Return the counts on one line, such as "4 statements: 3 hold, 1 undecided"."""
    counts = Counter(verdict.word for verdict in verdicts)
    counted = [f"{counts[word]} {_of_many(word, counts[word])}" for word in WORDS if counts[word]]
    number = "1 statement" if len(verdicts) == 1 else f"{len(verdicts)} statements"
    return f"{number}: {', '.join(counted)}" if counted else "no statements"


def _of_many(word: str, count: int) -> str:
    """The word for several statements: holds, hold."""
    plural = {HOLDS: "hold", IN_PART: "hold in part", DOES_NOT_HOLD: "do not hold"}
    return word if count == 1 else plural.get(word, word)


def markdown_cell(text: str) -> str:
    """Return the text for a cell of a Markdown table: on one line, with special characters escaped."""
    for special in ("\\", "|", "*", "_", "<", "`", "[", "$"):
        text = text.replace(special, f"\\{special}")
    return " ".join(text.split())
