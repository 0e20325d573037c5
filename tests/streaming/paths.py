"""The same aggregation along each path of streaming/: a query with Spark's state, the sink with its own, a batch."""

from streaming import SlidingAggregateSink, sliding_aggregate
from tests.streaming import made

STREAMING = ("query", "sink")
PATHS = (*STREAMING, "batch")
FAR = made.START + 10**6 * made.SECOND
"""The time of a last row, by which all windows of others are given out; its key is there in every schema: null."""


def source(spark, folder, schema, files=1):
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", files).parquet(str(folder / "in"))


def run(df, folder, path, flush=True, **arguments):
    """Results of a streaming DataFrame, without that of the last row, and the metrics of its batches."""
    spark = df.sparkSession
    if path == "sink":
        sink = SlidingAggregateSink(df, str(folder / "sink"), **arguments)
        sink.writer().trigger(availableNow=True).start().awaitTermination()
        told = sink.progress
        if flush:
            sink.flush()
        found = spark.read.parquet(sink.results)
    else:
        out = sliding_aggregate(df, **arguments)
        writer = out.writeStream.format("parquet").option("checkpointLocation", str(folder / "query" / "checkpoint"))
        query = writer.option("path", str(folder / "query" / "results")).trigger(availableNow=True).start()
        query.awaitTermination()
        told = [counts.asDict() for one in query.recentProgress for counts in one.observedMetrics.values()]
        found = spark.read.parquet(str(folder / "query" / "results"))
    when = "window_start" if "window_start" in found.columns else arguments["time"].rpartition(".")[2]
    return found.where(f"unix_micros({when}) < {FAR - 10**5 * made.SECOND}"), told


def run_along(spark, folder, path, schema, files=1, **arguments):
    """As `run`, of the files of a folder; or of all of them at once, as a batch."""
    if path == "batch":
        rows = spark.read.schema(schema).parquet(str(folder / "in"))
        arguments.pop("watermark")
        near = f"{arguments['time']} IS NULL OR unix_micros({arguments['time']}) < {FAR}"
        return sliding_aggregate(rows.where(near), **arguments), []
    return run(source(spark, folder, schema, files), folder, path, **arguments)
