"""Kinds of time: what people pass in, as the int64 that windows order by, and back.

Windows only compare times, so any totally ordered kind will do that maps to int64 without changing the order.
"""

import datetime
import numbers
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

LEAST, MOST = -(2**63), 2**63 - 2
"""The largest int64 is kept back: bulk eviction looks for the first time after the one it is given."""


FINER = ("ns", "ps", "fs", "as")
"""Units of datetime64 that are cut off to microseconds."""


class TimeError(ValueError):
    """A time of the wrong kind: NaN, not a whole number where times are int64, or out of range."""


class Kind(NamedTuple):
    name: str
    encode: Callable[[Any], int]
    encode_many: Callable[[Any], np.ndarray]
    decode: Callable[[int], Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return kind_named, (self.name,)


def _is_whole(time: Any) -> bool:
    return isinstance(time, numbers.Real) and not isinstance(time, bool) and time == time and time == time // 1


def _whole(time: Any) -> int:
    if _is_whole(time):
        if LEAST <= time <= MOST:
            return int(time)
        raise TimeError(f"time {time!r} does not fit in 64 bits")
    raise TimeError(
        f'time {time!r} is not a whole number (windows made with time="float64" or "datetime64" take others)'
    )


def ordered_bits(times: np.ndarray) -> np.ndarray:
    """float64 as int64 in the same order: negative numbers have their magnitude bits flipped."""
    bits = (times + 0.0).view(np.int64)  # + 0.0 turns -0.0 into 0.0
    return np.where(bits < 0, bits ^ MOST_BITS, bits)


MOST_BITS = np.int64(2**63 - 1)


def _floats(times: Any) -> np.ndarray:
    array = np.atleast_1d(np.asarray(times))
    if array.dtype.kind not in "iuf":
        raise TimeError(f"time {times!r} is not a number")
    array = array.astype(np.float64)
    if np.isnan(array).any():
        raise TimeError(f"time NaN at position {int(np.flatnonzero(np.isnan(array))[0])}: it has no place in an order")
    return ordered_bits(array)


def _float(time: Any) -> int:
    if np.ndim(time):
        raise TimeError(f"time {time!r} is not a number")
    return int(_floats(time)[0])


def floats_of(keys: np.ndarray) -> np.ndarray:
    """The float64 whose `ordered_bits` these are."""
    return np.where(keys < 0, keys ^ MOST_BITS, keys).view(np.float64)


def _float_back(key: int) -> float:
    return float(floats_of(np.array([key], np.int64))[0])


def _moment(time: Any) -> int:
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        time = time.astimezone(datetime.UTC).replace(tzinfo=None)
    if not isinstance(time, datetime.date | np.datetime64 | str):
        raise TimeError(f"time {time!r} is not a date and time")
    try:
        with warnings.catch_warnings(action="error", category=UserWarning):
            moment = np.datetime64(time)
    except ValueError as reason:
        raise TimeError(f"time {time!r} is not a date and time: {reason}") from None
    except UserWarning:  # NumPy drops the zone
        raise TimeError(
            f"time {time!r} is text with a time zone; give a datetime, as pandas.to_datetime reads"
        ) from None
    return int(_microseconds(np.array([moment]))[0])


def _microseconds(moments: np.ndarray) -> np.ndarray:
    """datetime64 of any unit as microseconds. Raises TimeError for NaT and for a time that these do not reach."""
    if moments.dtype == "datetime64[us]":
        counts = moments.view(np.int64)
        if not len(counts) or (counts.min() > LEAST and counts.max() <= MOST):  # NaT is LEAST
            return counts
    if np.isnat(moments).any():
        raise TimeError(f"time NaT at position {int(np.isnat(moments).argmax())}: it has no place in an order")
    converted = moments.astype("datetime64[us]")
    far = converted.astype(np.int64) > MOST
    if np.datetime_data(moments.dtype)[0] not in FINER:
        far |= converted.astype(moments.dtype) != moments  # NumPy wraps around without a word
    if far.any():
        raise TimeError(f"time {moments[far.argmax()]} is too far away: microseconds of 64 bits reach the year 294246")
    return converted.astype(np.int64)


def _whole_many(times: Any) -> np.ndarray:
    array = np.asarray(times)
    if array.dtype.kind in "iu" and (array.size == 0 or int(array.max()) <= MOST):
        return array.astype(np.int64, copy=False)
    items = times if isinstance(times, list | tuple) else array.tolist()  # beside a float, NumPy rounds whole numbers
    return np.array([_whole(time) for time in items], np.int64)


def _moments(times: Any) -> np.ndarray:
    array = np.asarray(times)
    if array.dtype.kind == "M":
        return _microseconds(array)
    return np.array([_moment(time) for time in array.tolist()], np.int64)


def kind_named(name: str) -> Kind:
    """The kind, as pickle has it."""
    return KINDS[name]


KINDS = {
    "int64": Kind("int64", _whole, _whole_many, int),
    "float64": Kind("float64", _float, _floats, _float_back),
    "datetime64": Kind("datetime64", _moment, _moments, lambda key: np.datetime64(int(key), "us")),
}
"""datetime64: microseconds; time zones are converted to UTC, times without one are taken as they are."""
