"""Record sets of files: what a workload reads of a file, in chunks, known by the file's content and not by its name."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from workloads import records
from workloads.traces import Trace

ROWS = 1 << 18
"""Records of a chunk."""

TIME, VALUE, KEY = "time", "value", "key"
NOT_OF_RECORDS = ("path", "folder")
"""Parameters of a workload that do not decide which records there are."""


class Reader(Protocol):
    """A workload that reads a file: a frozen dataclass with its parameters."""

    folder: str

    def parsed(self) -> Trace:
        """The trace, read from the file."""


@dataclass(frozen=True)
class Ingested:
    """The record set of a file: the trace of `reader` in order of arrival, columns time, value and, if it has, key.

    A worker reads the whole file once, as the workload does without record sets: the order of arrival and the numbers
    of keys are known only when all of it is read. The chunks are pieces of that.
    """

    name: str
    reader: Reader
    path: str
    content: str
    """SHA-256 of the file, hexadecimal."""
    state: tuple[int, int]
    """Size and time of change, in ns, that the file had then."""

    @property
    def chunks(self) -> int:
        return -(-len(self._trace()) // ROWS)

    def parameters(self) -> dict[str, Any]:
        """See workloads.records.RecordSet."""
        given = {key: value for key, value in asdict(self.reader).items() if key not in NOT_OF_RECORDS}
        return {**given, "content": self.content}

    def chunk(self, number: int) -> dict[str, np.ndarray]:
        """Times, values and keys of a chunk, as the trace has them."""
        part, trace = slice(number * ROWS, (number + 1) * ROWS), self._trace()
        columns = {TIME: trace.times, VALUE: trace.values, KEY: trace.keys}
        return {name: column[part] for name, column in columns.items() if column is not None}

    def facts(self) -> dict[str, Any]:
        """What a trace is besides its records."""
        trace = self._trace()
        return {
            "keys": trace.keys is not None,
            "time_unit": trace.time_unit,
            "ticks_per_unit": trace.ticks_per_unit,
            "skipped": trace.skipped,
            "notes": list(trace.notes),
        }

    def _trace(self) -> Trace:
        trace = _parsed(self)
        if _state(self.path) != self.state:
            raise ValueError(f"{self.path} has changed while it was being read; leave it as it is, and start again")
        return trace


def ingested(name: str, reader: Reader, path: str | Path) -> Ingested:
    """The record set of a file. Reads it for its hash; O(size). Raises OSError."""
    state = _state(str(path))
    with open(path, "rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return Ingested(name, reader, str(path), content, state)


def trace_of(name: str, reader: Reader, path: str | Path) -> Trace:
    """The trace of a workload that reads a file: of the record set, if it was made, and from the file if not.

    Both are the same. Raises RecordsError for a damaged record set, and as the reader does.
    """
    if not records.any_of(name, reader.folder):  # hashing takes a second a GB
        return reader.parsed()
    if (manifest := records.find(ingested(name, reader, path), reader.folder)) is None:
        return reader.parsed()
    facts = dict(manifest.facts)
    wanted = [TIME, VALUE, *([KEY] if facts.pop("keys") else [])]
    columns = records.read(manifest, wanted)
    notes = tuple(facts.pop("notes"))
    return Trace(name, asdict(reader), columns[TIME], columns[VALUE], columns.get(KEY), notes=notes, **facts)


@functools.lru_cache(maxsize=1)
def _parsed(made: Ingested) -> Trace:
    return made.reader.parsed()


def _state(path: str) -> tuple[int, int]:
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns
