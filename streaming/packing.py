"""Rows on their way to their bucket and results on their way out, as blobs: the functions of mapInArrow.

Spark hands rows to a stateful Python function one by one (some 0.3 M rows/s), and shuffles them one by one. So rows are
packed, some thousands to a blob, before they are shuffled: what Spark moves then are a few blobs a bucket.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.aggregation import Aggregation
from streaming.columns import moments

TOGETHER = 2**17
"""Rows that are packed together: a blob for each bucket."""

MOST_BYTES = 2**28
"""Their bytes, unless one batch has more: columns of up to 2**31 bytes are one array."""

BUCKET = "bucket"

PACKED = pa.schema(
    [
        (BUCKET, pa.int32()),
        ("source", pa.int32()),  # partition that the rows came from
        ("number", pa.int32()),  # of the blob in its partition
        ("rows", pa.int64()),
        ("newest", pa.int64()),  # time among the rows, null if there are none
        ("null_times", pa.int64()),
        ("blob", pa.binary()),
    ]
)


class NullTimeError(ValueError):
    """A row without a time, where null_times is "refuse"."""


def without_null_times(asked: Aggregation, rows: Any, times: Any) -> Any:
    """The rows of a table or batch that have a time. Raises NullTimeError where such rows are refused."""
    if times.null_count == 0:
        return rows
    if asked.null_times == "refuse":
        raise NullTimeError(
            f"{times.null_count} rows have no {asked.time.name}; null_times='drop' leaves such rows out"
        )
    return rows.filter(pc.is_valid(times))


def pack(asked: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows of a partition, columns bucket, keys, time and values, to blobs for each bucket.

    The first partition has a blob for every bucket, if an empty one: each batch reaches them all.
    """
    from pyspark import TaskContext

    source, number, first = TaskContext.get().partitionId(), 0, True
    for some in pieces(batches, TOGETHER):
        made = _packed(asked, pa.Table.from_batches(some), source, number, everywhere=first and source == 0)
        number, first = number + 1, False
        yield made
    if first and source == 0:
        nothing = pa.Table.from_batches([], pa.schema([(BUCKET, pa.int32()), *asked.arriving]))
        yield _packed(asked, nothing, source, 0, everywhere=True)


def pieces(batches: Iterable[pa.RecordBatch], most_rows: int) -> Iterator[list[pa.RecordBatch]]:
    """Batches together, up to a number of rows, or MOST_BYTES; a batch is not divided."""
    some: list[pa.RecordBatch] = []
    rows, size = 0, 0
    for batch in batches:
        if some and (rows >= most_rows or size + batch.nbytes > MOST_BYTES):
            yield some
            some, rows, size = [], 0, 0
        some.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
    if some:
        yield some


def _packed(asked: Aggregation, rows: pa.Table, source: int, number: int, everywhere: bool) -> pa.RecordBatch:
    """A row of PACKED for each bucket that has rows, or for every bucket; the first counts the rows without a time."""
    buckets, *columns = rows.columns
    columns[len(asked.keys)] = moments(columns[len(asked.keys)])
    arriving = pa.table(
        [one.cast(field.type) for one, field in zip(columns, asked.arriving, strict=True)], schema=asked.arriving
    ).add_column(0, BUCKET, buckets)
    without = arriving["time"].null_count
    arriving = without_null_times(asked, arriving, arriving["time"])
    numbers = arriving[BUCKET].to_numpy()
    order = np.argsort(numbers.astype(np.int16), kind="stable")
    arriving = arriving.drop([BUCKET]).take(pa.array(order)).combine_chunks()
    ends = np.cumsum(np.bincount(numbers, minlength=asked.buckets))
    found: dict[str, list[Any]] = {name: [] for name in PACKED.names}
    for bucket, (last, n) in enumerate(zip(ends.tolist(), np.diff(ends, prepend=0).tolist(), strict=True)):
        only_without = bucket == 0 and without and not len(arriving)
        if n or everywhere or only_without:
            newest, blob = None, None
            if n:
                [mine] = arriving.slice(last - n, n).to_batches()
                newest, blob = pc.max(mine["time"]).as_py(), mine.serialize().to_pybytes()
            dropped = without if not found[BUCKET] else 0
            row = (bucket, source, number, n, newest, dropped, blob)
            for column, one in zip(found.values(), row, strict=True):
                column.append(one)
    return pa.RecordBatch.from_pydict(found, schema=PACKED)


def unpack(asked: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Blobs of results to results."""
    for batch in batches:
        for blob in batch["blob"]:
            if blob.is_valid:
                yield pa.ipc.read_record_batch(blob.as_buffer(), asked.results)
