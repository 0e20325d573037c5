"""The state of our aggregate operator for Spark: blobs of many keys each, or of few, or one for each key.

Not a figure of a paper, but a decision of this project that rests on a measurement: keys are spread over `buckets`, and
with as many buckets as keys a blob is, but for chance, the state of a single key. Each bucket takes some milliseconds
of a trigger, of which small ones have many; Spark's window() is beside these.
"""

from collections.abc import Mapping
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, values_of
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_number
from experiments.spark.grid import points_of, spark_cell, spark_only
from experiments.spark.measuring.ways import BUCKETS, ways
from experiments.spark.operator import OURS, SIZES, each_of_ours
from streaming.request import BUCKETS as MOST_BY_DEFAULT

SPARK = "spark_window"
SMALL = 20_000
"""Rows of a small trigger: most of its time is what every trigger costs."""


@experiment("spark_layout", ways)
def spark_layout(settings: Settings) -> list[Cell]:
    """Each way that keeps the state of a stream in buckets, with each number of them; others as they are."""
    spark_only(settings)
    if not any("buckets" in way for way in settings.algorithms):
        raise SettingsError(
            f"algorithms has {settings.algorithms[0]['name']!r}, which has no buckets; add one that has"
        )
    return [
        spark_cell(settings, {**way, **chosen}, sizes)
        for way in settings.algorithms
        for sizes, buckets in map(_with_buckets, points_of(settings, way))
        for chosen in (buckets if "buckets" in way else [{}])
    ]


def _with_buckets(sizes: Any) -> tuple[Any, list[dict[str, int]]]:
    """Sizes without their numbers of buckets, and these as parameters."""
    if not isinstance(sizes, Mapping) or not (numbers := sizes.get("buckets")):
        raise SettingsError(f"sizes of a stream lack buckets, such as buckets: [{BUCKETS}, 1024]")
    parameters = [{"buckets": whole_number("sizes: buckets", number, 1)} for number in numbers]
    return {name: value for name, value in sizes.items() if name != "buckets"}, parameters


@spark_layout.quantity
def usual_over_most(measured: Measured) -> Table:
    """Rows a second with as many buckets as there are by default over those with the most that were measured."""
    table = measured.rate("algorithm", "buckets", *SIZES, algorithm=OURS)
    most = max(values_of(table, "buckets"))
    if most <= MOST_BY_DEFAULT:
        raise NotMeasuredError(f"needs more than {MOST_BY_DEFAULT} buckets")
    return ratio(lines_of(table, buckets=BUCKETS), lines_of(table, buckets=most))


@spark_layout.quantity
def usual_over_more(measured: Measured) -> Table:
    """Rows a second with as many buckets as there are by default over those with as many as a large session has."""
    table = measured.rate("algorithm", "buckets", *SIZES, algorithm=OURS)
    return ratio(lines_of(table, buckets=BUCKETS), lines_of(table, buckets=MOST_BY_DEFAULT))


def _rates_of_small_triggers(measured: Measured) -> tuple[Table, Table]:
    """Rows a second with small triggers: ours with the default buckets, and those of Spark's window()."""
    ours = measured.rate("algorithm", *SIZES, algorithm=OURS, rows=SMALL, buckets=[BUCKETS])
    return ours, measured.rate(*SIZES, algorithm=SPARK, rows=SMALL)


@spark_layout.quantity
def small_triggers_over_spark(measured: Measured) -> Table:
    """Rows a second with small triggers and the default buckets, over those of Spark's window()."""
    return each_of_ours(*_rates_of_small_triggers(measured))


@spark_layout.reason(small_triggers_over_spark)
def times_of_triggers(measured: Measured) -> str:
    """How long small triggers take in each way."""
    ours, spark = _rates_of_small_triggers(measured)
    seconds = {name: 1e-6 * SMALL / lines_of(ours, algorithm=name) for name in values_of(ours, "algorithm")}
    each = (
        f"{table.median(axis=1).median():.2g} s in {name}"
        for name, table in {**seconds, SPARK: 1e-6 * SMALL / spark}.items()
    )
    return f"a trigger of {SMALL:,} rows takes {', '.join(each)}"
