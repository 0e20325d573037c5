"""The same stream by foreachBatch, with its own files: every window once, batches run again, folders that do not go."""

import json
import shutil

import pytest
from pyspark.errors import StreamingQueryException

from streaming import SlidingAggregateSink, StateError
from tests.streaming import made

pytestmark = pytest.mark.slow

COLUMNS = "user string, ts timestamp, v double"
WINDOW = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "slide": "1 second", "buckets": 3}
WINDOW |= {"operator": {"total": "sum"}, "watermark": "3 seconds", "algorithm": "two_stacks_lite"}


def sink_of(spark, folder, **changes):
    df = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 2).parquet(str(folder / "in"))
    return SlidingAggregateSink(df, str(folder / "sink"), **{**WINDOW, **changes})


def finish(sink):
    sink.writer().trigger(availableNow=True).start().awaitTermination()


def found(spark, sink):
    rows = spark.read.parquet(sink.results).selectExpr("user", "unix_micros(window_end) AS end", "total").collect()
    windows = {(made.alike(row.user), row.end): row.total for row in rows}
    assert len(windows) == len(rows)
    return windows


def test_every_window_once_though_batches_are_run_again(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("streaming.sink.RECENT", 3)
    some = made.rows(300, ["a", "b", None], spread=60, disorder=2, seed=1)
    for i in range(3):
        made.write(tmp_path / "in", i, some[50 * i : 50 * i + 50])
    sink = sink_of(spark, tmp_path)
    finish(sink)
    assert sink.last == 1
    before = found(spark, sink)

    for name in ("1", ".1.crc"):  # killed after writing, before Spark had noted it
        (tmp_path / "sink" / "checkpoint" / "commits" / name).unlink()
    progress = tmp_path / "sink" / "progress"
    (progress / "1.json").unlink()
    (progress / ".0.json.half.tmp").write_bytes(b"{")  # killed between writing and renaming
    left = tmp_path / "sink" / "results" / "batch=1"
    for name in (
        "part-00000.parquet",
        ".2.parquet.half.tmp",
    ):  # that Spark wrote, and a worker that died
        shutil.copy(left / "0.parquet", left / name)
    finish(sink_of(spark, tmp_path))
    assert found(spark, sink) == before
    assert {path.name for path in left.iterdir()} <= {"0.parquet", "1.parquet", "2.parquet"}

    sink.flush()  # and the stream goes on after all
    assert set(found(spark, sink)) > set(before)
    for i in range(3, 6):
        made.write(tmp_path / "in", i, some[50 * i : 50 * i + 50])
    again = sink_of(spark, tmp_path)
    finish(again)
    again.flush()
    again.flush()
    assert found(spark, again) == made.per_slide(some, 4 * made.SECOND, made.SECOND, made.total)
    assert [one["batch"] for one in again.progress] == [1, 2, 3]
    assert [one["late"] for one in again.progress] == [0, 0, 0]
    assert {path.name for path in progress.iterdir()} == {"1.json", "2.json", "3.json"}
    assert {path.name for path in (tmp_path / "sink" / "state").iterdir()} == {"2", "3"}


def test_the_folder_may_have_any_name_and_be_a_path(spark, tmp_path):
    made.write(tmp_path / "in", 0, [("a", made.START, 1.0)])
    df = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "in"))
    folder = tmp_path / "a sink, #1 at 100%25"
    sink = SlidingAggregateSink(df, folder, **WINDOW)
    finish(sink)
    sink.flush()
    assert set(found(spark, sink).values()) == {1.0}
    assert {path.name for path in folder.iterdir()} == {"checkpoint", "progress", "results", "state"}
    assert {path.name for path in tmp_path.iterdir()} == {"in", folder.name}


def test_results_are_there_before_any_window_has_ended(spark, tmp_path):
    made.write(tmp_path / "in", 0, [("a", made.START, 1.0)])
    sink = sink_of(spark, tmp_path)
    finish(sink)
    assert found(spark, sink) == {}
    assert [path.name for path in (tmp_path / "sink" / "results" / "batch=0").iterdir()] == ["0.parquet"]


