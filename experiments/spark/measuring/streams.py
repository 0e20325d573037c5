"""Sliding windows of a stream in Spark: our operator and Spark's own, rows a second and state at a steady pace.

A query runs over files made beforehand, one a trigger, and writes Parquet with a checkpoint, as one in production does.
Its time is that of its triggers in Spark's progress (triggerExecution), without the first third, which compiles and
fills the windows, and without triggers that may follow the last rows; its processor time is of the same triggers. The
session is warm: it has run small streams in several ways. The outputs are compared: the checksum is over every row of
every window that all ways have emitted by then.
"""

import dataclasses
import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.spark.measuring.checksum import checksum
from experiments.spark.measuring.inputs import DELAY, FILES, Stream, by_slide, write_stream
from experiments.spark.measuring.session import (
    PROVIDER,
    cores_of,
    processor_seconds_between,
    processor_times,
    session_for,
    shuffled_bytes,
    shuffled_since,
    window_of,
)
from experiments.spark.measuring.warming import warm
from experiments.spark.measuring.ways import BUCKETS

SEED = 1

OURS = "sliding_aggregate"
"""The name under which our operator reports on its state."""

TIMES_AFTER = "processor_times"
"""The name under which the entry of a trigger has the processor times after it."""

IN_MEMORY = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
"""Spark's default store. All other cells have the session's, RocksDB, which our operator needs."""


CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
"""Whether RocksDB writes at a commit what has changed, not the files of its whole store: half of a commit's time."""

BETWEEN_SNAPSHOTS = 10
"""Triggers from one snapshot to the next with a changelog, Spark's default. Before the first there are no files, whose
bytes are the size of the state."""


SMALL = Stream(keys=1000, window=10, rows=50_000, triggers=3)
"""The stream that warms a session up."""

SMALL_IN, PARAMETERS = ("sliding_aggregate", "sliding_sink", "spark_window"), {"window": "fiba", "buckets": BUCKETS}
"""The ways that it is aggregated in, and their parameters."""


@measurement("spark_streams.time", unit="ns", session=cores_of, takes=window_of)
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the steady triggers; operations are their rows."""
    sizes = (cell.stream[name] for name in ("rows", "triggers", "per_slide"))
    stream = Stream(cell.stream["keys"], cell.window, *sizes)
    session = session_for(cell)
    session.conf.set(CHANGELOG, str(stream.triggers >= BETWEEN_SNAPSHOTS).lower())
    warm(session, "streams", task, lambda: small_streams(session, cell))
    with tempfile.TemporaryDirectory() as name:
        ran = query(session, cell, stream, Path(name))
        checksum, outputs = checked(session, Path(name, "results"), cell.operator, ran.settled)
    with_rows = [entry for entry in ran.progress if entry["numInputRows"]]
    first, skipped = with_rows[0], max(1, len(with_rows) // 3)
    before, steady = with_rows[skipped - 1], with_rows[skipped:]
    milliseconds = [entry["durationMs"]["triggerExecution"] for entry in steady]
    return {
        "value": 1e6 * sum(milliseconds),
        "operations": sum(entry["numInputRows"] for entry in steady),
        "checksum": checksum,
        "compile_seconds": first["durationMs"]["triggerExecution"] / 1e3,
        "facts": {
            "outputs": outputs,
            "trigger_ms": milliseconds,
            "cpu_seconds": processor_seconds_between(before[TIMES_AFTER], steady[-1][TIMES_AFTER]),
            "shuffled_bytes": ran.shuffled_bytes,
            **state_of(ran.progress),
        },
    }


class Ran(NamedTuple):
    """A query that has read its stream."""

    progress: list[dict[str, Any]]
    """An entry for each trigger, with the processor times after it."""
    settled: int
    """Until when all ways have emitted their windows by then (µs)."""
    shuffled_bytes: int
    """Of all triggers."""


def query(session: Any, cell: Cell, stream: Stream, folder: Path) -> Ran:
    """Write a stream into a folder, and aggregate it there in the cell's way."""
    source = folder / "input"
    source.mkdir()
    settled = write_stream(source, stream, SEED)
    schema = session.read.parquet(str(source)).schema
    rows = session.readStream.schema(schema).option("maxFilesPerTrigger", FILES).parquet(str(source))
    shuffled_before = shuffled_bytes(session)
    progress = WAYS[cell.algorithm](rows, cell, folder)
    return Ran(progress, settled, shuffled_since(session, shuffled_before))


def small_streams(session: Any, cell: Cell) -> None:
    """A small stream in several ways."""
    for algorithm in SMALL_IN:
        small = dataclasses.replace(cell, algorithm=algorithm, parameters=PARAMETERS, window=SMALL.window)
        with tempfile.TemporaryDirectory() as name:
            query(session, small, SMALL, Path(name))


def by_operator(rows: Any, cell: Cell, folder: Path) -> list[dict[str, Any]]:
    """Our operator, its state in Spark's store (transformWithState)."""
    from streaming import sliding_aggregate

    return _written(sliding_aggregate(rows, **_window_settings(cell), **_operator_settings(cell), metrics=OURS), folder)


