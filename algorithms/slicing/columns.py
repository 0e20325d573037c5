"""What people pass in as columns, checked, and as compiled code reads it."""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.facade import ValueKindError
from algorithms.kernel import Slots
from algorithms.times import KINDS


def values_of(op: Any, values: Any) -> Any:
    """What is aggregated, as a column or a tuple of columns that compiled code reads. Raises ValueKindError."""
    if isinstance(values, tuple) and values and all(isinstance(column, np.ndarray) for column in values):
        return tuple(numbers("values", column, None) for column in values)
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


def as_slots(array: np.ndarray) -> Slots:
    """The array as compiled code reads it, without a copy where that is possible."""
    return np.ascontiguousarray(array).view(Slots)


def moments(times: Any) -> np.ndarray:
    """Times as int64; of dates and times, microseconds. Raises TimeError."""
    times = np.asarray(times)
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
    if array.dtype.kind not in "iu":
        raise ValueKindError(f"{name}: a measure must be whole numbers (metres, not kilometres), not {array.dtype}")
    return as_slots(array.astype(np.int64, copy=False))
