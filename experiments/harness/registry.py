"""Experiments and their quantities, as the modules in the papers' folders register them."""

import importlib
import sys
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from algorithms.windows.contract import catalogue
from experiments.harness.cell import Cell
from experiments.harness.judgement import Quantity, Reason, Ruling, judged, not_judged, of_the_paper
from experiments.harness.measurement import modules
from experiments.harness.settings import Settings, SettingsError
from experiments.harness.statements import Paper, Statement, StatementError, in_folder
from results import OK
from results.verdicts import Verdict
from safeguards.wrong_input import unknown


@dataclass(frozen=True)
class Experiment:
    """A named experiment: its grid, and the quantities by which statements of its paper are decided."""

    name: str
    plan: Callable[[Settings], list[Cell]]
    catalogue: Callable[[], Mapping[str, Any]] = catalogue
    """The algorithms that it can compare, by name: windows, unless it has others."""
    quantities: dict[str, Quantity] = field(default_factory=dict)
    reasons: dict[str, Reason] = field(default_factory=dict)

    def quantity(self, function: Quantity) -> Quantity:
        """Register a quantity under its own name: a function of `Measured` to a table, a line for each configuration.

        It raises NotMeasuredError where the rows that it needs are not there.
        """
        self.quantities[function.__name__] = function
        return function

    def reason(self, quantity: Quantity) -> Callable[[Reason], Reason]:
        """Register what is said where a configuration of that quantity fails: a fact, computed from the rows."""

        def add(function: Reason) -> Reason:
            self.reasons[quantity.__name__] = function
            return function

        return add

    @property
    def paper(self) -> Paper:
        """The statements in the folder of the module that defines the experiment."""
        module = sys.modules[self.plan.__module__]
        return in_folder(Path(module.__file__ or "").parent)

    def rulings(self, rows: pd.DataFrame, claims: Container[str] | None = None) -> list[Ruling]:
        """The verdict on every statement about this experiment, with the cells that would decide the open ones.

        With `claims`, only on the statements that claim these.
        """
        good = of_the_paper(rows[rows["status"] == OK], self.paper.series.get(self.name))
        chosen = [each for each in self.paper.of(self.name) if claims is None or each.claim in claims]
        return [self._ruling(statement, good) for statement in chosen]

    def _ruling(self, statement: Statement, rows: pd.DataFrame) -> Ruling:
        if statement.not_judged:
            return Ruling(not_judged(self.name, statement))
        if statement.quantity not in self.quantities:
            raise StatementError(f"{statement.claim!r}: {unknown('quantity', statement.quantity, self.quantities)}")
        quantity, reason = self.quantities[statement.quantity], self.reasons.get(statement.quantity)
        return judged(self.name, statement, quantity, reason, rows)

    def verdicts(self, rows: pd.DataFrame, claims: Container[str] | None = None) -> list[Verdict]:
        """The verdict on every statement about this experiment, or on those that claim these."""
        return [ruling.verdict for ruling in self.rulings(rows, claims)]


_EXPERIMENTS: dict[str, Experiment] = {}


def experiment(
    name: str, catalogue: Callable[[], Mapping[str, Any]] = catalogue
) -> Callable[[Callable[[Settings], list[Cell]]], Experiment]:
    """Register a plan, a function from settings to cells, as the experiment of that name."""

    return lambda plan: register(Experiment(name, plan, catalogue=catalogue))


def register(new: Experiment) -> Experiment:
    """Add an experiment to those that `find` knows."""
    _EXPERIMENTS[new.name] = new
    return new


def forget(name: str) -> None:
    """Undo `register`."""
    del _EXPERIMENTS[name]


def experiments() -> dict[str, Experiment]:
    """Every experiment by name."""
    for module in modules():
        importlib.import_module(module)
    return dict(sorted(_EXPERIMENTS.items()))


def find(name: str) -> Experiment:
    """The experiment of that name. Raises SettingsError offering the nearest names."""
    known = experiments()
    if name not in known:
        raise SettingsError(unknown("experiment", name, known))
    return known[name]
