"""How far several runs of the same experiments come to the same verdicts, and how much faster one is than another."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from results.laps import typical_values
from results.schema import OK
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED, Verdict

DECIDED = (HOLDS, IN_PART, DOES_NOT_HOLD)


CONFIDENCE, RESAMPLES = 0.99, 1000
"""Of the interval of a ratio, by the bootstrap over the repetitions of both runs."""

FEWEST = 3
"""Repetitions in each run of a cell whose ratio is given."""


class Run(NamedTuple):
    """A run to be compared: its verdicts, all its rows, and the folder of its figures, if they are at hand."""

    verdicts: Sequence[Verdict]
    rows: pd.DataFrame
    folder: str = ""

    @property
    def where(self) -> str:
        """Machine, profile, revision and days, in a line."""
        machines = {
            f"{facts.get('processor', 'a machine')}, {facts.get('cores', '?')} cores ({machine})"
            for machine, text in self.rows[["machine", "machine_facts"]].drop_duplicates().itertuples(index=False)
            for facts in [json.loads(text)]
        }
        days = sorted(self.rows["started"].dt.strftime("%Y-%m-%d").unique())
        span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        profiles, revisions = (sorted(set(self.rows[name])) for name in ("profile", "git_revision"))
        shown = ", ".join(revision[:10] for revision in revisions[:3]) + (" and others" if len(revisions) > 3 else "")
        return f"{' and '.join(sorted(machines))}; profile {', '.join(profiles)}; revision {shown}; {span}"


class Pace(NamedTuple):
    """How many times as long the second run takes for one operation as the first, over the cells that both timed."""

    experiment: str
    cells: int
    middle: float
    low: float
    high: float
    """Median, tenth and ninetieth percentile over the cells."""
    slower: int
    faster: int
    """Cells in which the second run is slower or faster for certain: the whole interval of the ratio is beyond 1."""


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
        {verdict.statement: verdict for verdict in run} for run in runs
    ]
    statements = dict.fromkeys(statement for run in by_statement for statement in run)
    lines = [Compared(*statement, tuple(run.get(statement) for run in by_statement)) for statement in statements]
    return [line for line in lines if any(verdict and verdict.word != NOT_MEASURED for verdict in line.verdicts)]


def share(lines: Iterable[Compared]) -> tuple[int, int]:
    """How many statements that at least two runs decided have the same verdict, and how many such there are."""
    comparable = [line for line in lines if line.comparable]
    return sum(line.agrees for line in comparable), len(comparable)


def paces(first: pd.DataFrame, second: pd.DataFrame) -> list[Pace]:
    """The pace of each experiment that has cells timed at least `FEWEST` times in both runs, in order of name."""
    runs = [_each(rows) for rows in (first, second)]
    ratios: dict[str, list[np.ndarray]] = {}
    for key in sorted(runs[0].keys() & runs[1].keys()):
        before, after = runs[0][key], runs[1][key]
        if min(len(before), len(after)) >= FEWEST:
            ratios.setdefault(key[0], []).append(ratio(before, after))
    return [_pace(name, np.array(found)) for name, found in ratios.items()]


def ratio(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The ratio of the medians, after over before, and the ends of its interval. O(RESAMPLES * repetitions)."""
    random = np.random.default_rng(len(before) + 1000 * len(after))
    drawn = [np.median(random.choice(values, (RESAMPLES, len(values))), axis=1) for values in (before, after)]
    ends = np.quantile(drawn[1] / drawn[0], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return np.array([np.median(after) / np.median(before), *ends])


def _each(rows: pd.DataFrame) -> dict[tuple[str, str], np.ndarray]:
    """Of each (experiment, cell) that was timed, the time of one operation in every repetition: that of its typical
    lap, as in verdicts and figures.

    Bytes and items are no times, though they may differ between repetitions. Cycles last longer on one machine than on
    another.
    """
    timed = rows[(rows["status"] == OK) & (rows["unit"] == "ns") & ~rows["counted"]]
    timed = timed[timed["value"].notna() & (timed["operations"] > 0)]
    each = typical_values(timed) / timed["operations"].astype(float)
    return {
        key: values.to_numpy()
        for key, values in each.groupby([timed["experiment"], timed["cell"]])
        if values.gt(0).all()
    }


def _pace(experiment: str, ratios: np.ndarray) -> Pace:
    middle, low, high = np.quantile(ratios[:, 0], [0.5, 0.1, 0.9])
    slower, faster = int((ratios[:, 1] > 1).sum()), int((ratios[:, 2] < 1).sum())
    return Pace(experiment, len(ratios), float(middle), float(low), float(high), slower, faster)
