"""What people pass in as columns, checked, and as compiled code reads it."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.facade import ValueKindError
from algorithms.kernel import Slots
from algorithms.times import KINDS, TimeError


def values_of(op: Any, values: Any) -> Any:
    """What is aggregated, as a column or a tuple of columns that compiled code reads. Raises ValueKindError."""
    if isinstance(values, tuple) and values and all(isinstance(column, np.ndarray) for column in values):
        return columns_of(op, [numbers("values", column, None) for column in values])
    if not isinstance(values, Iterable) or (isinstance(values, np.ndarray) and values.ndim == 0):
        raise ValueKindError(f"values must be a column or a tuple of columns, not {values!r}")
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype.kind in "iuf" and (array.dtype.kind == "i" or op.takes == "float64"):
        return numbers("values", array, op.takes)
    try:
        made = [operators.encode(op, value) for value in values]
    except ValueError as error:
        raise ValueKindError(str(error)) from None
    if made and isinstance(made[0], tuple):
        return tuple(numbers("values", np.asarray(part), None) for part in zip(*made, strict=True))
    return numbers("values", np.asarray(made, op.takes), op.takes)


def columns_of(op: Any, columns: list[Slots]) -> tuple[Slots, ...]:
    """The columns of a tuple as the operator takes them: what it makes of the first record says how many and which."""
    if len({len(column) for column in columns}) > 1:
        lengths = " and ".join(str(len(column)) for column in columns)
        raise ValueKindError(f"values: columns of {lengths} records; there must be as many of each")
    first = tuple(column[0].item() if len(column) else column.dtype.type(1).item() for column in columns)
    try:
        wanted = operators.encode(op, first)
    except ValueError as error:
        raise ValueKindError(str(error)) from None
    return tuple(
        whole(f"values[{i}]", column) if isinstance(part, int) else column
        for i, (column, part) in enumerate(zip(columns, wanted, strict=True))
    )


def whole(name: str, column: Slots) -> Slots:
    """A column of numbers as int64. Raises ValueKindError for one that is not whole."""
    with np.errstate(invalid="ignore"):
        made = column.astype(np.int64, copy=False)
    if column.dtype.kind == "f" and (made != column).any():
        i = int(np.flatnonzero(made != column)[0])
        raise ValueKindError(f"{name}[{i}] must be a whole number of at most 64 bits, not {column[i].item()!r}")
    return as_slots(made)


def as_slots(array: np.ndarray) -> Slots:
    """The array as compiled code reads it, without a copy where that is possible."""
    return np.ascontiguousarray(array).view(Slots)


def moments(times: Any) -> np.ndarray:
    """Times as int64; of dates and times, microseconds. Raises TimeError."""
    times = np.asarray(times)
    if times.ndim != 1:
        raise TimeError(f"times must be a column, not an array of {times.ndim} dimensions")
    if times.dtype == np.int64:
        return times
    return KINDS["datetime64" if times.dtype.kind in "MOU" else "int64"].encode_many(times)


def numbers(name: str, array: Any, dtype: str | None) -> Slots:
    """The column in a dtype (None: int64 or float64, as it is). Raises ValueKindError for NaN and what is no number."""
    array = np.asarray(array)
    if array.ndim != 1 or (array.dtype.kind not in "biuf" and len(array)):
        raise ValueKindError(f"{name} must be a column of numbers, not {array.dtype} of {array.ndim} dimensions")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueKindError(f"{name}[{int(np.flatnonzero(np.isnan(array))[0])}] is NaN")
    return as_slots(array.astype(dtype or ("float64" if array.dtype.kind == "f" else "int64"), copy=False))


def whole_numbers(name: str, array: Any) -> Slots:
    """The column as int64. Raises ValueKindError."""
    array = np.asarray(array)
    if array.ndim != 1:
        raise ValueKindError(f"{name} must be a column, not an array of {array.ndim} dimensions")
    if array.dtype.kind not in "iu":
        raise ValueKindError(f"{name}: a measure must be whole numbers (metres, not kilometres), not {array.dtype}")
    return as_slots(array.astype(np.int64, copy=False))
