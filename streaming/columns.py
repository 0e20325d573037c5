"""Arrow columns and NumPy columns: keys to codes and back, values with their nulls, results."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def numbers(column: Any, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """The values, with 0 for null, and which of them are not null. Values without nulls are not copied."""
    column = _whole(column)
    if column.null_count == 0:
        return column.to_numpy(zero_copy_only=False).astype(dtype, copy=False), np.ones(len(column), bool)
    valid = pc.is_valid(column).to_numpy(zero_copy_only=False)
    return column.fill_null(0).to_numpy(zero_copy_only=False).astype(dtype, copy=False), valid


def values_of(dtypes: Mapping[str, str], columns: Iterable[Any]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The values of each column by its name, in its dtype, and which of them are not null (`numbers`)."""
    found = {name: numbers(column, dtype) for (name, dtype), column in zip(dtypes.items(), columns, strict=True)}
    values, valid = ({name: both[i] for name, both in found.items()} for i in range(2))
    return values, valid


def quoted(name: str) -> str:
    """The name of a column as SQL takes it, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def int64_times(column: Any) -> Any:
    """Times as int64, timestamps in microseconds; nulls stay."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz))
    return column.cast(pa.int64())


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def coded(columns: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Codes 0, 1 ... for the rows of key columns, in order of first appearance, and the columns of distinct keys.

    A null is a key like any other, and so is NaN. O(n) for one column, O(n log n) for several.
    """
    codes, distinct = _coded(columns[0])
    if len(columns) == 1:
        return codes, [distinct]
    for column in columns[1:]:
        column_codes, distinct = _coded(column)
        codes = _renumbered(codes * len(distinct) + column_codes)[0]
    codes, first = _renumbered(codes)
    return codes, [_whole(column).take(pa.array(first)) for column in columns]


def coded_after(known: list[Any], columns: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Codes for the rows of key columns, and distinct keys: first the `known` ones, which keep their codes."""
    if not known:
        return coded(columns)
    joined = [pa.chunked_array([old, *new.chunks]) for old, new in zip(known, columns, strict=True)]
    codes, distinct = coded(joined)
    return codes[len(known[0]) :], distinct


def _coded(column: Any) -> tuple[np.ndarray, Any]:
    column = _whole(column)
    if pa.types.is_floating(column.type):  # NaNs with other bits, such as -NaN, would be other keys
        column = pc.if_else(pc.is_nan(column), pa.scalar(math.nan, column.type), column)
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary


def _renumbered(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The codes renumbered in order of first appearance, and the row where each first appears."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[inverse], first[order]


def result_batch(aggregation: Any, keys: list[Any], fired: Any) -> pa.RecordBatch:
    """What fired, as columns of `aggregation.results`; `keys` are the columns of the keys that fired.codes number."""
    codes = pa.array(fired.codes)
    columns = [key.take(codes) for key in keys]
    if aggregation.kernel.at_ends:
        columns += [pa.array(fired.times - aggregation.windows.size), pa.array(fired.times)]
    else:
        columns.append(pa.array(fired.times))
        columns += [_with_nulls(column, fired.valid.get(name)) for name, column in fired.values.items()]
    columns += [_with_nulls(column, fired.filled.get(name)) for name, column in fired.results.items()]
    return pa.RecordBatch.from_arrays(
        [_of_type(column, kind) for column, kind in zip(columns, aggregation.results.types, strict=True)],
        schema=aggregation.results,
    )


def _with_nulls(column: np.ndarray, valid: np.ndarray | None) -> Any:
    if column.dtype == object:
        return column if valid is None else np.where(valid, column, np.array(None))
    return pa.array(column, mask=None if valid is None else ~valid)


def _of_type(column: Any, kind: pa.DataType) -> Any:
    if isinstance(column, np.ndarray):
        results = [dict(zip(r._fields, r, strict=True)) if hasattr(r, "_fields") else r for r in column]
        return pa.array(results, kind)
    return column if column.type == kind else column.cast(kind)
