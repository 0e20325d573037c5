"""The state of our aggregate operator for Spark: blobs of many keys each, or of few, or one for each key.

Not a figure of a paper, but a decision of this project that rests on a measurement: keys are spread over `buckets`, and
with as many buckets as keys a blob is, but for chance, the state of a single key.
"""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.old_judgement import Judgement, NotMeasuredError
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_number
from experiments.spark.grid import sizes_of, spark_cell, spark_only
from experiments.spark.judging import at_least, rates
from experiments.spark.measuring.ways import ways
from streaming.request import BUCKETS

WORK = "each bucket costs some milliseconds a trigger: calls of the state store, and of the kernel"


@experiment("spark_layout", ways)
def spark_layout(settings: Settings) -> list[Cell]:
    """Each way that keeps the state of a stream in buckets, with each number of them."""
    spark_only(settings)
    if not (buckets := settings.sizes.get("buckets")):
        raise SettingsError(f"{settings.name} needs sizes of buckets, such as buckets: [{BUCKETS}, 1024]")
    for way in settings.algorithms:
        if "buckets" not in way:
            raise SettingsError(f"algorithms has {way['name']!r}, which has no buckets; leave it out")
    return [
        spark_cell(settings, {**way, "buckets": whole_number("sizes: buckets", number, 1)}, sizes)
        for way in settings.algorithms
        for sizes in sizes_of(settings, way)
        for number in buckets
    ]


def over_most(rows: pd.DataFrame) -> pd.Series:
    """Rows a second with BUCKETS buckets over those with the most that were measured. Raises NotMeasuredError."""
    table = rates(rows, "buckets", "keys").stack().unstack("buckets")
    if BUCKETS not in table.columns or len(table.columns) < 2:
        raise NotMeasuredError(f"needs {BUCKETS} buckets and a larger number of them")
    return table[BUCKETS] / table[table.columns.max()]


@spark_layout.claim(
    "goal: state", f"{BUCKETS} buckets are at least as fast as one for each key", "1, a decision of this project"
)
def many_keys_in_a_blob(rows: pd.DataFrame) -> Judgement:
    return at_least(over_most(rows), 1, WORK)
