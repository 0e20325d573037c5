"""Times at the ends of what there is: as far as windows can be computed, and before 1970."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

from streaming import SlidingAggregateSink, sliding_aggregate
from tests.streaming import made, paths

pytestmark = pytest.mark.slow

FARTHEST = 2**62
ARGUMENTS = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "slide": "1 second", "buckets": 2}
ARGUMENTS |= {"operator": {"total": "sum"}, "algorithm": "two_stacks_lite", "watermark": "3 seconds"}
KINDS = {"timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us"), "long": pa.int64()}


def write(folder, kind, *files):
    """A file for each list of times."""
    (folder / "in").mkdir()
    for i, times in enumerate(files):
        columns = {"user": ["a"] * len(times), "ts": pa.array(times, KINDS[kind]), "v": [1.0] * len(times)}
        pq.write_table(pa.table(columns), folder / "in" / f"{i}.parquet")


def arguments(kind):
    return ARGUMENTS if kind != "long" else {**ARGUMENTS, "size": 4_000_000, "slide": 1_000_000, "watermark": 3_000_000}


def result(spark, folder, path, kind):
    """What a batch gives, or the path of a stream of one file a batch; all there is."""
    schema, options = f"user string, ts {kind}, v double", dict(arguments(kind))
    if path == "batch":
        options.pop("watermark")
        rows = spark.read.schema(schema).parquet(str(folder / "in"))
        return sliding_aggregate(rows, **options)
    df = paths.source(spark, folder, schema)
    if path == "sink":
        sink = SlidingAggregateSink(df, str(folder / "sink"), **options)
        sink.writer().trigger(availableNow=True).start().awaitTermination()
        sink.flush()
        return spark.read.parquet(sink.results)
    writer = sliding_aggregate(df, **options).writeStream.format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint")).option("path", str(folder / "out"))
    writer.start().awaitTermination()
    return spark.read.parquet(str(folder / "out"))


@pytest.fixture
def in_utc(spark):
    was = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", was)


WAYS = [(path, kind) for path in paths.PATHS for kind in KINDS if path != "query" or kind == "timestamp"]


@pytest.mark.parametrize(("path", "kind"), WAYS)
def test_a_time_too_far_is_refused_by_name_and_value(spark, tmp_path, in_utc, path, kind):
    for far, shown in ((FARTHEST, "+148108-07-06 14:00:27.387904"), (-FARTHEST, "-144169-06-28 09:59:32.612096")):
        folder = tmp_path / str(far)
        folder.mkdir()
        write(folder, kind, [made.START, None, far])
        with pytest.raises(PySparkException) as refused:
            result(spark, folder, path, kind).collect()
        said = str(refused.value)
        assert f"time column 'ts' has {far if kind == 'long' else shown}; times must lie within 2**62 " in said
        assert path == "sink" or "Traceback" not in said


@pytest.mark.parametrize(("path", "kind"), [way for way in WAYS if way[0] != "query"])
def test_the_farthest_times_have_all_their_windows(spark, tmp_path, in_utc, path, kind):
    ends = [1 - FARTHEST, FARTHEST - 1]
    write(tmp_path, kind, ends)
    micros = "window_end" if kind == "long" else "unix_micros(cast(window_end AS timestamp))"
    got = [row.at for row in result(spark, tmp_path, path, kind).selectExpr(f"{micros} AS at").collect()]
    wanted = made.per_slide([("a", time, 1.0) for time in ends], 4 * made.SECOND, made.SECOND, made.total)
    assert sorted(got) == sorted(at for _, at in wanted) and len(got) == 8


@pytest.mark.parametrize("path", paths.PATHS)
def test_times_before_1970(spark, tmp_path, path):
    """Spark's watermark begins at 1970: until a stream has reached that, only the sink gives anything out."""
    old = [made.SECOND * t for t in (-20, -9, -8, -1)]
    files = [old, [-made.SECOND // 2, made.SECOND]]
    write(tmp_path, "timestamp", *files)
    some = [("a", time, 1.0) for times in files for time in times]
    out = result(spark, tmp_path, path, "timestamp").selectExpr("user", "unix_micros(window_end)", "total").collect()
    got = {(made.alike(user), end): total for user, end, total in out}
    wanted = made.per_slide(some, 4 * made.SECOND, made.SECOND, made.total)
    assert got == ({} if path == "query" else wanted)
    if path == "query":
        columns = {"user": ["b"], "ts": pa.array([20 * made.SECOND], KINDS["timestamp"]), "v": [1.0]}
        pq.write_table(pa.table(columns), tmp_path / "in" / "2.parquet")
        later = result(spark, tmp_path, path, "timestamp")
        rows = later.selectExpr("user", "unix_micros(window_end)", "total").collect()
        assert {(made.alike(user), end): total for user, end, total in rows} == wanted


def test_days_are_24_hours_of_utc_also_when_clocks_change(spark):
    """In New York, the zone of these tests, on a day in March and one in November; as in Spark's own window()."""
    from pyspark.sql import functions as F

    assert spark.conf.get("spark.sql.session.timeZone") == "America/New_York"
    hours = spark.range(400).selectExpr("timestamp'2026-03-06 00:00:00' + make_interval(0, 0, 0, 0, id) AS ts")
    later = spark.range(400).selectExpr("timestamp'2026-10-30 00:00:00' + make_interval(0, 0, 0, 0, id) AS ts")
    df = hours.union(later).selectExpr("ts", "1.0D AS v")
    found = sliding_aggregate(df, time="ts", value="v", size="1 day", operator="sum", algorithm="two_stacks_lite")
    theirs = df.groupBy(F.window("ts", "1 day")).agg(F.sum("v").alias("sum"))
    theirs = theirs.select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "sum")
    shown = ["unix_micros(window_start)", "unix_micros(window_end)", "sum"]
    ours, wanted = (sorted(map(tuple, one.selectExpr(*shown).collect())) for one in (found, theirs))
    assert ours == wanted and len(ours) > 30
    assert (
        {end - start for start, end, _ in ours}
        == {86_400_000_000}
        == {86_400_000_000 + s % 86_400_000_000 for s, *_ in ours}
    )
