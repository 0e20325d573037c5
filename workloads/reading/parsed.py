"""Columns of numbers and keys, parsed whole: the values, and for each record whether it is good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

WHOLE = r"^[+-]?[0-9]{1,40}$"
DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
AS_WRITTEN = r"^(0|-?[1-9][0-9]*)$"  # the one way to write a whole number: 007, +7 and -0 are others
CERTAIN_DIGITS = 18  # any whole number of so many digits fits into 64 bits


@dataclass(frozen=True)
class Parsed:
    """data      int64 or float64, shape (records,); arbitrary where not good
    good      bool, shape (records,)
    expected  what a good value is, for the error
    """

    data: np.ndarray
    good: np.ndarray
    expected: str


def integers(column: pa.Array, expected: str = "a whole number of 64 bits") -> Parsed:
    """A column of whole numbers as int64, from text or any integer type. Raises TypeError for another type."""
    if is_text(column):
        return Parsed(*_whole(text(column)), expected)
    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        fits = column if pa.types.is_boolean(column.type) else pc.if_else(_fits(column), column, None)
        return Parsed(_filled(fits.cast(pa.int64()), 0), _bools(fits.is_valid()), expected)
    raise TypeError(f"has type {column.type}; {expected} is needed")


def decimals(column: pa.Array, expected: str = "a finite number") -> Parsed:
    """A column of finite numbers as float64, from text or any number type. Raises TypeError for another type."""
    if is_text(column):
        trimmed = text(column)
        valid = pc.fill_null(pc.match_substring_regex(trimmed, DECIMAL), False)
        numbers = pc.if_else(valid, trimmed, "nan").cast(pa.float64())
    elif _is_numeric(column.type):
        numbers = column.cast(pa.float64(), safe=False)
    else:
        raise TypeError(f"has type {column.type}; {expected} is needed")
    data = _filled(numbers, np.nan)
    return Parsed(data, np.isfinite(data), expected)


def numbers(column: pa.Array) -> Parsed:
    """A column of numbers: int64, exact, if all that are numbers are whole and fit; float64 otherwise."""
    expected = "a finite number"
    if not is_text(column) and not pa.types.is_integer(column.type) and not pa.types.is_boolean(column.type):
        return decimals(column, expected)
    whole = integers(column, expected)
    if whole.good.all():
        return whole
    rest = decimals(column, expected)
    return rest if (rest.good & ~whole.good).any() else whole


def keys(column: pa.Array) -> Parsed:
    """A column of keys as int64: whole numbers as they are, others numbered from 0 in the order of appearance.

    Text is compared byte for byte: 007 and 7 are two keys, whatever other keys there are. So text stays whole numbers
    only where each is written as a number is; if one is not, all are numbered. Empty and null keys are bad. Raises
    TypeError for lists and the like.
    """
    if pa.types.is_nested(column.type):
        raise TypeError(f"has type {column.type}; a key is a number, a text or a time")
    present = _bools(column.is_valid())
    if is_text(column):
        present &= _bools(pc.fill_null(pc.greater(pc.binary_length(column), 0), False))
    if is_text(column) or pa.types.is_integer(column.type):
        whole = integers(column, "a key")
        if is_text(column):
            whole.good[:] &= _bools(pc.fill_null(pc.match_substring_regex(column, AS_WRITTEN), False))
        if (whole.good == present).all():
            return whole
    codes = column.dictionary_encode().indices
    return Parsed(_filled(codes.cast(pa.int64()), 0), present, "a key")


def is_text(column: pa.Array) -> bool:
    """Whether a column holds text, decoded or as raw bytes."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(kind(column.type) for kind in kinds)


def text(column: pa.Array) -> pa.Array:
    """A text column decoded, without blanks around its values; bytes that are not UTF-8 become U+FFFD."""
    try:
        decoded = column.cast(pa.large_string())
    except pa.ArrowInvalid:
        raw = column.cast(pa.large_binary()).to_pylist()
        decoded = pa.array([None if b is None else b.decode("utf-8", "replace") for b in raw], pa.large_string())
    return pc.utf8_trim_whitespace(decoded)


def _whole(trimmed: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    valid = pc.fill_null(pc.match_substring_regex(trimmed, WHOLE), False)
    good = _bools(valid)
    uncertain = pc.greater(pc.utf8_length(trimmed), CERTAIN_DIGITS)
    for record in np.flatnonzero(good & _bools(pc.fill_null(uncertain, False))):
        good[record] = -(1 << 63) <= int(trimmed[record].as_py()) < 1 << 63
    plain = pc.replace_substring_regex(pc.if_else(pa.array(good), trimmed, "0"), r"^\+", "")
    return _filled(plain.cast(pa.int64()), 0), good


def _fits(column: pa.Array) -> pa.Array:
    if column.type == pa.uint64():
        return pc.less_equal(column, pa.scalar((1 << 63) - 1, pa.uint64()))
    return column.is_valid()


def _is_numeric(kind: pa.DataType) -> bool:
    return (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    )


def _filled(column: pa.Array, fill: float) -> np.ndarray:
    return pc.fill_null(column, fill).to_numpy(zero_copy_only=False)


def _bools(column: pa.Array) -> np.ndarray:
    return np.array(column.to_numpy(zero_copy_only=False), bool)
