"""A partition of a batch DataFrame: sorted by key and time in the worker, then aggregated piece by piece.

Spark's own sort of rows would take two thirds of the whole time (docs/streaming.md). So rows come as the shuffle leaves
them, and columns are sorted here: in memory up to TOGETHER rows, beyond that in sorted runs of as many rows in files.
"""

import mmap
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from algorithms.streams.keyed import by_key_and_time
from streaming.aggregation import Aggregation
from streaming.columns import coded_after, int64_times, numbers, result_batch, values_of
from streaming.packing import pieces, without_null_times
from streaming.workers import local_folder

TOGETHER = 2**21
"""Rows of a run, and at most of a piece for the kernel, unless more rows have the same key and time."""

RESULTS, RESULT_BYTES = 2**19, 2**28
"""Results computed at a time, and bytes of their keys: an Arrow array holds up to 2**31."""


class Run(NamedTuple):
    """Rows sorted by key and time, as they came where times are equal: int64 codes and times; columns by name."""

    codes: np.ndarray
    times: np.ndarray
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]

    def mapped(self, change: Any) -> "Run":
        """The run with every column changed."""
        tables = ({name: change(column) for name, column in table.items()} for table in self[2:])
        return Run(change(self.codes), change(self.times), *tables)

    def slice(self, first: int, last: int) -> "Run":
        """Rows first .. last - 1."""
        return self.mapped(lambda column: column[first:last])

    def count_until(self, code: int, time: int) -> int:
        """How many rows are at or before a key and time."""
        first, last = np.searchsorted(self.codes, [code, code + 1])
        return int(first + np.searchsorted(self.times[first:last], time, "right"))


def aggregate_packs(aggregation: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Results of the packs (`packing.PACKED`) of a partition."""
    columns = aggregation.arriving.names[: len(aggregation.keys) + 1 + len(aggregation.values)]
    packs = (blob for batch in batches for blob in batch["blob"] if blob.is_valid)
    rows = (pa.ipc.read_record_batch(blob.as_buffer(), aggregation.arriving).select(columns) for blob in packs)
    return aggregate_rows(aggregation, rows)


def aggregate_rows(aggregation: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Results of a partition with the columns keys, time and values, and rows in any order.

    O(n log n). Memory: a few times TOGETHER rows, the distinct keys, the window of one key, and about RESULTS results.
    The rest is in files.
    """
    kernel = aggregation.kernel
    keys: list[Any] = []
    runs: list[Run] = []
    for piece in pieces(batches, TOGETHER):
        keys, run = _sorted(aggregation, keys, pa.Table.from_batches(piece))
        if len(run.codes):
            runs = [*runs[:-1], *map(_in_file, runs[-1:]), run]
    kept = empty = kernel.empty()
    for merged in _merged(runs) if runs else ():
        for rows in _sliced(aggregation, merged, _most_results(aggregation, keys)):
            fired, kept, _ = kernel.take_sorted(kept, *rows)
            yield result_batch(aggregation, keys, fired)
    no_rows = Run(empty.codes, empty.positions, empty.values, empty.valid)
    fired, *_ = kernel.take_sorted(kept, *no_rows, last=True)
    if len(fired.codes):
        yield result_batch(aggregation, keys, fired)


def _sorted(aggregation: Aggregation, keys: list[Any], rows: pa.Table) -> tuple[list[Any], Run]:
    """The distinct keys, the known ones first, and the rows that have a time."""
    width = len(aggregation.keys)
    rows = without_null_times(aggregation, rows, rows.column(width))
    codes, keys = coded_after(keys, rows.columns[:width]) if width else (np.zeros(len(rows), np.int64), [])
    values, valid = values_of(aggregation.dtypes, rows.columns[width + 1 :])
    run = Run(codes, numbers(int64_times(rows.column(width)), "int64")[0], values, valid)
    order = by_key_and_time(run.codes, run.times)
    return keys, run.mapped(lambda column: column[order])


def _merged(runs: list[Run]) -> Iterator[Run]:
    """The rows of all runs in sorted pieces, cut at rows that divide each run into short slices."""
    short = max(1, TOGETHER // 2 // len(runs))
    cuts = [(int(run.codes[i]), int(run.times[i])) for run in runs for i in range(short - 1, len(run.codes), short)]
    done = [0] * len(runs)
    for cut in [*sorted(cuts), None]:
        until = [len(run.codes) if cut is None else run.count_until(*cut) for run in runs]
        if sum(until) - sum(done) >= (1 if cut is None else max(1, TOGETHER // 2)):
            slices = [run.slice(*bounds) for run, bounds in zip(runs, zip(done, until, strict=True), strict=True)]
            done = until
            yield slices[0] if len(slices) == 1 else _merge(slices)


def _merge(runs: list[Run]) -> Run:
    """Several runs as one."""
    codes, times = (np.concatenate([run[i] for run in runs]) for i in range(2))
    order = by_key_and_time(codes, times)
    tables = ({name: np.concatenate([run[i][name] for run in runs])[order] for name in runs[0][i]} for i in (2, 3))
    return Run(codes[order], times[order], *tables)


def _most_results(aggregation: Aggregation, keys: list[Any]) -> int:
    """How many results to compute at a time: few if they are lists or have long keys."""
    nested = any(pa.types.is_nested(column.type) for column in aggregation.results)
    key_bytes = sum(column.nbytes for column in keys) // max(len(keys[0]), 1) if keys else 0
    return max(1, min(RESULTS // 64 if nested else RESULTS, RESULT_BYTES // (key_bytes + 1)))


def _sliced(aggregation: Aggregation, run: Run, most: int) -> Iterator[Run]:
    """A run in slices of about `most` results each, where a window counts with its first row."""
    if aggregation.kernel.at_ends:
        size, slide = aggregation.windows.size, aggregation.windows.slide
        gaps, of_row = np.diff(run.times), -(-size // slide)
        same_key = (run.codes[1:] == run.codes[:-1]) & (gaps >= 0)  # times may be 2**63 apart
        windows = np.append(of_row, np.where(same_key, np.minimum(gaps // slide + 1, of_row), of_row))
    else:
        windows = np.ones(len(run.codes), np.int64)
    results = np.cumsum(windows)
    cuts = np.unique(np.searchsorted(results, np.arange(most, results[-1], most), "right"))
    for first, last in zip([0, *cuts], [*cuts, len(results)], strict=True):
        if first < last:
            yield run.slice(first, last)


def _in_file(run: Run) -> Run:
    """The same columns, mapped from a file without a name: it is gone when the worker ends, however it ends."""
    with tempfile.TemporaryFile(dir=local_folder()) as file:

        def write(column: np.ndarray) -> tuple[np.dtype, int, int]:
            place = column.dtype, len(column), file.tell()
            file.write(np.ascontiguousarray(column).data)
            return place

        places = run.mapped(write)
        file.flush()
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return places.mapped(lambda place: np.frombuffer(content, *place))
