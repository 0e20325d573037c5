"""The same aggregation by foreachBatch: results and state are in files numbered by batch, not in Spark.

Batch n reads the state that batch n - 1 left, and writes results and state under its own number, over whatever an
earlier attempt left there. So a batch can be run again, whatever killed it, and each result is there once.

    FOLDER/results/batch=N/     results: of each bucket a file B.parquet, or what Spark writes in another format
    FOLDER/state/N/B.arrow      state of bucket B after batch N, as in `streaming.state`; for the last two batches
    FOLDER/progress/N.json      written last: the newest time up to batch N, and counts; for the last RECENT batches
    FOLDER/checkpoint/          Spark's own: offsets and commits of the source
"""

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from algorithms.moments import microseconds
from algorithms.signatures import passes_on
from algorithms.streams.sliding.units import FARTHEST
from safeguards.wrong_input import is_whole
from streaming import files, outcomes
from streaming.bucket import take
from streaming.choices import with_columns
from streaming.dataframes import arriving_columns, packed_rows
from streaming.outcomes import METRICS, NEWEST
from streaming.packing import BUCKET
from streaming.plans import by_connect, shuffle_partitions
from streaming.request import INTERNAL, checked_aggregation
from streaming.state import StateError, must_agree
from streaming.workers import mapped

COUNTED = pa.schema([*((name, pa.int64()) for name in (*METRICS, NEWEST)), ("file", pa.string())])
"""What workers give back of a bucket whose results they have written: counts, and the name of the file."""

BATCH = "batch"
"""The column that Spark makes of the names of the folders of results."""

RECENT = 100
"""How many batches keep their progress: as many as in Spark's own `recentProgress`."""


