"""Our windows beside the authors' C++: nanoseconds a round against numbers measured with their code, elsewhere.

Not a figure of a paper. The reference numbers were measured with the authors' public C++ at -O3 (its loop has a full
memory fence, about 3.7 ns) on the machine where our two_stacks_lite takes 1.8 ns a round in order at n = 1024. Machines
differ, so a verdict compares with the reference scaled by what two_stacks_lite takes in the same run.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from experiments.harness.cell import Cell, canonical
from experiments.harness.judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError, arity_of
from experiments.harness.measuring import bulk
from experiments.harness.measuring.bulk import BULK, LOOP
from experiments.harness.measuring.measure import measure_rounds
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

HERE = "two_stacks_lite"
HERE_NS = 1.8
"""Nanoseconds a round of our two_stacks_lite, in order, n = 1024, sum, on the machine of the reference numbers."""

NEARLY = 1.1


class Reference(NamedTuple):
    """One group of reference numbers: nanoseconds a round by the algorithm, or by min_arity."""

    says: str
    operator: str
    window: int
    distance: int
    nanoseconds: dict[tuple[str, int], float]
    batch: int | None = None
    """Items that a round evicts and inserts; None: one of each, and the number is for the round."""
    evict: str = ""
    """How a round evicts its batch, bulk or loop; insertions are single ones."""

    def key(self) -> tuple[str, int, int, int, str]:
        return (self.operator, self.window, self.distance, self.batch or 0, self.evict)

    def parameters(self, arity: int) -> dict[str, Any]:
        """The row column `parameters` of an algorithm with this min_arity (0: it has none)."""
        uses = {"evict": self.evict, "insert": LOOP} if self.evict else {}
        return ({"min_arity": arity} if arity else {}) | uses


def _fiba(two: float, four: float, eight: float) -> dict[tuple[str, int], float]:
    return {("fiba", 2): two, ("fiba", 4): four, ("fiba", 8): eight}


def _batches(evict: str, *nanoseconds: float) -> tuple[Reference, ...]:
    """FiBA in order, n = 2^22: batches of 1, 2^10 and 2^16 evicted in bulk or by a loop, inserted one by one."""
    how = "bulk evict" if evict == BULK else "single evicts"
    return tuple(
        Reference(f"FiBA, sum, {how} of m = {m}, n = 2^22", "sum", 1 << 22, 0, {("fiba", 4): ns}, m, evict)
        for m, ns in zip((1, 1 << 10, 1 << 16), nanoseconds, strict=True)
    )


def _in_order(**nanoseconds: float) -> dict[tuple[str, int], float]:
    return {(name, 0): value for name, value in nanoseconds.items()}


REFERENCES = (
    Reference("FiBA, sum, in order, n = 2^10", "sum", 1 << 10, 0, _fiba(33, 30, 27)),
    Reference("FiBA, sum, in order, n = 2^20", "sum", 1 << 20, 0, _fiba(49, 47, 38)),
    Reference("FiBA, sum, distance 1, n = 2^22", "sum", 1 << 22, 1, _fiba(46, 40, 37)),
    Reference("FiBA, sum, distance 2^10, n = 2^22", "sum", 1 << 22, 1 << 10, _fiba(125, 87, 88)),
    Reference("FiBA, sum, distance 2^20, n = 2^22", "sum", 1 << 22, 1 << 20, _fiba(137, 142, 103)),
    Reference("classic B-tree, sum, distance 2^10, n = 2^22", "sum", 1 << 22, 1 << 10, {("b_tree", 4): 160}),
    Reference("FiBA, bloom, in order, n = 2^10", "bloom", 1 << 10, 0, _fiba(1211, 1530, 2319)),
    Reference(
        "in-order windows, sum, n = 2^10",
        "sum",
        1 << 10,
        0,
        _in_order(two_stacks=16, two_stacks_lite=8.2, daba=8.3, daba_lite=7.7, flatfit=10.2, reactive=143),
    ),
    Reference(
        "in-order windows, sum, n = 2^20",
        "sum",
        1 << 20,
        0,
        _in_order(two_stacks=18, two_stacks_lite=8.6, daba=8.2, daba_lite=7.6, flatfit=10.5, reactive=207),
    ),
    Reference(
        "in-order windows, bloom, n = 2^10",
        "bloom",
        1 << 10,
        0,
        _in_order(two_stacks=295, two_stacks_lite=234, daba=385, daba_lite=275, flatfit=328, reactive=830),
    ),
    *_batches(BULK, 39, 18, 15),
    *_batches(LOOP, 50, 47, 45),
)


@experiment("peers_reference")
def peers_reference(settings: Settings) -> list[Cell]:
    """Rounds of evict, insert and query beside numbers of the authors' C++, for every window that they have."""
    if settings.window is not None or settings.distances is not None or settings.workload["name"] != "distance":
        raise SettingsError("peers_reference has fixed windows, distances and workload: those of the reference numbers")
    most = settings.sizes["window"]
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm,
            parameters=canonical(reference.parameters(arity)),
            operator=reference.operator,
            workload="distance",
            workload_parameters=canonical({"window": reference.window, "distance": reference.distance}),
            window=reference.window,
            distance=reference.distance,
            batch=reference.batch,
            drive=f"{__name__}:time",
        )
        for reference in REFERENCES
        if reference.window <= most
        for algorithm, arity in reference.nanoseconds
    ]


def time(cell: Cell, task: dict) -> dict:
    """Measure as any rounds; the row's facts have the reference number, for the figure."""
    arity, evict = arity_of(cell.parameters), json.loads(cell.parameters).get("evict", "")
    for reference in REFERENCES:
        if reference.key() == (cell.operator, cell.window, cell.distance, cell.batch or 0, evict):
            known = reference.nanoseconds.get((cell.algorithm, arity))
            if known is not None:
                measure = bulk.time if reference.batch else measure_rounds
                return {**measure(cell, task), "facts": {"reference": known}}
    raise ValueError(f"there is no reference number for {cell.label}")


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
    found = dict(_found(reference, medians))
    worst = max(ours / (theirs * scale) for ours, theirs in found.values())
    measured = ", ".join(f"{name}: {ours:.3g} ns for {theirs * scale:.3g}" for name, (ours, theirs) in found.items())
    verdict = REPRODUCED if worst <= 1 else PARTLY if worst <= NEARLY else NOT_REPRODUCED
    reason = "" if worst <= 1 else f"the slowest takes {worst:.2f} times the scaled reference"
    return Judgement(verdict, f"{measured} (reference x {scale:.2f}, this machine's two_stacks_lite)", reason)


def _found(reference: Reference, medians: pd.Series) -> Iterator[tuple[str, tuple[float, float]]]:
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
