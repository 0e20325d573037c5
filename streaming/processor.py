"""The stateful processor of Spark's transformWithState, for a bucket of keys.

A bucket is worked on in every batch in which the watermark has moved, whether rows have come for it or not: a timer
just past the watermark sees to that. So its state says what the watermark of the batch before was, by which Spark
decides what is late.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from algorithms.streams.sliding.units import FARTHEST
from streaming.aggregation import Aggregation
from streaming.bucket import COUNTS, Taken, not_late, take
from streaming.saved import Saved
from streaming.workers import opener

METRICS = ("null_times", *COUNTS)

OUTPUT = ", ".join(["bucket int", *(f"{name} long" for name in METRICS), "blob binary"])
"""Columns that the processor gives out: counts, and a blob of results."""

AT_ONCE = 2**19
"""Results in one blob at most."""


class Bucket:
    """What happens to the buckets of one partition in one batch."""

    def __init__(self, asked: Aggregation, handle: Any):
        self._asked, self._handle = asked, handle
        self._saved = Saved(handle, asked.token)
        self._done: dict[int, int] = {}

    def take(self, bucket: int, packs: list[Any], null_times: int, watermark: int) -> Iterator[Any]:
        """Take in packs of rows and let the watermark (milliseconds, 0 if there is none yet) go on; data frames."""
        if self._done.get(bucket) == watermark and not packs:
            return
        import pandas as pd

        until = 1000 * watermark if watermark > 0 else -FARTHEST
        before, state = self._saved.read(bucket, self._again)
        taken = take(self._asked, state, packs, until)
        if before is not None and taken.counts["late"]:
            packs = not_late(self._asked, packs, before.watermark)
        size = self._saved.write(bucket, before, taken.state, packs, until)
        taken = taken._replace(counts={**taken.counts, "state_bytes": size})
        self._handle.registerTimer(watermark + 1)
        self._done[bucket] = watermark
        for counts, blob in results_in_blobs(taken, null_times):
            yield pd.DataFrame(
                {"bucket": [bucket], **{name: [count] for name, count in counts.items()}, "blob": [blob]}
            )

    def _again(self, state: bytes, packs: Sequence[bytes], watermark: int) -> bytes:
        """The state after packs that have been taken in before."""
        return take(self._asked, state, packs, watermark).state


def results_in_blobs(taken: Taken, null_times: int) -> Iterator[tuple[dict[str, int | None], bytes | None]]:
    """The results in blobs, at least one, which may be None; and with the first the counts, 0 with others."""
    counts: dict[str, int | None] = {"null_times": null_times, **taken.counts}
    for first in range(0, max(taken.results.num_rows, 1), AT_ONCE):
        some = taken.results.slice(first, AT_ONCE)
        yield counts, some.serialize().to_pybytes() if some.num_rows else None
        counts = dict.fromkeys(counts, 0)


def arrived(frames: Iterator[Any]) -> tuple[list[bytes], int]:
    """The packs of data frames of PACKED, in order of partition and number, and how many rows had no time."""
    packs, null_times = [], 0
    for frame in frames:
        null_times += int(frame["null_times"].sum())
        packs += [
            one for one in zip(frame["source"], frame["number"], frame["blob"], strict=True) if one[2] is not None
        ]
    return [blob for *_, blob in sorted(packs, key=lambda one: one[:2])], null_times


def processor(asked: Aggregation) -> Any:
    """A StatefulProcessor for the aggregation. Its class is made here, so that it is pickled by value: see workers."""
    from pyspark.sql.streaming import StatefulProcessor

    opened = opener((Bucket, arrived, asked))

    class SlidingAggregateProcessor(StatefulProcessor):
        def init(self, handle: Any) -> None:
            bucket, self.arrived, asked = opened()
            self.bucket = bucket(asked, handle)

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:
            packs, null_times = self.arrived(rows)
            yield from self.bucket.take(key[0], packs, null_times, timerValues.getCurrentWatermarkInMs())

        def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Any:
            yield from self.bucket.take(key[0], [], 0, timerValues.getCurrentWatermarkInMs())

        def close(self) -> None:
            pass

    return SlidingAggregateProcessor()
