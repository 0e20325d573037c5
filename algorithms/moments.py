"""Lengths of time as people write them, and time zones. By pandas, whose words for both are the field's.

pandas is imported only when there is text to read or a zone to keep: that takes half a second.
"""

import datetime
import re
from typing import Any

import numpy as np

from algorithms.times import TimeError

EXAMPLE = "a length of time such as '5min', '1 hour', '2 minutes 30 seconds' or a timedelta"

NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
NANOSECONDS |= {"D": 24 * NANOSECONDS["h"], "W": 7 * 24 * NANOSECONDS["h"]}
"""Units of NumPy that have a fixed length."""

UNKNOWN = "unknown"
"""The zone of no times at all; None is that of times without one."""

_WEEKS = re.compile(r"(?<=[\d\s])w(eeks?)?(?![a-z])", re.IGNORECASE)
_DAYS = re.compile(r"(?<=[\d\s])d(?![a-zA-Z])")
_CALENDAR = re.compile(r"\d\s*(?:(?:MS?|ME|Y[SE]?|y|Q[SE]?)\b|((?i:month|quarter|year))s?\b)")


def is_length(value: Any) -> bool:
    """Whether this says a length of time by itself: text, or a timedelta of Python, NumPy or pandas."""
    return isinstance(value, str | datetime.timedelta | np.timedelta64)


def microseconds(field: str, length: Any) -> int:
    """A length of time, at least 0, in microseconds. As `nanoseconds`; a fraction of a microsecond is refused, too."""
    exact = nanoseconds(field, length)
    if exact % 1000:
        raise ValueError(f"{field} must be {EXAMPLE}, of whole microseconds, not {length!r}")
    return exact // 1000


def nanoseconds(field: str, length: Any) -> int:
    """A length of time, at least 0, in nanoseconds: "5min", "1 hour", "2 minutes 30 seconds", "01:30:00", a timedelta.

    Raises ValueError that names the field for a number without a unit, for a calendar unit, which has no fixed length,
    and for what is no length of time.
    """
    if not is_length(length):
        raise ValueError(f"{field} must be {EXAMPLE}, not {length!r}")
    value = _parsed(field, length) if isinstance(length, str) else length
    if isinstance(value, np.timedelta64):
        unit, count = np.datetime_data(value.dtype)
        if np.isnat(value) or unit not in NANOSECONDS:
            raise ValueError(f"{field} must be {EXAMPLE}, in a unit of fixed length, not {length!r}")
        exact = int(value.astype(np.int64)) * count * NANOSECONDS[unit]
    elif value != value:  # pandas' NaT, which is a timedelta as well
        raise ValueError(f"{field} must be {EXAMPLE}, not {length!r}")
    else:
        beyond = getattr(value, "nanoseconds", 0)  # pandas' Timedelta has more digits than Python's
        exact = value // datetime.timedelta(microseconds=1) * 1000 + int(beyond)
    if exact < 0:
        raise ValueError(f"{field} must be {EXAMPLE}, of at least 0, not {length!r}")
    return exact


def _parsed(field: str, text: str) -> Any:
    """The text as NumPy's timedelta64."""
    import pandas as pd

    plain = text.strip()
    plain = _WEEKS.sub("W", plain[8:] if plain.lower().startswith("interval") else plain)
    plain = _DAYS.sub("D", plain)  # pandas warns of "d"
    if calendar := _CALENDAR.search(plain):
        unit = (calendar[1] or calendar[0].lstrip("0123456789 ")).lower()
        raise ValueError(f"{field}={text!r}: a {unit} has no fixed length; say it in weeks or days")
    has_unit = re.search(r"[a-zA-Zµ:]", plain) is not None
    try:
        length = pd.Timedelta(plain) if has_unit else pd.NaT
    except ValueError:
        length = pd.NaT
    if length is pd.NaT:
        raise ValueError(
            f"{field} must be {EXAMPLE}, not {text!r}{'' if has_unit or not plain else ': its unit is missing'}"
        )
    return length.to_timedelta64()


# --------------------------------------------------------------------------------------------------------- time zones


def without_zone(field: str, times: Any) -> tuple[Any, Any]:
    """A column of times, in UTC if they have a time zone; and that zone, None if they have none, UNKNOWN if no time is.

    Takes columns of pandas, Arrow and Polars, at their speed, and lists of Python's datetimes. Raises TimeError for
    times with a zone among others without, or of another zone.
    """
    if isinstance(times, np.ndarray) and times.dtype.kind != "O":
        return times, None if len(times) else UNKNOWN
    kind = getattr(times, "dtype", getattr(times, "type", None))  # Arrow says type
    zone = getattr(kind, "tz", None) or getattr(kind, "time_zone", None)  # Polars says time_zone
    if zone is not None:
        return np.asarray(times, "datetime64[us]"), zone
    times = times if isinstance(times, list | tuple) else np.asarray(times)
    if isinstance(times, np.ndarray) and times.dtype.kind != "O":
        return times, None if times.size else UNKNOWN
    zones = [time.tzinfo if isinstance(time, datetime.datetime) else None for time in times]
    for i, zone in enumerate(zones):
        if zone is not zones[0] and str(zone) != str(zones[0]):
            raise TimeError(f"{field}[{i}] {_of(zone)}, and times before it {_of(zones[0], 'have')}; {ADVICE}")
    return times, zones[0] if zones else UNKNOWN


ADVICE = "give all in one zone, or all without"


def same_zone(field: str, before: Any, now: Any) -> Any:
    """The zone of a stream whose times had zone `before`, and now have `now`. Raises TimeError if they differ."""
    if UNKNOWN in (str(before), str(now)):
        return before if now == UNKNOWN else now
    if str(before) != str(now):
        raise TimeError(f"{field} {_of(now, 'have')}, and those of the stream so far {_of(before, 'have')}; {ADVICE}")
    return before


def _of(zone: Any, verb: str = "has") -> str:
    return f"{verb} no time zone" if zone is None else f"{verb} the time zone {zone}"


def in_zone(moments: np.ndarray, zone: Any) -> Any:
    """Moments of UTC as a DatetimeIndex of a zone; as they are if they have none."""
    if zone is None or zone == UNKNOWN:
        return moments
    import pandas as pd

    return pd.DatetimeIndex(moments).tz_localize("UTC").tz_convert(zone)
