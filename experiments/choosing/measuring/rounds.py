"""Rounds of every window that may be chosen, in one process and in turn, so that a slow moment slows all of them.

A round: the m oldest values leave, m new ones enter with d younger values in the window, one query. Windows are made,
compiled and filled, and answer some rounds, which must agree, before any clock starts.
"""

import math
import statistics
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from algorithms.kernel import Slots
from algorithms.windows.choosing.candidates import Candidate, legal
from algorithms.windows.choosing.choice import choice
from algorithms.windows.choosing.operator_cost import measured, values_for
from algorithms.windows.choosing.trial import VALUES, Rounds
from algorithms.windows.contract import catalogue
from experiments.choosing.measuring.own import operator_named
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked, compiled, touch
from experiments.harness.surroundings import wait_for_a_quick_moment

LAP_NS = 500_000
"""Of one lap, unless the work of a window comes in longer bursts."""

CHECKED = 64
"""Rounds whose answers must agree."""

MOST_RECALCULATED = 1024
"""Beyond so many entries recalculation is not tried: a round would take as many combines."""


class Runner(Rounds):
    """A window's rounds, with the laps that were timed."""

    def __init__(self, candidate: Candidate, op: Any, n: int, d: int, batch: int, values: Slots):
        super().__init__(candidate, op, n, d, batch, values)
        self.name, self.ns = str(candidate), []
        self.compile_seconds = compiled(self.compile)
        touch(self.w)
        self.fill()
        self.answer = self.run(CHECKED)

    def typical(self) -> float:
        """Nanoseconds a round in the median lap."""
        return statistics.median(self.ns)

    def lap(self) -> float:
        """Nanoseconds of a lap."""
        wait_for_a_quick_moment()
        elapsed = clocked(lambda: self.run(self.count))[0]["value"]
        self.ns = [*self.ns, elapsed / self.count]
        return elapsed


def tried(op: Any, n: int, d: int, only: Collection[str], chosen: str) -> list[Candidate]:
    """The legal windows that are not hopeless; if algorithms are named, of these only, and the chosen one."""
    return [
        each
        for each in legal(op, d > 0)
        if (each.algorithm != "recalc" or n <= MOST_RECALCULATED)
        and (not only or each.algorithm in only or str(each) == chosen)
    ]


def names_of(cell: Cell) -> Iterable[str]:
    """All windows: which of them are timed is found in the worker."""
    return catalogue()


@measurement("choosing.time", unit="ns", takes=names_of)
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds a round of the window that is chosen; in the facts the laps of all that came near the best.

    Asked: `laps`; `within` how many times the best the others are timed on, after a first lap each; whether one is
    `chosen`; and `only` which algorithms are tried, all where it is empty.
    """
    op, n, d, batch = operator_named(cell.operator), cell.window, cell.distance or 0, cell.batch or 1
    asked, values = cell.asked, values_for(op, VALUES)
    chosen = str(choice(op, n, d, batch).candidate) if asked["chosen"] else ""
    runners = [Runner(each, op, n, d, batch, values) for each in tried(op, n, d, asked["only"], chosen)]
    seconds = sum(runner.compile_seconds for runner in runners)
    _must_agree(runners)
    for runner in runners:
        runner.calibrate(LAP_NS)
    first = {runner.name: runner.ns[-1] for runner in runners}
    near = [r for r in runners if first[r.name] <= asked["within"] * min(first.values()) or r.name == chosen]
    for runner in near:
        runner.ns = []
    for _ in range(asked["laps"]):
        for runner in near:
            runner.lap()
    best = min(near, key=Runner.typical)
    shown = next((runner for runner in near if runner.name == chosen), best)
    return {
        "value": sum(shown.ns) * shown.count,
        "operations": asked["laps"] * shown.count,
        "checksum": None,
        "compile_seconds": seconds,
        "facts": {
            "chosen": chosen,
            "best": best.name,
            "over_best": shown.typical() / best.typical(),
            "laps": {runner.name: [round(ns, 3) for ns in runner.ns] for runner in near},
            "operator": list(measured(op)),
        },
    }


def _must_agree(runners: list[Runner]) -> None:
    """Raise ValueError if two windows give different answers, beyond rounding."""
    one = runners[0]
    for other in runners[1:]:
        if not math.isclose(one.answer, other.answer, rel_tol=1e-6, abs_tol=1e-6):
            raise ValueError(f"{one.name} answers {one.answer} where {other.name} answers {other.answer}")