@pytest.mark.parametrize("changes", [{"format": "orc"}, {"key": "waited"}], ids=["orc", "key of Spark"])
def test_what_spark_alone_can_write_it_writes(spark, tmp_path, changes):
    some = made.rows(100, ["a", "b", None], spread=30, disorder=2, seed=3)
    made.write(tmp_path / "in", 0, some)
    df = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "in"))
    df = df.selectExpr("*", "make_dt_interval(0, 0, 0, ascii(user) - 60) AS waited")
    sink = SlidingAggregateSink(df, str(tmp_path / "sink"), **{**WINDOW, **changes})
    finish(sink)
    sink.flush()
    results = spark.read.format(changes.get("format", "parquet")).load(sink.results)
    assert dict(results.drop("batch").dtypes) == dict(
        zip(
            [changes.get("key", "user"), "window_start", "window_end", "total"],
            ["interval day to second" if "key" in changes else "string", "timestamp", "timestamp", "double"],
            strict=True,
        )
    )
    key = "char(60 + extract(SECOND FROM waited))" if "key" in changes else "user"
    rows = results.selectExpr(key, "unix_micros(window_end)", "total").collect()
    windows = {(made.alike(user), end): total for user, end, total in rows}
    assert windows == made.per_slide(some, 4 * made.SECOND, made.SECOND, made.total) and len(windows) == len(rows)


def test_folders_that_belong_to_another_aggregation_or_checkpoint_are_refused(spark, tmp_path):
    made.write(tmp_path / "in", 0, [("a", made.START, 1.0), ("a", None, 2.0)])
    sink = sink_of(spark, tmp_path)
    finish(sink)
    assert [(one["newest"], one["null_times"]) for one in sink.progress] == [(made.START, 1)]
    with pytest.raises(StateError, match="size was 4000000 and is 5000000"):
        sink_of(spark, tmp_path, size="5 seconds")

    progress = tmp_path / "sink" / "progress" / "0.json"
    for name, said in (("1.json", "has batches up to 1 already"), ("2.json", "has batches up to 2 already")):
        progress = progress.rename(progress.with_name(name))
        with pytest.raises(StateError, match=f"this is batch 0 of the checkpoint, and .* {said}"):
            sink._before(0)
    with pytest.raises(StateError, match="this is batch 4 of the checkpoint, and .* has those up to 2"):
        sink._before(4)
    progress.rename(progress.with_name("0.json"))

    (tmp_path / "sink" / "state" / "0" / "2.arrow").unlink()
    made.write(tmp_path / "in", 1, [("a", made.START + 1, 1.0)])
    with pytest.raises(StreamingQueryException, match="state/0/2.arrow is missing: batch 1 goes on from it"):
        finish(sink)
    assert json.loads((tmp_path / "sink" / "progress" / "0.json").read_bytes())["batch"] == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"watermark": None}, "watermark must be a length of time"),
        ({"watermark": "soon"}, "watermark must be a length of time"),
        ({"key": "usr"}, "unknown column for key: 'usr'"),
        ({"operator": {"Batch": "sum"}}, "no result may be called 'batch': Spark reads that column from the folders"),
    ],
)
def test_refusals_come_before_anything_starts(spark, tmp_path, changes, said):
    (tmp_path / "in").mkdir()
    with pytest.raises(ValueError, match=said):
        sink_of(spark, tmp_path, **changes)
    assert not (tmp_path / "sink").exists()


def test_a_folder_must_say_where_it_is(spark, tmp_path):
    (tmp_path / "in").mkdir()
    df = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "in"))
    with pytest.raises(ValueError, match="folder must be an absolute path or a URI .*, not 'here'"):
        SlidingAggregateSink(df, "here", **WINDOW)
