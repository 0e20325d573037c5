"""Streams killed by kill -9 and started again: row for row what brute force gives."""

import json
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
ROWS = made.rows(FILES * EACH, ["a", "b", "c", None], spread=90, disorder=2, seed=11)
FAR = ("sentinel", made.START + 3600 * made.SECOND, 0.0)

KILLS = [
    # the state of a bucket half written by a worker that dies, then results and state written, and nothing told of them
    (
        ["sink", "query_in_order"],
        ["file", "sink/state/{}/1.arrow", 1, "worker", "half"],
        ["file", "sink/progress/{}.json", 1, "driver", "before"],
    ),
    # a worker with state that Spark has taken, then results of the file sink committed, and the batch not yet noted
    (
        ["query", "sink_in_order"],
        ["state", "query", 2, "worker"],
        ["path", "query/results/_spark_metadata", 2, "driver"],
    ),
    # a driver whose worker is writing the state of a bucket
    (["sink_in_order", "query"], ["file", "sink_in_order/state/{}/0.arrow", 1, "driver", "half"]),
]
"""Streams that run side by side, and when a process of them is killed."""


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


def by_brute_force(name):
    if streams.STREAMS[name]["slide"] == "row":
        return [(user, (2, time), *more) for user, time, *more in made.per_row(ROWS, SIZE, made.total)]
    windows = made.per_slide(ROWS, SIZE, SLIDE, made.total)
    return sorted((user, (2, end - SIZE), (2, end), (2, total)) for (user, end), total in windows.items())


def test_killed_drivers_and_workers_leave_no_trace_in_the_results(spark, tmp_path):
    for n, (names, *moments) in enumerate(KILLS):
        write(tmp_path, range(2) if n == 0 else [n + 1])
        run_and_die(tmp_path, names, *moments)
        assert len(list(tmp_path.glob("* killed at *"))) == sum(len(one) - 1 for one in KILLS[: n + 1]), moments
    write(tmp_path, range(len(KILLS) + 1, FILES))
    write_the_last(tmp_path)
    for name in streams.STREAMS:
        streams.run(spark, tmp_path, [name])
        assert found(spark, tmp_path, name) == by_brute_force(name), name
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
        for module, one in ((streaming.files, "write"), (streaming.processor, "Bucket"), (streaming.sink, "take_all")):
            patched.setattr(module, one, getattr(module, one))  # so that it is put back
        dying.by_value()
        streams.deadly(tmp_path, *moment)
        with pytest.raises(StreamingQueryException):
            streams.run(spark, tmp_path, [name], files=4)
    assert len(list(tmp_path.glob("worker killed at *"))) == 1
    streams.run(spark, tmp_path, [name], files=4)
    assert found(spark, tmp_path, name) == by_brute_force(name)
