"""Make a record set or find the one that was made: a folder of chunks with a manifest."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from safeguards.files import locked, write_atomically
from workloads.record_sets.chunks import Chunk, chunk_of_file, read_chunk, write_chunk
from workloads.record_sets.code import code_of
from workloads.record_sets.record_set import RecordSet, folder_of, identity

MANIFEST = "manifest.json"

SHARED = ".shared"
"""Folder of what workers share while chunks are made."""

Run = Callable[[Callable[[int], Chunk], Sequence[int]], Iterable[Chunk]]
"""Applies a function to each of some numbers, anywhere and in any order, and gives the results as they come.

The built-in `map` is one; the executors of experiments have others, on threads and on Spark.
"""


@dataclass(frozen=True)
class Manifest:
    """A record set that is there whole. `versions`: of the packages that it was made with. `facts`: see RecordSet."""

    folder: Path
    name: str
    parameters: dict[str, Any]
    rows: int
    code: str
    versions: dict[str, str]
    facts: dict[str, Any]
    chunks: tuple[Chunk, ...]

    @property
    def bytes(self) -> int:
        """Size of all chunk files."""
        return sum(chunk.bytes for chunk in self.chunks)


def make(record_set: RecordSet, root: str | Path, run: Run = map) -> Manifest:
    """Make what is missing of a record set in its folder under `root`, and give the manifest.

    Chunks that are there already are kept if their bytes hash to their name and this code made them; damaged ones and
    those of other code are made anew. A run that is stopped, even by kill -9, loses the chunks under way. Another
    process that makes the same record set waits, and finds it made. Raises OSError, and what the record set or `run`
    raises.
    """
    folder, code = folder_of(record_set, root), code_of(record_set)
    existing = find(record_set, root)
    # A file has to be read before the number of its chunks is known; where it cannot be, nothing is written.
    count = len(existing.chunks) if existing else record_set.chunks
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        shutil.rmtree(folder / SHARED, ignore_errors=True)  # of a run that was killed
        good = _good_chunks(folder, code, count)
        if missing := [number for number in range(count) if number not in good]:
            (folder / MANIFEST).unlink(missing_ok=True)
            try:
                shared = record_set.shared(folder / SHARED)
                for chunk in run(functools.partial(write_chunk, shared, str(folder), code), missing):
                    good[chunk.number] = chunk
            finally:
                shutil.rmtree(folder / SHARED, ignore_errors=True)
        elif complete := find(record_set, root):
            return complete
        chunks = tuple(good[number] for number in range(count))
        versions = {package: importlib.metadata.version(package) for package in ("numpy", "pyarrow")}
        rows = sum(chunk.rows for chunk in chunks)
        described = {**identity(record_set), "facts": record_set.facts()}
        manifest = Manifest(folder, rows=rows, code=code, versions=versions, chunks=chunks, **described)
        write_atomically(folder / MANIFEST, _as_json(manifest).encode())
        return manifest


def any_of(name: str, root: str | Path) -> bool:
    """Whether a record set of this name, with whatever parameters, was made under `root`. Looks at names only."""
    return any(Path(root).glob(f"{name}-*/{MANIFEST}"))


def find(record_set: RecordSet, root: str | Path) -> Manifest | None:
    """The manifest of a record set that was made under `root` by this code and is there whole; None if it is not.

    Looks at the files' sizes only: `read` looks at their hashes.
    """
    folder = folder_of(record_set, root)
    try:
        fields = json.loads((folder / MANIFEST).read_bytes())
        chunks = tuple(Chunk(**chunk) for chunk in fields.pop("chunks"))
        manifest = Manifest(folder, **fields, chunks=chunks)
        is_whole = manifest.rows == sum(chunk.rows for chunk in chunks)
        is_whole &= all(Path(chunk.file).name == chunk.file for chunk in chunks)  # nothing outside is read
        is_whole &= all((folder / chunk.file).stat().st_size == chunk.bytes for chunk in chunks)
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ):  # not made, under way, or by code with another manifest
        return None
    expected = {**identity(record_set), "code": code_of(record_set)}
    return manifest if is_whole and all(getattr(manifest, key) == value for key, value in expected.items()) else None


def read(manifest: Manifest, columns: Sequence[str]) -> dict[str, np.ndarray]:
    """Columns of all records in order, each of shape (rows,), timestamps as int64 in their own unit.

    Every chunk is checked against its hash. Beside the columns there is one chunk in memory at a time.
    Raises RecordsError for a damaged chunk or an unknown column.
    """
    arrays: dict[str, np.ndarray] = {}
    start = 0
    for chunk in manifest.chunks:
        for name, values in read_chunk(manifest.folder, chunk, columns).items():
            if name not in arrays:
                arrays[name] = np.empty(manifest.rows, values.dtype)
            arrays[name][start : start + len(values)] = values
        start += chunk.rows
    return arrays


def _good_chunks(folder: Path, code: str, chunks: int) -> dict[int, Chunk]:
    """The good chunks in a folder by their number; what else a stopped run or other code left is deleted."""
    good: dict[int, Chunk] = {}
    for path in sorted([*folder.glob("*.parquet"), *folder.glob(".*.tmp")]):
        chunk = chunk_of_file(path, code)
        if chunk is None or chunk.number >= chunks or chunk.number in good:
            path.unlink(missing_ok=True)
        else:
            good[chunk.number] = chunk
    return good


def _as_json(manifest: Manifest) -> str:
    fields = {**vars(manifest), "chunks": [chunk._asdict() for chunk in manifest.chunks]}
    del fields["folder"]
    return json.dumps(fields, indent=1)
