"""Claims: what the papers say, what was measured, and the verdict; their wording, and the table as Markdown."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

REPRODUCED = "reproduced"
PARTLY = "partly"
NOT_REPRODUCED = "not reproduced"
NOT_MEASURED = "not measured at this profile"
VERDICTS = (REPRODUCED, PARTLY, NOT_REPRODUCED, NOT_MEASURED)

KEYS = ("experiment", "paper", "claim", "paper_value", "measured", "verdict", "reason")
COLUMNS = {
    "paper": "figure",
    "claim": "claim",
    "paper_value": "paper",
    "measured": "measured",
    "verdict": "verdict",
    "reason": "why",
}

# A sign beside the word, so that the verdict does not hang on colour alone.
SIGNS = {REPRODUCED: "✓", PARTLY: "≈", NOT_REPRODUCED: "✗", NOT_MEASURED: "–"}
TERMINAL_STYLES = {REPRODUCED: "green", PARTLY: "yellow", NOT_REPRODUCED: "bold red", NOT_MEASURED: "dim"}


class ClaimError(ValueError):
    """A verdict that lacks a key, or whose word is not one of `VERDICTS`."""


def checked(verdicts: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the verdicts with the keys of `KEYS` only, all as text. Raises ClaimError for a missing key or word."""
    texts = []
    for number, verdict in enumerate(verdicts):
        if missing := [key for key in KEYS if key not in verdict]:
            raise ClaimError(f"verdict {number} has no {', '.join(missing)}; a verdict has {', '.join(KEYS)}")
        if verdict["verdict"] not in VERDICTS:
            raise ClaimError(f"verdict {number} is {verdict['verdict']!r}; it must be one of {', '.join(VERDICTS)}")
        texts.append({key: str(verdict[key]) for key in KEYS})
    return texts


def claims_markdown(verdicts: Iterable[Mapping[str, str]]) -> str:
    """Return the verdicts as a Markdown table with a heading line.

    Each verdict has the keys of `KEYS`: experiment, paper ("Figure 11"), claim, paper_value, measured, verdict (one of
    `VERDICTS`) and reason. Raises ClaimError if one does not.
    """
    heading = [f"| {' | '.join(COLUMNS.values())} |", f"|{' --- |' * len(COLUMNS)}"]
    body = []
    for verdict in checked(verdicts):
        cells = verdict | {"verdict": f"{SIGNS[verdict['verdict']]} {verdict['verdict']}"}
        body.append(f"| {' | '.join(markdown_cell(cells[key]) for key in COLUMNS)} |")
    return "\n".join([*heading, *body]) + "\n"


def summary(verdicts: Sequence[Mapping[str, str]]) -> str:
    """Return the counts on one line, such as "4 claims: 3 reproduced, 1 partly"."""
    counts = Counter(verdict["verdict"] for verdict in verdicts)
    counted = [f"{counts[word]} {word}" for word in VERDICTS if counts[word]]
    claims = "1 claim" if len(verdicts) == 1 else f"{len(verdicts)} claims"
    return f"{claims}: {', '.join(counted)}" if counted else "no claims"


def markdown_cell(text: str) -> str:
    """Return the text for a cell of a Markdown table: on one line, with special characters escaped."""
    for special in ("\\", "|", "*", "_", "<", "`", "[", "$"):
        text = text.replace(special, f"\\{special}")
    return " ".join(text.split())
