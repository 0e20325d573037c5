"""The state of a bucket as bytes: an Arrow IPC stream of one record batch, a row for each key.

Version 1, which also says what packs of rows are (`Aggregation.arriving`) that a stream keeps beside it (`saved`):

    key         struct of the key columns                    (no such column without keys)
    count       rows of the key released so far, for windows by count
    done        how many of its kept rows have had their turn
    positions   list of times: microseconds since 1970-01-01 (UTC where times have a zone), or whole numbers
    values      struct: for each column of values a list, int64 or double
    valid       struct: for each column of values a list of which are there, and no nulls

Metadata of the schema say the version of the format, the watermark, and what the aggregation is. Neither the algorithm
nor the operators shape the state: it is the rows that are still in a window.

A version is read by the function of its number in READERS. Whoever changes the format gives it the next number and
leaves the older reader, so that queries go on after an upgrade.
"""

import json
from typing import Any

import numpy as np
import pyarrow as pa

from algorithms.streams.keyed import Kept
from streaming.aggregation import OPERATORS, Aggregation, in_utc

VERSION = 1

FORMAT, WATERMARK, AGGREGATION = b"sliding_aggregate.format", b"sliding_aggregate.watermark", b"sliding_aggregate"


class StateError(ValueError):
    """A saved state that belongs to another aggregation, or whose format is not known. Nothing was changed."""


def written(asked: Aggregation, keys: list[Any], kept: Kept) -> bytes:
    """The state: rows kept, and the columns of the keys that kept.codes count. O(size), mostly copying."""
    offsets = pa.array(kept.offsets, pa.int64())

    def lists(column: np.ndarray) -> pa.Array:
        return pa.LargeListArray.from_arrays(offsets, pa.array(column))

    which = pa.array(kept.codes)
    columns = {"key": _struct({one.name: key.take(which) for one, key in zip(asked.keys, keys, strict=True)})}
    columns |= {"count": pa.array(kept.counts), "done": pa.array(kept.done), "positions": lists(kept.positions)}
    columns |= {"values": _struct({name: lists(one) for name, one in kept.values.items()})}
    columns |= {"valid": _struct({name: lists(one) for name, one in kept.valid.items()})}
    batch = pa.RecordBatch.from_pydict({name: one for name, one in columns.items() if one is not None})
    batch = batch.replace_schema_metadata(
        {
            FORMAT: str(VERSION),
            WATERMARK: str(int(kept.watermark)),
            AGGREGATION: json.dumps(asked.described()),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()


def read(asked: Aggregation, state: bytes) -> tuple[list[Any], Kept]:
    """Columns of keys and rows kept, codes being 0, 1 ... Views of the bytes, no copies.

    Raises StateError for a state of another aggregation, of an unknown version, or that is not whole.
    """
    try:
        with pa.ipc.open_stream(state) as stream:
            batch = stream.read_next_batch()
    except (pa.ArrowInvalid, OSError, StopIteration) as error:
        raise StateError(f"the saved state cannot be read: {error}") from error
    version = (batch.schema.metadata or {}).get(FORMAT, b"none").decode()
    if version not in map(str, READERS):
        raise StateError(
            f"the saved state is of format {version}, and this version of the package reads "
            f"{', '.join(map(str, READERS))}: go on with a version that is as new as the one that wrote it"
        )
    try:
        return READERS[int(version)](asked, batch)
    except KeyError as error:
        raise StateError(f"the saved state cannot be read: it has no {error}") from error


def _read_1(asked: Aggregation, batch: pa.RecordBatch) -> tuple[list[Any], Kept]:
    must_agree(asked, json.loads(batch.schema.metadata[AGGREGATION]))
    positions = batch["positions"]
    kept = Kept(
        codes=np.arange(batch.num_rows),
        counts=_array(batch["count"]),
        done=_array(batch["done"]),
        offsets=_array(positions.offsets),
        positions=_array(positions.values),
        values=_lists(batch, "values"),
        valid=_lists(batch, "valid"),
        watermark=int(batch.schema.metadata[WATERMARK]),
    )
    return batch["key"].flatten() if asked.keys.names else [], kept


READERS = {1: _read_1}


def must_agree(asked: Aggregation, saved: dict[str, Any]) -> None:
    """Raise StateError naming what differs between a saved aggregation and this one."""
    wanted = json.loads(json.dumps(asked.described()))
    if OPERATORS not in saved:  # written before operators were told from each other by more than their names
        del wanted[OPERATORS]
    differ = [name for name in wanted if wanted[name] != saved.get(name)]
    if differ:
        told = "; ".join(f"{name} was {saved.get(name)!r} and is {wanted[name]!r}" for name in differ)
        raise StateError(
            f"the saved state is of another aggregation: {told}. "
            "Start it with a new checkpoint, or go on with what it was (the algorithm may change)"
        )


def _struct(columns: dict[str, Any]) -> pa.Array | None:
    if not columns:
        return None
    plain = [one.cast(in_utc(one.type)) if in_utc(one.type) != one.type else one for one in columns.values()]
    return pa.StructArray.from_arrays(plain, list(columns))


def _lists(batch: pa.RecordBatch, name: str) -> dict[str, np.ndarray]:
    if name not in batch.schema.names:
        return {}
    struct = batch[name]
    return {one.name: _array(struct.field(i).values) for i, one in enumerate(struct.type)}


def _array(column: pa.Array) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False)