def by_sink(rows: Any, cell: Cell, folder: Path) -> list[dict[str, Any]]:
    """Our operator as a sink with state files of its own (foreachBatch, mapInArrow)."""
    from streaming import SlidingAggregateSink

    sink = SlidingAggregateSink(rows, str(folder / "sink"), **_window_settings(cell), **_operator_settings(cell))
    triggers = _run(rows.sparkSession, sink.writer())
    (folder / "sink" / "results").rename(folder / "results")
    metrics = {batch["batch"]: {OURS: batch} for batch in sink.progress}
    return [{**entry, "observedMetrics": metrics.get(entry["batchId"], {})} for entry in triggers]


def by_spark(rows: Any, cell: Cell, folder: Path) -> list[dict[str, Any]]:
    """Spark's groupBy(window(...), key)."""
    from streaming.baselines import by_window

    return _written(by_window(rows, **_window_settings(cell)), folder)


def by_panes(rows: Any, cell: Cell, folder: Path) -> list[dict[str, Any]]:
    """Two levels of Spark's groupBy(window(...), key): panes of a slide, then windows of panes."""
    from streaming import baselines

    return _written(baselines.by_panes(rows, **_window_settings(cell)), folder)


def by_panes_with_state(rows: Any, cell: Cell, folder: Path) -> list[dict[str, Any]]:
    """Spark's panes of a slide, and a second level that keeps the last panes of each key (transformWithState)."""
    from streaming import baselines

    return _written(baselines.by_panes_with_state(rows, **_window_settings(cell)), folder)


def by_spark_in_memory(rows: Any, cell: Cell, folder: Path) -> list[dict[str, Any]]:
    """The same with Spark's default store: in the memory of the JVM, and as files."""
    session = rows.sparkSession
    provider = session.conf.get(PROVIDER)
    session.conf.set(PROVIDER, IN_MEMORY)
    try:
        return by_spark(rows, cell, folder)
    finally:
        session.conf.set(PROVIDER, provider)


WAYS = {
    "sliding_aggregate": by_operator,
    "sliding_sink": by_sink,
    "spark_window": by_spark,
    "spark_window_in_memory": by_spark_in_memory,
    "spark_panes": by_panes,
    "spark_panes_state": by_panes_with_state,
}


def _window_settings(cell: Cell) -> dict[str, Any]:
    """The settings for every way."""
    return {**by_slide(cell.window, cell.operator), "watermark": f"{DELAY} seconds"}


def _operator_settings(cell: Cell) -> dict[str, Any]:
    """The further settings for this project's ways."""
    return {"algorithm": cell.parameters["window"], "buckets": cell.parameters["buckets"]}


def _written(results: Any, folder: Path) -> list[dict[str, Any]]:
    writer = results.writeStream.format("parquet").option("path", str(folder / "results"))
    return _run(results.sparkSession, writer.option("checkpointLocation", str(folder / "checkpoint")))


def _run(session: Any, writer: Any) -> list[dict[str, Any]]:
    """Run a query until it has read all files, and return its progress, an entry for each trigger."""
    times: dict[int, dict[str, int]] = {}
    listener = _times_noted(times)
    session.streams.addListener(listener)
    try:
        query = writer.start()
        try:
            query.processAllAvailable()
            entries = [json.loads(entry.json) for entry in query.recentProgress]
        finally:
            query.stop()
        session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    finally:
        session.streams.removeListener(listener)
    return [{**entry, TIMES_AFTER: times[entry["batchId"]]} for entry in entries]


def _times_noted(times: dict[int, dict[str, int]]) -> Any:
    """A listener that notes the processor times after each trigger, by its number."""
    from pyspark.sql.streaming import StreamingQueryListener

    class Listener(StreamingQueryListener):
        def onQueryProgress(self, event: Any) -> None:
            times[event.progress.batchId] = processor_times()

        def onQueryStarted(self, event: Any) -> None:
            pass

        def onQueryTerminated(self, event: Any) -> None:
            pass

    return Listener()


def checked(session: Any, results: Path, operator: str, settled: int) -> tuple[float, int]:
    """The checksum over the output rows of windows that end until `settled` (µs), and how many those are."""
    from pyspark.sql import functions as F

    start, end = (F.unix_micros(name) for name in ("window_start", "window_end"))
    return checksum(session.read.parquet(str(results)).where(end <= settled), "key", start, end, F.col(operator))


def state_of(progress: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The most rows and bytes of the state after any trigger, as the way itself reports them."""
    reports = [_reported(entry) for entry in progress]
    return {name: max(other.get(name, 0) for other in reports) for report in reports for name in report}


def _reported(entry: Mapping[str, Any]) -> dict[str, int]:
    """For our operator its own metrics; for Spark's its store's: RocksDB's files, the other's memory."""
    report: dict[str, int] = {}
    for state in entry["stateOperators"]:
        state_bytes = state["customMetrics"].get("rocksdbSstFileSize") or state["memoryUsedBytes"]
        for name, number in (("state_rows", state["numRowsTotal"]), ("state_bytes", state_bytes)):
            report[name] = report.get(name, 0) + number
    if own := entry.get("observedMetrics", {}).get(OURS):
        store = {"store_bytes": report["state_bytes"]} if report else {}
        report |= {"state_rows": own["kept_rows"], "state_bytes": own["state_bytes"], **store}
    return report
