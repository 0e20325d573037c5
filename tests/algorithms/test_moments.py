"""Lengths of time as text, and time zones."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from algorithms import TimeError
from algorithms.moments import in_zone, microseconds, same_zone, without_zone

pytestmark = [pytest.mark.plain, pytest.mark.smoke]


@pytest.mark.parametrize(
    ("length", "wanted"),
    [
        ("1 hour", 3_600_000_000),
        ("5min", 300_000_000),
        ("5m", 300_000_000),
        ("1.5s", 1_500_000),
        ("01:30:00", 5_400_000_000),
        ("  2 Minutes 30 seconds ", 150_000_000),
        ("interval 1 day", 86_400_000_000),
        ("10 microseconds", 10),
        ("250milliseconds", 250_000),
        ("2 weeks", 1_209_600_000_000),
        ("1w", 604_800_000_000),
        ("0s", 0),
        (datetime.timedelta(minutes=1, microseconds=1), 60_000_001),
        (np.timedelta64(3, "s"), 3_000_000),
        (pd.Timedelta("3us"), 3),
    ],
)
def test_lengths(length, wanted):
    assert microseconds("size", length) == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("1 month", "size='1 month': a month has no fixed length; say it in weeks or days"),
        ("1M", "a m has no fixed length"),
        ("2 years", "a year has no fixed length"),
        ("1 day 3 quarters", "a quarter has no fixed length"),
        ("1 fortnight", "size must be a length of time such as .*, not '1 fortnight'"),
        ("", "size must be a length of time such as '5min'.*, not ''"),
        ("5", "not '5': its unit is missing"),
        ("nan", "size must be a length of time"),
        ("1 hour and a bit", "size must be a length of time"),
        ("hour", "size must be a length of time"),
        ("5ns", "of whole microseconds, not '5ns'"),
        ("-3s", "of at least 0, not '-3s'"),
        ("9999999999 days", "size must be a length of time"),
        (60, "size must be a length of time .*, not 60"),
        (None, "size must be a length of time"),
        (datetime.timedelta(seconds=-1), "of at least 0, not datetime"),
        (np.timedelta64("NaT"), "size must be a length of time"),
        (np.timedelta64(1, "M"), "in a unit of fixed length"),
        (np.timedelta64(1, "ns"), "of whole microseconds"),
        (pd.Timedelta("1ns"), "of whole microseconds"),
    ],
)
def test_refusals_name_the_field(given, said):
    with pytest.raises(ValueError, match=said):
        microseconds("size", given)


NAIVE = pd.date_range("2026-10-25", periods=5, freq="h")  # clocks go back in Berlin that day
ZONED = NAIVE.tz_localize("UTC").tz_convert("Europe/Berlin")

COLUMNS = {
    "index": ZONED,
    "series": pd.Series(ZONED, index=range(7, 12)),
    "nanoseconds": pd.Series(ZONED.as_unit("ns")),
    "arrow": pa.array(ZONED),
    "chunks": pa.chunked_array([pa.array(ZONED)]),
    "objects": np.array(list(ZONED), object),
    "stamps": list(ZONED),
    "datetimes": [t.to_pydatetime().astimezone(ZoneInfo("Europe/Berlin")) for t in ZONED],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_goes_to_utc_and_back(name):
    times, zone = without_zone("times", COLUMNS[name])
    assert str(zone) == "Europe/Berlin"
    moments = np.array([t.astimezone(datetime.UTC).replace(tzinfo=None) for t in times] if name in LISTS else times)
    assert (moments.astype("datetime64[us]") == NAIVE.to_numpy()).all()
    back = in_zone(NAIVE.to_numpy(), zone)
    assert (back == ZONED).all() and str(back.tz) == "Europe/Berlin"


LISTS = ("objects", "stamps", "datetimes")


@pytest.mark.parametrize(
    "times", [NAIVE, pd.Series(NAIVE), pa.array(NAIVE), NAIVE.to_numpy(), list(NAIVE), ["2026-10-25"]]
)
def test_naive_stays_naive(times):
    given, zone = without_zone("times", times)
    assert zone is None and len(given) == len(times)
    assert in_zone(NAIVE.to_numpy(), None) is not None and in_zone(NAIVE.to_numpy(), zone).dtype == NAIVE.dtype


def test_no_times_have_no_zone_yet():
    for nothing in ([], np.zeros(0, "M8[us]"), np.zeros(0, object)):
        _, zone = without_zone("times", nothing)
        assert same_zone("times", zone, "UTC") == "UTC" and same_zone("times", None, zone) is None


def test_mixed_zones_are_refused():
    with pytest.raises(
        TimeError, match=r"times.1. has the time zone Europe/Berlin, and times before it have no time zone"
    ):
        without_zone("times", [NAIVE[0], ZONED[0]])
    with pytest.raises(
        TimeError, match=r"times.2. has the time zone UTC, and times before it have the time zone Europe"
    ):
        without_zone("times", [*ZONED[:2], ZONED[2].tz_convert("UTC")])
    with pytest.raises(
        TimeError, match="times have no time zone, and those of the stream so far have the time zone UTC"
    ):
        same_zone("times", "UTC", None)
