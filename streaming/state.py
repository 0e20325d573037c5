"""The state of a bucket as bytes: an Arrow IPC stream of one record batch, a row for each key.

Version 1, which also covers the packs of rows (`Aggregation.arriving`) that a stream keeps beside it (`state_store`):

    key         struct of the key columns                    (no such column without keys)
    count       rows of the key released so far, for windows by count
    done        how many of its kept rows have been released
    positions   list of times: microseconds since 1970-01-01 (UTC where times have a zone), or whole numbers
    values      struct: for each column of values a list, int64 or double
    valid       struct: for each column of values a list of booleans, false for null

Metadata of the schema give the version of the format, the watermark, and a description of the aggregation. The state
does not depend on the algorithm. It is the rows that are still in a window, whatever the operators; or slices of them
(`algorithms.streams.keyed.slices`), whose values are the fields of the operators' partial aggregates.

READERS has a function for each version. Whoever changes the format gives it the next number and leaves the older
readers, so that queries go on after an upgrade.
"""

import json
from typing import Any

import numpy as np
import pyarrow as pa

from algorithms.streams.keyed import Kept
from safeguards.wrong_input import shown
from streaming.aggregation import KEPT, OPERATORS, ROWS, Aggregation, in_utc

VERSION = 1

FORMAT, WATERMARK, AGGREGATION = b"sliding_aggregate.format", b"sliding_aggregate.watermark", b"sliding_aggregate"


DAMAGED = (ValueError, TypeError, AttributeError, pa.ArrowException)
"""What bytes can raise that are no state, or not the whole of one."""


class StateError(ValueError):
    """A saved state of another aggregation or of an unknown format. Nothing was changed."""


def written(aggregation: Aggregation, keys: list[Any], kept: Kept) -> bytes:
    """The state as bytes: rows kept, and the columns of the keys that kept.codes number. O(size), mostly copying."""
    offsets = pa.array(kept.offsets, pa.int64())

    def lists(column: np.ndarray) -> pa.Array:
        return pa.LargeListArray.from_arrays(offsets, pa.array(column))

    codes = pa.array(kept.codes)
    columns = {"key": _struct({field.name: key.take(codes) for field, key in zip(aggregation.keys, keys, strict=True)})}
    columns |= {"count": pa.array(kept.counts), "done": pa.array(kept.done), "positions": lists(kept.positions)}
    columns |= {"values": _struct({name: lists(column) for name, column in kept.values.items()})}
    columns |= {"valid": _struct({name: lists(column) for name, column in kept.valid.items()})}
    batch = pa.RecordBatch.from_pydict({name: column for name, column in columns.items() if column is not None})
    batch = batch.replace_schema_metadata(
        {
            FORMAT: str(VERSION),
            WATERMARK: str(int(kept.watermark)),
            AGGREGATION: json.dumps(aggregation.described()),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()


def read(aggregation: Aggregation, state: bytes) -> tuple[list[Any], Kept]:
    """Columns of keys, numbered 0, 1 ..., and the kept rows. Views of the bytes, no copies.

    Slices are made of rows that an aggregation of the rows has kept.
    Raises StateError for a state of another aggregation or an unknown version, or one that is incomplete.
    """
    batch = _batch(state)
    version = (batch.schema.metadata or {}).get(FORMAT, b"none").decode("utf-8", "replace")
    if version not in map(str, READERS):
        raise StateError(
            f"the saved state is of format {version}, and this version of the package reads "
            f"{', '.join(map(str, READERS))}: go on with a version that is as new as the one that wrote it"
        )
    try:
        keys, kept = READERS[int(version)](aggregation, batch)
        for key in keys:
            key.validate(full=True)  # the offsets of texts, of which Arrow reads without a look whether they are there
        aggregation.kernel.must_have_kept(kept)
    except StateError:
        raise
    except KeyError as error:
        raise StateError(f"the saved state cannot be read: it has no {error}") from error
    except DAMAGED as error:
        raise StateError(f"the saved state cannot be read: {shown(str(error))}") from error
    return keys, kept


def holds_rows(state: bytes) -> bool:
    """Whether a saved state holds rows, not slices. Raises StateError for one that cannot be read."""
    description = (_batch(state).schema.metadata or {}).get(AGGREGATION, b"{}")
    try:
        return json.loads(description).get(KEPT, ROWS) == ROWS
    except DAMAGED as error:
        raise StateError(f"the saved state cannot be read: {shown(str(error))}") from error


def _batch(state: bytes) -> pa.RecordBatch:
    try:
        with pa.ipc.open_stream(state) as stream:
            batch = stream.read_next_batch()
            batch.validate()  # Arrow ends the process where it meets a length below zero
            return batch
    except (*DAMAGED, OSError, StopIteration) as error:
        raise StateError(f"the saved state cannot be read: {shown(str(error))}") from error


def _read_1(aggregation: Aggregation, batch: pa.RecordBatch) -> tuple[list[Any], Kept]:
    saved = json.loads(batch.schema.metadata[AGGREGATION])
    must_agree(aggregation, saved)
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
    if aggregation.rows and saved.get(KEPT, ROWS) == ROWS:
        kept = aggregation.slicing.of_kept(kept)
    return batch["key"].flatten() if aggregation.keys.names else [], kept


READERS = {1: _read_1}


def must_agree(aggregation: Aggregation, saved: dict[str, Any]) -> None:
    """Raise StateError that names what differs between the saved description and this aggregation.

    One of slices goes on from rows, but not the other way round.
    """
    saved = {KEPT: ROWS, **saved}
    same_kind = aggregation.rows if aggregation.rows and saved[KEPT] == ROWS else aggregation
    current = json.loads(json.dumps(same_kind.described()))
    if OPERATORS not in saved:  # written when operators were compared only by name
        del current[OPERATORS]
    different = [name for name in current if current[name] != saved.get(name)]
    if different:
        differences = "; ".join(f"{name} was {saved.get(name)!r} and is {current[name]!r}" for name in different)
        raise StateError(
            f"the saved state is of another aggregation: {differences}. "
            "Start it with a new checkpoint, or go on with what it was (the algorithm may change)"
        )


def _struct(columns: dict[str, Any]) -> pa.Array | None:
    if not columns:
        return None
    utc = [column.cast(kind) if (kind := in_utc(column.type)) != column.type else column for column in columns.values()]
    return pa.StructArray.from_arrays(utc, list(columns))


def _lists(batch: pa.RecordBatch, name: str) -> dict[str, np.ndarray]:
    if name not in batch.schema.names:
        return {}
    struct = batch[name]
    return {field.name: _array(struct.field(i).values) for i, field in enumerate(struct.type)}


def _array(column: pa.Array) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False)
