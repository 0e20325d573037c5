"""Columns that people pass in, checked, in the form that compiled code reads."""

from typing import Any

import numpy as np

from algorithms.arguments import time_column
from algorithms.errors import ValueKindError
from algorithms.kernel import Slots, as_slots
from algorithms.times import KINDS


def moments(times: Any) -> np.ndarray:
    """Times as int64; dates and times as microseconds. Raises TimeError."""
    times = np.asarray(times)
    if times.dtype == np.int64 and times.ndim == 1:
        return times
    return time_column(KINDS["datetime64" if times.dtype.kind in "MOU" else "int64"], times)


def numbers(name: str, array: Any) -> Slots:
    """The column as float64. Raises ValueKindError for NaN and for anything but numbers."""
    array = np.asarray(array)
    if array.ndim != 1 or (array.dtype.kind not in "biuf" and len(array)):
        raise ValueKindError(f"{name} must be a column of numbers, not {array.dtype} of {array.ndim} dimensions")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueKindError(f"{name}[{int(np.flatnonzero(np.isnan(array))[0])}] is NaN")
    return as_slots(array.astype(np.float64, copy=False))


def whole_numbers(name: str, array: Any) -> Slots:
    """The column as int64. Raises ValueKindError."""
    array = np.asarray(array)
    if array.ndim != 1:
        raise ValueKindError(f"{name} must be a column, not an array of {array.ndim} dimensions")
    if array.dtype.kind not in "iu":
        raise ValueKindError(f"{name}: a measure must be whole numbers (metres, not kilometres), not {array.dtype}")
    return as_slots(array.astype(np.int64, copy=False))
