"""Spark's own ways and ours give the same output: as experiments measure them, small."""

import pytest
from pyspark.sql import functions as F

from experiments.harness.cell import Cell
from experiments.spark.measuring import rows as spark_rows
from experiments.spark.measuring import slides as spark_slides
from experiments.spark.measuring import streams as spark_streams
from experiments.spark.measuring.inputs import FILES, SECOND, Stream, write_stream
from experiments.spark.measuring.session import shuffled_bytes, shuffled_since
from experiments.spark.measuring.ways import BY_ROW, BY_SLIDE, STREAM, WAYS
from streaming import sliding_aggregate
from streaming.baselines import SEGMENT_TREE, by_row, by_window, segment_tree

pytestmark = pytest.mark.slow

STREAMS = [name for name, way in WAYS.items() if way.does == STREAM]
BY_ROWS = [name for name, way in WAYS.items() if way.does == BY_ROW]
BY_SLIDES = [name for name, way in WAYS.items() if way.does == BY_SLIDE]


def measured(module, name, operator, window, sizes, session, monkeypatch):
    """What the experiments' measuring function gives for a way, in the session of these tests."""
    monkeypatch.setattr(module, "session_for", lambda cell: session)
    fields = ("none", "spark_operator", name, WAYS[name].complete({}), operator, "keyed", sizes)
    return module.time(Cell(*fields, window), {"minimum_ns": 0, "operations": None})


@pytest.mark.parametrize(
    "ways",
    [
        pytest.param(["sliding_aggregate", "sliding_sink", "spark_window"], id="ours"),
        pytest.param(STREAMS, id="all", marks=pytest.mark.thorough),
    ],
)
def test_streams_have_one_output_whatever_the_way(spark, monkeypatch, ways):
    sizes = {"keys": 7, "rows": 300, "triggers": 3, "per_slide": 1}
    found = {name: measured(spark_streams, name, "sum", 12, sizes, spark, monkeypatch) for name in ways}
    assert len({(one["checksum"], one["facts"]["outputs"]) for one in found.values()}) == 1
    for name, one in found.items():
        assert one["operations"] == 600 and one["value"] > 0 and len(one["facts"]["trigger_ms"]) == 2, name
        assert one["facts"]["state_rows"] > 0 and one["facts"]["state_bytes"] > 0, name
        assert one["facts"]["cpu_seconds"] > 0.1, name
    assert 70 * 7 < found["spark_window"]["facts"]["outputs"] < 84 * 7  # windows that end within two triggers


@pytest.mark.parametrize("window", [1, 100])
def test_tables_have_one_output_whatever_the_way(spark, monkeypatch, window):
    sizes = {"keys": 3, "rows": 1000}
    found = {name: measured(spark_rows, name, "max", window, sizes, spark, monkeypatch) for name in BY_ROWS}
    assert len({one["checksum"] for one in found.values()}) == 1
    assert {one["operations"] for one in found.values()} == {1000}


@pytest.mark.parametrize("operator", ["max", "sum", "count", "min"])
def test_tables_have_one_output_for_each_slide_whatever_the_way(spark, monkeypatch, operator):
    sizes = {"keys": 2, "rows": 2000, "per_slide": 50}
    found = {name: measured(spark_slides, name, operator, 6, sizes, spark, monkeypatch) for name in BY_SLIDES}
    assert {(one["checksum"], one["facts"]["outputs"]) for one in found.values()} == {
        (found["table_window"]["checksum"], 2 * 20)
    }


def test_bytes_that_are_shuffled_fall_by_the_rows_of_a_slice(spark, tmp_path):
    stream = Stream(keys=2, window=5, rows=40_000, triggers=1, per_slide=400)
    write_stream(tmp_path, stream, seed=3)
    rows = spark.read.parquet(str(tmp_path))
    arguments = {"key": "key", "time": "time", "value": "value", "size": "5 seconds", "slide": "1 second"}
    written = {}
    for kept in ("rows", "slices"):
        before = shuffled_bytes(spark)
        found = sliding_aggregate(rows, **arguments, operator="max", kept=kept).collect()
        written[kept] = shuffled_since(spark, before)
        assert len(found) == 2 * (50 + 4)
    assert written["rows"] > stream.per_slide / 8 * written["slices"] > 0


def test_a_table_has_the_windows_of_a_stream_and_those_that_are_still_open(spark, tmp_path):
    write_stream(tmp_path, Stream(keys=3, window=5, rows=40, triggers=2), seed=2)
    rows = spark.read.parquet(str(tmp_path))
    arguments = {
        "key": "key",
        "time": "time",
        "value": "value",
        "size": "5 seconds",
        "slide": "1 second",
        "operator": "min",
    }
    ours, theirs = (
        sorted(map(tuple, found.select("key", "window_start", "window_end", F.col("min").cast("long")).collect()))
        for found in (sliding_aggregate(rows, **arguments), by_window(rows, **arguments))
    )
    assert ours == theirs and len(ours) > 3 * 5


def test_the_segment_tree_is_on_within_its_block_only(spark):
    before = spark.conf.get(SEGMENT_TREE)
    with segment_tree(spark, True):
        assert spark.conf.get(SEGMENT_TREE) == "true"
    assert spark.conf.get(SEGMENT_TREE) == before
    spark.conf.set(SEGMENT_TREE, "true")
    with segment_tree(spark, False):
        assert spark.conf.get(SEGMENT_TREE) == "false"
    assert spark.conf.get(SEGMENT_TREE) == "true"
    spark.conf.unset(SEGMENT_TREE)


def test_an_operator_that_spark_has_not_is_named(spark):
    rows = spark.range(1)
    with pytest.raises(ValueError, match="operator is 'lis', for which Spark has no function; it has sum, count"):
        by_row(rows, key="id", time="id", value="id", rows=2, operator="lis")


def test_a_stream_is_out_of_order_within_the_watermark_and_not_beyond(spark, tmp_path):
    settled = write_stream(tmp_path, Stream(keys=3, window=50, rows=400, triggers=3), seed=2)
    files = [spark.read.parquet(str(path)) for path in sorted(tmp_path.glob("*.parquet"))]
    times = [[row[0] for row in one.select(F.unix_micros("time")).collect()] for one in files]
    assert len(times) == 3 * FILES
    triggers = [times[first : first + FILES] for first in range(0, len(times), FILES)]
    flat = [time for parts in triggers for one_of_each in zip(*parts, strict=True) for time in one_of_each]
    newest = [max(flat[: i + 1]) for i in range(len(flat))]
    late = [most - time for most, time in zip(newest, flat, strict=True)]
    assert 0 < max(late) <= SECOND
    assert settled == max(flat[: 2 * 400]) - spark_streams.DELAY * SECOND
