"""A partition of a batch DataFrame, sorted by key and time: piece by piece through the kernel, the last key carried."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from streaming.aggregation import Aggregation
from streaming.columns import changes, given, moments, numbers
from streaming.packing import without_null_times


def aggregate_sorted(asked: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Results of a partition whose columns are keys, time and values. Memory: a piece, and the window of one key."""
    kernel, width = asked.kernel, len(asked.keys)
    kept, last = kernel.empty(), None
    for batch in batches:
        batch = without_null_times(asked, batch, batch.column(width))
        if batch.num_rows:
            codes, keys = _codes(batch.columns[:width], last) if width else (np.zeros(batch.num_rows, np.int64), [])
            times, values, valid = _columns(asked, batch.columns[width:])
            kept = kept._replace(codes=np.zeros_like(kept.codes))  # of the last key, which code 0 is here
            fired, kept, _ = kernel.take_sorted(kept, codes, times, values, valid)
            yield given(asked, keys, fired)
            last = [column[-1:] for column in batch.columns[:width]]
    if last is not None:
        fired, *_ = kernel.take_sorted(kept._replace(codes=np.zeros_like(kept.codes)), *_nothing(kernel), last=True)
        yield given(asked, last, fired)


def _codes(keys: list[Any], last: list[Any] | None) -> tuple[np.ndarray, list[Any]]:
    """Codes 0, 1 ... of the stretches of rows of a key, 0 being the last key before, and the columns of those keys."""
    if last is not None:
        keys = [pa.concat_arrays([before, column]) for before, column in zip(last, keys, strict=True)]
    changed = np.concatenate([[False], changes(keys)])
    first = pa.array(np.flatnonzero(np.concatenate([[True], changed[1:]])))
    codes = np.cumsum(changed)
    return codes[last is not None :], [column.take(first) for column in keys]


def _columns(asked: Aggregation, columns: list[Any]) -> tuple[np.ndarray, dict, dict]:
    times = numbers(moments(columns[0]), "int64")[0]
    values, valid = {}, {}
    for (name, dtype), column in zip(asked.dtypes.items(), columns[1:], strict=True):
        values[name], there = numbers(column, dtype)
        valid[name] = np.ones(len(times), bool) if there is None else there
    return times, values, valid


def _nothing(kernel: Any) -> tuple[np.ndarray, np.ndarray, dict, dict]:
    none = kernel.empty()
    return none.codes, none.positions, none.values, none.valid
