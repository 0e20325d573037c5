"""Columns of Arrow, and of all that speaks its PyCapsule interface. Nothing else of `rolling` imports PyArrow."""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from algorithms.errors import ValueKindError
from algorithms.rolling.columns import Answers, Column, Give, in_whole, numbers_of, pandas_class
from algorithms.times import TimeError


def piece(field: str, values: Any) -> pa.Array:
    """The column as one array of Arrow's; without a copy, if it is in one piece."""
    if isinstance(values, pa.Table | pa.RecordBatch):
        raise ValueKindError(f"{field} is a table: give one of its columns, such as table[{values.schema.names[0]!r}]")
    if pandas_class(values) or isinstance(values, pa.Array):
        array = pa.array(values)
    else:
        array = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array(values)
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    return array


def read(field: str, values: Any) -> Column:
    """The numbers of a column. Raises ValueKindError for a column of other things."""
    array = piece(field, values)
    kind = array.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise ValueKindError(f"{field} must be numbers, not {kind}")
    if pa.types.is_boolean(kind):
        array = array.cast(pa.int8())
    if array.null_count == 0:
        return Column(numbers_of(field, array.to_numpy()))
    if pa.types.is_floating(kind):
        return Column(numbers_of(field, array.to_numpy(zero_copy_only=False)))
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return Column(numbers_of(field, array.fill_null(0).to_numpy()), valid)


def times(field: str, values: Any) -> np.ndarray:
    """A column of times as NumPy has it: datetime64, in UTC where the column has a time zone, or whole numbers."""
    array = piece(field, values)
    if array.null_count:
        raise TimeError(f"{field}[{pc.index(array.is_null(), True).as_py()}] is null: every row needs a time")
    if pa.types.is_timestamp(array.type):
        return array.cast(pa.timestamp(array.type.unit)).to_numpy()
    if pa.types.is_date(array.type):
        return array.to_numpy(zero_copy_only=False)
    if not pa.types.is_integer(array.type):
        raise TimeError(f"{field} must be dates or whole numbers, not {array.type}")
    return array.to_numpy()


def codes(field: str, keys: Any) -> tuple[np.ndarray, int]:
    """A number from 0 for each key, in the order of their first rows or of a dictionary; and how many there may be.

    Raises ValueKindError for a key that is null, and for keys that Arrow has no type for.
    """
    try:
        if isinstance(keys, np.ndarray):
            keys = keys.astype(keys.dtype.newbyteorder("="), copy=False)
        if isinstance(keys, np.ndarray | list | tuple):
            array = pa.array(keys, from_pandas=True)  # NaN is null
        else:
            array = piece(field, keys)
        if pa.types.is_dictionary(array.type) and not _is_plain(array.dictionary):
            array = array.dictionary_decode()
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError) as reason:
        raise ValueKindError(f"{field} must be a column of keys of one kind: {str(reason).splitlines()[0]}") from None
    if array.null_count:
        raise ValueKindError(f"{field}[{pc.index(array.is_null(), True).as_py()}] is null: every row needs a key")
    return array.indices.to_numpy().astype(np.int64), len(array.dictionary)


def _is_plain(dictionary: pa.Array) -> bool:
    """Whether it has every key once, and no null, both of which Arrow lets it have."""
    return not dictionary.null_count and len(pc.unique(dictionary)) == len(dictionary)


def as_array(answers: Answers) -> pa.Array:
    """The answers with null where there is none."""
    answers = in_whole(answers)
    if answers.numbers.dtype.kind == "f":
        missing = np.isnan(answers.numbers)
        missing = missing if answers.missing is None else missing | answers.missing
        return pa.array(answers.numbers, mask=missing if missing.any() else None)
    return pa.array(answers.numbers, mask=answers.missing)


def giving(values: Any) -> Give:
    """What makes a column of results of the kind of the values."""
    if pandas_class(values):
        return _for_pandas(values)
    polars = sys.modules.get("polars")

    def give(results: Mapping[str, Answers] | Answers) -> Any:
        if isinstance(results, Answers):
            array = as_array(results)
        else:
            array = pa.StructArray.from_arrays(list(map(as_array, results.values())), names=list(results))
        if isinstance(values, pa.Array):
            return array
        if polars is not None and isinstance(values, polars.Series):
            return polars.Series(values.name, array)
        return pa.chunked_array([array])

    return give


def _for_pandas(values: Any) -> Give:
    """Columns of pandas' own kinds: with missing values of its own (Int64), or of Arrow's types."""
    pandas = sys.modules["pandas"]
    index = values.index if pandas_class(values) == "Series" else None

    def column(answers: Answers) -> Any:
        if isinstance(values.dtype, pandas.ArrowDtype):
            return pandas.arrays.ArrowExtensionArray(as_array(answers))
        answers = in_whole(answers)
        array = as_array(answers)
        missing = array.is_null().to_numpy(zero_copy_only=False)
        kind = pandas.arrays.FloatingArray if answers.numbers.dtype.kind == "f" else pandas.arrays.IntegerArray
        return kind(answers.numbers, missing)

    def give(results: Mapping[str, Answers] | Answers) -> Any:
        if isinstance(results, Answers):
            return pandas.Series(column(results), index=index, name=values.name)
        return pandas.DataFrame({name: column(answers) for name, answers in results.items()}, index=index)

    return give
