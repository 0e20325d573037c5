"""Streams whose times are dates: lengths as text, time zones, and what is shown of them."""

import datetime

import numpy as np
import pandas as pd
import pytest

from algorithms import SlidingAggregate, TimeError
from tests.algorithms.streams.sliding.streams import pairs

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

START = pd.Timestamp("2026-10-25 00:00")  # clocks go back in Berlin that day
MINUTES = [0, 1, 3, 62, 63, 130]


@pytest.mark.parametrize("slide", ["row", "1h", datetime.timedelta(minutes=60), np.timedelta64(1, "h")])
def test_lengths_of_time_as_people_write_them(slide):
    s = SlidingAggregate(size="2 hours", slide=slide)
    moments = [START + pd.Timedelta(minutes=m) for m in MINUTES]
    got = pairs(s.batch(moments, [1, 2, 3, 4, 5, 6]))
    if slide == "row":
        assert got == list(zip(moments, [1.0, 3.0, 6.0, 10.0, 15.0, 15.0], strict=True))
    else:
        assert got == [(START + pd.Timedelta(hours=h), x) for h, x in ((1, 6.0), (2, 15.0))]


@pytest.mark.parametrize("slide", ["row", "30min"])
@pytest.mark.parametrize("key", [False, True])
def test_results_are_in_the_zone_of_the_times(slide, key):
    plain = [START + pd.Timedelta(minutes=m) for m in MINUTES]
    columns = pd.Series(plain).dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")
    s, naive = (SlidingAggregate(size="1h", slide=slide, key=key) for _ in range(2))
    keys = [1, 2, 1, 2, 1, 2] if key else None
    for part in (slice(0, 0), slice(0, 3), slice(3, 6)):
        found = s.batch(columns[part], np.arange(6.0)[part], keys and keys[part])
        expected = naive.batch(plain[part], np.arange(6.0)[part], keys and keys[part])
    found, expected = (found, expected) if slide == "row" else (s.flush(), naive.flush())
    assert str(found["time"].tz) == "Europe/Berlin" and expected["time"].dtype == "M8[us]"
    assert found["time"].tz_convert(None).tolist() == expected["time"].tolist() != []
    assert found["value"].tolist() == expected["value"].tolist()
    with pytest.raises(
        TimeError, match="times have no time zone, and those of the stream so far have the time zone Eu"
    ):
        s.batch([START + pd.Timedelta(days=1)], [1.0], keys and [1])
    with pytest.raises(
        TimeError, match="times have the time zone UTC, and those of the stream so far have no time zone"
    ):
        naive.batch([(START + pd.Timedelta(days=1)).tz_localize("UTC")], [1.0], keys and [1])
    with pytest.raises(TimeError, match="is text with a time zone"):
        naive.batch(["2026-10-26T00:00+01:00"], [1.0], keys and [1])


def test_a_heartbeat_and_records_have_a_zone_too():
    first = START.tz_localize("UTC").to_pydatetime()
    s = SlidingAggregate(size="1h")
    assert list(s.run([(first, 1.0)])) == []
    assert s.advance(first + datetime.timedelta(hours=1))["time"].tolist() == [first + datetime.timedelta(hours=1)]
    with pytest.raises(TimeError, match="advance have no time zone"):
        s.advance(START + pd.Timedelta(hours=2))


def test_what_is_shown_is_what_was_written():
    s = SlidingAggregate("fiba", operator="max", size="5min", slide="30s", lateness=datetime.timedelta(minutes=1))
    assert repr(s) == (
        "<max over fiba: size='5min', slide='30s', lateness=datetime.timedelta(seconds=60), by time, datetime64 times>"
    )
    assert repr(SlidingAggregate(size=9, by="count")) == "<sum over two_stacks_lite: size=9, by count>"
