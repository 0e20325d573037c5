"""The synthetic DEBS 2012 records beside what is documented of the real ones: not a figure of a paper, but its data.

Documented are statistics of a sample of 170 s (workloads/debs12/statistics.py). With workload.path a real file is
held against them instead.
"""

import json

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import cells_of_records
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from workloads.debs12.layout import ENERGY
from workloads.debs12.statistics import DOCUMENTED

ENOUGH = 5_000_000
"""Records of half a day: with fewer, medians and deviations still depend on which hours they are."""

OTHER_SAMPLE = "the documented sample is 170 s long"


@experiment("debs12_calibration")
def debs12_calibration(settings: Settings) -> list[Cell]:
    """A cell for each documented statistic; no window takes part."""
    documented = (
        {"quantity": quantity, "statistic": statistic}
        for quantity, statistics in DOCUMENTED.items()
        for statistic in statistics
    )
    return cells_of_records(settings, "debs12", "debs12.calibration", documented)


def _within(rows: pd.DataFrame, quantities: tuple[str, ...], bounds: dict[str, float]) -> Judgement:
    """Whether these statistics of these quantities are as near to the documented ones as `bounds` says, relatively."""
    deviations = {}
    for parameters, facts, value in zip(
        rows["parameters"].map(json.loads), rows["facts"].map(json.loads), rows["value"]
    ):
        quantity, statistic = parameters["quantity"], parameters["statistic"]
        if quantity in quantities and statistic in bounds:
            deviations[f"{quantity} {statistic}"] = abs(value / facts["documented"] - 1), bounds[statistic]
    if not deviations:
        raise NotMeasuredError(f"no rows of {' or '.join(bounds)}")
    name, (largest, bound) = max(deviations.items(), key=lambda item: item[1][0] / item[1][1])
    measured = f"{name} is off by {100 * largest:.2g} % (at most {100 * bound:g} %)"
    return share(
        pd.Series([deviation <= allowed for deviation, allowed in deviations.values()]), measured, OTHER_SAMPLE
    )


@debs12_calibration.claim("data set", "Records come every 10 ms, seldom late", "p1 to p99.9 and extremes of a sample")
def spacing(rows: pd.DataFrame) -> Judgement:
    near = {"median": 0.001, "p1": 0.002, "p99": 0.002, "p99.9": 0.005, "min": 0.03, "max": 0.01}
    return _within(rows, ("spacing",), near)


@debs12_calibration.claim("data set", "Energy moves in small steps, and one in six is none", "steps of a sample")
def steps(rows: pd.DataFrame) -> Judgement:
    _require_enough(rows)
    return _within(rows, ENERGY, {"step": 0.1, "changing": 0.02})


@debs12_calibration.claim("data set", "Levels of energy and their spread", "median, deviation, extremes of a sample")
def levels(rows: pd.DataFrame) -> Judgement:
    _require_enough(rows)
    return _within(rows, ENERGY, {"median": 0.01, "deviation": 0.15, "min": 0.04, "max": 0.02})


def _require_enough(rows: pd.DataFrame) -> None:
    for parameters in map(json.loads, rows["workload_parameters"].unique()):
        if parameters["path"] is None and parameters["records"] < ENOUGH:
            raise NotMeasuredError(
                f"{parameters['records']:,} records are a few hours: statistics of energy need {ENOUGH:,}"
            )
