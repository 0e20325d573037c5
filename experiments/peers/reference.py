"""Our windows beside the authors' C++: nanoseconds a round against numbers measured with their code, elsewhere.

Not a figure of a paper. The reference numbers were measured with the authors' public C++ at -O3 (its loop has a full
memory fence, about 3.7 ns) on the machine where our two_stacks_lite takes 1.8 ns a round in order at n = 1024. Machines
differ, so a verdict compares with the reference scaled by what two_stacks_lite takes in the same run.
"""

import json
from collections.abc import Iterator

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.old_judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError, arity_of
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.peers.measuring.reference import REFERENCES, Reference

HERE = "two_stacks_lite"
HERE_NS = 1.8
"""Nanoseconds a round of our two_stacks_lite, in order, n = 1024, sum, on the machine of the reference numbers."""

NEARLY = 1.1


@experiment("peers_reference")
def peers_reference(settings: Settings) -> list[Cell]:
    """Rounds of evict, insert and query beside numbers of the authors' C++, for every window that they have."""
    if settings.window is not None or settings.distances is not None or settings.workload["name"] != "distance":
        raise SettingsError("peers_reference has fixed windows, distances and workload: those of the reference numbers")
    largest = settings.sizes["window"]
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm,
            parameters={"min_arity": arity} if arity else {},
            uses=reference.uses(),
            operator=reference.operator,
            workload="distance",
            stream={"window": reference.window, "distance": reference.distance},
            window=reference.window,
            distance=reference.distance,
            batch=reference.batch,
            measurement="reference.time",
        )
        for reference in REFERENCES
        if reference.window <= largest
        for algorithm, arity in reference.nanoseconds
    ]


def _medians(rows: pd.DataFrame) -> pd.Series:
    """Nanoseconds a round, or an item of a batch, by the key of a reference, algorithm and min_arity."""
    frame = rows.assign(
        ns=rows["value"] / rows["operations"],
        arity=rows["parameters"].map(arity_of),
        batch=rows["batch"].astype("Int64").fillna(0),
        evict=[json.loads(parameters).get("evict", "") for parameters in rows["parameters"]],
    )
    return frame.groupby(["operator", "window", "distance", "batch", "evict", "algorithm", "arity"])["ns"].median()


def _scale(medians: pd.Series) -> float:
    """How much slower this machine is than that of the reference numbers."""
    try:
        return float(medians[("sum", 1 << 10, 0, 0, "", HERE, 0)]) / HERE_NS
    except KeyError:
        raise NotMeasuredError(f"{HERE} was not measured in order at n = 1024") from None


def _judge(reference: Reference, rows: pd.DataFrame) -> Judgement:
    medians = _medians(rows)
    scale = _scale(medians)
    compared = dict(_compared(reference, medians))
    worst = max(ours / (theirs * scale) for ours, theirs in compared.values())
    measured = ", ".join(f"{name}: {ours:.3g} ns for {theirs * scale:.3g}" for name, (ours, theirs) in compared.items())
    verdict = REPRODUCED if worst <= 1 else PARTLY if worst <= NEARLY else NOT_REPRODUCED
    reason = "" if worst <= 1 else f"the slowest takes {worst:.2f} times the scaled reference"
    return Judgement(verdict, f"{measured} (reference x {scale:.2f}, this machine's two_stacks_lite)", reason)


def _compared(reference: Reference, medians: pd.Series) -> Iterator[tuple[str, tuple[float, float]]]:
    for (algorithm, arity), theirs in reference.nanoseconds.items():
        key = (*reference.key(), algorithm, arity)
        if key not in medians.index:
            raise NotMeasuredError(f"{algorithm} at n = {reference.window} is not measured at this profile")
        yield (f"{algorithm}({arity})" if arity else algorithm), (float(medians[key]), theirs)


for _reference in REFERENCES:

    @peers_reference.claim(
        "C++ reference",
        f"{_reference.says}: at or below the authors' C++",
        ", ".join(f"{value:g}" for value in _reference.nanoseconds.values()) + " ns",
    )
    def _(rows: pd.DataFrame, reference: Reference = _reference) -> Judgement:
        return _judge(reference, rows)
