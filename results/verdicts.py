"""The verdict on a statement of a paper, as the harness decides it and as figures, pages and the terminal show it."""

from typing import NamedTuple

HOLDS, IN_PART, DOES_NOT_HOLD = "holds", "holds in part", "does not hold"
UNDECIDED, NOT_MEASURED, NOT_JUDGED = "undecided", "not measured", "not judged"
WORDS = (HOLDS, IN_PART, DOES_NOT_HOLD, UNDECIDED, NOT_MEASURED, NOT_JUDGED)


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
    """The word for these counts of configurations: a statement is not decided before all of them are, or one fails."""
    if fails:
        return IN_PART if holds else DOES_NOT_HOLD if not undecided else UNDECIDED
    if undecided:
        return UNDECIDED
    return HOLDS if holds else NOT_MEASURED
