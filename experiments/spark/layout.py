"""The state of our aggregate operator for Spark: blobs of many keys each, or of few, or one for each key.

Not a figure of a paper, but a decision of this project that rests on a measurement: keys are spread over `buckets`, and
with as many buckets as keys a blob is, but for chance, the state of a single key.
"""

from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, values_of
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_number
from experiments.spark.grid import sizes_of, spark_cell, spark_only
from experiments.spark.measuring.ways import ways
from experiments.spark.operator import SIZES
from streaming.request import BUCKETS


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


@spark_layout.quantity
def usual_over_most(measured: Measured) -> Table:
    """Rows a second with `BUCKETS` buckets over those with the most that were measured."""
    table = measured.rate("algorithm", "buckets", *SIZES)
    most = max(values_of(table, "buckets"))
    if most <= BUCKETS:
        raise NotMeasuredError(f"needs {BUCKETS} buckets and a larger number of them")
    return ratio(lines_of(table, buckets=BUCKETS), lines_of(table, buckets=most))
