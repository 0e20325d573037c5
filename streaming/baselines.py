"""Spark's own ways to aggregate sliding windows: what `sliding_aggregate` is measured against.

As Spark's manual has them, and panes, as an expert writes them.
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

PANES = {
    "sum": (F.sum, F.sum),
    "count": (F.count, F.sum),
    "max": (F.max, F.max),
    "min": (F.min, F.min),
}
"""Spark's functions for an operator: of the rows of a pane, and of what these give."""

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
    return _with_borders(windows, key, operator)


def by_panes(
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
    """The same as `by_window`, in two levels: tumbling windows of a slide (panes), then sliding windows of panes.

    Li, Maier, Tufte, Papadimos, Tucker: No Pane, No Gain (SIGMOD Record 34(1), 2005). Time O(rows + panes * size /
    slide), state O(keys * size / slide). The size must be a multiple of the slide. Raises ValueError for an operator
    that is not in PANES.
    """
    if operator not in PANES:
        raise ValueError(f"operator is {operator!r}; panes are written here for {', '.join(PANES)}")
    of_rows, of_panes = PANES[operator]
    if watermark is not None:
        frame = frame.withWatermark(time, watermark)
    panes = frame.groupBy(F.window(time, slide), key).agg(of_rows(value).alias("pane"))
    panes = panes.select(key, "pane", F.window_time("window").alias("pane_time"))
    windows = panes.groupBy(F.window("pane_time", size, slide), key).agg(of_panes("pane").alias(operator))
    return _with_borders(windows, key, operator)


def _with_borders(windows: DataFrame, key: str, operator: str) -> DataFrame:
    start, end = (F.col(f"window.{border}").alias(f"window_{border}") for border in ("start", "end"))
    return windows.select(key, start, end, operator)


def by_row(frame: DataFrame, *, key: str, time: str, value: str, rows: int, operator: str) -> DataFrame:
    """A SQL window function: for each row the aggregate of the last `rows` rows of its key, by time.

    Batch frames only. Columns are those of the frame and the operator's name. With n rows in all, time O(n * rows)
    without a segment tree and O(n log rows) with one (see `segment_tree`). Rows of a key with equal times come in any
    order. Raises ValueError for an operator that Spark lacks.
    """
    last = Window.partitionBy(key).orderBy(time).rowsBetween(1 - rows, Window.currentRow)
    return frame.withColumn(operator, spark_function(operator)(value).over(last))


def by_range(frame: DataFrame, *, key: str, time: str, value: str, span: int, operator: str) -> DataFrame:
    """A SQL window function over a range: for each row the aggregate of the rows of its key in the last `span` of time.

    As `by_row`, but by whole-number time: rows from time - span + 1 to time. Rows of equal time are in each other's
    window.
    """
    last = Window.partitionBy(key).orderBy(time).rangeBetween(1 - span, Window.currentRow)
    return frame.withColumn(operator, spark_function(operator)(value).over(last))


def by_pandas(frame: DataFrame, *, key: str, time: str, value: str, rows: int, operator: str) -> DataFrame:
    """As `by_row`, by pandas' rolling in applyInPandas: all rows of a key are in memory at once.

    Raises ValueError for an operator that pandas' rolling has not under the same name.
    """
    if operator not in PANES:
        raise ValueError(f"operator is {operator!r}; with pandas there are {', '.join(PANES)}")
    schema = f"{frame.schema.simpleString()[7:-1]},{operator}:double"

    def rolled(group: Any) -> Any:
        group = group.sort_values(time)
        window = group[value].rolling(rows, min_periods=1)
        return group.assign(**{operator: getattr(window, operator)()})

    return frame.groupBy(key).applyInPandas(rolled, schema.replace(":", " "))


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
