"""Operators behind one another and side by side in one query: the watermark goes on, and counts are told apart."""

import pytest

from streaming import sliding_aggregate
from tests.streaming import made, paths

pytestmark = pytest.mark.slow

SPARK_ALONE = pytest.mark.thorough
"""Without our operator: it shows that Spark gives what ours is held against."""

COLUMNS = "user string, ts timestamp, v double"
WINDOW = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "watermark": "3 seconds"}
WINDOW |= {"operator": {"total": "sum"}, "algorithm": "two_stacks_lite", "buckets": 2}
SECOND = {"key": "user", "value": "total", "size": "8 seconds", "operator": {"total": "sum"}, "buckets": 2}
SECOND |= {"algorithm": "two_stacks_lite"}
FAR = [("far", paths.FAR, 0.0)]


def finished(out, folder):
    """Run a stream to the end of its files: what it has given out so far, and what each batch has told."""
    writer = out.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.option("path", str(folder / "results")).trigger(availableNow=True).start()
    query.awaitTermination()
    return out.sparkSession.read.parquet(str(folder / "results")), query.recentProgress


def files_with_late_rows(folder):
    """Three keys in time, and some rows whose windows have been given out before: late in either way."""
    some = made.rows(240, ["a", "b", None], first=100, spread=60, disorder=2, seed=3)
    late = [("a", made.START, 1000.0), ("b", made.START + 101 * made.SECOND, 1000.0)]
    files = [some[:80], some[80:160], [*late, *some[160:]], [*late, *FAR], late]
    for i, rows in enumerate(files):
        made.write(folder, i, rows)
    return some


def ours(df):
    return sliding_aggregate(df, **WINDOW)


def by_spark(df):
    """The windows by Spark alone; `window_end` is a microsecond before the end."""
    from pyspark.sql import functions as F

    found = df.withWatermark("ts", "3 seconds").groupBy(F.window("ts", "4 seconds"), "user")
    return found.agg(F.sum("v").alias("total")).select("user", F.window_time("window").alias("window_end"), "total")


def then_by_spark(first, offset):
    from pyspark.sql import functions as F

    found = first.groupBy(F.window("window_end", "8 seconds", "8 seconds", offset), "user")
    return found.agg(F.sum("total").alias("total")).select("user", F.col("window.end").alias("window_end"), "total")


def then_ours(first, closed):
    return sliding_aggregate(first, time="window_end", closed=closed, **SECOND)


