"""Streams killed by kill -9 and started again: row for row what brute force gives.

Some rows are late. Which ones depends on the watermark of the batch before theirs, and that on how files came together
in batches; both are read from the checkpoint, as they were committed.
"""

import json
import math
import signal
import subprocess
import sys

import pytest
from pyspark.errors import StreamingQueryException

import streaming.files
import streaming.processor
import streaming.sink
from tests import HUNG
from tests.scripts import PLAIN, environment
from tests.streaming import dying, made, streams

pytestmark = pytest.mark.slow

PARTITIONS = 2

SIZE, SLIDE = 4 * made.SECOND, made.SECOND
FILES, EACH = 6, 60
ROWS = made.rows(FILES * EACH, ["a", "b", "c", None], spread=90, disorder=60, seed=11)
FAR = ("sentinel", made.START + 3600 * made.SECOND, 0.0)

KILLS = [
    # the state of a bucket half written by a worker that dies, then results and state written, and nothing told of them
    (
        ["sink", "query"],
        ["file", "sink/state/{}/1.arrow", 1, "worker", "half"],
        ["file", "sink/progress/{}.json", 1, "driver", "before"],
    ),
    # a worker with state that Spark has taken, then results of the file sink committed, and the batch not yet noted
    (
        ["query_in_order", "sink"],
        ["state", "query_in_order", 2, "worker"],
        ["path", "query_in_order/results/_spark_metadata", 2, "driver"],
    ),
    # a driver whose worker is writing the state of a bucket
    (["sink_in_order", "query"], ["file", "sink_in_order/state/{}/0.arrow", 3, "driver", "half"]),
    # results half written by a worker that dies, then written whole, and those of other buckets perhaps not yet
    (
        ["sink", "query"],
        ["file", "sink/results/batch={}/0.parquet", 1, "worker", "half"],
        ["file", "sink/results/batch={}/0.parquet", 1, "driver", "after"],
    ),
]
"""Streams that run side by side, and when a process of them is killed.

All kills are in the first of the streams: the second may be anywhere when the driver dies, also where Spark has noted
the files of a batch and not yet the batch. Then it makes one batch of these files and the next, which are in no order:
so the second is one of rows in any order.
"""


def in_file(i, ordered):
    some = sorted(ROWS, key=lambda row: row[1]) if ordered else ROWS
    return some[i * EACH : i * EACH + EACH]


def write(folder, numbers):
    for i in numbers:
        made.write(folder / "in_order", i, in_file(i, True))
        made.write(folder / "any_order", i, in_file(i, False))


def write_the_last(folder):
    """A row far in the future, so that everything else is given out."""
    for name in ("in_order", "any_order"):
        made.write(folder / name, FILES, [FAR])


