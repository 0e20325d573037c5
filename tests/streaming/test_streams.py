"""sliding_aggregate on Spark: a stream of files and a batch against brute force, restarts, late rows, refusals."""

import importlib.util
from typing import NamedTuple

import pytest
from pyspark.errors import StreamingQueryException

from algorithms import operators
from streaming import sliding_aggregate
from tests.streaming import made

pytestmark = pytest.mark.slow

PARTITIONS = 2

COLUMNS = "user string, ts timestamp, v double"
WINDOW = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "slide": "1 second"}
FEW = {"algorithm": "two_stacks_lite"}  # compiled before: each algorithm and operator takes seconds, once
SIZE, SLIDE = 4 * made.SECOND, made.SECOND
FAR = ("sentinel", made.START + 3600 * made.SECOND, 0.0)


def stream(spark, folder, **options):
    return spark.readStream.schema(COLUMNS).options(**options).parquet(str(folder))


def finished(out, folder):
    """Run a stream to the end of its files; the query."""
    writer = out.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.option("path", str(folder / "out")).trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def found(df, result):
    """{(key, end): result}; each window once."""
    rows = df.selectExpr("user", "unix_micros(window_end) AS window_end", f"{result} AS result").collect()
    windows = {(made.alike(row.user), row.window_end): row.result for row in rows}
    assert len(windows) == len(rows)
    return windows


