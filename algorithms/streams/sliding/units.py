"""From sizes and slides as people write them, and positions, to the numbers that compiled code compares.

`by` decides the unit of a size: tuples (count), punctuations, units of time, or units of an attribute. Positions are
plain int64 (microseconds for datetime64 and timedelta) or float64, since ends are computed from them.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from algorithms.moments import EXAMPLE, is_length, microseconds, same_zone, without_zone
from algorithms.streams.sliding.extent_trigger import Exact
from algorithms.times import KINDS, TimeError
from safeguards.wrong_input import is_real

FARTHEST = 2**62
"""Whole-number positions lie between -FARTHEST and FARTHEST, so that ends can be computed."""

LONGEST = 2.0**990
"""Float sizes, slides and positions are below it, so that ends can be computed."""

DIGITS = 15
"""Decimals with so many digits have different nearest floats."""

PARTS = 1000
"""A size or slide that is not such a decimal may be a fraction with a denominator of at most this."""


def meant(length: float) -> Fraction:
    """The number that a float stands for: 0.3 for the float nearest to it, a third for 1 / 3, else the float itself."""
    decimal = f"{length:.{DIGITS}g}"
    if float(decimal) == length:
        return Fraction(decimal)
    simple = Fraction(length).limit_denominator(PARTS)
    return simple if float(simple) == length else Fraction(length)


def exactly(number: Fraction) -> Exact:
    """The number as the nearest float and the float nearest to the rest."""
    return Exact(float(number), float(number - Fraction(float(number))))


class Unit(NamedTuple):
    """The name of a position, and the kind of its numbers: int64, float64 or datetime64."""

    name: str
    kind: str

    @property
    def dtype(self) -> str:
        return "float64" if self.kind == "float64" else "int64"

    def length(self, field: str, value: Any, least: int = 1) -> int | float:
        """A size or slide as a number. Raises ValueError that names the field."""
        length = self._length(field, value)
        if length is None or (
            not least <= length < FARTHEST if self.dtype == "int64" else length < 0 or length == 0 < least
        ):
            raise ValueError(f"{field} must be {self._allowed(least)}{self._limit(value)}, not {value!r}")
        return length

    def _length(self, field: str, value: Any) -> int | float | None:
        if self.kind == "datetime64":
            return microseconds(field, value) if is_length(value) else None
        if not is_real(value):
            return None
        if self.kind == "float64":
            return float(value) if abs(value) < LONGEST else None
        return int(value) if value == value // 1 and abs(value) < FARTHEST else None

    def _limit(self, value: Any) -> str:
        """The limit to mention if the value is too large."""
        if self.kind != "datetime64" and is_length(value) and re.search(r"\d", str(value)):
            return ', or with time="datetime64" a length of time' if self.name == "time" else ""
        if self.kind == "datetime64" and is_length(value):
            return " and below 2**62" if microseconds("", value) >= FARTHEST else ""
        if not is_real(value):
            return ""
        if self.kind == "float64":
            return " and below 2**990" if value >= LONGEST else ""
        return " and below 2**62" if value >= FARTHEST else ""

    def _allowed(self, least: int) -> str:
        if self.kind == "datetime64":
            return f"{EXAMPLE}, of at least {least} microsecond{'' if least else 's'}"
        if self.kind == "float64":
            return f"a number {'above' if least else 'of at least'} 0 ({self.name})"
        return f"a whole number of at least {least} ({self.name})"

    def moment(self, field: str, value: Any) -> int | float:
        """An offset of windows from 0 as a number; None is 0."""
        return (0.0 if self.dtype == "float64" else 0) if value is None else self.length(field, value, least=0)

    def positions(self, field: str, values: Any) -> np.ndarray:
        """A column of positions. Raises TimeError that names the field for a value that is not a position."""
        array = np.asarray(values)
        if array.ndim != 1:
            raise TimeError(f"{field} must be a column, of one dimension, not of {array.ndim}")
        if self.kind == "float64":
            return _floats(field, array, values if isinstance(values, list | tuple) else array.tolist())
        try:
            positions = KINDS[self.kind].encode_many(array)
        except TimeError as error:
            raise error if self.name == "time" else self._no_position(field, array) from None
        if positions.size and not -FARTHEST < int(positions.min()) <= int(positions.max()) < FARTHEST:
            raise TimeError(f"{field} must lie within 2**62 of 0, so that window ends can be computed")
        return positions

    def _no_position(self, field: str, values: np.ndarray) -> TimeError:
        """The error for the first value that is not a position, for windows that do not go by time."""
        for i, value in enumerate(values.tolist()):
            try:
                KINDS[self.kind].encode(value)
            except TimeError:
                kind = "dates and times" if self.kind == "datetime64" else "whole numbers"
                advice = "" if self.kind == "datetime64" else ' (time="float64" takes others)'
                return TimeError(f"{field}[{i}] is {value!r}, where the window goes by {kind}{advice}")
        return TimeError(f"{field} must be {self.kind}, not {values.dtype}")

    def without_zone(self, field: str, times: Any, before: Any) -> tuple[Any, Any]:
        """Dates in UTC, and the zone of a stream that had zone `before`; other times as they are.

        Raises TimeError that names the field if the zone changes.
        """
        if self.kind != "datetime64":
            return times, before
        times, zone = without_zone(field, times)
        return times, same_zone(field, before, zone)

    def shown(self, positions: np.ndarray) -> np.ndarray:
        """Positions as people read them: dates and times for datetime64."""
        return positions.view("datetime64[us]") if self.kind == "datetime64" else positions


def _floats(field: str, array: np.ndarray, items: Sequence[Any]) -> np.ndarray:
    if array.dtype.kind not in "iufb":  # NumPy makes numbers of dates and of text, and text of numbers beside it
        for i, value in enumerate(items):
            if not is_real(value) and not isinstance(value, Decimal):
                raise TimeError(f"{field}[{i}] is {value!r}, where positions are numbers")
    try:
        array = array.astype(np.float64)
    except OverflowError:
        raise TimeError(f"{field} must be numbers that a float64 holds") from None
    if not np.isfinite(array).all():
        wrong = int(np.flatnonzero(~np.isfinite(array))[0])
        raise TimeError(f"{field}[{wrong}] is {array[wrong]}: it has no place in a window")
    return array
