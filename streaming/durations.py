"""Lengths of time as Spark's `window` takes them: "1 hour", "2 minutes 30 seconds", or a timedelta; in microseconds."""

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
"""Units of a fixed length. Months and years have none."""

_PART = re.compile(r"\s*(\d+)\s*([a-z]+)\s*")

EXAMPLE = "a length of time such as '1 hour', '2 minutes 30 seconds' or a timedelta"


def microseconds(field: str, given: Any) -> int:
    """The length in microseconds. Raises ValueError naming the field for what is no length of time."""
    if isinstance(given, datetime.timedelta):
        if given < datetime.timedelta():
            raise ValueError(f"{field} must be {EXAMPLE}, of at least 0, not {given!r}")
        return given // datetime.timedelta(microseconds=1)
    if not isinstance(given, str):
        raise ValueError(f"{field} must be {EXAMPLE}, not {given!r}")
    text, place, total = given.strip().lower().removeprefix("interval"), 0, 0
    while part := _PART.match(text, place):
        unit = part[2].removesuffix("s")
        if unit in ("month", "year"):
            raise ValueError(f"{field}={given!r}: a {unit} has no fixed length; say it in weeks or days")
        if unit not in MICROSECONDS:
            raise ValueError(f"{field}={given!r}: there is no unit {part[2]!r}; there are: {', '.join(MICROSECONDS)}")
        total, place = total + int(part[1]) * MICROSECONDS[unit], part.end()
    if place == 0 or place < len(text):
        raise ValueError(f"{field} must be {EXAMPLE}, not {given!r}")
    return total