def run_and_die(folder, names, *moments):
    """Run streams in a process that kills itself. Kernels are plain Python there: nothing to compile."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.streaming.streams", str(folder), json.dumps(names), json.dumps(moments)],
        capture_output=True,
        text=True,
        env=environment(**PLAIN),
        start_new_session=True,
        timeout=HUNG,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr


def found(spark, folder, name):
    """All rows of the results of a stream but those of the sentinel, sorted."""
    rows = spark.read.parquet(str(folder / name / "results")).where("user IS NULL OR user != 'sentinel'")
    if streams.STREAMS[name]["slide"] == "row":
        shown = rows.selectExpr("user", "unix_micros(ts) AS ts", "v", "total")
    else:
        shown = rows.selectExpr("user", "unix_micros(window_start)", "unix_micros(window_end)", "total")
    return sorted(tuple(map(made.alike, row)) for row in shown.collect())


def by_brute_force(folder, name):
    """The results of the rows that were not late; and how many were."""
    rows = committed(folder, name)
    assert len(rows) == len(ROWS)
    if streams.STREAMS[name]["slide"] == "row":
        on_time = [row[:3] for row in rows if row[1] > row[3]]
        results = [(user, (2, time), *more) for user, time, *more in made.per_row(on_time, SIZE, made.total)]
        return results, len(rows) - len(on_time)
    windows = made.per_open_slide(rows, SIZE, SLIDE, made.total)
    results = sorted((user, (2, end - SIZE), (2, end), (2, total)) for (user, end), total in windows.items())
    return results, sum(time // SLIDE * SLIDE + SIZE <= before for _, time, _, before in rows)


def committed(folder, name):
    """(key, time, value, watermark of the batch before) of all rows, from what Spark and the sink have noted.

    With order="refuse" a row counts as late in all of its windows, but none comes late there.
    """
    found, before = [], -math.inf
    for batch in range(streams.done(folder, name) + 1):
        noted = folder / name / "checkpoint"
        source = noted / "sources" / "0" / str(batch)
        for line in source.read_text().splitlines()[1:] if source.exists() else ():  # a batch may have no rows
            path = json.loads(line)["path"]
            number = int(path.rpartition("/")[2].partition(".")[0])
            some = in_file(number, name.endswith("in_order")) if number < FILES else []
            found += [(*row, before) for row in some]
        if name.startswith("sink"):
            before = json.loads((folder / name / "progress" / f"{batch}.json").read_text())["watermark"]
        else:
            before = 1000 * json.loads((noted / "offsets" / str(batch)).read_text().splitlines()[1])["batchWatermarkMs"]
            before = before or -math.inf
    return found


def must_be_right(spark, folder, name):
    """Compare the results with those of brute force; returns how many rows were late."""
    results, late = by_brute_force(folder, name)
    assert found(spark, folder, name) == results, name
    return late


@pytest.mark.parametrize(
    "kills", [pytest.param(KILLS[:1], id="one"), pytest.param(KILLS, id="all", marks=pytest.mark.thorough)]
)
def test_killed_drivers_and_workers_leave_no_trace_in_the_results(spark, tmp_path, kills):
    for n, (names, *moments) in enumerate(kills):
        write(tmp_path, range(2) if n == 0 else [n + 1])
        run_and_die(tmp_path, names, *moments)
        assert len(list(tmp_path.glob("* killed at *"))) == sum(len(one) - 1 for one in kills[: n + 1]), moments
    write(tmp_path, range(len(kills) + 1, FILES))
    write_the_last(tmp_path)
    for name in streams.STREAMS:
        streams.run(spark, tmp_path, [name])
        late = must_be_right(spark, tmp_path, name)
        assert (late == 0) if name.endswith("in_order") else (late > 10), (name, late)
    kept = [path.name for path in tmp_path.glob("sink*/state/*/*")]
    assert sorted(kept) == sorted(2 * 2 * ["0.arrow", "1.arrow", "2.arrow"])


@pytest.mark.parametrize(
    ("name", "moment"),
    [("query", ["state", "query", 2, "worker"]), ("sink", ["file", "sink/state/{}/2.arrow", 2, "worker", "before"])],
)
def test_a_query_that_a_dead_worker_has_stopped_goes_on_when_started_again(spark, tmp_path, monkeypatch, name, moment):
    """Here tasks are tried once, as in any local[N] without a number of tries."""
    write(tmp_path, range(FILES))
    write_the_last(tmp_path)
    with monkeypatch.context() as patched:
        for module, one in (
            (streaming.files, "write"),
            (streaming.processor, "Bucket"),
            (streaming.sink, "take_into_files"),
        ):
            patched.setattr(module, one, getattr(module, one))  # so that it is put back
        dying.by_value()
        streams.deadly(tmp_path, *moment)
        with pytest.raises(StreamingQueryException):
            streams.run(spark, tmp_path, [name], files=4)
    assert len(list(tmp_path.glob("worker killed at *"))) == 1
    streams.run(spark, tmp_path, [name], files=4)
    must_be_right(spark, tmp_path, name)
