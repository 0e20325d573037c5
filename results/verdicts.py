"""The verdict on a statement of a paper, as the harness decides it, sidecars keep it, and pages show it."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

HOLDS, IN_PART, DOES_NOT_HOLD = "holds", "holds in part", "does not hold"
UNDECIDED, NOT_MEASURED, NOT_JUDGED = "undecided", "not measured", "not judged"
WORDS = (HOLDS, IN_PART, DOES_NOT_HOLD, UNDECIDED, NOT_MEASURED, NOT_JUDGED)


class Decision(NamedTuple):
    """One configuration: its median, the ends of its interval, and what follows."""

    configuration: dict[str, Any]
    value: float
    low: float
    high: float
    state: str
    """Holds, fails or undecided."""
    repetitions: int
    more: int | None = None
    """About how many more repetitions would decide; None where no number would, or nothing is undecided."""


class Verdict(NamedTuple):
    """The verdict on one statement. Every configuration that was measured holds, fails or is undecided."""

    experiment: str
    panel: str
    """The figure or table of the paper, with its section."""
    claim: str
    """The statement in plain words."""
    says: str
    """The paper's own few words or number."""
    bound: str
    """What the quantity must be for the statement to hold, and where that comes from."""
    measured: str
    """The quantity with its interval, configuration by configuration."""
    word: str
    """One of `WORDS`."""
    holds: int = 0
    fails: int = 0
    undecided: int = 0
    timed: bool = True
    """Whether the quantity was timed: what is counted does not depend on how quiet the machine was."""
    reason: str = ""
    """A fact computed from the rows, or why there is no verdict; empty if there is nothing to say."""
    unit: str = ""
    """Of the numbers in `decisions`; "%" means that they are shares, and shown as per cent."""
    decisions: tuple[Decision, ...] = ()
    """The numbers behind `measured`, for every configuration."""

    @property
    def statement(self) -> tuple[str, str, str]:
        """What it is about, by which it is found in other runs: experiment, panel and claim."""
        return self.experiment, self.panel, self.claim

    @property
    def configurations(self) -> int:
        return self.holds + self.fails + self.undecided

    @property
    def text(self) -> str:
        """The word with its counts, such as "holds for 3 of 5"."""
        if self.configurations < 2:
            return self.word
        if self.word == HOLDS:
            return f"holds for all {self.holds}"
        if self.word == DOES_NOT_HOLD:
            return f"does not hold for any of {self.fails}"
        counts = f"holds for {self.holds} of {self.configurations}"
        return f"{counts}, {self.undecided} undecided" if self.undecided else counts


def word_of(holds: int, fails: int, undecided: int) -> str:
    """The word for these counts of configurations.

    Where one holds and one fails it is in part, whatever the others are; else it is undecided while one of them is.
    """
    if fails:
        return IN_PART if holds else DOES_NOT_HOLD if not undecided else UNDECIDED
    if undecided:
        return UNDECIDED
    return HOLDS if holds else NOT_MEASURED


def as_data(verdict: Verdict) -> dict[str, Any]:
    """The verdict as JSON can hold it. A number that is not finite becomes its name: inf, -inf or nan."""
    decisions = [{name: _as_data(value) for name, value in one._asdict().items()} for one in verdict.decisions]
    return {**verdict._asdict(), "decisions": decisions}


def of_data(data: Mapping[str, Any]) -> Verdict:
    """The verdict that `as_data` gave, as JSON returns it. Raises TypeError for keys that no verdict has."""
    decisions = [Decision(**{**one, **{key: float(one[key]) for key in NUMBERS}}) for one in data["decisions"]]
    return Verdict(**{**data, "decisions": tuple(decisions)})


NUMBERS = ("value", "low", "high")
"""The fields of a decision that may be infinite."""


def _as_data(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_data(entry) for name, entry in value.items()}
    plain = value.item() if hasattr(value, "item") else value
    return str(plain) if isinstance(plain, float) and not math.isfinite(plain) else plain


def published_in(folder: Path) -> dict[str, list[Verdict]]:
    """The verdicts of each run with a sidecar in the folder, by its name: those of the sidecar that was drawn last.

    One sidecar of a run has them. Sidecars of before have none, and their runs are left out: `action=draw` draws again.
    """
    found: dict[str, tuple[str, list[Verdict]]] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            sidecar = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(sidecar, dict) and (entries := sidecar.get("verdicts")):
                name, drawn = entries[0]["experiment"], sidecar["drawn"]
                if name not in found or found[name][0] < drawn:
                    found[name] = drawn, [of_data(entry) for entry in entries]
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path}: {error}; draw that figure again, or delete the file") from None
    return {name: verdicts for name, (_, verdicts) in found.items()}