class SlidingAggregateSink:
    """Writes the aggregate over the sliding windows of each key of a stream. Other arguments: see `sliding_aggregate`.

    folder      an absolute path, on a disk that all workers share, or a URI, such as s3://bucket/path
    watermark   how late rows may come; required, and the stream's own watermark does not count
    format      of the result files

        sink = SlidingAggregateSink(df, folder, key="user", time="ts", value="v", size="1 hour", watermark="1 minute")
        query = sink.writer().trigger(availableNow=True).start()

    A batch uses the watermark of the batches before it, as in `sliding_aggregate`. Times may be whole numbers.
    Raises ValueError for anything that would not work, before anything starts; raises StateError, in the first batch at
    the latest, if the folder belongs to another aggregation or another checkpoint.
    """

    @passes_on(checked_aggregation, without=INTERNAL)
    def __init__(
        self,
        df: Any,
        folder: str | PurePath,
        *,
        time: Any,
        size: Any,
        watermark: Any,
        format: str = "parquet",
        **arguments: Any,
    ):
        if not isinstance(format, str) or not format:
            raise ValueError(f"format must be the name of one, such as 'parquet', not {format!r}")
        if by_connect(df):
            raise ValueError(
                "SlidingAggregateSink writes from the driver, and Spark Connect runs foreachBatch on its server: "
                "take sliding_aggregate(...).writeStream, or a classic session"
            )
        self._df, arguments = with_columns(df, {"time": time, **arguments})
        self._aggregation = checked_aggregation(
            self._df.schema,
            size=size,
            whole_times=True,
            presorted=False,
            partitions=shuffle_partitions(self._df),
            **arguments,
        )
        if any(name.lower() == BATCH for name in self._aggregation.results.names):
            raise ValueError(f"no result may be called {BATCH!r}: Spark reads that column from the folders {BATCH}=N")
        if pa.types.is_integer(self._aggregation.time.type):
            self._delay = _whole_delay(watermark)
        else:
            self._delay = microseconds("watermark", watermark)
        folder = str(folder) if isinstance(folder, PurePath) else folder
        files.opened(folder)
        path = folder.rstrip("/")
        self._folder = path if "://" in path else f"file://{path}"  # a plain path is of Spark's default file system
        self._format = format
        if (last := self.last) is not None:
            must_agree(self._aggregation, self._progress_of(last)["aggregation"])

    @property
    def results(self) -> str:
        """The folder of results, with a folder batch=N for each batch."""
        return f"{self._folder}/results"

    @property
    def last(self) -> int | None:
        """The number of the last finished batch; None before the first."""
        return max(map(_batch_number, files.names(self._folder, "progress")), default=None)

    @property
    def progress(self) -> list[dict[str, Any]]:
        """The number, newest time so far, watermark and counts of each of the last RECENT finished batches."""
        finished = sorted(map(_batch_number, files.names(self._folder, "progress")))
        progress = map(self._progress_of, finished)
        return [{name: value for name, value in batch.items() if name != "aggregation"} for batch in progress]

    def writer(self) -> Any:
        """A DataStreamWriter with its checkpoint in the folder: give it a trigger and a name, and start it."""
        return self._df.writeStream.foreachBatch(self._write).option("checkpointLocation", f"{self._folder}/checkpoint")

    def flush(self) -> None:
        """Write the results of windows that are still open, in place of the next batch.

        For the end of a stream. If it goes on after all, that batch overwrites these results; nothing is there twice.
        """
        if (last := self.last) is not None:
            self._batch(self._df.sparkSession.createDataFrame([], self._df.schema), last + 1, FARTHEST)

    def _write(self, df: Any, n: int) -> None:
        before = self._before(n)
        watermark = -FARTHEST if before["newest"] is None else before["newest"] - self._delay
        counts = self._batch(df, n, watermark)
        newest = [time for time in (before["newest"], counts.pop("newest")) if time is not None]
        progress = {"batch": n, "newest": max(newest, default=None), "watermark": watermark, **counts}
        progress["aggregation"] = self._aggregation.described()
        files.write(self._folder, f"progress/{n}.json", json.dumps(progress).encode())
        self._remove_until("state", n - 2)
        self._remove_until("progress", n - RECENT)

    def _remove_until(self, inner: str, n: int) -> None:
        """Remove the files of batches up to n, also those left half written when a batch was killed."""
        for name in files.names(self._folder, inner, hidden=True):
            if _batch_number(name) <= n:
                files.remove(self._folder, f"{inner}/{name}")

    def _batch(self, df: Any, n: int, watermark: int) -> dict[str, int]:
        """Write the results of a batch, and the state after it unless everything is flushed. Returns the counts."""
        from pyspark.sql import functions as F

        aggregation = self._aggregation
        tasks = min(aggregation.buckets, shuffle_partitions(df))
        work = (aggregation, self._folder, n, watermark, tasks)
        arriving = packed_rows(df, aggregation, self._columns).repartitionById(tasks, F.col(BUCKET) % tasks)
        if self._format == "parquet" and _as_spark_writes(aggregation.results):
            counted = mapped(arriving, take_into_files, work, COUNTED).collect()
            self._remove_from_results(n, {row["file"] for row in counted})
            return {name: _total(name, [row[name] for row in counted]) for name in COUNTED.names[:-1]}
        return self._written_by_spark(mapped(arriving, take_into_rows, work, outcomes.columns(aggregation)), n)

    @cached_property
    def _columns(self) -> list[Any]:
        """Made once, not in each trigger: it takes many calls into the JVM."""
        return arriving_columns(self._aggregation)

    def _remove_from_results(self, n: int, but: set[str | None]) -> None:
        """Remove what earlier attempts have left among the results of a batch, but for some files."""
        for name in files.names(self._folder, f"results/batch={n}", hidden=True):
            if name not in but:
                files.remove(self._folder, f"results/batch={n}/{name}")

    def _written_by_spark(self, rows: Any, n: int) -> dict[str, int]:
        """Write the results among the rows of buckets. Returns the counts among them."""
        from pyspark.sql import Observation

        observation = Observation()
        rows = rows.observe(observation, *outcomes.totals(newest=True))
        writer = outcomes.results(rows, self._aggregation).write.mode("overwrite")
        writer.format(self._format).save(f"{self.results}/batch={n}")
        return dict(observation.get)

    def _before(self, n: int) -> dict[str, Any]:
        """The progress of batch n - 1. Raises StateError if the folder does not go with the checkpoint."""
        last = self.last
        if n > 0 and (last is None or last < n - 1):
            present = "none" if last is None else f"those up to {last}"
            raise StateError(
                f"this is batch {n} of the checkpoint, and {self._folder} has {present}: give it its own folder"
            )
        if last is not None and last > n:
            raise StateError(
                f"this is batch {n} of the checkpoint, and {self._folder} has batches up to {last} already: "
                "give a new query a new folder"
            )
        return self._progress_of(n - 1) if n > 0 else {"newest": None}

    def _progress_of(self, n: int) -> dict[str, Any]:
        return files.read_json(self._folder, f"progress/{n}.json")


