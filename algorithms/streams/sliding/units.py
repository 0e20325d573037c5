"""Sizes and slides as people give them, and the positions they are compared with, as compiled code has them.

What a size is measured in follows from `by`: tuples (count), punctuations, units of time, or units of an attribute.
Positions are plain int64 (datetime64 and timedelta: microseconds) or float64, since ends are computed from them.
"""

import datetime
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from algorithms.streams.sliding.extent_trigger import Exact
from algorithms.times import KINDS, TimeError
from safeguards.wrong_input import is_real

FARTHEST = 2**62
"""Positions that are whole numbers lie between -FARTHEST and FARTHEST, so that ends can be computed."""


LONGEST = 2.0**990
"""Sizes, slides and positions that are floats are below it, so that ends can be computed."""


DIGITS = 15
"""Decimals of so many digits are told apart by the float nearest to each."""

PARTS = 1000
"""A size or slide that is no such decimal may be a number of equal parts, of which there are at most so many."""


def meant(length: float) -> Fraction:
    """The number that is meant by a float: 0.3 by the nearest to 0.3, a third by 1 / 3, or else the float itself."""
    decimal = f"{length:.{DIGITS}g}"
    if float(decimal) == length:
        return Fraction(decimal)
    simple = Fraction(length).limit_denominator(PARTS)
    return simple if float(simple) == length else Fraction(length)


def exactly(number: Fraction) -> Exact:
    """The number as the nearest float, and the float nearest to the rest."""
    return Exact(float(number), float(number - Fraction(float(number))))


class Unit(NamedTuple):
    """How a position is called, and the kind of its numbers: int64, float64 or datetime64."""

    name: str
    kind: str

    @property
    def dtype(self) -> str:
        return "float64" if self.kind == "float64" else "int64"

    def length(self, field: str, value: Any, least: int = 1) -> int | float:
        """A size or slide as a number. Raises ValueError naming the field."""
        length = self._length(value)
        if length is None or (
            not least <= length < FARTHEST if self.dtype == "int64" else length < 0 or length == 0 < least
        ):
            raise ValueError(f"{field} must be {self._wanted(least)}{self._limit(value)}, not {value!r}")
        return length

    def _length(self, value: Any) -> int | float | None:
        if self.kind == "datetime64":
            if isinstance(value, datetime.timedelta):
                return value // datetime.timedelta(microseconds=1)
            if isinstance(value, np.timedelta64) and not np.isnat(value):
                return int(value.astype("timedelta64[us]").astype(np.int64))
            return None
        if not is_real(value):
            return None
        if self.kind == "float64":
            return float(value) if abs(value) < LONGEST else None
        return int(value) if value == value // 1 and abs(value) < FARTHEST else None

    def _limit(self, value: Any) -> str:
        """What to say of a value that is too large."""
        if self.kind == "datetime64":
            return " and below 2**62" if (self._length(value) or 0) >= FARTHEST else ""
        if not is_real(value):
            return ""
        if self.kind == "float64":
            return " and below 2**990" if value >= LONGEST else ""
        return " and below 2**62" if value >= FARTHEST else ""

    def _wanted(self, least: int) -> str:
        if self.kind == "datetime64":
            return f"a timedelta of at least {least} microsecond{'' if least else 's'}"
        if self.kind == "float64":
            return f"a number {'above' if least else 'of at least'} 0 ({self.name})"
        return f"a whole number of at least {least} ({self.name})"

    def moment(self, field: str, value: Any) -> int | float:
        """Where windows are aligned: a length from 0 on, or None for 0."""
        return (0.0 if self.dtype == "float64" else 0) if value is None else self.length(field, value, least=0)

    def positions(self, field: str, values: Any) -> np.ndarray:
        """A column of positions. Raises TimeError for one that is none, naming the field."""
        given = np.asarray(values)
        if given.ndim != 1:
            raise TimeError(f"{field} must be a column, of one dimension, not of {given.ndim}")
        if self.kind == "float64":
            return _floats(field, given)
        try:
            array = KINDS[self.kind].encode_many(given)
        except TimeError as error:
            raise error if self.name == "time" else self._no_position(field, given) from None
        if array.size and not -FARTHEST < int(array.min()) <= int(array.max()) < FARTHEST:
            raise TimeError(f"{field} must lie within 2**62 of 0, so that window ends can be computed")
        return array

    def _no_position(self, field: str, values: np.ndarray) -> TimeError:
        """The error for the first value that is no position, where that is no time."""
        for i, value in enumerate(values.tolist()):
            try:
                KINDS[self.kind].encode(value)
            except TimeError:
                wanted = "dates and times" if self.kind == "datetime64" else "whole numbers"
                offer = "" if self.kind == "datetime64" else ' (time="float64" takes others)'
                return TimeError(f"{field}[{i}] is {value!r}, where the window goes by {wanted}{offer}")
        return TimeError(f"{field} must be {self.kind}, not {values.dtype}")

    def shown(self, positions: np.ndarray) -> np.ndarray:
        """Positions as people read them."""
        return positions.astype("datetime64[us]") if self.kind == "datetime64" else positions


def _floats(field: str, given: np.ndarray) -> np.ndarray:
    try:
        array = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TimeError(f"{field} must be numbers") from None
    if not np.isfinite(array).all():
        wrong = int(np.flatnonzero(~np.isfinite(array))[0])
        raise TimeError(f"{field}[{wrong}] is {array[wrong]}: it has no place in a window")
    return array
