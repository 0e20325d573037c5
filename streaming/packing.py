"""Rows on their way to their bucket, as blobs: the function of mapInArrow.

Spark hands rows to a stateful Python function one by one (some 0.3 M rows/s), and shuffles them one by one. So rows are
packed, some thousands to a blob, before they are shuffled: Spark then moves only a few blobs per bucket.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.aggregation import Aggregation
from streaming.columns import coded, int64_times, numbers, values_of

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
        ("rows", pa.int64()),  # or slices
        ("newest", pa.int64()),  # the newest time among rows that were packed together, null for a bucket without rows
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

    Where slices suffice, blobs have slices: then fewer are shuffled and kept, by the rows of a key in a slice.
    The first partition has a row for every bucket, if only an empty one, so that each batch reaches all buckets.
    """
    from pyspark import TaskContext

    source, number = TaskContext.get().partitionId(), 0
    for piece in pieces(batches, TOGETHER):
        rows = pa.Table.from_batches(piece)
        yield _packed(aggregation, rows, source, number, all_buckets=number == 0 and source == 0)
        number += 1
    if number == 0 and source == 0:
        columns = aggregation.of_rows.arriving
        no_rows = pa.Table.from_batches([], pa.schema([(BUCKET, pa.int32()), *columns]))
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
    times = rows.column(1 + len(aggregation.keys))
    null_times, newest = times.null_count, pc.max(int64_times(times)).as_py()
    rows = without_null_times(aggregation, rows, times)
    arriving, buckets = _as_arriving(aggregation, rows.drop_columns([BUCKET])), rows.column(0).to_numpy()
    if aggregation.rows:
        arriving, buckets = sliced(aggregation, arriving, buckets)
    order = np.argsort(buckets.astype(np.int16), kind="stable")
    arriving = arriving.take(pa.array(order)).combine_chunks()
    ends = np.cumsum(np.bincount(buckets, minlength=aggregation.buckets))
    packed: dict[str, list[Any]] = {name: [] for name in PACKED.names}
    for bucket, (last, n) in enumerate(zip(ends.tolist(), np.diff(ends, prepend=0).tolist(), strict=True)):
        only_null_times = bucket == 0 and null_times and not len(arriving)
        if n or all_buckets or only_null_times:
            blob = None
            if n:
                [batch] = arriving.slice(last - n, n).to_batches()
                blob = batch.serialize().to_pybytes()
            dropped = null_times if not packed[BUCKET] else 0
            row = (bucket, source, number, n, newest if n else None, dropped, blob)
            for column, value in zip(packed.values(), row, strict=True):
                column.append(value)
    return pa.RecordBatch.from_pydict(packed, schema=PACKED)


def _as_arriving(aggregation: Aggregation, rows: pa.Table) -> pa.Table:
    """Rows with the columns keys, time and values, in the types of `Aggregation.arriving`."""
    schema = aggregation.of_rows.arriving
    columns = [
        (int64_times(column) if field.name == "time" else column).cast(field.type)
        for column, field in zip(rows.columns, schema, strict=True)
    ]
    return pa.table(columns, schema=schema)


def sliced(aggregation: Aggregation, rows: pa.Table, buckets: np.ndarray) -> tuple[pa.Table, np.ndarray]:
    """The slices of rows that have a time, with the columns `aggregation.arriving`; and the bucket of each."""
    width = len(aggregation.keys)
    codes, keys = coded(rows.columns[:width]) if width else (np.zeros(len(rows), np.int64), [])
    values, valid = values_of(aggregation.of_rows.dtypes, rows.columns[width + 1 :])
    made = aggregation.slicing.slices(codes, numbers(rows["time"], "int64")[0], values, valid)
    bucket_of = np.zeros(len(keys[0]) if width else 1, buckets.dtype)
    bucket_of[codes] = buckets
    slice_codes = pa.array(made.codes)
    columns = [*(key.take(slice_codes) for key in keys), made.times]
    columns += [pa.array(column, mask=~made.valid[name]) for name, column in made.values.items()]
    return pa.table([*columns, made.rows], schema=aggregation.arriving), bucket_of[made.codes]
