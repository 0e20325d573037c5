"""The operator in a session of Spark Connect: a program, for a process has one kind of session only.

It starts a server for itself, and prints a line for each thing that gives what it should.
"""

import os
import sys
from pathlib import Path

import pytest

ARGUMENTS = {"size": "1 minute", "slide": "20 seconds", "algorithm": "two_stacks_lite"}
ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def as_text(df):
    return sorted(map(str, df.collect()))


def columns_and_fields(spark, df):
    """Names, Columns, new Columns, fields of structs: all with the results of Spark's own window()."""
    from pyspark.sql import functions as F

    from streaming import sliding_aggregate

    wanted = df.groupBy("k", F.window("ts", "1 minute", "20 seconds")).agg(F.sum("v").alias("sum"))
    wanted = as_text(wanted.selectExpr("k", "window.start AS window_start", "window.end AS window_end", "sum"))
    for rows, chosen in (
        (df, {"key": "k", "time": "ts", "value": "v"}),
        (df, {"key": F.col("k"), "time": df["ts"], "value": (F.col("v") * 1).alias("w")}),
        (df.drop("ts"), {"key": "k", "time": "at.ts", "value": F.col("call.len")}),
    ):
        assert as_text(sliding_aggregate(rows, **chosen, **ARGUMENTS, operator="sum")) == wanted
    return wanted


def table_function(spark, df, wanted):
    """The table function of SQL."""
    from streaming.sql import register

    register(spark)
    df.createOrReplaceTempView("calls")
    sql = "SELECT * FROM sliding_aggregate(TABLE(calls), key => 'k', time => 'ts', value => 'v', operator => 'sum', {})"
    assert as_text(spark.sql(sql.format(", ".join(f"{k} => '{v}'" for k, v in ARGUMENTS.items())))) == wanted


def stream(spark, df, wanted, folder):
    """A stream with a restart, its metrics, and what is refused."""
    from pyspark.sql import functions as F

    from streaming import SlidingAggregateSink, sliding_aggregate

    last = spark.sql("SELECT -1L AS k, timestamp_seconds(1000000) AS ts, 0.0D AS v")
    parts = df.where("v < 150").select("k", "ts", "v"), df.where("v >= 150").select("k", "ts", "v").union(last)
    for part in parts:
        part.coalesce(1).write.mode("append").parquet(f"{folder}/in")
        source = spark.readStream.schema(parts[0].schema).option("maxFilesPerTrigger", 1).parquet(f"{folder}/in")
        arguments = {"key": F.col("k"), "time": "ts", "value": "v", "watermark": "1 minute", "buckets": 1, **ARGUMENTS}
        found = sliding_aggregate(source, **arguments, operator="sum")
        writer = found.writeStream.format("parquet").option("path", f"{folder}/out").trigger(availableNow=True)
        query = writer.option("checkpointLocation", f"{folder}/checkpoint").start()
        query.awaitTermination()
        assert any("sliding_aggregate_" in str(progress["observedMetrics"]) for progress in query.recentProgress)
    assert as_text(spark.read.parquet(f"{folder}/out").where("k >= 0")) == wanted
    with pytest.raises(ValueError, match="the results have one already"):
        found.withWatermark("window_end", "1 minute")
    with pytest.raises(ValueError, match=r"take sliding_aggregate\(...\).writeStream"):
        SlidingAggregateSink(source, f"{folder}/sink", **arguments)


def main(folder):
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote("local[1]")
    builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    builder = builder.config("spark.connect.grpc.binding.address", "127.0.0.1").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKS_DB)
    assert type(spark).__module__.startswith("pyspark.sql.connect")
    columns = ("id % 3 AS k", "timestamp_seconds(id) AS ts", "cast(id AS double) AS v")
    df = spark.range(300).selectExpr(
        *columns, "struct(timestamp_seconds(id) AS ts) AS at", "struct(id * 1D AS len) AS call"
    )
    wanted = columns_and_fields(spark, df)
    print("columns", flush=True)
    table_function(spark, df, wanted)
    print("table function", flush=True)
    stream(spark, df, wanted, folder)
    print("stream", flush=True)
    spark.stop()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main(sys.argv[1])
