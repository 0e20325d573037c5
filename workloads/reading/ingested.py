"""Record sets of files: what a workload reads of a file, in chunks, known by the file's content and not by its name."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from workloads import record_sets
from workloads.record_sets import Manifest, RecordSet
from workloads.traces import Trace

ROWS = 1 << 18
"""Records of a chunk."""

TIME, VALUE, KEY = "time", "value", "key"


class Content(NamedTuple):
    """What is read of a file: its good records, arrays by column that are equally long, and JSON values about them."""

    columns: dict[str, np.ndarray]
    facts: dict[str, Any]

    @classmethod
    def of(cls, columns: dict[str, np.ndarray], skipped: int, notes: Sequence[str], **facts: Any) -> Content:
        """Columns, how many bad records were left out, and what must be said of the others."""
        return cls(columns, {**facts, "skipped": skipped, "notes": list(notes)})

    @property
    def skipped(self) -> int:
        """Bad records left out."""
        return self.facts["skipped"]

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said of the others."""
        return tuple(self.facts["notes"])


class Reader(Protocol):
    """A workload that reads a file: a frozen dataclass with its parameters."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def folder(self) -> str:
        """Where made record sets are."""

    def parsed(self) -> Content:
        """What the file holds. The same columns and types for all files, of which there may be more."""


@dataclass(frozen=True)
class Ingested(RecordSet):
    """The record set of a file: what `reader` reads of it.

    A file is read once and as a whole: the order of arrival and the numbers of keys are known only then. The chunks are
    pieces of its columns, which workers find in files beside them.
    """

    name: str
    reader: Reader
    path: str
    without: tuple[str, ...]
    """Parameters of the reader that do not decide what is read."""
    content: str
    """SHA-256 of the file, hexadecimal."""
    state: tuple[int, int]
    """Size and time of change, in ns, that the file had then."""
    columns: str | None = None
    """Where the columns are, as files of NumPy; None: in the file."""

    @property
    def chunks(self) -> int:
        return -(-len(next(iter(self._columns().values()))) // ROWS)

    def parameters(self) -> dict[str, Any]:
        """See workloads.record_sets.RecordSet."""
        parameters = {key: value for key, value in asdict(self.reader).items() if key not in self.without}
        return {**parameters, "content": self.content}

    def chunk(self, number: int) -> dict[str, np.ndarray]:
        """A piece of each column."""
        rows = slice(number * ROWS, (number + 1) * ROWS)
        return {name: column[rows] for name, column in self._columns().items()}

    def facts(self) -> dict[str, Any]:
        """See workloads.record_sets.RecordSet."""
        content = self._content()
        return {**content.facts, "columns": list(content.columns)}

    def shared(self, folder: Path) -> Ingested:
        """See workloads.record_sets.RecordSet: with the columns in files, or every worker would read the whole file."""
        folder.mkdir()
        for place, (name, column) in enumerate(self._content().columns.items()):
            np.save(folder / f"{place:03d}-{name}.npy", column)
        return replace(self, columns=str(folder))

    def _columns(self) -> dict[str, np.ndarray]:
        if self.columns is None:
            return self._content().columns
        paths = sorted(Path(self.columns).glob("*.npy"))
        return {path.stem.partition("-")[2]: np.load(path, mmap_mode="r") for path in paths}

    def _content(self) -> Content:
        content = _parsed(self)
        if _state(self.path) != self.state:
            raise ValueError(f"{self.path} has changed while it was being read; leave it as it is, and start again")
        return content


def ingested(name: str, reader: Reader, path: str | Path, without: tuple[str, ...] = ()) -> Ingested:
    """The record set of a file; `without`: parameters that do not decide what is read, beside path and folder.

    Reads the file for its hash; O(size). Raises OSError.
    """
    state = _state(str(path))
    with open(path, "rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return Ingested(name, reader, str(path), (*without, "path", "folder"), content, state)


def find_made(record_set: Callable[[], Ingested], name: str, folder: str) -> Manifest | None:
    """The record set of a file if it was made; its facts have the names of its columns. Raises as `record_set` does."""
    # By name first: hashing takes a second a GB.
    return record_sets.find(record_set(), folder) if record_sets.any_of(name, folder) else None


def trace_of(name: str, reader: Reader, record_set: Callable[[], Ingested]) -> Trace:
    """The trace of a workload whose content is one: of the record set, if it was made, and from the file if not.

    Both are the same. Raises RecordsError for a damaged record set, and as the reader does.
    """
    if manifest := find_made(record_set, name, reader.folder):
        content = Content(record_sets.read(manifest, manifest.facts["columns"]), manifest.facts)
    else:
        content = reader.parsed()
    times, values, keys = content.columns[TIME], content.columns[VALUE], content.columns.get(KEY)
    unit, ticks_per_unit = content.facts["time_unit"], content.facts["ticks_per_unit"]
    return Trace(name, asdict(reader), times, values, keys, unit, ticks_per_unit, content.skipped, content.notes)


def content_of(trace: Trace) -> Content:
    """A trace as content."""
    columns = {TIME: trace.times, VALUE: trace.values, KEY: trace.keys}
    present = {name: column for name, column in columns.items() if column is not None}
    unit = {"time_unit": trace.time_unit, "ticks_per_unit": trace.ticks_per_unit}
    return Content.of(present, trace.skipped, trace.notes, **unit)


@functools.lru_cache(maxsize=1)
def _parsed(record_set: Ingested) -> Content:
    return record_set.reader.parsed()


def _state(path: str) -> tuple[int, int]:
    stat = Path(path).stat()
    return stat.st_size, stat.st_mtime_ns
