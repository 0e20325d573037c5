"""sliding_aggregate: from a DataFrame, streaming or not, to the DataFrame of its aggregates."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pyarrow as pa

from algorithms.moments import microseconds
from algorithms.signatures import passes_on
from algorithms.streams.sliding.units import FARTHEST
from streaming import outcomes, plans
from streaming.aggregation import Aggregation
from streaming.choices import with_columns
from streaming.columns import quoted
from streaming.hashing import pack_labelled
from streaming.packing import BUCKET, PACKED, pack
from streaming.processor import processor
from streaming.request import INTERNAL, MOST_BUCKETS, checked_aggregation, must_be_ready
from streaming.slices_by_spark import sliced_by_spark
from streaming.sorting import aggregate_packs, aggregate_rows
from streaming.workers import mapped, without_pandas_warning

EARLIEST, LATEST = "-144169-06-28 09:59:32.612096", "+148108-07-06 14:00:27.387904"
"""2**62 microseconds before and after 1970, as text: Spark cannot convert numbers to timestamps without a zone."""


@passes_on(checked_aggregation, without=INTERNAL)
def sliding_aggregate(
    df: Any, *, time: Any, size: Any, watermark: Any = None, metrics: str | None = None, **arguments: Any
) -> Any:
    """The aggregate over the sliding windows of each key of a DataFrame, streaming or not.

    key         column or columns; without any, one window for all rows. A null is a key of its own
    time        column: a timestamp, with a zone or without; for a batch also a whole number
    value       column; several for operators that take records; or {name: Column}
                A column is a name, a field of a struct ("call.len", which is called len then), or a Column such as
                F.lower("user").alias("who"); the last two are added first
    size        of the window: "1 hour", a timedelta, or a whole number if times are, or `by` count (in rows)
    slide       from one window to the next, by default the size; "row" for a result for each row
    operator    a name, an operator, or {name of the result: one of these, or (one of these, column or columns)}
    algorithm   a window of the catalogue; its parameters follow by name
    watermark   for a stream: how late rows may come, as in "10 minutes", unless the stream already has a watermark
    closed      which border belongs to a window: "left" (default), "right" (default for slide="row"), or "both"
    offset      shifts the starts of windows, which are otherwise multiples of the slide since 1970
    order       for algorithms that need rows in order: "buffer" sorts rows once the watermark has passed them, "refuse"
                fails if a row is older than one before it with the same key
    null_times  what to do with rows without a time: "drop" or "refuse"
    kept        "rows", or "slices": a partial aggregate for all rows of a key between two borders of windows, made
                before the shuffle. By default slices in a stream, where they suffice, and rows in a batch, where
                slices pay off if a key has many rows in each; there Spark makes them itself, if all operators are sum,
                count, max, min or mean. A checkpoint with rows may go on with slices, not the reverse
    buckets     for a stream: into how many blobs of state the keys are divided; fixed for the life of a checkpoint. By
                default as many as the session's shuffles have partitions (spark.sql.shuffle.partitions), at most 16
    counting    whether combines are counted, for the metrics
    metrics     for a stream: their name in the query's progress (observedMetrics); by default "sliding_aggregate_" and
                eight hexadecimal digits that identify the aggregation and its input

    There is a result for each window that holds a row, with the key columns, window_start, window_end and a column for
    each operator. With slide="row" there is one for each row, with the key columns, time, value columns and a column
    for each operator. Results are in no particular order. A stream emits a window or a row once the watermark has
    reached its end, and never again. A row is late if the watermark of the batch before had reached the ends of all its
    windows; with slide="row", its time. Null values are skipped; a result is null if there are no others. The watermark
    stays on window_end (for rows, on the time column): later operators need no watermark of their own, and setting one
    is refused.

    Cost: a combine for each row, and that of the algorithm for each slice; without slices that of the algorithm for
    each row. State: 8 bytes for each slice and 8 for each number of its partial aggregates; or the rows in windows, 16
    bytes each for one value column.
    Raises ValueError for anything that would not work, before anything starts.
    """
    batch = not df.isStreaming
    df, arguments = with_columns(df, {"time": time, **arguments})
    time = arguments["time"]
    partitions = plans.shuffle_partitions(df)
    aggregation = checked_aggregation(
        df.schema, size=size, whole_times=batch, presorted=batch, partitions=partitions, **arguments
    )
    if batch:
        return _batch(df, aggregation, partitions)
    must_be_ready(df, time, watermark, metrics)
    metrics = metrics or _metrics_of(df, aggregation)
    return _stream(df if watermark is None else df.withWatermark(time, _interval(watermark)), aggregation, metrics)


def packed_rows(df: Any, aggregation: Aggregation, columns: list[Any], pack: Any = pack) -> Any:
    """The rows of a DataFrame packed into blobs, some for each bucket; by `arriving_columns`."""
    return mapped(df.select(*columns), pack, aggregation, PACKED)


def arriving_columns(aggregation: Aggregation) -> list[Any]:
    """The columns with which rows go to their bucket: its number, keys, time, values."""
    return [_bucket(_keys(aggregation), aggregation), *_used_columns(aggregation)]


def _stream(df: Any, aggregation: Aggregation, metrics: str) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    with without_pandas_warning():
        rows = (
            packed_rows(df, aggregation, arriving_columns(aggregation), pack_labelled)
            .groupBy(BUCKET)
            .transformWithStateInPandas(
                processor(aggregation),
                from_arrow_schema(outcomes.columns(aggregation)),
                outputMode="Append",
                timeMode="EventTime",
            )
        )
    emitted = outcomes.results(rows.observe(metrics, *outcomes.totals()), aggregation)
    name = "window_end" if aggregation.kernel.at_ends else aggregation.time.name
    return _with_watermark(emitted, name, df.schema[aggregation.time.name].metadata[plans.WATERMARK_DELAY])


def _metrics_of(df: Any, aggregation: Aggregation) -> str:
    """A name for the metrics of an aggregation: its own within a query, and the same when the query is made again."""
    a = aggregation
    settings = a.algorithm, a.order, dict(a.parameters), a.null_times, a.counting
    identity = json.dumps([a.described(), settings, plans.plan_text(df)], default=repr)
    return f"sliding_aggregate_{hashlib.sha256(identity.encode()).hexdigest()[:8]}"


def _with_watermark(df: Any, name: str, delay: int) -> Any:
    """The results, with the stream's watermark on their time column.

    Every result is later than the watermark of the batch before, and no later result is at or before that of this
    batch, so Spark may pass the watermark on to later operators. A new watermark would have no time until the first
    result, and would hold back the minimum of all watermarks, for which that result waits: nothing would ever come.
    """
    from pyspark.sql import functions as F

    df = df.withColumn(name, F.col(quoted(name)).alias(name, metadata={plans.WATERMARK_DELAY: delay}))

    def refuse(eventTime: str, delayThreshold: str) -> Any:
        raise ValueError(
            f"withWatermark({eventTime!r}, {delayThreshold!r}): the results have one already, on {name!r}; leave "
            "this one out"
        )

    df.withWatermark = refuse
    return df


def _batch(df: Any, aggregation: Aggregation, partitions: int) -> Any:
    """Rows, or slices that Spark makes, are shuffled as they are; slices that workers make, in packs."""
    # Of two partitions one often has all the keys, or a heavy one. Slices are few, and one more takes some 20 ms.
    partitions *= 1 if aggregation.rows else 2
    aggregation = replace(aggregation, buckets=min(partitions, MOST_BUCKETS) if aggregation.keys.names else 1)
    if aggregation.rows is None:
        rows = df.select(*arriving_columns(aggregation))
    elif (by_spark := sliced_by_spark(df, aggregation, keys := _keys(aggregation), _time(aggregation))) is not None:
        rows, aggregation = by_spark
        rows = rows.withColumn(BUCKET, _bucket([rows[f"key{i}"] for i in range(len(keys))], aggregation))
    else:
        packs = packed_rows(df, aggregation, arriving_columns(aggregation))
        return mapped(_divided(packs, aggregation), aggregate_packs, aggregation, aggregation.results)
    return mapped(_divided(rows, aggregation).drop(BUCKET), aggregate_rows, aggregation, aggregation.results)


def _divided(df: Any, aggregation: Aggregation) -> Any:
    """A DataFrame divided by its column bucket: a partition for each."""
    from pyspark.sql import functions as F

    if not aggregation.keys.names:
        return df.coalesce(1)
    # repartition(BUCKET) would hash once more, and of two partitions often fill only one
    return df.repartitionById(aggregation.buckets, F.col(BUCKET))


def _bucket(keys: list[Any], aggregation: Aggregation) -> Any:
    """The bucket of a row with these key columns."""
    from pyspark.sql import functions as F

    return (F.pmod(F.xxhash64(*keys), F.lit(aggregation.buckets)) if keys else F.lit(0)).cast("int").alias(BUCKET)


def _used_columns(aggregation: Aggregation) -> list[Any]:
    """The columns that the aggregation uses, named as in `Aggregation.arriving`."""
    from pyspark.sql import functions as F

    of_rows = aggregation.of_rows.values
    values = [F.col(quoted(value.name)).alias(f"value{i}") for i, value in enumerate(of_rows)]
    keys = [key.alias(f"key{i}") for i, key in enumerate(_keys(aggregation))]
    return [*keys, _time(aggregation).alias("time"), *values]


def _time(aggregation: Aggregation) -> Any:
    """The time column. Spark refuses times whose window ends cannot be computed, before a worker sees them."""
    from pyspark.sql import functions as F

    time, kind = F.col(quoted(aggregation.time.name)), aggregation.time.type
    if pa.types.is_integer(kind):
        earliest, latest, origin = F.lit(-FARTHEST), F.lit(FARTHEST), "of 0"
    else:
        zone, name = ("", "timestamp_ntz") if kind.tz is None else ("Z", "timestamp")
        earliest, latest = (F.lit(bound + zone).cast(name) for bound in (EARLIEST, LATEST))
        origin = "microseconds of 1970"
    error = F.concat(
        F.lit(f"time column {aggregation.time.name!r} has "),
        time.cast("string"),
        F.lit(f"; times must lie within 2**62 {origin}, so that window ends can be computed"),
    )
    return F.when((time <= earliest) | (time >= latest), F.raise_error(error)).otherwise(time)


def _keys(aggregation: Aggregation) -> list[Any]:
    """The key columns, with -0.0 as 0.0: they are the same key, as they are for groupBy."""
    from pyspark.sql import functions as F

    columns = []
    for key in aggregation.keys:
        column = F.col(quoted(key.name))
        columns.append(column + F.lit(0).cast(str(key.type)) if pa.types.is_floating(key.type) else column)
    return columns


def _interval(watermark: Any) -> str:
    """The watermark as an interval of Spark."""
    return f"{microseconds('watermark', watermark)} microseconds"
