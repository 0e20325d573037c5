"""Large tables in Spark: the memory of workers when rows are ten times as many, and one hot key on all cores.

Not a figure of a paper: the statements (statements.yaml) are goals that this project has set itself. With rows, all of
a key come to one worker, which sorts them in runs of a bounded length. With slices, each partition makes partial
aggregates of its part of the time first, and only these come together.
"""

from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.spark.grid import sizes_of, spark_cell, spark_only
from experiments.spark.measuring.ways import ways
from streaming.aggregation import ROWS, SLICES

SIZES = ("window", "keys", "slides")


@experiment("spark_scale", ways)
def spark_scale(settings: Settings) -> list[Cell]:
    """Each way on each table of the profile."""
    spark_only(settings)
    return [spark_cell(settings, way, sizes) for way in settings.algorithms for sizes in sizes_of(settings, way)]


@spark_scale.quantity
def memory_of_ten_times_the_rows(measured: Measured) -> Table:
    """The most memory of a worker with the most rows, over that with a tenth of them; tables of several keys."""
    table = measured.fact("worker_mb", "kept", "rows", *SIZES, metric="time")
    table = where(table, keys=[keys for keys in values_of(table, "keys") if keys > 1])
    rows = values_of(table, "rows")
    if not rows or max(rows) // 10 not in rows:
        raise NotMeasuredError("needs tables of several keys of which one has ten times the rows")
    return ratio(lines_of(table, rows=max(rows)), lines_of(table, rows=max(rows) // 10))


@spark_scale.quantity
def slices_over_rows_of_one_key(measured: Measured) -> Table:
    """Rows a second of a table of one key made into slices before the shuffle, over those without."""
    table = measured.rate("kept", "rows", *SIZES, keys=1)
    return ratio(lines_of(table, kept=SLICES), lines_of(table, kept=ROWS))
