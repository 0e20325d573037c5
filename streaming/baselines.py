"""Spark's own ways to aggregate sliding windows: what `sliding_aggregate` is measured against.

Both are written as Spark's manual has them, without tuning that a user would not find there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

FUNCTIONS = {
    "sum": F.sum,
    "count": F.count,
    "max": F.max,
    "min": F.min,
    "arithmetic_mean": F.avg,
    "sample_stddev": F.stddev_samp,
    "population_stddev": F.stddev_pop,
}
"""Spark's function for each operator of the catalogue that it has."""

SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"
"""Since Spark 4.2, off by default: moving frames are answered by a segment tree, in O(log W) for each row."""


def spark_function(operator: str) -> Any:
    """Spark's function for an operator. Raises ValueError if it has none."""
    if operator not in FUNCTIONS:
        raise ValueError(f"operator is {operator!r}, for which Spark has no function; it has {', '.join(FUNCTIONS)}")
    return FUNCTIONS[operator]


def by_window(
    frame: DataFrame,
    *,
    key: str,
    time: str,
    value: str,
    size: str,
    slide: str,
    operator: str,
    watermark: str | None = None,
) -> DataFrame:
    """groupBy(window(time, size, slide), key): each row becomes size / slide rows, and each of them updates the state.

    For batch and streaming frames; columns are key, window_start, window_end and the operator's name. A streaming query
    in append mode emits a window when the watermark has passed its end, and only windows that hold a row of the key.
    Time O(rows * size / slide), state O(keys * size / slide). Raises ValueError for an operator that Spark lacks.
    """
    result = spark_function(operator)(value).alias(operator)
    if watermark is not None:
        frame = frame.withWatermark(time, watermark)
    windows = frame.groupBy(F.window(time, size, slide), key).agg(result)
    return windows.select(
        key, F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), operator
    )


def by_row(frame: DataFrame, *, key: str, time: str, value: str, rows: int, operator: str) -> DataFrame:
    """A SQL window function: for each row the aggregate of the last `rows` rows of its key, by time.

    Batch frames only. Columns are those of the frame and the operator's name. With n rows in all, time O(n * rows)
    without a segment tree and O(n log rows) with one (see `segment_tree`). Rows of a key with equal times come in any
    order. Raises ValueError for an operator that Spark lacks.
    """
    last = Window.partitionBy(key).orderBy(time).rowsBetween(1 - rows, Window.currentRow)
    return frame.withColumn(operator, spark_function(operator)(value).over(last))


@contextmanager
def segment_tree(session: SparkSession, enabled: bool) -> Iterator[None]:
    """Sets whether SQL window functions use a segment tree, for actions within the with block."""
    before = session.conf.get(SEGMENT_TREE, None)
    session.conf.set(SEGMENT_TREE, str(enabled).lower())
    try:
        yield
    finally:
        if before is None:
            session.conf.unset(SEGMENT_TREE)
        else:
            session.conf.set(SEGMENT_TREE, before)