def take_into_files(work: tuple[Any, ...], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Processes the buckets of one task, and writes a file of the results of each: yields counts.

    Rows that come back from a worker cost Spark more than to aggregate them; so those that are only to be written stay
    where they are. The first bucket has a file even without results, for its schema.
    """
    aggregation, folder, n, *_ = work
    for bucket, results, counts in _taken(work, batches):
        file = f"{bucket}.parquet" if results.num_rows or bucket == 0 else None
        if file is not None:
            content = pa.BufferOutputStream()
            pq.write_table(pa.Table.from_batches([results], aggregation.results), content)
            files.write(folder, f"results/batch={n}/{file}", content.getvalue())
        yield pa.RecordBatch.from_pylist([{**counts, "file": file}], COUNTED)


def take_into_rows(work: tuple[Any, ...], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Processes the buckets of one task: yields counts and results, as `outcomes` has them."""
    for _, results, counts in _taken(work, batches):
        yield from outcomes.rows(work[0], results, counts)


def _taken(
    work: tuple[Any, ...], batches: Iterable[pa.RecordBatch]
) -> Iterator[tuple[int, pa.RecordBatch, dict[str, int | None]]]:
    """Processes the buckets of one task, with or without rows, and writes each state to a file.

    Yields the number of each bucket, its results, and its counts with the newest time.
    """
    from pyspark import TaskContext

    aggregation, folder, n, watermark, tasks = work
    first = TaskContext.get().partitionId()
    arrived: dict[int, list[tuple[Any, ...]]] = {bucket: [] for bucket in range(first, aggregation.buckets, tasks)}
    null_times = dict.fromkeys(arrived, 0)
    for batch in batches:
        for row in batch.to_pylist():
            null_times[row[BUCKET]] += row["null_times"]
            if row["blob"] is not None:
                arrived[row[BUCKET]].append((row["source"], row["number"], row["newest"], row["blob"]))
    for bucket, packs_of_bucket in arrived.items():
        state = files.read(folder, f"state/{n - 1}/{bucket}.arrow") if n else None
        if n and state is None:
            raise StateError(f"{folder}/state/{n - 1}/{bucket}.arrow is missing: batch {n} goes on from it")
        blobs = [blob for *_, blob in sorted(packs_of_bucket, key=lambda pack: pack[:2])]
        outcome = take(aggregation, state, blobs, watermark)
        newest = max((time for *_, time, _ in packs_of_bucket), default=None)
        if watermark < FARTHEST:
            files.write(folder, f"state/{n}/{bucket}.arrow", outcome.state)
        counts = {"null_times": null_times[bucket], **outcome.counts, NEWEST: newest}
        yield bucket, outcome.results, counts


def _as_spark_writes(results: pa.Schema) -> bool:
    """Whether Arrow's Parquet files of these columns are those of Spark, which reads them back as what they were.

    Not lengths of time and times of day, for which Spark has types of its own.
    """
    return not any(pa.types.is_duration(kind) or pa.types.is_time(kind) for kind in results.types)


def _total(name: str, numbers: list[Any]) -> Any:
    """The sum of the counts that there are, or the newest of times; None if there are none."""
    known = [number for number in numbers if number is not None]
    return (max if name == "newest" else sum)(known) if known else None


def _batch_number(name: str) -> int:
    """The number of the batch that a file or folder belongs to."""
    return int(name.lstrip(".").partition(".")[0])


def _whole_delay(watermark: Any) -> int:
    if not is_whole(watermark) or watermark < 0:
        raise ValueError(f"watermark must be a whole number, as times are, of at least 0, not {watermark!r}")
    return int(watermark)
