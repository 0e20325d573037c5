"""A partition of a batch DataFrame: sorted by key and time in the worker, and piece by piece through the kernel.

Spark's own sort of rows would be two thirds of the whole time (docs/streaming.md). So rows come as the shuffle has left
them, and columns are sorted here: in memory up to TOGETHER rows, and by runs of as many in files beyond that.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from algorithms.windowing.keyed import by_key_and_time
from streaming.aggregation import Aggregation
from streaming.columns import coded_after, given, moments, numbers
from streaming.packing import pieces, without_null_times

TOGETHER = 2**21
"""Rows of a run, and at most of a piece that goes through the kernel unless more have the same key and time."""


class Run(NamedTuple):
    """Rows sorted by key and time, those of equal times as they came: int64 codes and times; columns by name."""

    codes: np.ndarray
    times: np.ndarray
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]

    def mapped(self, change: Any) -> "Run":
        """Every column, changed."""
        tables = ({name: change(one) for name, one in table.items()} for table in self[2:])
        return Run(change(self.codes), change(self.times), *tables)

    def part(self, first: int, last: int) -> "Run":
        """Rows first .. last - 1."""
        return self.mapped(lambda column: column[first:last])

    def before(self, code: int, time: int) -> int:
        """How many rows are not after a key and time."""
        first, last = np.searchsorted(self.codes, [code, code + 1])
        return int(first + np.searchsorted(self.times[first:last], time, "right"))


def aggregate_rows(asked: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Results of a partition whose columns are keys, time and values, in any order.

    O(n log n). Memory: some TOGETHER rows, the distinct keys, and the window of one key; the rest is in files.
    """
    kernel, keys, runs = asked.kernel, [], []
    with tempfile.TemporaryDirectory(prefix="sliding_aggregate_", dir=_local_folder()) as folder:
        for some in pieces(batches, TOGETHER):
            if runs:
                runs[-1] = _in_files(runs[-1], Path(folder) / str(len(runs)))
            keys, run = _sorted(asked, keys, pa.Table.from_batches(some))
            runs += [run] if len(run.codes) else []
        kept = nothing = kernel.empty()
        for piece in _merged(runs) if runs else ():
            fired, kept, _ = kernel.take_sorted(kept, *piece)
            yield given(asked, keys, fired)
        end = Run(nothing.codes, nothing.positions, nothing.values, nothing.valid)
        fired, *_ = kernel.take_sorted(kept, *end, last=True)
        if len(fired.codes):
            yield given(asked, keys, fired)


def _sorted(asked: Aggregation, keys: list[Any], rows: pa.Table) -> tuple[list[Any], Run]:
    """The distinct keys, those before first, and the rows that have a time."""
    width = len(asked.keys)
    rows = without_null_times(asked, rows, rows.column(width))
    codes, keys = coded_after(keys, rows.columns[:width]) if width else (np.zeros(len(rows), np.int64), [])
    values, valid = {}, {}
    for (name, dtype), column in zip(asked.dtypes.items(), rows.columns[width + 1 :], strict=True):
        values[name], there = numbers(column, dtype)
        valid[name] = np.ones(len(rows), bool) if there is None else there
    run = Run(codes, numbers(moments(rows.column(width)), "int64")[0], values, valid)
    order = by_key_and_time(run.codes, run.times)
    return keys, run.mapped(lambda column: column[order])


def _merged(runs: list[Run]) -> Iterator[Run]:
    """The rows of all runs in pieces, sorted: cut at rows that divide each run into short parts."""
    short = max(1, TOGETHER // 2 // len(runs))
    cuts = [(int(run.codes[at]), int(run.times[at])) for run in runs for at in range(short - 1, len(run.codes), short)]
    done = [0] * len(runs)
    for cut in [*sorted(cuts), None]:
        until = [len(run.codes) if cut is None else run.before(*cut) for run in runs]
        if cut is None or sum(until) - sum(done) >= TOGETHER // 2:
            parts = [run.part(*bounds) for run, bounds in zip(runs, zip(done, until, strict=True), strict=True)]
            done = until
            yield parts[0] if len(parts) == 1 else _one(parts)


def _one(parts: list[Run]) -> Run:
    """Sorted parts as one."""
    codes, times = (np.concatenate([part[i] for part in parts]) for i in range(2))
    order = by_key_and_time(codes, times)
    tables = ({name: np.concatenate([part[i][name] for part in parts])[order] for name in parts[0][i]} for i in (2, 3))
    return Run(codes[order], times[order], *tables)


def _in_files(run: Run, folder: Path) -> Run:
    """The same columns as files that are mapped into memory."""
    folder.mkdir()
    names = map(str, range(2**31))

    def in_file(column: np.ndarray) -> np.ndarray:
        path = folder / f"{next(names)}.npy"
        np.save(path, column)
        return np.load(path, mmap_mode="r")

    return run.mapped(in_file)


def _local_folder() -> str | None:
    """Where Spark wants its workers to keep what does not fit; None: where the system does."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
