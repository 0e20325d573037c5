"""Arguments that people pass in, checked and turned into what compiled loops take, for every class of this package.

A batch of values is a column of numbers; a column of records, each a tuple; or the columns of records side by side, in
a tuple. Columns are lists, arrays, or anything that NumPy makes an array of; a tuple of tuples is a column of records.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.errors import ValueKindError
from algorithms.kernel import as_slots
from algorithms.nulls import nulls_as_nan
from algorithms.operators.monoid import (
    FLOATS,
    encode,
    expected,
    highest,
    lowest,
    takes_any_number,
    takes_nan,
    value_dtypes,
)
from algorithms.times import Kind, TimeError

EXACT = 2**53
"""Whole numbers up to here are floats without loss."""


def must_be_column(field: str, values: Any) -> Any:
    """A column that can be read by position: a list, tuple, string or array as it is, others as arrays.

    Series and the like are read by position, not by their index. Raises ValueKindError for what is no column.
    """
    if isinstance(values, list | tuple | str):
        return values
    array = np.asarray(values)
    if array.ndim != 1:
        kind = f"an array of {array.ndim} dimensions" if isinstance(values, np.ndarray) else type(values).__name__
        raise ValueKindError(f"{field} must be a column, such as a list or an array of one dimension, not {kind}")
    return array


def time_column(kind: Kind, times: Any) -> np.ndarray:
    """Times as the int64 that windows order by. Raises TimeError for one of another kind, and for what is no column."""
    try:
        dimensions = np.ndim(must_be_column("times", times))
    except ValueKindError as error:
        raise TimeError(str(error)) from None
    except ValueError:  # lists of several lengths, inside
        dimensions = 2
    if dimensions != 1:
        raise TimeError(f"times must be a column, of one dimension, not of {dimensions}")
    return kind.encode_many(times)


def as_columns(values: Any) -> Any:
    """What `value_columns` gives as compiled loops take it: a column, or a tuple of columns, nested as that is."""
    return tuple(map(as_columns, values)) if isinstance(values, tuple) else as_slots(values)


def length(values: Any) -> int:
    """How many records there are in what `value_columns` gives."""
    return length(values[0]) if isinstance(values, tuple) else len(values)


def value_columns(op: Any, values: Any) -> Any:
    """A batch of values as the operator lifts them: one array, or for records a tuple of arrays, of equal lengths.

    Arrays are of the dtype that the operator, or its part, takes (`value_dtypes`), without loss but for the rounding of
    whole numbers beyond 2^53 to float64. Where a value of a record is a record, its array is a tuple of arrays again.

    O(n); one Python call a value for lists of records, and for operators that do not take every number.
    For operators that take NaN (`operators.skipping`), None and pandas' NA are NaN.
    Raises ValueKindError naming the first value that the operator does not take: NaN, null, not a number, not a whole
    number of 64 bits where it takes those, or a record of another form than the first.
    """
    if _are_columns(values):
        columns = tuple(map(nulls_as_nan, values)) if takes_nan(op) else values
        return _columns_side_by_side(op, tuple(must_be_column(f"values[{i}]", each) for i, each in enumerate(columns)))
    values = nulls_as_nan(values) if takes_nan(op) else values
    values = must_be_column("values", values)
    if not len(values):
        return empty_columns(op)
    array = _numbers(values)
    if array is not None and takes_any_number(op):
        (dtype,) = _dtypes(op, 1)
        if isinstance(values, np.ndarray) or array.dtype.kind != "f" or dtype in FLOATS:
            return _without_loss(op, "values", array, dtype)
    return _stacked([_encoded(op, i, value) for i, value in enumerate(_items(values))], values)


def side_by_side(values: Any) -> tuple[np.ndarray, ...]:
    """What `value_columns` gives, always as a tuple. Raises ValueKindError for records inside of records."""
    columns = values if isinstance(values, tuple) else (values,)
    if any(isinstance(column, tuple) for column in columns):
        raise ValueKindError("values are records with records inside: streams take flat records, with none inside")
    return columns


def empty_columns(op: Any, width: int | None = None) -> Any:
    """No values: a column, or the fewest columns that the operator takes."""
    if width is None:
        try:
            value_dtypes(op, width := 1)
        except ValueError:
            width = 2
    columns = tuple(np.zeros(0, dtype) for dtype in _dtypes(op, width))
    return columns if width > 1 else columns[0]


def _dtypes(op: Any, width: int) -> tuple[str, ...]:
    try:
        return value_dtypes(op, width)
    except ValueError as error:
        raise ValueKindError(str(error)) from None


def _are_columns(values: Any) -> bool:
    """Whether these are columns in a tuple, and not a tuple of values or of records."""
    return isinstance(values, tuple) and len(values) > 0 and all(map(_is_column, values))


def _is_column(values: Any) -> bool:
    return isinstance(values, list) or (not isinstance(values, tuple | str) and np.ndim(values) == 1)


def _columns_side_by_side(op: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(values) == 1:
        raise ValueKindError("values are a tuple of one column: give the column itself, or columns side by side")
    try:
        dtypes = value_dtypes(op, len(values))
    except ValueError as error:
        raise ValueKindError(f"{len(values)} columns of values are given, but {error}") from None
    counts = list(map(len, values))
    if len(set(counts)) > 1:
        raise ValueKindError(
            f"{op.name}: columns of {' and '.join(map(str, counts))} values; there must be as many of each"
        )
    arrays = [array for column in values if (array := _numbers(column)) is not None]
    if takes_any_number(op) and len(arrays) == len(values):
        numbered = enumerate(zip(arrays, dtypes, strict=True))
        return tuple(_without_loss(op, f"values[{i}]", array, dtype) for i, (array, dtype) in numbered)
    records = list(zip(*map(_items, values), strict=True))
    return _stacked([_encoded(op, i, record) for i, record in enumerate(records)], records)


def _items(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _numbers(values: Any) -> np.ndarray | None:
    """The values as an array of numbers, if they are an array of these or a list of nothing else; None for others."""
    if isinstance(values, str):
        return None
    if not isinstance(values, np.ndarray) and len(values) and isinstance(values[0], tuple | list | str):
        return None  # NumPy would look at every value of every record
    try:
        array = np.asarray(values)
    except ValueError:  # numbers and records
        return None
    return array if array.ndim == 1 and (array.dtype.kind in "biuf" or not len(array)) else None


def _without_loss(op: Any, field: str, array: np.ndarray, dtype: str) -> np.ndarray:
    """The array in the dtype. Raises ValueKindError for the first that is NaN, or that the dtype does not have."""
    if array.dtype.kind == "f" and not takes_nan(op) and np.isnan(array).any():
        raise _nan(op, f"{field}[{int(np.isnan(array).argmax())}]")
    fits = _fits(array, dtype)
    if not fits.all():
        wrong = int(fits.argmin())
        form = expected(dtype)
        raise ValueKindError(f"{field}[{wrong}]: {op.name}: a value must be {form}, not {array[wrong].item()!r}")
    return array.astype(dtype, copy=False)


def _fits(array: np.ndarray, dtype: str) -> np.ndarray:
    """Which numbers the dtype has, but for rounding: floats of 64 bits have all."""
    if dtype == "float64" or array.dtype == dtype or (dtype == "int64" and array.dtype.kind in "bi"):
        return np.ones(1, np.bool_)
    if dtype == "float32":
        with np.errstate(over="ignore"):
            return np.isfinite(array.astype(dtype)) | ~np.isfinite(array)
    if array.dtype.kind != "f":
        return (array >= int(lowest(dtype))) & (array <= int(highest(dtype)))
    return (array >= float(lowest(dtype))) & (array < float(highest(dtype)) + 1) & (array == np.floor(array))


def _encoded(op: Any, i: int, value: Any) -> Any:
    """The value as `lift` takes it; one number that stands for all values of a record as that number."""
    try:
        encoded = encode(op, value)
    except ValueError as error:
        raise ValueKindError(f"values[{i}]: {error}") from None
    if not takes_nan(op) and any(number != number for number in _numbers_in(encoded)):
        raise _nan(op, f"values[{i}]")
    if isinstance(encoded, tuple) and not isinstance(value, tuple | list):
        number = next(_numbers_in(encoded))
        return number if op.takes in FLOATS else int(number)
    return encoded


def _numbers_in(value: Any) -> Iterator[int | float]:
    """The numbers of a value that may be a record, of records."""
    if isinstance(value, tuple):
        for element in value:
            yield from _numbers_in(element)
    else:
        yield value


def _stacked(encoded: list[Any], values: Any) -> Any:
    """Encoded values, all of one form, as an array or a tuple of them."""
    forms = list(map(_form, encoded))
    differing = next((i for i, form in enumerate(forms) if form != forms[0]), None)
    if differing is not None:
        raise ValueKindError(
            f"values[{differing}] is {values[differing]!r}, of another form than values[0], {values[0]!r}: "
            "give all as numbers, or all as records of as many values"
        )
    return _transposed(encoded)


def _form(value: Any) -> Any:
    return tuple(map(_form, value)) if isinstance(value, tuple) else None


def _transposed(encoded: list[Any]) -> Any:
    """An array of the numbers; of tuples, a tuple of what this gives of their parts."""
    if isinstance(encoded[0], tuple):
        return tuple(_transposed(list(parts)) for parts in zip(*encoded, strict=True))
    return np.asarray(encoded)


def _nan(op: Any, field: str) -> ValueKindError:
    return ValueKindError(f"{field} is NaN, which has no place in an aggregate ({op.name})")
