"""Columns of times, as whole numbers of a unit."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from algorithms.moments import NANOSECONDS
from algorithms.rolling.columns import is_arrow, pandas_class
from algorithms.times import TimeError

FARTHEST = 2**62
"""Times lie between -FARTHEST and FARTHEST, so that their distances are numbers of 64 bits."""


class Axis(NamedTuple):
    """Times as int64, in units of so many nanoseconds; None for whole numbers without a unit."""

    times: np.ndarray
    unit: Fraction | None


def axis_of(times: Any) -> Axis:
    """A column of dates (of NumPy, pandas, Arrow; with a time zone, in UTC), or of whole numbers.

    Raises TimeError for other columns, for NaT and null, and for times too far away.
    """
    if pandas_class(times) == "DataFrame":
        raise TimeError("times is a DataFrame: give one of its columns")
    if is_arrow(times):
        from algorithms.rolling import arrow  # it takes 0.1 s to import, which others need not wait for

        array = arrow.times("times", times)
    else:
        array = np.asarray(times)
    if array.ndim != 1:
        raise TimeError(f"times must be a column, of one dimension, not of {array.ndim}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind not in "Miu":
        advice = ": count whole units, such as (1000 * t).astype('int64')" if array.dtype.kind == "f" else ""
        raise TimeError(f"times must be dates or whole numbers, not {array.dtype}{advice}")
    unit = None
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            raise TimeError(f"times[{int(np.isnat(array).argmax())}] is NaT: every row needs a time")
        name, count = np.datetime_data(array.dtype)
        if name not in NANOSECONDS:
            raise TimeError(f"times must be in units from weeks to nanoseconds, not {array.dtype}")
        unit = Fraction(count * NANOSECONDS[name])
        array = array.astype(array.dtype.newbyteorder("="), copy=False).view(np.int64)
    if array.size and not -FARTHEST < int(array.min()) <= int(array.max()) < FARTHEST:
        raise TimeError("times must lie within 2^62 units of 0, so that their distances fit into 64 bits")
    return Axis(np.ascontiguousarray(array, np.int64), unit)
