"""The store: rows on disk, one folder per experiment.

    root/EXPERIMENT/parts/CELL-REPETITION-HASH.parquet   one file per append, written atomically
    root/EXPERIMENT/rows.parquet                         the compacted parts
    root/EXPERIMENT/damaged/                             unreadable files, set aside

Several processes may append, read and compact at the same time. A reader reads the parts first and the compacted file
last: if a part disappears meanwhile, it has been compacted, and its rows are in the file that is read last.
"""

import datetime
import hashlib
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from results.schema import ADDED, COLUMNS, INTEGER, OK, SCHEMA, SKIPPED, RowError, empty_row, validate
from safeguards.files import locked, remove_leftovers, write_atomically

log = logging.getLogger(__name__)

IDENTITY = ("cell", "repetition", "metric", "code_hash", "trace_hash", "profile", "machine")
RUN = ("cell", "repetition", "code_hash", "trace_hash", "profile", "machine")

_EXACT_INTEGERS = {c.name: "int64" for c in COLUMNS if c.type == INTEGER and not c.nullable}


class ResultsError(RuntimeError):
    """A results folder that cannot be used; the message names the folder and says what to do."""


class Damaged(NamedTuple):
    """A file that was set aside: where it is now, and why."""

    path: Path
    reason: str


class Store:
    """Rows of many experiments under one root folder.

    `damaged` lists the files that this object found unreadable and set aside, in the order of discovery.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)
        self.damaged: list[Damaged] = []

    def must_be_writable(self) -> None:
        """Make the root folder if there is none. Raises ResultsError if it cannot be made or written."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            probe = self.root / f".writable-{os.getpid()}"
            probe.write_bytes(b"")
            probe.unlink(missing_ok=True)
        except OSError as error:
            raise ResultsError(
                f"the results folder {self.root} cannot be written ({error.strerror or error}); "
                "make it writable or choose another results folder"
            ) from error

    def experiments(self) -> list[str]:
        """Return the names of the experiments that have a folder under the root, sorted."""
        return sorted(folder.name for folder in self.root.glob("*") if folder.is_dir())

    def append(self, rows: Iterable[Mapping[str, Any]]) -> Path:
        """Write rows of one experiment as one new part file and return its path. The file is complete or absent.

        Appending the same rows twice writes the same file. Raises RowError if the rows do not fit the schema, belong to
        several experiments or are empty, and ResultsError if the file cannot be written.
        """
        rows = list(rows)
        table = validate(rows)
        experiments = sorted({row["experiment"] for row in rows})
        if len(experiments) != 1:
            raise RowError(f"rows are of experiments {experiments}; one append takes rows of exactly one experiment")
        content = to_parquet(table)
        name = f"{rows[0]['cell']}-{rows[0]['repetition']}-{hashlib.sha256(content).hexdigest()[:16]}.parquet"
        path = self._parts(experiments[0]) / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
        except OSError as error:
            raise ResultsError(
                f"the row file {path} cannot be written ({error.strerror or error}); "
                "free some space or make its folder writable, then run again: what was measured before is kept"
            ) from error
        return path

    def rows(self, experiment: str) -> pd.DataFrame:
        """Return the rows of `experiment` without duplicates, with all columns of the schema even if there are no rows.

        Of several rows with the same identity (`IDENTITY`) the newest by `started` is kept; a row that is not ok never
        replaces one that is. Rows are sorted by cell, repetition, metric, then the rest of the identity.
        Nullable integer columns are pandas Int64; the other integer columns are NumPy integers.
        """
        return to_frame(self.table(experiment))

    def table(self, experiment: str) -> pa.Table:
        """As `rows`, as a PyArrow table of `SCHEMA`."""
        return _newest(self._read(experiment))

    def done(self, experiment: str, **keys: str) -> set[tuple[str, int, str, str, str, str]]:
        """Return the runs that need no further attempt, as tuples in the order of `RUN`.

        `keys` (any of `RUN`, such as profile and machine) select the runs with these values; TypeError for another key.
        A run is done if its newest rows are all ok or skipped; failed, timed-out and disagreeing runs are not done.
        """
        if unknown := sorted(set(keys) - set(RUN)):
            raise TypeError(f"done() got {', '.join(unknown)}; the keys are {', '.join(RUN)}")
        frame = to_frame(_newest(self._read(experiment)).select([*RUN, "status", "started"]))
        for name, value in keys.items():
            frame = frame[frame[name] == value]
        settled = frame["status"].isin((OK, SKIPPED))
        newest = frame[settled].groupby(list(RUN))["started"].max()
        open_since = frame[~settled].groupby(list(RUN))["started"].max().reindex(newest.index)
        return set(newest[open_since.isna() | (open_since < newest)].index)

    def compact(self, experiment: str) -> None:
        """Move the rows of all parts into rows.parquet, and drop superseded rows.

        The new file replaces the old one before any part is deleted. A crash in between leaves rows twice on disk, but
        `rows` returns them once. Removes the leftovers of killed writers. O(rows) memory.
        """
        if not self._folder(experiment).is_dir():
            return
        with locked(self._folder(experiment)):
            self.clean(experiment)
            parts = self._part_files(experiment)
            if parts:
                self._replace(experiment, parts, _newest(self._read(experiment, holding_lock=True)))

    def forget(self, experiment: str, runs: set[tuple[Any, ...]], before: datetime.datetime) -> None:
        """Drop the rows of these runs, tuples in the order of `RUN`, that were started before; compact the others.

        The new file replaces the old one before any part is deleted. A crash in between leaves rows that this drops.
        """
        with locked(self._folder(experiment)):
            parts = self._part_files(experiment)  # before they are read: others may append meanwhile
            rows = _newest(self._read(experiment, holding_lock=True))
            keys = zip(*(rows[name].to_pylist() for name in RUN), strict=True)
            left = [key not in runs or started >= before
                    for key, started in zip(keys, rows["started"].to_pylist(), strict=True)]  # fmt: skip
            if not all(left):
                self._replace(experiment, parts, rows.filter(pa.array(left, pa.bool_())))

    def profiles(self, experiment: str) -> set[str]:
        """The profiles that `experiment` has rows of. Only that column is read.

        Raises OSError or ValueError for a file that is damaged or cannot be read.
        """
        paths = (*self._part_files(experiment), self._rows_file(experiment))
        columns = [pq.read_table(path, columns=["profile"])["profile"] for path in paths if path.exists()]
        return {profile for column in columns for profile in column.unique().to_pylist()}

    def clean(self, experiment: str) -> list[Path]:
        """Delete the temporary files that killed runs left, and return their paths. Files being written are kept."""
        return [*remove_leftovers(self._folder(experiment)), *remove_leftovers(self._parts(experiment))]

    def files(self, experiment: str) -> dict[str, str]:
        """Return the SHA-256 of each row file of `experiment`, by its path relative to the root."""
        hashes = {}
        for path in (*self._part_files(experiment), self._rows_file(experiment)):
            with suppress(FileNotFoundError):  # a part may be compacted meanwhile; its rows are in the last file then
                hashes[path.relative_to(self.root).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
        return hashes

    def _replace(self, experiment: str, parts: Iterable[Path], table: pa.Table) -> None:
        """Write the table as the only row file, in place of the parts that it was read from. The lock is held."""
        write_atomically(self._rows_file(experiment), to_parquet(table))
        for part in parts:
            part.unlink(missing_ok=True)

    def _folder(self, experiment: str) -> Path:
        return self.root / experiment

    def _parts(self, experiment: str) -> Path:
        return self._folder(experiment) / "parts"

    def _rows_file(self, experiment: str) -> Path:
        return self._folder(experiment) / "rows.parquet"

    def _part_files(self, experiment: str) -> list[Path]:
        return sorted(path for path in self._parts(experiment).glob("*.parquet") if not path.name.startswith("."))

    def _read(self, experiment: str, holding_lock: bool = False) -> pa.Table:
        parts = [self._table(path, experiment, holding_lock) for path in self._part_files(experiment)]
        compacted = self._table(self._rows_file(experiment), experiment, holding_lock)
        return pa.concat_tables([table for table in (compacted, *parts, SCHEMA.empty_table()) if table is not None])

    def _table(self, path: Path, experiment: str, holding_lock: bool) -> pa.Table | None:
        """Read one row file; None if it is not there, or was damaged and is now set aside."""
        table, reason = _try_to_read(path)
        if not reason:
            return table
        with nullcontext() if holding_lock else locked(self._folder(experiment)):
            # While this process waited, another may have replaced the file with a good one, or set it aside.
            table, reason = _try_to_read(path)
            if reason:
                self._set_aside(path, experiment, reason)
        return table

    def _set_aside(self, path: Path, experiment: str, reason: str) -> None:
        folder = self._folder(experiment) / "damaged"
        folder.mkdir(exist_ok=True)
        target = next(target for target in _free_names(folder, path.name) if not target.exists())
        os.replace(path, target)
        self.damaged.append(Damaged(target, reason))
        log.warning("%s is damaged (%s); it is set aside as %s and its rows are not used", path, reason, target)


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Turn a table with some or all columns of the schema into a DataFrame; integers stay exact even beside nulls."""
    frame = table.to_pandas(types_mapper={INTEGER: pd.Int64Dtype()}.get)
    return frame.astype({name: kind for name, kind in _EXACT_INTEGERS.items() if name in frame.columns})


def to_parquet(table: pa.Table, level: int = 3) -> bytes:
    """The content of a row file; `level` of Zstandard, from 1 to 22: the higher, the smaller and the slower."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=level)
    return sink.getvalue().to_pybytes()


def _try_to_read(path: Path) -> tuple[pa.Table | None, str]:
    """Return the rows in a file and an empty reason, or None and the reason why it is damaged."""
    try:
        with pq.ParquetFile(path) as file:
            table = file.read()
        table.validate(full=True)
        table = _with_added(table)
        reason = _mismatch(table.schema)
        return (None, reason) if reason else (table.cast(SCHEMA), "")
    except FileNotFoundError:
        return None, ""
    except MemoryError:  # as pa.ArrowMemoryError is: the file may be good
        raise
    except (ValueError, pa.ArrowException, OSError) as error:
        # An error number comes from the system (no permission, too many open files), and the file itself may be good.
        if getattr(error, "errno", None):
            raise ResultsError(f"the row file {path} cannot be read ({error}); make it readable, or move it") from error
        return None, " ".join(str(error).split())


def _with_added(table: pa.Table) -> pa.Table:
    """The table with the columns that were added to the schema since it was written."""
    neutral = empty_row()
    for place, field in enumerate(SCHEMA):
        if field.name in ADDED and field.name not in table.schema.names:
            values = pa.repeat(pa.scalar(neutral[field.name], field.type), len(table))
            table = table.add_column(min(place, table.num_columns), field, values)
    return table


def _mismatch(schema: pa.Schema) -> str:
    """Return how a schema differs from `SCHEMA` in names, order or types; empty if it does not."""
    for name in schema.names:
        if name not in SCHEMA.names:
            return f"unknown column {name}"
    for field in SCHEMA:
        if schema.names.count(field.name) != 1:
            return f"column {field.name} is missing or repeated"
        if schema.field(field.name).type != field.type:
            return f"column {field.name} is {schema.field(field.name).type} instead of {field.type}"
    return "" if schema.names == SCHEMA.names else "columns in another order"


def _free_names(folder: Path, name: str) -> Iterator[Path]:
    yield folder / name
    number = 1
    while True:
        number += 1
        yield folder / f"{name}.{number}"


def _newest(table: pa.Table) -> pa.Table:
    """Keep one row per identity: ok before not ok, then the newest, then the last in the table."""
    keys = table.select([*IDENTITY, "attempt", "started", "status"]).to_pandas()
    keys = keys.assign(ok=keys["status"] == OK).sort_values(["ok", "started", "attempt"], kind="stable")
    kept = keys.drop_duplicates(list(IDENTITY), keep="last").sort_values(list(IDENTITY), kind="stable")
    return table.take(pa.array(kept.index.to_numpy(), pa.int64()))
