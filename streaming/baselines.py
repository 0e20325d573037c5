"""Spark's own ways to aggregate sliding windows: what `sliding_aggregate` is measured against.

As Spark's manual has them, and panes, as an expert writes them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from algorithms.moments import microseconds
from streaming.columns import quoted

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

KEPT_PANES = {"bigint": "int64", "double": "float64"}
"""The dtype in which `by_panes_with_state` keeps panes, by Spark's type."""

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
    _, of_panes = _functions_of_panes(operator)
    panes = _panes(frame, key, time, value, slide, operator, watermark)
    windows = panes.groupBy(F.window("pane_time", size, slide), key).agg(of_panes("pane").alias(operator))
    return _with_borders(windows, key, operator)


def by_panes_with_state(
    frame: DataFrame,
    *,
    key: str,
    time: str,
    value: str,
    size: str,
    slide: str,
    operator: str,
    watermark: str,
) -> DataFrame:
    """Panes as in `by_panes`, and a second level that keeps the last panes of each key (transformWithStateInPandas).

    For streams alone, in append mode: no pane is copied. Time O(rows + panes + windows * size / slide) in NumPy, and a
    call of Python for each key and trigger. State O(keys * size / slide). Raises ValueError for an operator that is not
    in PANES, and for panes that are neither bigint nor double.
    """
    panes = _panes(frame, key, time, value, slide, operator, watermark)
    kind = panes.schema["pane"].dataType.simpleString()
    if kind not in KEPT_PANES:
        raise ValueError(f"{operator} of {value!r} is {kind}; panes are kept here as {' or '.join(KEPT_PANES)}")
    kind_of_key = panes.schema[key].dataType.simpleString()
    output = f"{quoted(key)} {kind_of_key}, window_start long, window_end long, {quoted(operator)} {kind}"
    merged = _merging(key, operator, KEPT_PANES[kind], microseconds("size", size), microseconds("slide", slide))
    # Times as numbers: pandas would have them in the session's time zone.
    panes = panes.withColumn("start", F.unix_micros("pane_time"))
    windows = panes.groupBy(key).transformWithStateInPandas(merged, output, outputMode="Append", timeMode="EventTime")
    borders = (F.timestamp_micros(border).alias(border) for border in ("window_start", "window_end"))
    return windows.select(key, *borders, operator)


def by_panes_in_sql(
    frame: DataFrame, *, key: str, time: str, value: str, size: str, slide: str, operator: str
) -> DataFrame:
    """Panes, and a SQL window function over the range of the last size / slide of them; batch frames alone.

    Each pane is read once, but a window is there only where its last pane has rows: not those that end later. With the
    segment tree time O(rows + panes log(size / slide)). Raises ValueError for an operator that is not in PANES.
    """
    _, of_panes = _functions_of_panes(operator)
    panes = _panes(frame, key, time, value, slide, operator, None)
    end, length = F.unix_micros("pane_time") + 1, microseconds("size", size)
    last = Window.partitionBy(key).orderBy(end).rangeBetween(microseconds("slide", slide) - length, Window.currentRow)
    start, end = (
        F.timestamp_micros(at).alias(name) for at, name in ((end - length, "window_start"), (end, "window_end"))
    )
    return panes.select(key, start, end, of_panes("pane").over(last).alias(operator))


def _functions_of_panes(operator: str) -> tuple[Any, Any]:
    if operator not in PANES:
        raise ValueError(f"operator is {operator!r}; panes are written here for {', '.join(PANES)}")
    return PANES[operator]


def _panes(
    frame: DataFrame, key: str, time: str, value: str, slide: str, operator: str, watermark: str | None
) -> DataFrame:
    """The panes of a frame: key, pane and pane_time, the last microsecond of each."""
    of_rows, _ = _functions_of_panes(operator)
    if watermark is not None:
        frame = frame.withWatermark(time, watermark)
    panes = frame.groupBy(F.window(time, slide), key).agg(of_rows(value).alias("pane"))
    return panes.select(key, "pane", F.window_time("window").alias("pane_time"))


def _merging(key: str, operator: str, dtype: str, size: int, slide: int) -> Any:
    """A StatefulProcessor that merges the panes of a key. Its class is local, so that it is pickled by value."""
    import numpy as np
    import pandas as pd
    from pyspark.sql.streaming import StatefulProcessor

    least, most = (-np.inf, np.inf) if dtype == "float64" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    merge, nothing = {
        "sum": (np.add, 0),
        "count": (np.add, 0),
        "max": (np.maximum, least),
        "min": (np.minimum, most),
    }[operator]

    class Merging(StatefulProcessor):
        """Keeps the starts and values of the panes in a key's windows, and the end of the last window given out."""

        def init(self, handle: Any) -> None:
            self.handle = handle
            self.kept = handle.getValueState("panes", "starts binary, panes binary, done long")

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:
            frames = list(rows)
            starts, panes = (pd.concat([frame[name] for frame in frames]).to_numpy() for name in ("start", "pane"))
            yield from self.windows(key[0], starts // slide * slide, panes, timerValues)

        def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Any:
            yield from self.windows(key[0], np.zeros(0, np.int64), np.zeros(0, dtype), timerValues)

        def windows(self, of_key: Any, starts: Any, panes: Any, timer_values: Any) -> Any:
            until, done = timer_values.getCurrentWatermarkInMs(), np.iinfo(np.int64).min
            end = 1000 * until // slide * slide
            if (kept := self.kept.get()) is not None:
                starts = np.concatenate([np.frombuffer(kept[0], np.int64), starts])
                panes = np.concatenate([np.frombuffer(kept[1], dtype), panes])
                done = kept[2]
            if len(starts) and (first := int(starts.min())) < end:
                of_window, slides = size // slide, (end - first) // slide
                grid, there = np.full(of_window - 1 + slides, nothing, dtype), np.zeros(of_window - 1 + slides, bool)
                places = of_window - 1 + (starts - first) // slide
                grid[places], there[places] = panes, True
                found = merge.reduce(np.lib.stride_tricks.sliding_window_view(grid, of_window), axis=1)
                filled = np.lib.stride_tricks.sliding_window_view(there, of_window).any(axis=1)
                ends = first + slide * np.arange(1, slides + 1)
                if (new := filled & (ends > done)).any():
                    borders = {"window_start": ends[new] - size, "window_end": ends[new]}
                    yield pd.DataFrame({key: of_key, **borders, operator: found[new]})
            needed = starts > end - size
            self.kept.update((starts[needed].tobytes(), panes[needed].tobytes(), max(end, done)))
            if needed.any():
                self.handle.registerTimer(until + 1)

        def close(self) -> None:
            pass

    return Merging()


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
