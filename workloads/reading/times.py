"""Columns of times as int64 counts of one unit: whole numbers as they are, timestamps from 1970-01-01 00:00 UTC."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workloads.checks import UnknownName
from workloads.reading.parsed import Parsed, decimals, integers, is_text, text

FORMATS = ("integer", "seconds", "iso8601")
MICROSECONDS = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000, "day": 86_400_000_000}
EXPECTED = {
    "integer": "a whole number between -2^62 and 2^62 "
    "(time_format=integer; also: seconds, iso8601, a pattern like %d.%m.%Y %H:%M)",
    "seconds": "a finite number of seconds (time_format=seconds)",
    "iso8601": "a time like 2013-01-31T23:59:59.5+01:00 (time_format=iso8601)",
}
LARGEST = 1 << 62
"""Times lie between -LARGEST and LARGEST: from the first to the last, both counted, is a whole number of 64 bits."""


def check_format(name: str, time_format: str) -> None:
    """Raise UnknownName unless `time_format` is one of the three names or a strptime pattern."""
    if time_format not in FORMATS and "%" not in time_format:
        raise UnknownName(name, time_format, (*FORMATS, "a strptime pattern such as %Y-%m-%d %H:%M:%S"))


def check_unit(unit: str) -> None:
    """Raise UnknownName unless timestamps can be counted in `unit`."""
    if unit not in MICROSECONDS:
        raise UnknownName("time_unit for timestamps", unit, tuple(MICROSECONDS))


def times(column: pa.Array, time_format: str, unit: str) -> Parsed:
    """A column of times as int64.

    Arrow timestamps and dates are recognised by their type, whatever `time_format` says. Otherwise `integer` takes
    whole numbers as they are; `seconds` (numbers, rounded to microseconds), `iso8601` and strptime patterns (text;
    digits beyond microseconds are cut off) give timestamps. Timestamps without a zone are taken as UTC; all are
    counted in `unit`, rounded down. Raises TypeError for a column of another type, ValueError for a wrong pattern.
    """
    if is_timestamp(column):
        parsed = _typed(column)
    elif time_format == "integer":
        return bounded(integers(column, EXPECTED["integer"]))
    elif time_format == "seconds":
        seconds = decimals(column, EXPECTED["seconds"])
        good = seconds.good & (np.abs(seconds.data) < LARGEST / 1e6)
        micros = np.rint(np.where(good, seconds.data, 0) * 1e6).astype(np.int64)
        parsed = Parsed(micros, good, seconds.expected)
    elif is_text(column):
        parsed = _written(text(column), time_format)
    else:
        raise TypeError(f"has type {column.type}; time_format={time_format} reads text")
    return bounded(replace(parsed, data=parsed.data // MICROSECONDS[unit]))


def is_timestamp(column: pa.Array) -> bool:
    """Whether a column's own type says that it holds timestamps or dates."""
    return pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)


def bounded(times: Parsed) -> Parsed:
    """The times, good where windows can take differences of them."""
    return replace(times, good=times.good & (times.data > -LARGEST) & (times.data < LARGEST))


def _typed(column: pa.Array) -> Parsed:
    if pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("ms"))
    counts = pc.fill_null(column.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    if column.type.unit == "ns":
        micros, fits = counts // 1000, True
    else:
        factor = {"us": 1, "ms": 1_000, "s": 1_000_000}[column.type.unit]
        fits = (counts >= -LARGEST // factor) & (counts <= LARGEST // factor)
        micros = np.where(fits, counts, 0) * factor
    good = np.array(column.is_valid().to_numpy(zero_copy_only=False), bool) & fits
    return Parsed(micros, good, "a timestamp within 146,000 years of 1970")


def _written(trimmed: pa.Array, time_format: str) -> Parsed:
    import pandas as pd  # here, since it takes half a second and files of numbers do without

    expected = EXPECTED.get(time_format, f"a time like the pattern {time_format}")
    # Beyond microseconds pandas changes to nanoseconds, which do not reach back before 1678.
    cut = pc.replace_substring_regex(trimmed, r"(\.[0-9]{6})[0-9]+", r"\1")
    # pandas reads these two words as the present time.
    named = pc.match_substring_regex(trimmed, r"(?i)^(now|today)$")
    written = pd.Series(pc.if_else(named, None, cut).to_pandas())
    try:
        stamps = pd.to_datetime(written, format=time_format.replace("iso8601", "ISO8601"), utc=True, errors="coerce")
    except ValueError as error:
        raise ValueError(f"time_format {time_format!r} is not a strptime pattern: {error}") from error
    moments = stamps.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    good = ~np.isnat(moments)
    return Parsed(np.where(good, moments.astype(np.int64), 0), good, expected)
