"""The state of a bucket between two batches: in Spark's state store, and as a copy on the worker's disk.

The store has a snapshot of the state, the packs of rows that have come since, and a head that says how far they go. So
a batch writes only its own rows, not the whole of its windows. A new snapshot is due when the store would have more
than twice the bytes of the state, or packs of many batches. To restore the state, the packs are taken in after the
snapshot, up to the watermark of the head; results that fire on the way were emitted before.

All of it is in one map by number, since each state that a query declares costs every task some ten milliseconds:

    HEAD                        the head, as JSON
    1, 2 ... MOST_PACKS         the packs of a batch, one after the other; the head has their lengths
    FIRST_CHUNK, ...            the snapshot, in chunks: Spark copies each value of its store as a whole, several times,
                                and its state server broke down at one of 640 million bytes

Spark takes some 10 ms to hand over a megabyte of state, and a file in the page cache is there at once. So the state is
also written to a file in the local folder that Spark gives its workers and removes with them. The file begins with a
random name, which the store has too, and is used only if both agree: the file of another attempt or another worker
never is.
"""

import contextlib
import itertools
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from safeguards.files import write_atomically
from streaming.workers import local_folder

STATES = {"snapshot": ("getMapState", "number int", "part binary")}
"""The states of a bucket by name: how Spark's handle declares each, and the schemas of its columns.

In the first checkpoints `snapshot` was one of four states, and a single value. As a map it keeps its name, so that
Spark refuses to go on from those, and does not begin anew.
"""

HEAD, FIRST_CHUNK = 0, 2**16

MOST_PACKS = 64
"""Batches whose packs follow a snapshot, at most."""

MOST_PACK_BYTES = 2**28
"""Their bytes, at most."""

CHUNK = 2**24
"""Bytes of a chunk of a snapshot."""

NAME_BYTES = 64
"""The length of the name before the state in the file, chosen so that the state stays aligned."""


class Head(NamedTuple):
    """A random name of the state, its watermark, the bytes of the snapshot, and of each pack since, batch by batch."""

    name: str
    watermark: int
    snapshot_bytes: int
    packs: Sequence[Sequence[int]]

    @property
    def pack_bytes(self) -> int:
        """Bytes of all packs."""
        return sum(map(sum, self.packs))


class StateStore:
    """Reads and writes the state of the current bucket by STATES, as Spark's handle has declared them."""

    def __init__(self, states: Mapping[str, Any], query: str):
        [self._parts] = (states[name] for name in STATES)
        self._query = query

    def read(self, bucket: int, take: Callable[[Any, Sequence[Any], int], Any]) -> tuple[Head | None, Any]:
        """The head and the state; None before the first. take(state, packs, watermark) gives the state after packs."""
        part = self._parts.getValue((HEAD,))
        if part is None:
            return None, None
        head = Head(*json.loads(part[0]))
        if (state := self._copied(bucket, head.name)) is None:
            chunks = range(FIRST_CHUNK, FIRST_CHUNK + _chunks_of(head.snapshot_bytes))
            packs = [pack for number, sizes in enumerate(head.packs, 1) for pack in _cut(self._part(number), sizes)]
            state = take(b"".join(map(self._part, chunks)), packs, head.watermark)
        return head, state

    def write(
        self, bucket: int, before: Head | None, state: bytes, packs: Sequence[bytes] | None, watermark: int
    ) -> int:
        """Save the state, which is that of `before` after packs that are not late. Returns the bytes in the store.

        With None for the packs a new snapshot is written.
        """
        name = secrets.token_hex(NAME_BYTES // 2)
        head = _with_packs(before, packs, name, watermark) if before and packs is not None else None
        if head and head.pack_bytes <= most_pack_bytes(head, state) and len(head.packs) <= MOST_PACKS:
            if packs:
                self._parts.updateValue((len(head.packs),), (b"".join(packs),))
        else:
            head = Head(name, watermark, len(state), [])
            self._write_snapshot(before, state)
        self._copy(bucket, name, state)
        self._parts.updateValue((HEAD,), (json.dumps(head).encode(),))
        return head.snapshot_bytes + head.pack_bytes

    def _part(self, number: int) -> bytes:
        return self._parts.getValue((number,))[0]

    def _write_snapshot(self, before: Head | None, state: bytes) -> None:
        """Put a snapshot in the place of what there was before."""
        chunks = _chunks_of(len(state))
        for number in range(chunks):
            part = state[number * CHUNK : (number + 1) * CHUNK]
            self._parts.updateValue((FIRST_CHUNK + number,), (part,))
        if before is not None:
            stale = range(FIRST_CHUNK + chunks, FIRST_CHUNK + _chunks_of(before.snapshot_bytes))
            for number in (*stale, *range(1, len(before.packs) + 1)):
                self._parts.removeKey((number,))

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
    """How many chunks a snapshot of so many bytes is in."""
    return -(-size // CHUNK)


def _cut(joined: bytes, sizes: Sequence[int]) -> list[bytes]:
    """The pieces of these sizes that were joined."""
    ends = [*itertools.accumulate(sizes)]
    return [joined[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _with_packs(before: Head, packs: Sequence[bytes], name: str, watermark: int) -> Head:
    """The head with the packs of a batch more after the same snapshot; a batch without any has no place of its own."""
    sizes = [[*map(len, packs)]] if packs else []
    return Head(name, watermark, before.snapshot_bytes, [*before.packs, *sizes])
