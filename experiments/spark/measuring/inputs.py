"""The inputs of Spark's measurements: Parquet files of keyed values, the same bytes for every way to aggregate.

A stream is a file for each trigger, in which each key has `per_slide` rows a slide on average: with one, results are
about as many as rows, at every size / slide. Values come up to a slide late: out of order, but within the watermark.
"""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SECOND = 1_000_000
"""Microseconds of a slide."""

DELAY = 2
"""Slides that the watermark waits; values are at most one slide late."""

MOST = 1_000_000
"""Values are whole numbers below this: their sums are exact, whatever their order and type."""


FILES = 2
"""Files of a trigger, each with every second row, as a stream of two partitions has them: Spark reads a small file in
one task, so that of a single one the second core would get nothing before the shuffle."""


class Stream(NamedTuple):
    """A stream with windows of `window` slides. They are full when that many slides have come."""

    keys: int
    window: int
    rows: int
    """Rows of a trigger."""
    triggers: int
    per_slide: int = 1
    """Rows of a key in a slide."""

    @property
    def slides(self) -> int:
        """Slides that a trigger brings."""
        return max(1, self.rows // (self.keys * self.per_slide))


def by_slide(window: int, operator: str) -> dict[str, str]:
    """What every way is told of the columns and of windows of so many slides of a second, one for each slide."""
    columns = {"key": "key", "time": "time", "value": "value"}
    return {**columns, "size": f"{window} seconds", "slide": "1 second", "operator": operator}


def write_stream(folder: Path, stream: Stream, seed: int) -> int:
    """Write a file for each trigger: key (int64), time (timestamp, µs, UTC) and value (int64).

    Returns the watermark of the last trigger, in µs: every way to aggregate has emitted the windows that end until then
    by that trigger.
    """
    random = np.random.Generator(np.random.Philox(key=[seed, stream.keys]))
    total = stream.rows * stream.triggers
    times = random.integers(0, stream.triggers * stream.slides * SECOND, total)
    times = times[np.argsort(times + random.integers(0, SECOND, total))]
    table = pa.table(
        {
            "key": random.integers(0, stream.keys, total),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "value": random.integers(0, MOST, total),
        }
    )
    for trigger in range(stream.triggers):
        rows = table.slice(trigger * stream.rows, stream.rows)
        for part in range(FILES):
            path = folder / f"{trigger:06d}-{part}.parquet"
            pq.write_table(rows.take(np.arange(part, stream.rows, FILES)), path)
            os.utime(path, (trigger, trigger))  # a file source takes them in the order of their times
    return int(times[: total - stream.rows].max(initial=0)) - DELAY * SECOND


def write_table(folder: Path, keys: int, rows: int, seed: int) -> None:
    """Write one file of rows in random order: key (int64), time (int64, from 0 for each key) and value (int64)."""
    random = np.random.Generator(np.random.Philox(key=[seed, 0]))
    places = random.permutation(rows)
    columns = {"key": places % keys, "time": places // keys, "value": random.integers(0, MOST, rows)}
    pq.write_table(pa.table(columns), folder / "000000.parquet", row_group_size=max(1, rows // 8))