def test_a_stream_with_a_restart_gives_out_every_window_once(spark, tmp_path):
    some = made.rows(300, ["a", "b", None], spread=60, disorder=2, seed=1)
    for i in range(3):
        made.write(tmp_path / "in", i, some[100 * i : 100 * i + 100])
    df = stream(spark, tmp_path / "in", maxFilesPerTrigger=1)
    arguments = {**WINDOW, "operator": {"total": "sum"}, "watermark": "3 seconds"}
    query = finished(sliding_aggregate(df, **arguments, buckets=4), tmp_path)

    reached = max(time for _, time, _ in some) - 3 * made.SECOND
    first = made.per_slide(some, SIZE, SLIDE, made.total, reached // 1000 * 1000)
    assert found(spark.read.parquet(str(tmp_path / "out")), "total") == first
    told = [counts for one in query.recentProgress for counts in one.observedMetrics.values()]
    assert sum(one.late for one in told) == 0 and sum(one.null_times for one in told) == 0
    assert 0 < told[-1].kept_rows < 100 and told[-1]["keys"] == 3 and told[-1].state_bytes > 0

    made.write(tmp_path / "in", 3, [FAR])
    with pytest.raises(StreamingQueryException, match="size was 4000000 and is 5000000"):
        finished(sliding_aggregate(df, **{**arguments, "size": "5 seconds"}, buckets=4), tmp_path)
    finished(sliding_aggregate(df, **arguments, buckets=4, algorithm="two_stacks_lite"), tmp_path)
    whole = made.per_slide(some, SIZE, SLIDE, made.total)
    assert found(spark.read.parquet(str(tmp_path / "out")), "total") == whole

    batch = spark.read.schema(COLUMNS).parquet(str(tmp_path / "in")).where("user IS NULL OR user != 'sentinel'")
    assert found(sliding_aggregate(batch, **WINDOW, operator={"total": "sum"}), "total") == whole


def test_late_rows_are_left_out_and_counted(spark, tmp_path):
    """Rows before, at and after the watermark of the batch before; and some without a time."""
    at = made.START + 20 * made.SECOND
    made.write(tmp_path / "in", 0, [("a", at, 1.0), ("a", None, 64.0)])
    made.write(tmp_path / "in", 1, [("a", at + made.SECOND, 2.0)])
    edge = at - 3 * made.SECOND
    made.write(tmp_path / "in", 2, [("a", edge - 1, 4.0), ("a", edge, 8.0), ("a", edge + 1000, 16.0), FAR])
    out = sliding_aggregate(
        stream(spark, tmp_path / "in", maxFilesPerTrigger=1),
        **{**WINDOW, "slide": "row", "operator": {"total": "sum"}},
        watermark="3 seconds",
        algorithm="two_stacks_lite",
        buckets=1,
    )
    query = finished(out, tmp_path)
    told = [counts for one in query.recentProgress for counts in one.observedMetrics.values()]
    assert [(one.late, one.null_times) for one in told] == [(0, 1), (0, 0), (2, 0), (0, 0)]
    got = spark.read.parquet(str(tmp_path / "out")).where("user = 'a'").orderBy("ts").collect()
    assert [(row.v, row.total) for row in got] == [(16.0, 16.0), (1.0, 17.0), (2.0, 19.0)]


def test_a_batch_by_row_is_that_of_brute_force_across_arrow_batches(spark):
    some = made.rows(200, ["a", "b", "c", None], seed=2)
    some = [
        (user, time, None if i % 7 == 0 else float("nan") if i == 5 else v) for i, (user, time, v) in enumerate(some)
    ]
    df = spark.createDataFrame(made.table(some))
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    try:
        out = sliding_aggregate(df, **{**WINDOW, "slide": "row", "operator": {"total": "sum"}})
        rows = out.selectExpr("user", "unix_micros(ts) AS ts", "v", "total").collect()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    got = sorted((made.alike(r.user), r.ts, made.alike(r.v), made.alike(r.total)) for r in rows)
    assert got == made.per_row(some, SIZE, made.total)


def test_no_partition_of_a_batch_is_left_empty(spark):
    df = spark.createDataFrame(made.table(made.rows(200, [*"abcdefghijklmnopqrstuvwxyz"], seed=3)))
    for kept, partitions in (("rows", 2 * PARTITIONS), ("slices", PARTITIONS)):
        out = sliding_aggregate(df, **WINDOW, operator={"total": "sum"}, kept=kept)
        counts = out.selectExpr("spark_partition_id() AS partition").groupBy("partition").count().collect()
        assert len(counts) == partitions, counts


@pytest.mark.parametrize("key", ["user", None])
def test_a_batch_of_slices_gives_what_a_batch_of_rows_gives(spark, key):
    some = [(user, time, None if i % 7 == 0 else v) for i, (user, time, v) in enumerate(made.rows(500, ["a", None]))]
    some[3] = ("a", None, 1.0)
    df = spark.createDataFrame(made.table(some)).repartition(3)
    arguments = {**WINDOW, "key": key, "size": "5 seconds", "slide": "2 seconds", "operator": ["sum", "mean"]}
    arguments["operator"] = {name: name for name in arguments["operator"]}
    by_kept = [sliding_aggregate(df, **arguments, kept=kept) for kept in ("rows", "slices")]
    rows, slices = (sorted(map(str, found.collect())) for found in by_kept)
    assert rows == slices and len(rows) > 5


def test_columns_may_be_computed(spark):
    from pyspark.sql import functions as F

    df = spark.createDataFrame(made.table(made.rows(60, ["a", "b"], seed=2)))
    moved = df["ts"] + F.expr("INTERVAL 1 SECOND")
    arguments = {"size": "4 seconds", "slide": "1 second"}
    found = sliding_aggregate(
        df,
        key=[F.upper("user").alias("who"), "user"],
        time=moved.alias("at"),
        value=F.col("v"),
        operator={"total": "sum", "most": ("max", (F.col("v") * 2).alias("twice"))},
        **arguments,
    )
    named = df.withColumns({"who": F.upper("user"), "at": moved, "twice": F.col("v") * 2})
    operators = {"total": "sum", "most": ("max", "twice")}
    wanted = sliding_aggregate(named, key=["who", "user"], time="at", value="v", operator=operators, **arguments)
    assert found.columns == wanted.columns == ["who", "user", "window_start", "window_end", "total", "most"]
    assert sorted(map(str, found.collect())) == sorted(map(str, wanted.collect())) and found.count() > 20
    with pytest.raises(ValueError, match="key: there is a column 'user' already; give the new one an alias"):
        sliding_aggregate(df, key=F.upper("user").alias("user"), time="ts", value="v", operator="sum", **arguments)


def test_a_batch_without_a_key_by_whole_number_times(spark):
    df = spark.range(20).selectExpr("id AS t", "id AS n", "cast(id % 2 AS float) AS f")
    out = sliding_aggregate(
        df, time="t", value="n", size=4, slide=2, operator={"n": "sum", "mean": ("avg", "f")}, **FEW
    )
    got = {(row.window_start, row.window_end): (row.n, row.mean) for row in out.collect()}
    wanted = {(end - 4, end): range(max(end - 4, 0), min(end, 20)) for end in range(2, 24, 2)}
    assert got == {window: (sum(ids), sum(i % 2 for i in ids) / len(ids)) for window, ids in wanted.items()}
    assert [(one.name, one.dataType.simpleString()) for one in out.schema] == [
        ("window_start", "bigint"),
        ("window_end", "bigint"),
        ("n", "bigint"),
        ("mean", "double"),
    ]


@pytest.mark.smoke
def test_windows_are_those_of_sparks_own_window(spark):
    from pyspark.sql import functions as F

    some = made.rows(200, ["a", "b", None], seed=4)
    df = spark.createDataFrame(made.table([*some, ("nulls", made.START, None)]))
    ours = sliding_aggregate(df, **WINDOW, operator={"total": "sum", "n": "count"}, offset="300 milliseconds", **FEW)
    window = F.window("ts", "4 seconds", "1 second", "300 milliseconds")
    theirs = df.groupBy(window, "user").agg(F.sum("v").alias("total"), F.count("v").alias("n"))
    columns = "user", "window.start", "window.end", "total", "n"
    assert {tuple(row) for row in ours.withColumn("n", F.coalesce("n", F.lit(0))).collect()} == {
        tuple(row) for row in theirs.select(*columns).collect()
    }


def test_an_operator_of_ones_own_is_compiled_on_the_workers(spark):
    class Span(NamedTuple):
        low: float
        high: float

    spread = operators.from_functions(
        lift=lambda v: Span(v, v),
        combine=lambda a, b: Span(min(a.low, b.low), max(a.high, b.high)),
        lower=lambda a: a.high - a.low,
        identity=Span(float("inf"), float("-inf")),
        name="spread",
    )
    some = made.rows(50, ["a", "b"], seed=6)
    out = sliding_aggregate(spark.createDataFrame(made.table(some)), **WINDOW, operator=spread, **FEW)
    assert found(out, "spread") == made.per_slide(some, SIZE, SLIDE, lambda vs: max(vs) - min(vs))


def test_a_value_may_be_an_expression_and_columns_may_have_any_name(spark):
    df = spark.sql("SELECT 1.5D AS `a.b`, -0.0D AS `ke``y`, timestamp_ntz'2020-01-01 00:00:00' AS `the time`")
    df = df.union(df.selectExpr("`a.b` + 1", "0.0D", "`the time`"))
    out = sliding_aggregate(df, key="ke`y", time="the time", value={"twice": df["`a.b`"] * 2}, size="1 minute", **FEW)
    assert out.schema["window_end"].dataType.simpleString() == "timestamp_ntz"
    assert [tuple(row)[3] for row in out.collect()] == [8.0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"watermark": None}, "watermark is missing: say how late rows of 'ts' may come"),
        ({"watermark": "soon"}, "watermark must be a length of time"),
        ({"time": "n", "size": 4, "slide": 1}, "time column 'n' is bigint; it must be a timestamp"),
        ({"time": "local"}, "time column 'local' is timestamp_ntz, for which Spark has no watermark: cast it"),
        ({"metrics": ""}, "metrics must be a name, such as 'calls', not ''"),
    ],
)
def test_streams_are_refused_before_they_start(spark, changes, said):
    df = spark.readStream.format("rate").load().selectExpr("timestamp AS ts", "'a' AS user", "1.0D AS v", "value AS n")
    df = df.withColumn("local", df["ts"].cast("timestamp_ntz"))
    with pytest.raises(ValueError, match=said):
        sliding_aggregate(df, **{**WINDOW, "watermark": "3 seconds", "operator": "sum", **changes})


def test_what_a_stream_needs_is_asked_for_before_it_starts(spark, monkeypatch):
    df = spark.readStream.format("rate").load().selectExpr("timestamp AS ts", "'a' AS user", "1.0D AS v")
    with pytest.raises(ValueError, match="the stream has one already, on 'ts'; leave this one out"):
        sliding_aggregate(df.withWatermark("ts", "1 second"), **WINDOW, watermark="3 seconds")
    assert sliding_aggregate(df.withWatermark("ts", "1 second"), **WINDOW, algorithm="two_stacks_lite").isStreaming
    provider = "spark.sql.streaming.stateStore.providerClass"
    was = spark.conf.get(provider)
    spark.conf.unset(provider)
    try:
        with pytest.raises(ValueError, match="needs RocksDB: spark.conf.set"):
            sliding_aggregate(df, **WINDOW, watermark="3 seconds")
    finally:
        spark.conf.set(provider, was)
    there = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "google.protobuf" else there(name))
    with pytest.raises(ValueError, match="the package protobuf is missing"):
        sliding_aggregate(df, **WINDOW, watermark="3 seconds")
