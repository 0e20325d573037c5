"""Cells, and our aggregate operator, on one core, on two, and on a standalone cluster of two workers with a core each.

Not a figure of a paper: the claims are goals that this project has set itself. Cells share nothing and show what the
machine has; the operator shuffles, sorts and commits its state as well.
"""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.old_judgement import Judgement
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.spark.grid import sizes_of, spark_cell, spark_only
from experiments.spark.judging import at_least, quotient, rates
from experiments.spark.measuring.session import CLUSTER, CORES
from experiments.spark.measuring.ways import ways
from safeguards.wrong_input import unknown

GOAL = 1.5
"""How many times as fast two cores should be as one."""

SAME_WORK = "planning, commits and the first stage's reading stay on one core, and two cores may share a memory bus"


@experiment("spark_scaling", ways)
def spark_scaling(settings: Settings) -> list[Cell]:
    """Each way on the cores that the profile has: one, two, and a cluster."""
    spark_only(settings)
    all_cores = settings.sizes.get("cores", CORES)
    if missing := [cores for cores in all_cores if cores not in CORES]:
        raise SettingsError(unknown("cores", missing[0], CORES))
    return [
        spark_cell(settings, {**way, "cores": cores}, sizes_of(settings, way))
        for way in settings.algorithms
        for cores in all_cores
    ]


def speedups(rows: pd.DataFrame, cores: str) -> pd.Series:
    """How many times as fast each way is on these cores as on one. Raises NotMeasuredError."""
    table = rates(rows, "cores").transpose()
    return quotient(table, cores, ("1",))


for _cores, _subject in (("2", "Two cores are"), (CLUSTER, "Two workers of a core each are")):

    @spark_scaling.claim(
        "goal: scaling", f"{_subject} at least {GOAL:g} times as fast as one core", f"{GOAL:g}, a goal of this project"
    )
    def _(rows: pd.DataFrame, cores: str = _cores) -> Judgement:
        return at_least(speedups(rows, cores), GOAL, SAME_WORK)
