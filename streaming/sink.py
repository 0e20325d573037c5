"""The same aggregation by foreachBatch: results and state in files by the number of the batch, and none in Spark.

Batch n reads the state that batch n - 1 has left, and writes results and state under its own number, over what a try
before may have left there. So a batch may be run again, whatever has killed it: each result is there once.

    FOLDER/results/batch=N/     results
    FOLDER/state/N/B.arrow      state of bucket B after batch N, as in `streaming.state`; of the last two batches
    FOLDER/progress/N.json      written last: the newest time up to batch N, and counts; of the last RECENT batches
    FOLDER/checkpoint/          Spark's own: offsets and commits of the source
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from algorithms.signatures import passes_on
from algorithms.streams.sliding.units import FARTHEST
from safeguards.wrong_input import is_whole
from streaming import files
from streaming.asking import INNER, aggregation
from streaming.bucket import take
from streaming.dataframes import packs, results, with_values
from streaming.durations import microseconds
from streaming.packing import BUCKET
from streaming.processor import METRICS, results_in_blobs
from streaming.state import StateError, must_agree
from streaming.workers import mapped

TAKEN = pa.schema(
    [(BUCKET, pa.int32()), *((name, pa.int64()) for name in METRICS), ("newest", pa.int64()), ("blob", pa.binary())]
)

RECENT = 100
"""Batches whose progress is kept: as many as Spark's own `recentProgress` has."""


class SlidingAggregateSink:
    """Writes the aggregate over the sliding windows of each key of a stream; arguments as of `sliding_aggregate`.

    folder      an absolute path (of a disk that all workers share) or a URI, such as s3://bucket/path
    watermark   how late rows may come: needed, and the stream's own does not count
    format      of the files of results

        sink = SlidingAggregateSink(df, folder, key="user", time="ts", value="v", size="1 hour", watermark="1 minute")
        query = sink.writer().trigger(availableNow=True).start()

    A batch works with the watermark of the batches before it, as in `sliding_aggregate`. Times may be whole numbers.
    Raises ValueError for whatever would not work, before anything starts; StateError, in the first batch at the latest,
    where the folder belongs to another aggregation or another checkpoint.
    """

    @passes_on(aggregation, without=INNER)
    def __init__(self, df: Any, folder: str, *, watermark: Any, format: str = "parquet", **asked_for: Any):
        if not isinstance(format, str) or not format:
            raise ValueError(f"format must be the name of one, such as 'parquet', not {format!r}")
        self._df, asked_for["value"] = with_values(df, asked_for.get("value"))
        self._asked = aggregation(self._df.schema, whole_times=True, presorted=False, **asked_for)
        if pa.types.is_integer(self._asked.time.type):
            self._delay = _whole(watermark)
        else:
            self._delay = microseconds("watermark", watermark)
        files.opened(folder)
        plain = folder.rstrip("/")
        self._folder = plain if "://" in plain else f"file://{plain}"  # Spark would take it for a path of its default
        self._format = format
        if (last := self.last) is not None:
            must_agree(self._asked, self._told(last)["aggregation"])

    @property
    def results(self) -> str:
        """The folder of results: a folder batch=N for each batch."""
        return f"{self._folder}/results"

    @property
    def last(self) -> int | None:
        """The number of the last batch that is done; None before the first."""
        return max(map(_number, files.names(self._folder, "progress")), default=None)

    @property
    def progress(self) -> list[dict[str, Any]]:
        """For each of the last RECENT batches that are done its number, newest time so far, watermark, and counts."""
        done = sorted(map(_number, files.names(self._folder, "progress")))
        return [{name: one for name, one in self._told(n).items() if name != "aggregation"} for n in done]

    def writer(self) -> Any:
        """A DataStreamWriter, with the checkpoint in the folder: give it a trigger, a name, and start it."""
        return self._df.writeStream.foreachBatch(self._write).option("checkpointLocation", f"{self._folder}/checkpoint")

    def flush(self) -> None:
        """Write what is still open, as the results of the batch that would come next.

        For the end of a stream. Should it go on after all, that batch is written over this, and nothing is there twice.
        """
        if (last := self.last) is not None:
            self._batch(self._df.sparkSession.createDataFrame([], self._df.schema), last + 1, FARTHEST)

    def _write(self, df: Any, n: int) -> None:
        before = self._before(n)
        watermark = -FARTHEST if before["newest"] is None else before["newest"] - self._delay
        counts = self._batch(df, n, watermark)
        newest = [one for one in (before["newest"], counts.pop("newest")) if one is not None]
        told = {"batch": n, "newest": max(newest, default=None), "watermark": watermark, **counts}
        told["aggregation"] = self._asked.described()
        files.write(self._folder, f"progress/{n}.json", json.dumps(told).encode())
        self._forget("state", n - 2)
        self._forget("progress", n - RECENT)

    def _forget(self, inner: str, n: int) -> None:
        """Remove what is there of batches up to n, and what was left half written when one was killed."""
        for name in files.names(self._folder, inner, hidden=True):
            if _number(name) <= n:
                files.remove(self._folder, f"{inner}/{name}")

    def _batch(self, df: Any, n: int, watermark: int) -> dict[str, int]:
        """Write the results of a batch, and the state after it unless everything is flushed; counts."""
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        asked = self._asked
        tasks = min(asked.buckets, int(df.sparkSession.conf.get("spark.sql.shuffle.partitions")))
        work = (asked, self._folder, n, watermark, tasks)
        seen = Observation()
        arriving = packs(df, asked).repartitionById(tasks, F.col(BUCKET) % tasks)
        counted = [F.sum(name).alias(name) for name in METRICS]
        taken = mapped(arriving, take_all, work, TAKEN).observe(seen, *counted, F.max("newest").alias("newest"))
        results(taken, asked).write.mode("overwrite").format(self._format).save(f"{self.results}/batch={n}")
        return dict(seen.get)

    def _before(self, n: int) -> dict[str, Any]:
        """What batch n - 1 has told. Raises StateError where the folder does not go with the checkpoint."""
        last = self.last
        if n > 0 and (last is None or last < n - 1):
            had = "none" if last is None else f"those up to {last}"
            raise StateError(
                f"this is batch {n} of the checkpoint, and {self._folder} has {had}: give it its own folder"
            )
        if last is not None and last > n:
            raise StateError(
                f"this is batch {n} of the checkpoint, and {self._folder} has batches up to {last} already: "
                "give a new query a new folder"
            )
        return self._told(n - 1) if n > 0 else {"newest": None}

    def _told(self, n: int) -> dict[str, Any]:
        return files.read_json(self._folder, f"progress/{n}.json")


