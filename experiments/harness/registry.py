"""Experiments and claims, as the modules in the papers' folders register them; every module there is imported."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from algorithms.windows.contract import catalogue
from experiments.harness.cell import Cell
from experiments.harness.judgement import NOT_MEASURED, Judgement, NotMeasuredError
from experiments.harness.measurement import modules
from experiments.harness.settings import Settings, SettingsError
from safeguards.wrong_input import unknown


@dataclass(frozen=True)
class Claim:
    """A paper's statement about a panel, and the function of the rows that checks it."""

    figure: str
    says: str
    paper_value: str
    judge: Callable[[pd.DataFrame], Judgement]


@dataclass(frozen=True)
class Experiment:
    """A named experiment: its grid, and the claims that its rows decide."""

    name: str
    plan: Callable[[Settings], list[Cell]]
    claims: list[Claim] = field(default_factory=list)
    catalogue: Callable[[], Mapping[str, Any]] = catalogue
    """The algorithms that it can compare, by name: windows, unless it has others."""

    def claim(self, figure: str, says: str, paper_value: str) -> Callable[..., Any]:
        """Register a judge of one claim: rows of this experiment, all ok, to a Judgement."""

        def add(judge: Callable[[pd.DataFrame], Judgement]) -> Callable[..., Any]:
            self.claims.append(Claim(figure, says, paper_value, judge))
            return judge

        return add

    def verdicts(self, rows: pd.DataFrame) -> Iterator[dict[str, str]]:
        """The verdict on every claim, as the table of claims takes it."""
        rows = rows[rows["status"] == "ok"]
        for claim in self.claims:
            try:
                judgement = claim.judge(rows)
            except NotMeasuredError as error:
                judgement = Judgement(NOT_MEASURED, "", str(error))
            yield {
                "experiment": self.name,
                "paper": claim.figure,
                "claim": claim.says,
                "paper_value": claim.paper_value,
                "measured": judgement.measured,
                "verdict": judgement.verdict,
                "reason": judgement.reason,
            }


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
