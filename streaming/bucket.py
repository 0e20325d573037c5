"""One bucket, one batch: from its rows and its state to results and the new state. Knows nothing of Spark."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from streaming import state as states
from streaming.aggregation import Aggregation
from streaming.columns import coded_after, numbers, result_batch, values_of


class Outcome(NamedTuple):
    """Results of a batch in a bucket, the state after it, and counts by the names in COUNTS."""

    results: pa.RecordBatch
    state: bytes
    counts: dict[str, int | None]


COUNTS = ("late", "keys", "kept_rows", "state_bytes", "combines")
"""Rows of a batch that came too late; keys, rows (or slices) and bytes of the state after it; combines, if counted."""


def take(aggregation: Aggregation, state: bytes | None, packs: Iterable[bytes], watermark: int) -> Outcome:
    """Take in packs of rows, which count as having come in this order.

    A pack is a serialized record batch with the columns `aggregation.arriving`, without its schema.
    Raises StateError, or a WindowError for rows that the window refuses; the state is then unchanged.
    """
    kernel = aggregation.kernel
    # The state is read first: packs of another aggregation may have other columns.
    kept_keys, kept = ([], kernel.empty()) if state is None else states.read(aggregation, state)
    rows = pa.Table.from_batches(_batches(aggregation, packs), aggregation.arriving)
    row_keys = [rows[f"key{i}"] for i in range(len(aggregation.keys))]
    codes, keys = coded_after(kept_keys, row_keys) if row_keys else (np.zeros(len(rows), np.int64), [])
    times = numbers(rows["time"], "int64")[0]
    values, valid = values_of(kernel.columns, [rows[f"value{i}"] for i in range(len(kernel.columns))])
    late = numbers(rows["rows"], "int64")[0][kernel.are_late(times, kept.watermark)].sum() if aggregation.rows else None
    fired, kept, counts = kernel.take(kept, codes, times, values, watermark, valid)
    after = states.written(aggregation, keys, kept)
    combines = counts.combines if aggregation.counting else None
    tally = (counts.late if late is None else int(late), counts.keys, counts.kept, len(after), combines)
    return Outcome(result_batch(aggregation, keys, fired), after, dict(zip(COUNTS, tally, strict=True)))


def not_late(aggregation: Aggregation, packs: Iterable[bytes], watermark: int) -> list[bytes]:
    """The packs without the rows that are late after a batch with this watermark."""
    kept = []
    for batch in _batches(aggregation, packs):
        late = aggregation.kernel.are_late(batch["time"].to_numpy(), watermark)
        kept.append(batch.filter(pa.array(~late)).serialize().to_pybytes())
    return kept


def _batches(aggregation: Aggregation, packs: Iterable[bytes]) -> list[pa.RecordBatch]:
    return [pa.ipc.read_record_batch(pa.py_buffer(pack), aggregation.arriving) for pack in packs]
