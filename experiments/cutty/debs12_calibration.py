"""The synthetic DEBS 2012 records beside what is documented of the real ones: not a figure of a paper, but its data.

Documented are statistics of a sample of 170 s (workloads/debs12/statistics.py). With workload.path a real file is
held against them instead.
"""

from experiments.harness.cell import Cell
from experiments.harness.grid import cells_of_records
from experiments.harness.measured import Measured, NotMeasuredError, Table, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from workloads.debs12.layout import ENERGY
from workloads.debs12.statistics import DOCUMENTED

ENOUGH = 5_000_000
"""Records of half a day: with fewer, medians and deviations still depend on which hours they are."""


@experiment("debs12_calibration")
def debs12_calibration(settings: Settings) -> list[Cell]:
    """A cell for each documented statistic; no window takes part."""
    documented = (
        {"quantity": quantity, "statistic": statistic}
        for quantity, statistics in DOCUMENTED.items()
        for statistic in statistics
    )
    return cells_of_records(settings, "debs12", "debs12.calibration", documented)


STATISTIC = ("quantity", "statistic")


def over_documented(measured: Measured) -> Table:
    """Each statistic over the documented one."""
    return measured.total("calibration", *STATISTIC) / measured.fact("documented", *STATISTIC)


@debs12_calibration.quantity
def spacing_over_documented(measured: Measured) -> Table:
    """A statistic of the spacing of timestamps over the documented one."""
    return where(over_documented(measured), quantity=["spacing"])


@debs12_calibration.quantity
def energy_over_documented(measured: Measured) -> Table:
    """A statistic of an energy measure over the documented one."""
    _require_enough(measured)
    return where(over_documented(measured), quantity=ENERGY)


def _require_enough(measured: Measured) -> None:
    """Raise NotMeasuredError for generated records of a few hours: see ENOUGH."""
    generated = measured.rows[measured.key("path").isna()]
    if len(generated) and (records := int(measured.key("records").loc[generated.index].min())) < ENOUGH:
        raise NotMeasuredError(f"{records:,} records are a few hours: statistics of energy need {ENOUGH:,}")
