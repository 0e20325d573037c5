"""Cells, and our aggregate operator, on one core, on two, and on a standalone cluster of two workers with a core each.

Not a figure of a paper: the statements (statements.yaml) are goals that this project has set itself. Cells share
nothing and show what the machine has; the operator shuffles, sorts and commits its state as well.
"""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, NotMeasuredError, Table, keyed, lines_of, ratio, values_of
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.spark.grid import sizes_of, spark_cell, spark_only
from experiments.spark.measuring.session import CORES
from experiments.spark.measuring.ways import ways
from safeguards.wrong_input import unknown


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


@spark_scaling.quantity
def over_one_core(measured: Measured) -> Table:
    """How many times as fast each way is on more cores as on one."""
    table = measured.rate("algorithm", "cores")
    one = lines_of(table, cores="1")
    if not (others := [cores for cores in values_of(table, "cores") if cores != "1"]):
        raise NotMeasuredError("one core only")
    return pd.concat([keyed(ratio(lines_of(table, cores=cores), one), "cores", cores) for cores in others])
