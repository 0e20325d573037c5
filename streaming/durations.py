"""Lengths of time as Spark's `window` takes them ("1 hour", "2 minutes 30 seconds", a timedelta), in microseconds."""

import datetime
import re
from typing import Any

MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
"""Units of fixed length, which months and years do not have."""

_PART = re.compile(r"\s*(\d+)\s*([a-z]+)\s*")

EXAMPLE = "a length of time such as '1 hour', '2 minutes 30 seconds' or a timedelta"


def microseconds(field: str, length: Any) -> int:
    """The length in microseconds. Raises ValueError that names the field for anything that is not a length of time."""
    if isinstance(length, datetime.timedelta):
        if length < datetime.timedelta():
            raise ValueError(f"{field} must be {EXAMPLE}, of at least 0, not {length!r}")
        return length // datetime.timedelta(microseconds=1)
    if not isinstance(length, str):
        raise ValueError(f"{field} must be {EXAMPLE}, not {length!r}")
    text, place, total = length.strip().lower().removeprefix("interval"), 0, 0
    while part := _PART.match(text, place):
        unit = part[2].removesuffix("s")
        if unit in ("month", "year"):
            raise ValueError(f"{field}={length!r}: a {unit} has no fixed length; say it in weeks or days")
        if unit not in MICROSECONDS:
            raise ValueError(f"{field}={length!r}: there is no unit {part[2]!r}; there are: {', '.join(MICROSECONDS)}")
        total, place = total + int(part[1]) * MICROSECONDS[unit], part.end()
    if place == 0 or place < len(text):
        raise ValueError(f"{field} must be {EXAMPLE}, not {length!r}")
    return total