def take_all(work: tuple[Any, ...], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The buckets of one task, with rows or without: results in blobs, and the state of each to its file."""
    from pyspark import TaskContext

    asked, folder, n, watermark, tasks = work
    first = TaskContext.get().partitionId()
    arrived: dict[int, list[tuple[Any, ...]]] = {bucket: [] for bucket in range(first, asked.buckets, tasks)}
    null_times = dict.fromkeys(arrived, 0)
    for batch in batches:
        for row in batch.to_pylist():
            null_times[row[BUCKET]] += row["null_times"]
            if row["blob"] is not None:
                arrived[row[BUCKET]].append((row["source"], row["number"], row["newest"], row["blob"]))
    for bucket, some in arrived.items():
        state = files.read(folder, f"state/{n - 1}/{bucket}.arrow") if n else None
        if n and state is None:
            raise StateError(f"{folder}/state/{n - 1}/{bucket}.arrow is missing: batch {n} goes on from it")
        taken = take(asked, state, [blob for *_, blob in sorted(some, key=lambda one: one[:2])], watermark)
        newest = max((time for *_, time, _ in some), default=None)
        if watermark < FARTHEST:
            files.write(folder, f"state/{n}/{bucket}.arrow", taken.state)
        for counts, blob in results_in_blobs(taken, null_times[bucket]):
            row = {BUCKET: [bucket], **{name: [count] for name, count in counts.items()}}
            yield pa.RecordBatch.from_pydict({**row, "newest": [newest], "blob": [blob]}, schema=TAKEN)


def _number(name: str) -> int:
    """Of which batch a file or a folder is."""
    return int(name.lstrip(".").partition(".")[0])


def _whole(watermark: Any) -> int:
    if not is_whole(watermark) or watermark < 0:
        raise ValueError(f"watermark must be a whole number, as times are, of at least 0, not {watermark!r}")
    return int(watermark)
