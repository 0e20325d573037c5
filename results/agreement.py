"""How far several runs of the same experiments come to the same verdicts."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED, Verdict

DECIDED = (HOLDS, IN_PART, DOES_NOT_HOLD)


class Compared(NamedTuple):
    """One statement in all runs: its verdict in each, None where the run has not its experiment."""

    experiment: str
    panel: str
    claim: str
    verdicts: tuple[Verdict | None, ...]

    @property
    def decided(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict and verdict.word in DECIDED]

    @property
    def comparable(self) -> bool:
        """Whether at least two runs decided it."""
        return len(self.decided) > 1

    @property
    def agrees(self) -> bool:
        """Whether all runs that decided it say the same word; how many configurations hold may differ."""
        return len({verdict.word for verdict in self.decided}) == 1


def compared(runs: Iterable[Iterable[Verdict]]) -> list[Compared]:
    """Each statement with its verdict in every run, in the order of the first run that has it. O(verdicts)."""
    by_statement: list[Mapping[tuple[str, str, str], Verdict]] = [
        {(verdict.experiment, verdict.panel, verdict.claim): verdict for verdict in run} for run in runs
    ]
    statements = dict.fromkeys(statement for run in by_statement for statement in run)
    lines = [Compared(*statement, tuple(run.get(statement) for run in by_statement)) for statement in statements]
    return [line for line in lines if any(verdict and verdict.word != NOT_MEASURED for verdict in line.verdicts)]


def share(lines: Iterable[Compared]) -> tuple[int, int]:
    """How many statements that at least two runs decided have the same verdict, and how many such there are."""
    comparable = [line for line in lines if line.comparable]
    return sum(line.agrees for line in comparable), len(comparable)
