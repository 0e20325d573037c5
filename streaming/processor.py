"""The stateful processor of Spark's transformWithState, for a bucket of keys.

A bucket is processed in every batch in which the watermark has moved, with or without rows for it: a timer just past
the watermark sees to that. So its state knows the watermark of the batch before, by which Spark decides what is late.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from algorithms.streams.sliding.units import FARTHEST
from streaming import outcomes
from streaming.aggregation import Aggregation
from streaming.bucket import not_late, take
from streaming.state import holds_rows
from streaming.state_store import STATES, StateStore
from streaming.workers import opener


class Bucket:
    """Processes the buckets of one partition in one batch."""

    def __init__(self, aggregation: Aggregation, handle: Any, states: Mapping[str, Any]):
        self._aggregation, self._handle = aggregation, handle
        self._store = StateStore(states, aggregation.token)
        self._done: dict[int, int] = {}

    def take(self, bucket: int, packs: list[Any], null_times: int, watermark: int) -> Iterator[Any]:
        """Take in packs of rows, then advance the watermark (in ms, 0 if there is none yet). Yields data frames."""
        if self._done.get(bucket) == watermark and not packs:
            return
        import pandas as pd

        until = 1000 * watermark if watermark > 0 else -FARTHEST
        before, state = self._store.read(bucket, self._replayed)
        outcome = take(self._aggregation, state, packs, until)
        if before is not None and outcome.counts["late"]:
            packs = not_late(self._aggregation, packs, before.watermark)
        # Packs of slices must not follow a snapshot of rows: then a new snapshot is due.
        were_rows = state is not None and self._aggregation.rows and holds_rows(state)
        size = self._store.write(bucket, before, outcome.state, None if were_rows else packs, until)
        counts = {"null_times": null_times, **outcome.counts, "state_bytes": size}
        self._handle.registerTimer(watermark + 1)
        self._done[bucket] = watermark
        for batch in outcomes.rows(self._aggregation, outcome.results, counts):
            yield batch.to_pandas(types_mapper=pd.ArrowDtype)  # Spark takes pandas, and these columns as they are

    def _replayed(self, state: bytes, packs: Sequence[bytes], watermark: int) -> bytes:
        """The state after packs that were already taken in before: of rows, where the state is of rows."""
        a = self._aggregation
        return take(a.rows if a.rows and holds_rows(state) else a, state, packs, watermark).state


def ordered_packs(frames: Iterator[Any]) -> tuple[list[bytes], int]:
    """The packs of data frames with the columns PACKED, by partition and number, and how many rows had no time."""
    packs, null_times = [], 0
    for frame in frames:
        null_times += int(frame["null_times"].sum())
        packs += [
            pack for pack in zip(frame["source"], frame["number"], frame["blob"], strict=True) if pack[2] is not None
        ]
    return [blob for *_, blob in sorted(packs, key=lambda pack: pack[:2])], null_times


def processor(aggregation: Aggregation) -> Any:
    """A StatefulProcessor for the aggregation. Its class is local, so that it is pickled by value: see workers.

    Spark also calls init in a process of its own, before the first batch, to learn what states there are. It imports
    nothing of this project there, which would take longer than all the rest of that process.
    """
    from pyspark.sql.streaming import StatefulProcessor

    opened, states = opener((Bucket, ordered_packs, aggregation)), dict(STATES)

    class SlidingAggregateProcessor(StatefulProcessor):
        def init(self, handle: Any) -> None:
            declared = {name: getattr(handle, how)(name, *schemas) for name, (how, *schemas) in states.items()}
            self.bucket: Any = None
            self.handle, self.declared = handle, declared

        def taken(self, bucket: int, rows: Any, timer_values: Any) -> Any:
            if self.bucket is None:
                made, self.ordered_packs, aggregation = opened()
                self.bucket = made(aggregation, self.handle, self.declared)
            packs, null_times = self.ordered_packs(rows)
            yield from self.bucket.take(bucket, packs, null_times, timer_values.getCurrentWatermarkInMs())

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:
            yield from self.taken(key[0], rows, timerValues)

        def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Any:
            yield from self.taken(key[0], [], timerValues)

        def close(self) -> None:
            if self.bucket is not None:
                from streaming.workers import spare_modules

                spare_modules()

    return SlidingAggregateProcessor()