@pytest.mark.parametrize(
    "composed",
    [
        pytest.param(lambda df: then_by_spark(by_spark(df), "0 seconds"), id="spark behind spark", marks=SPARK_ALONE),
        pytest.param(lambda df: then_by_spark(ours(df), "1 microsecond"), id="spark behind ours"),
        pytest.param(lambda df: then_ours(ours(df), "right"), id="ours behind ours"),
        pytest.param(lambda df: then_ours(by_spark(df), "left"), id="ours behind spark"),
    ],
)
def test_windows_of_windows_are_the_same_whoever_makes_them(spark, tmp_path, composed):
    some = files_with_late_rows(tmp_path / "in")
    out, progress = finished(composed(paths.source(spark, tmp_path, COLUMNS)), tmp_path)
    rows = out.where("user IS NULL OR user <> 'far'").selectExpr("user", "unix_micros(window_end)", "total").collect()
    got = {(made.alike(user), end // made.SECOND * made.SECOND): total for user, end, total in rows}
    assert len(got) == len(rows) and got == made.per_slide(some, 8 * made.SECOND, 8 * made.SECOND, made.total)
    ours_late = sum(one.late for batch in progress for one in batch.observedMetrics.values())
    dropped = sum(state.numRowsDroppedByWatermark for batch in progress for state in batch.stateOperators)
    assert ours_late + dropped == 6


def of_ours(df, operator):
    return sliding_aggregate(df, **{**WINDOW, "operator": {operator: operator}})


def of_spark(df, operator):
    """The same by Spark alone; `window_end` is a microsecond before the end."""
    from pyspark.sql import functions as F

    found = df.withWatermark("ts", "3 seconds").groupBy(F.window("ts", "4 seconds"), "user")
    found = found.agg(getattr(F, operator)("v").alias(operator))
    return found.select("user", F.window_time("window").alias("window_end"), operator)


def joined(make, sources):
    """Sums and maxima of the windows, side by side: a join of two streams in time."""
    from pyspark.sql import functions as F

    sums, highest = make(sources[0], "sum"), make(sources[1], "max")
    highest = highest.select(F.col("user").alias("other"), F.col("window_end").alias("end"), "max")
    return sums.join(highest, F.expr("user <=> other AND window_end = end")).select("user", "window_end", "sum", "max")


def left_joined(make, sources):
    """The same where some have no partner: those come when the watermark says that none will come."""
    from pyspark.sql import functions as F

    sums = make(sources[0], "sum")
    highest = make(sources[1].where("user <> 'a' OR user IS NULL"), "max")
    highest = highest.select(F.col("user").alias("other"), F.col("window_end").alias("end"), "max")
    found = sums.join(highest, F.expr("user <=> other AND window_end = end"), "left")
    return found.select("user", "window_end", "sum", "max")


def distinct(make, sources):
    """Every result twice, of two queries, and one of them let go."""
    from pyspark.sql import functions as F

    # Operators with equal arguments on equal inputs are told apart by `metrics`; a filter makes another input of it.
    both = make(sources[0], "sum").union(make(sources[1].where(F.lit(True)), "sum"))
    return both.dropDuplicates(["user", "window_end"]).withColumn("max", F.lit(None).cast("double"))


@pytest.mark.parametrize(
    "make", [pytest.param(of_ours, id="ours"), pytest.param(of_spark, id="spark", marks=SPARK_ALONE)]
)
@pytest.mark.parametrize("behind", [joined, pytest.param(left_joined, marks=pytest.mark.thorough), distinct])
def test_joins_and_duplicates_behind_it(spark, tmp_path, make, behind):
    some = files_with_late_rows(tmp_path / "in")
    sources = [paths.source(spark, tmp_path, COLUMNS) for _ in range(2)]
    out, _ = finished(behind(make, sources), tmp_path)
    rows = out.where("user IS NULL OR user <> 'far'").selectExpr("user", "unix_micros(window_end)", "sum", "max")
    got = {(made.alike(user), -(-end // made.SECOND) * made.SECOND): values for user, end, *values in rows.collect()}
    sums = made.per_slide(some, 4 * made.SECOND, 4 * made.SECOND, made.total)
    highest = made.per_slide(some, 4 * made.SECOND, 4 * made.SECOND, made.highest)
    if behind is left_joined:
        highest = {key: None if key[0] == made.alike("a") else value for key, value in highest.items()}
    wanted = {key: [sums[key], None if behind is distinct else highest[key]] for key in sums}
    assert len(got) == rows.count() and got == wanted


def test_each_batch_of_results_goes_to_a_function(spark, tmp_path):
    some, batches = files_with_late_rows(tmp_path / "in"), {}

    def take(df, number):
        batches[number] = df.selectExpr("user", "unix_micros(window_end)", "total").collect()

    writer = ours(paths.source(spark, tmp_path, COLUMNS)).writeStream.foreachBatch(take)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    rows = [row for batch in batches.values() for row in batch if row[0] != "far"]
    got = {(made.alike(user), end): total for user, end, total in rows}
    assert len(got) == len(rows) and got == made.per_slide(some, 4 * made.SECOND, 4 * made.SECOND, made.total)


def test_rows_with_their_windows_go_on_with_the_watermark(spark, tmp_path):
    from pyspark.sql import functions as F

    some = files_with_late_rows(tmp_path / "in")
    rows = sliding_aggregate(paths.source(spark, tmp_path, COLUMNS), **WINDOW, slide="row")
    found = rows.groupBy(F.window("ts", "8 seconds"), "user").agg(F.sum("v").alias("total"))
    out, _ = finished(found, tmp_path)
    got = out.where("user IS NULL OR user <> 'far'").selectExpr("user", "unix_micros(window.end)", "total").collect()
    wanted = made.per_slide(some, 8 * made.SECOND, 8 * made.SECOND, made.total)
    assert {(made.alike(user), end): total for user, end, total in got} == wanted


@pytest.mark.parametrize(("slide", "column"), [("4 seconds", "window_end"), ("row", "ts")])
def test_a_second_watermark_is_refused(spark, tmp_path, slide, column):
    """It would begin at nothing, and hold up the first for ever."""
    made.write(tmp_path / "in", 0, FAR)
    out = sliding_aggregate(paths.source(spark, tmp_path, COLUMNS), **WINDOW, slide=slide)
    with pytest.raises(ValueError, match=f"withWatermark.*have one already, on '{column}'"):
        out.withWatermark(column, "3 seconds")
    with pytest.raises(ValueError, match=f"watermark='3 seconds': the stream has one already, on '{column}'"):
        sliding_aggregate(out, time=column, **SECOND, watermark="3 seconds")


def test_results_that_were_saved_have_no_watermark_any_more(spark, tmp_path):
    """Though Spark writes into the schema of the files that the column had one."""
    some = files_with_late_rows(tmp_path / "first" / "in")
    first, _ = finished(ours(paths.source(spark, tmp_path / "first", COLUMNS)), tmp_path / "first")
    df = spark.readStream.schema(first.schema).parquet(str(tmp_path / "first" / "results"))
    with pytest.raises(ValueError, match="watermark is missing: say how late rows of 'window_end' may come"):
        then_ours(df, "right")
    second = sliding_aggregate(df, time="window_end", closed="right", **SECOND, watermark="0 seconds")
    out, _ = finished(second, tmp_path)
    rows = out.where("user IS NULL OR user <> 'far'").selectExpr("user", "unix_micros(window_end)", "total").collect()
    wanted = made.per_slide(some, 8 * made.SECOND, 8 * made.SECOND, made.total)
    assert {(made.alike(user), end): total for user, end, total in rows} == wanted


def test_operators_side_by_side_tell_their_counts_by_names_that_last(spark, tmp_path):
    """Of two sources, of two parts of one, and by two algorithms; one late row in the one, two in the other."""
    sources = {}
    for name, late in (("one", 1), ("other", 2)):
        made.write(tmp_path / name / "in", 0, [("a", made.START + 20 * made.SECOND, 1.0)])
        made.write(tmp_path / name / "in", 1, [("a", made.START + 21 * made.SECOND, 2.0)])
        made.write(tmp_path / name / "in", 2, [("a", made.START, 4.0)] * late + FAR)
        sources[name] = paths.source(spark, tmp_path / name, COLUMNS)

    def query():
        one, other = sources["one"], sources["other"].withWatermark("ts", "3 seconds")
        plain = {name: value for name, value in WINDOW.items() if name != "watermark"}
        several = [
            sliding_aggregate(one, **WINDOW),
            sliding_aggregate(other, **plain),
            sliding_aggregate(one.where("v <> 3"), **WINDOW),
            sliding_aggregate(other, **{**plain, "algorithm": "recalc"}),
            sliding_aggregate(one, **WINDOW, metrics="calls"),
        ]
        out = several[0]
        for another in several[1:]:
            out = out.union(another)
        return out

    told = []
    for _ in range(2):
        _, progress = finished(query(), tmp_path)
        told.append({name for batch in progress for name in batch.observedMetrics})
        assert all(name == "calls" or name.startswith("sliding_aggregate_") for name in told[-1])
        late = [sum(batch.observedMetrics[name].late for batch in progress) for name in sorted(told[-1])]
        if len(told) == 1:
            assert sorted(late) == [1, 1, 1, 2, 2]
        for name in sources:
            made.write(tmp_path / name / "in", 3, FAR)
    assert len(told[0]) == 5 and told[0] == told[1]
