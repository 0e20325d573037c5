"""sliding_aggregate: the aggregation of a DataFrame, streaming or not, as another DataFrame."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from algorithms.signatures import passes_on
from algorithms.streams.sliding.units import FARTHEST
from streaming import plans
from streaming.aggregation import Aggregation
from streaming.asking import INNER, aggregation, must_be_ready
from streaming.durations import microseconds
from streaming.packing import BUCKET, PACKED, pack, unpack
from streaming.processor import METRICS, OUTPUT, processor
from streaming.sorting import aggregate_rows
from streaming.workers import mapped, without_pandas_warning

LEAST, MOST = "-144169-06-28 09:59:32.612096", "+148108-07-06 14:00:27.387904"
"""2**62 microseconds before 1970 and after it: Spark has no plain number for a timestamp without a zone."""


@passes_on(aggregation, without=INNER)
def sliding_aggregate(df: Any, *, watermark: Any = None, metrics: str | None = None, **asked_for: Any) -> Any:
    """The aggregate over the sliding windows of each key of a DataFrame, streaming or not.

    key         column or columns; none for one window over everything. A null is a key of its own
    time        column: a timestamp, with a zone or without; of a batch also a whole number
    value       column; several for operators that take records; or {name: Column} to be added first
    size        of the window: "1 hour", a timedelta, a whole number where times are or where it is `by` count (rows)
    slide       from one window to the next, the whole window unless given; "row" for a result for each row
    operator    a name, an operator, or {name of the result: one of these, or (one of these, column or columns)}
    algorithm   a window of the catalogue; its parameters follow by name
    watermark   of a stream: how late rows may come, as in "10 minutes", unless the stream has a watermark
    closed      which border belongs to a window: "left" (unless given), "right" (of a row), "both"
    offset      shifts the beginnings of windows, which are multiples of the slide since 1970 otherwise
    order       for algorithms that take rows in order: "buffer" sorts rows when the watermark has passed them, "refuse"
                fails where a row is older than one before of its key
    null_times  rows without a time: "drop" or "refuse"
    buckets     of a stream: into how many blobs of state keys are divided; may not change with a checkpoint
    counting    whether combines are counted, for the metrics
    metrics     of a stream: their name in the query's progress (observedMetrics); "sliding_aggregate_" and eight
                hexadecimal digits unless given, by what is asked and of which rows

    Given out for each window that holds a row: key columns, window_start, window_end, a column for each operator; with
    slide="row" key columns, time, value columns, and those. In no particular order. A stream gives out a window, or a
    row, once the watermark has reached its end, and never again; rows are late whose time the watermark had reached in
    the batch before. Null values are skipped; a result is null where there is no other value. The watermark goes on
    with window_end (with the time column of rows): what comes behind needs none of its own, and is refused one.

    Cost: that of the algorithm, once a row; state is rows in windows, 16 bytes each for one column of values.
    Raises ValueError for whatever would not work, before anything starts.
    """
    batch = not df.isStreaming
    df, asked_for["value"] = with_values(df, asked_for.get("value"))
    asked = aggregation(df.schema, whole_times=batch, presorted=batch, **asked_for)
    if batch:
        return _batch(df, asked)
    time = asked.time.name
    must_be_ready(df, time, watermark, metrics)
    metrics = metrics or _metrics_of(df, asked)
    return _stream(df if watermark is None else df.withWatermark(time, _told(watermark)), asked, metrics)


def with_values(df: Any, value: Any) -> tuple[Any, Any]:
    """The DataFrame with the columns that `value` defines, if it is a mapping, and the names of its columns."""
    if not isinstance(value, Mapping):
        return df, value
    for name in value:
        if name in df.columns:
            raise ValueError(f"value: there is a column {name!r} already; call the new one something else")
    return df.withColumns(dict(value)), tuple(value) if len(value) > 1 else next(iter(value), None)


def packs(df: Any, asked: Aggregation) -> Any:
    """The rows of a DataFrame as blobs, some for each bucket."""
    from pyspark.sql import functions as F

    keys = _keys(asked)
    bucket = F.pmod(F.xxhash64(*keys), F.lit(asked.buckets)) if keys else F.lit(0)
    columns = [bucket.cast("int").alias(BUCKET), *_plain(asked)]
    return mapped(df.select(*columns), pack, asked, PACKED)


def results(packed: Any, asked: Aggregation) -> Any:
    """The results in the blobs of a DataFrame."""
    return mapped(packed, unpack, asked, asked.results)


def _stream(df: Any, asked: Aggregation, metrics: str) -> Any:
    from pyspark.sql import functions as F

    with without_pandas_warning():
        taken = (
            packs(df, asked)
            .groupBy(BUCKET)
            .transformWithStateInPandas(processor(asked), OUTPUT, outputMode="Append", timeMode="EventTime")
        )
    counted = [F.sum(name).alias(name) for name in METRICS]
    found = results(taken.observe(metrics, *counted), asked)
    name = "window_end" if asked.kernel.at_ends else asked.time.name
    return _with_watermark(found, name, df.schema[asked.time.name].metadata[plans.MARK])


def _metrics_of(df: Any, asked: Aggregation) -> str:
    """A name for the counts of an operator: another for each in a query, and the same when the query is made again."""
    how = asked.algorithm, asked.order, dict(asked.parameters), asked.null_times, asked.counting
    told = json.dumps([asked.described(), how, plans.told(df)], default=repr)
    return f"sliding_aggregate_{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def _with_watermark(found: Any, name: str, delay: int) -> Any:
    """The results, marked: their times are those of the stream's watermark.

    What is given out is past the watermark of the batch before, and nothing that comes later is at or before that of
    this batch, so Spark may pass the watermark on to what comes behind. A watermark made anew would have no time before
    the first result, and hold up the least of all watermarks, for which that result waits: nothing would ever come.
    """
    from pyspark.sql import functions as F

    found = found.withColumn(name, F.col(_quoted(name)).alias(name, metadata={plans.MARK: delay}))

    def refused(eventTime: str, delayThreshold: str) -> Any:
        raise ValueError(
            f"withWatermark({eventTime!r}, {delayThreshold!r}): the results have one already, on {name!r}; leave "
            "this one out"
        )

    found.withWatermark = refused
    return found


def _batch(df: Any, asked: Aggregation) -> Any:
    rows = df.select(*_plain(asked))
    keys = [f"key{i}" for i in range(len(asked.keys))]
    divided = rows.repartition(*keys) if keys else rows.coalesce(1)
    return mapped(divided, aggregate_rows, asked, asked.results)


def _plain(asked: Aggregation) -> list[Any]:
    """The columns that matter, called as in `Aggregation.arriving`."""
    from pyspark.sql import functions as F

    values = [F.col(_quoted(one.name)).alias(f"value{i}") for i, one in enumerate(asked.values)]
    keys = [key.alias(f"key{i}") for i, key in enumerate(_keys(asked))]
    return [*keys, _time(asked).alias("time"), *values]


def _time(asked: Aggregation) -> Any:
    """The time column. Spark refuses a time for which ends of windows cannot be computed, before a worker sees it."""
    from pyspark.sql import functions as F

    time, kind = F.col(_quoted(asked.time.name)), asked.time.type
    if pa.types.is_integer(kind):
        least, most, of = F.lit(-FARTHEST), F.lit(FARTHEST), "of 0"
    else:
        zone, name = ("", "timestamp_ntz") if kind.tz is None else ("Z", "timestamp")
        least, most = (F.lit(one + zone).cast(name) for one in (LEAST, MOST))
        of = "microseconds of 1970"
    said = F.concat(
        F.lit(f"time column {asked.time.name!r} has "),
        time.cast("string"),
        F.lit(f"; times must lie within 2**62 {of}, so that window ends can be computed"),
    )
    return F.when((time <= least) | (time >= most), F.raise_error(said)).otherwise(time)


def _keys(asked: Aggregation) -> list[Any]:
    """The key columns, -0.0 as 0.0: they are the same key, as they are for groupBy."""
    from pyspark.sql import functions as F

    made = []
    for one in asked.keys:
        column = F.col(_quoted(one.name))
        made.append(column + F.lit(0).cast(str(one.type)) if pa.types.is_floating(one.type) else column)
    return made


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _told(watermark: Any) -> str:
    """The watermark as Spark reads it."""
    return f"{microseconds('watermark', watermark)} microseconds"
