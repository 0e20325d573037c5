"""A partition of a batch DataFrame: sorted by key and time in the worker, and piece by piece through the kernel.

Spark's own sort of rows would be two thirds of the whole time (docs/streaming.md). So rows come as the shuffle has left
them, and columns are sorted here: in memory up to TOGETHER rows, and by runs of as many in files beyond that.
"""

import mmap
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from algorithms.streams.keyed import by_key_and_time
from streaming.aggregation import Aggregation
from streaming.columns import coded_after, given, moments, numbers
from streaming.packing import pieces, without_null_times
from streaming.workers import local_folder

TOGETHER = 2**21
"""Rows of a run, and at most of a piece that goes through the kernel unless more have the same key and time."""


RESULTS, RESULT_BYTES = 2**19, 2**28
"""Results that are made at a time, and bytes of their keys: an array of Arrow has room for 2**31."""


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

    O(n log n). Memory: some TOGETHER rows, the distinct keys, the window of one key, and about RESULTS results; the
    rest is in files.
    """
    kernel = asked.kernel
    keys: list[Any] = []
    runs: list[Run] = []
    for some in pieces(batches, TOGETHER):
        keys, run = _sorted(asked, keys, pa.Table.from_batches(some))
        if len(run.codes):
            runs = [*runs[:-1], *map(_in_file, runs[-1:]), run]
    kept = nothing = kernel.empty()
    for piece in _merged(runs) if runs else ():
        for part in _parts(asked, piece, _most_results(asked, keys)):
            fired, kept, _ = kernel.take_sorted(kept, *part)
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
        values[name], valid[name] = numbers(column, dtype)
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
        if sum(until) - sum(done) >= (1 if cut is None else max(1, TOGETHER // 2)):
            parts = [run.part(*bounds) for run, bounds in zip(runs, zip(done, until, strict=True), strict=True)]
            done = until
            yield parts[0] if len(parts) == 1 else _one(parts)


def _one(parts: list[Run]) -> Run:
    """Sorted parts as one."""
    codes, times = (np.concatenate([part[i] for part in parts]) for i in range(2))
    order = by_key_and_time(codes, times)
    tables = ({name: np.concatenate([part[i][name] for part in parts])[order] for name in parts[0][i]} for i in (2, 3))
    return Run(codes[order], times[order], *tables)


def _most_results(asked: Aggregation, keys: list[Any]) -> int:
    """Results to be made at a time: few where they are lists, or have long keys."""
    lists = any(pa.types.is_nested(one.type) for one in asked.results)
    key = sum(one.nbytes for one in keys) // max(len(keys[0]), 1) if keys else 0
    return max(1, min(RESULTS // 64 if lists else RESULTS, RESULT_BYTES // (key + 1)))


def _parts(asked: Aggregation, piece: Run, most: int) -> Iterator[Run]:
    """The rows of a piece in parts that give that many results each, if every window has its first row in it."""
    if asked.kernel.at_ends:
        size, slide = asked.windows.size, asked.windows.slide
        gaps, of_row = np.diff(piece.times), -(-size // slide)
        same = (piece.codes[1:] == piece.codes[:-1]) & (gaps >= 0)  # times may be 2**63 apart
        begun = np.append(of_row, np.where(same, np.minimum(gaps // slide + 1, of_row), of_row))
    else:
        begun = np.ones(len(piece.codes), np.int64)
    made = np.cumsum(begun)
    cuts = np.unique(np.searchsorted(made, np.arange(most, made[-1], most), "right"))
    for first, last in zip([0, *cuts], [*cuts, len(made)], strict=True):
        if first < last:
            yield piece.part(first, last)


def _in_file(run: Run) -> Run:
    """The same columns mapped from a file that has no name: nothing of it stays, whatever ends the worker."""
    with tempfile.TemporaryFile(dir=local_folder()) as file:

        def put(column: np.ndarray) -> tuple[np.dtype, int, int]:
            place = column.dtype, len(column), file.tell()
            file.write(np.ascontiguousarray(column).data)
            return place

        places = run.mapped(put)
        file.flush()
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return places.mapped(lambda place: np.frombuffer(whole, *place))
