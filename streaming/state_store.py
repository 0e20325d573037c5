"""The state of a bucket between two batches: in Spark's state store, and as a copy on the worker's disk.

The store has a snapshot of the state, the packs of rows that have come since, and a head that says how far they go. So
a batch writes only its own rows, not the whole of its windows. A new snapshot is due when the store would have more
than twice the bytes of the state, or many packs. To restore the state, the packs are taken in after the snapshot, up to
the watermark of the head; results that fire on the way were emitted before.

A snapshot of more than CHUNK bytes is in chunks: Spark copies each value of its store as a whole, several times, and
its state server broke down at one of 640 million bytes.

Spark takes some 10 ms to hand over a megabyte of state, and a file in the page cache is there at once. So the state is
also written to a file in the local folder that Spark gives its workers and removes with them. The file begins with a
random name, which the store has too, and is used only if both agree: the file of another attempt or another worker
never is.
"""

import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from safeguards.files import write_atomically
from streaming.workers import local_folder

HEAD = "name string, watermark long, snapshot_bytes long, pack_bytes long, packs long"

STATES = {
    "head": ("getValueState", HEAD),
    "snapshot": ("getValueState", "state binary"),
    "chunks": ("getMapState", "number int", "state binary"),
    "packs": ("getListState", "rows binary"),
}
"""The states of a bucket by name: how Spark's handle declares each, and the schemas of its columns."""

MOST_PACKS = 64

MOST_PACK_BYTES = 2**28
"""Spark keeps a list as one value of its store."""

CHUNK = 2**24
"""Bytes of a chunk of a large snapshot."""

NAME_BYTES = 64
"""The length of the name before the state in the file, chosen so that the state stays aligned."""


class Head(NamedTuple):
    """A random name of the state, its watermark, the bytes of the snapshot, and the bytes and number of packs since."""

    name: str
    watermark: int
    snapshot_bytes: int
    pack_bytes: int
    packs: int


class StateStore:
    """Reads and writes the state of the current bucket by STATES, as Spark's handle has declared them."""

    def __init__(self, states: Mapping[str, Any], query: str):
        self._head, self._snapshot, self._chunks, self._packs = (states[name] for name in STATES)
        self._query = query

    def read(self, bucket: int, take: Callable[[Any, Sequence[Any], int], Any]) -> tuple[Head | None, Any]:
        """The head and the state; None before the first. take(state, packs, watermark) gives the state after packs."""
        head = self._head.get()
        if head is None:
            return None, None
        head = Head(*head)
        if (state := self._copied(bucket, head.name)) is None:
            state = self._read_snapshot(head.snapshot_bytes)
            packs = [rows for (rows,) in self._packs.get()] if head.packs else []
            state = take(state, packs, head.watermark)
        return head, state

    def write(
        self, bucket: int, before: Head | None, state: bytes, packs: Sequence[bytes] | None, watermark: int
    ) -> int:
        """Save the state, which is that of `before` after packs that are not late. Returns the bytes in the store.

        With None for the packs a new snapshot is written.
        """
        name = secrets.token_hex(NAME_BYTES // 2)
        head = _with_packs(before, packs, name, watermark) if before and packs is not None else None
        if head and head.pack_bytes <= most_pack_bytes(head, state) and head.packs <= MOST_PACKS:
            if packs:
                self._packs.appendList([(rows,) for rows in packs])
        else:
            head = Head(name, watermark, len(state), 0, 0)
            self._write_snapshot(before.snapshot_bytes if before else 0, state)
            self._packs.clear()
        self._copy(bucket, name, state)
        self._head.update(tuple(head))
        return head.snapshot_bytes + head.pack_bytes

    def _read_snapshot(self, size: int) -> bytes:
        if (whole := self._snapshot.get()) is not None:  # those of older versions are whole, however large
            return whole[0]
        return b"".join(self._chunks.getValue((number,))[0] for number in range(_chunks_of(size)))

    def _write_snapshot(self, size_before: int, state: bytes) -> None:
        """Replace a snapshot of so many bytes."""
        for number in range(_chunks_of(len(state))):
            self._chunks.updateValue((number,), (state[number * CHUNK : (number + 1) * CHUNK],))
        for number in range(_chunks_of(len(state)), _chunks_of(size_before)):
            self._chunks.removeKey((number,))
        if _chunks_of(len(state)):
            self._snapshot.clear()
        else:
            self._snapshot.update((state,))

    def _copied(self, bucket: int, name: str) -> Any:
        """The state in the worker's file, if the file begins with this name; else None."""
        if (path := self._path(bucket)) is None:
            return None
        try:
            copied = pa.memory_map(str(path)).read_buffer()
        except OSError:  # there is none, or not any more
            return None
        return copied[NAME_BYTES:] if copied[:NAME_BYTES].to_pybytes() == name.encode() else None

    def _copy(self, bucket: int, name: str, state: bytes) -> None:
        """Write the worker's file. Failing to do so does no harm."""
        if (path := self._path(bucket)) is None:
            return
        with contextlib.suppress(OSError):
            write_atomically(path, name.encode() + state)

    def _path(self, bucket: int) -> Path | None:
        folder = local_folder()
        return Path(folder) / f"sliding_aggregate_{self._query}_{bucket}" if folder else None


def most_pack_bytes(head: Head, state: bytes) -> int:
    """How many bytes of packs the store may have beside the snapshot, now that the state has come to this."""
    return min(2 * len(state) - head.snapshot_bytes, MOST_PACK_BYTES)


def _chunks_of(size: int) -> int:
    """How many chunks a snapshot of so many bytes is in; 0 if it is whole."""
    return -(-size // CHUNK) if size > CHUNK else 0


def _with_packs(before: Head, packs: Sequence[bytes], name: str, watermark: int) -> Head:
    """The head with more packs after the same snapshot."""
    pack_bytes = before.pack_bytes + sum(map(len, packs))
    return Head(name, watermark, before.snapshot_bytes, pack_bytes, before.packs + len(packs))
