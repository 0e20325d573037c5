"""Rows on their way to their bucket and results on their way out, as blobs: the functions of mapInArrow.

Spark hands rows to a stateful Python function one by one (some 0.3 M rows/s), and shuffles them one by one. So rows are
packed, some thousands to a blob, before they are shuffled: Spark then moves only a few blobs per bucket.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.aggregation import Aggregation
from streaming.columns import int64_times

TOGETHER = 2**17
"""Rows that are packed together, into a blob for each bucket."""

MOST_BYTES = 2**28
"""Their bytes at most, unless a single batch has more: an array holds up to 2**31 bytes."""

BUCKET = "bucket"

PACKED = pa.schema(
    [
        (BUCKET, pa.int32()),
        ("source", pa.int32()),  # the partition that the rows came from
        ("number", pa.int32()),  # of the blob in its partition
        ("rows", pa.int64()),
        ("newest", pa.int64()),  # the newest time among the rows, null without rows
        ("null_times", pa.int64()),
        ("blob", pa.binary()),
    ]
)


class NullTimeError(ValueError):
    """A row without a time, where null_times is "refuse"."""


def without_null_times(aggregation: Aggregation, rows: Any, times: Any) -> Any:
    """The rows of a table or batch that have a time. Raises NullTimeError where such rows are refused."""
    if times.null_count == 0:
        return rows
    if aggregation.null_times == "refuse":
        raise NullTimeError(
            f"{times.null_count} rows have no {aggregation.time.name}; null_times='drop' leaves such rows out"
        )
    return rows.filter(pc.is_valid(times))


def pack(aggregation: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Packs rows of a partition, with the columns bucket, keys, time and values, into blobs for each bucket.

    The first partition has a row for every bucket, if only an empty one, so that each batch reaches all buckets.
    """
    from pyspark import TaskContext

    source, number = TaskContext.get().partitionId(), 0
    for piece in pieces(batches, TOGETHER):
        rows = pa.Table.from_batches(piece)
        yield _packed(aggregation, rows, source, number, all_buckets=number == 0 and source == 0)
        number += 1
    if number == 0 and source == 0:
        no_rows = pa.Table.from_batches([], pa.schema([(BUCKET, pa.int32()), *aggregation.arriving]))
        yield _packed(aggregation, no_rows, source, 0, all_buckets=True)


def pieces(batches: Iterable[pa.RecordBatch], most_rows: int) -> Iterator[list[pa.RecordBatch]]:
    """Groups batches up to a number of rows, or MOST_BYTES. No batch is divided."""
    piece: list[pa.RecordBatch] = []
    rows, size = 0, 0
    for batch in batches:
        if piece and (rows >= most_rows or size + batch.nbytes > MOST_BYTES):
            yield piece
            piece, rows, size = [], 0, 0
        piece.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
    if piece:
        yield piece


def _packed(aggregation: Aggregation, rows: pa.Table, source: int, number: int, all_buckets: bool) -> pa.RecordBatch:
    """A row of PACKED for each bucket that has rows, or for all buckets; the first counts the rows without a time."""
    buckets, *columns = rows.columns
    columns[len(aggregation.keys)] = int64_times(columns[len(aggregation.keys)])
    arriving = pa.table(
        [column.cast(field.type) for column, field in zip(columns, aggregation.arriving, strict=True)],
        schema=aggregation.arriving,
    ).add_column(0, BUCKET, buckets)
    null_times = arriving["time"].null_count
    arriving = without_null_times(aggregation, arriving, arriving["time"])
    numbers = arriving[BUCKET].to_numpy()
    order = np.argsort(numbers.astype(np.int16), kind="stable")
    arriving = arriving.drop([BUCKET]).take(pa.array(order)).combine_chunks()
    ends = np.cumsum(np.bincount(numbers, minlength=aggregation.buckets))
    packed: dict[str, list[Any]] = {name: [] for name in PACKED.names}
    for bucket, (last, n) in enumerate(zip(ends.tolist(), np.diff(ends, prepend=0).tolist(), strict=True)):
        only_null_times = bucket == 0 and null_times and not len(arriving)
        if n or all_buckets or only_null_times:
            newest, blob = None, None
            if n:
                [batch] = arriving.slice(last - n, n).to_batches()
                newest, blob = pc.max(batch["time"]).as_py(), batch.serialize().to_pybytes()
            dropped = null_times if not packed[BUCKET] else 0
            row = (bucket, source, number, n, newest, dropped, blob)
            for column, value in zip(packed.values(), row, strict=True):
                column.append(value)
    return pa.RecordBatch.from_pydict(packed, schema=PACKED)


def unpack(aggregation: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Unpacks blobs of results."""
    for batch in batches:
        for blob in batch["blob"]:
            if blob.is_valid:
                yield pa.ipc.read_record_batch(blob.as_buffer(), aggregation.results)
