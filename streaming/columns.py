"""Arrow columns and NumPy columns: keys to codes and back, values with their nulls, results."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def numbers(column: Any, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """The values, nulls as 0, and which are no nulls. Values are not copied where there are no nulls."""
    column = _whole(column)
    if column.null_count == 0:
        return column.to_numpy(zero_copy_only=False).astype(dtype, copy=False), np.ones(len(column), bool)
    valid = pc.is_valid(column).to_numpy(zero_copy_only=False)
    return column.fill_null(0).to_numpy(zero_copy_only=False).astype(dtype, copy=False), valid


def moments(column: Any) -> Any:
    """Times as int64, nulls as they are: timestamps in microseconds."""
    return (
        column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64()) if is_moment(column) else column.cast("int64")
    )


def is_moment(column: Any) -> bool:
    """Whether it is a column of timestamps."""
    return pa.types.is_timestamp(column.type)


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def coded(columns: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Codes 0, 1 ... of rows of key columns in the order in which they first come, and the columns of distinct keys.

    A null is a key like any other, and so is NaN. O(n) for one column, O(n log n) for several.
    """
    codes, distinct = _coded(columns[0])
    if len(columns) == 1:
        return codes, [distinct]
    for column in columns[1:]:
        more, values = _coded(column)
        codes = _numbered(codes * len(values) + more)[0]
    codes, first = _numbered(codes)
    return codes, [_whole(column).take(pa.array(first)) for column in columns]


def coded_after(before: list[Any], columns: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Codes of rows of key columns, and distinct keys: those `before` first, which have kept their codes."""
    if not before:
        return coded(columns)
    joined = [pa.chunked_array([was, *new.chunks]) for was, new in zip(before, columns, strict=True)]
    codes, distinct = coded(joined)
    return codes[len(before[0]) :], distinct


def _coded(column: Any) -> tuple[np.ndarray, Any]:
    column = _whole(column)
    if pa.types.is_floating(column.type):  # NaNs of other bits, such as -NaN, would be keys of their own
        column = pc.if_else(pc.is_nan(column), pa.scalar(math.nan, column.type), column)
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary


def _numbered(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The codes numbered anew in the order in which they first come, and where each comes first."""
    _, first, where = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[where], first[order]


def given(asked: Any, keys: list[Any], fired: Any) -> pa.RecordBatch:
    """What fired, as columns of `asked.results`; `keys` are the columns of the keys that fired.codes count."""
    which = pa.array(fired.codes)
    made = [column.take(which) for column in keys]
    if asked.kernel.at_ends:
        made += [pa.array(fired.times - asked.windows.size), pa.array(fired.times)]
    else:
        made.append(pa.array(fired.times))
        made += [_with_nulls(column, fired.valid.get(name)) for name, column in fired.values.items()]
    made += [_with_nulls(column, fired.filled.get(name)) for name, column in fired.results.items()]
    return pa.RecordBatch.from_arrays(
        [_as(column, kind) for column, kind in zip(made, asked.results.types, strict=True)], schema=asked.results
    )


def _with_nulls(column: np.ndarray, valid: np.ndarray | None) -> Any:
    if column.dtype == object:
        return column if valid is None else np.where(valid, column, np.array(None))
    return pa.array(column, mask=None if valid is None else ~valid)


def _as(column: Any, kind: pa.DataType) -> Any:
    if isinstance(column, np.ndarray):
        rows = [dict(zip(one._fields, one, strict=True)) if hasattr(one, "_fields") else one for one in column]
        return pa.array(rows, kind)
    return column if column.type == kind else column.cast(kind)
