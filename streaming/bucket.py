"""One bucket, one batch: rows that arrived and the bucket's state, to results and the new state. Knows no Spark."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming import state as states
from streaming.aggregation import Aggregation
from streaming.columns import coded_after, given, numbers


class Taken(NamedTuple):
    """What a batch has brought about in a bucket."""

    results: pa.RecordBatch
    state: bytes
    counts: dict[str, int | None]


COUNTS = ("late", "keys", "kept_rows", "state_bytes", "combines")
"""Rows of this batch that came too late; keys, rows and bytes in the state after it; combines if counted."""


def take(asked: Aggregation, state: bytes | None, packs: Iterable[bytes], watermark: int) -> Taken:
    """Take in packs of rows, in the order in which they count as having come.

    A pack is a serialized record batch of `asked.arriving`, without its schema.
    Raises StateError, or a WindowError for rows that the window refuses; the state is then as it was.
    """
    kernel = asked.kernel
    old, kept = ([], kernel.empty()) if state is None else states.read(asked, state)  # first: packs may be of another
    rows = pa.Table.from_batches(_batches(asked, packs), asked.arriving)
    arriving = [rows[f"key{i}"] for i in range(len(asked.keys))]
    codes, keys = coded_after(old, arriving) if arriving else (np.zeros(len(rows), np.int64), [])
    times = numbers(rows["time"], "int64")[0]
    values, valid = {}, {}
    for i, (name, dtype) in enumerate(kernel.columns.items()):
        values[name], valid[name] = numbers(rows[f"value{i}"], dtype)
    fired, kept, counts = kernel.take(kept, codes, times, values, watermark, valid)
    after = states.written(asked, keys, kept)
    combines = counts.combines if asked.counting else None
    told = (counts.late, counts.keys, counts.kept, len(after), combines)
    return Taken(given(asked, keys, fired), after, dict(zip(COUNTS, told, strict=True)))


def not_late(asked: Aggregation, packs: Iterable[bytes], watermark: int) -> list[bytes]:
    """The packs without rows at or before the watermark."""
    batches = _batches(asked, packs)
    return [one.filter(pc.greater(one["time"], watermark)).serialize().to_pybytes() for one in batches]


def _batches(asked: Aggregation, packs: Iterable[bytes]) -> list[pa.RecordBatch]:
    return [pa.ipc.read_record_batch(pa.py_buffer(pack), asked.arriving) for pack in packs]
