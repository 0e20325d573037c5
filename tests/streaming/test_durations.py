"""Lengths of time as text."""

import datetime

import pytest

from streaming.durations import microseconds


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 hour", 3_600_000_000),
        ("  2 Minutes 30 seconds ", 150_000_000),
        ("interval 1 day", 86_400_000_000),
        ("10 microseconds", 10),
        ("250milliseconds", 250_000),
        ("2 weeks", 1_209_600_000_000),
        (datetime.timedelta(minutes=1, microseconds=1), 60_000_001),
    ],
)
def test_lengths(text, wanted):
    assert microseconds("size", text) == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("1 month", "a month has no fixed length"),
        ("1 fortnight", "there is no unit 'fortnight'"),
        ("", "size must be a length of time such as '1 hour'"),
        ("1 hour and a bit", "size must be a length of time"),
        ("hour", "size must be a length of time"),
        (60, "size must be a length of time .*, not 60"),
        (None, "size must be a length of time"),
        (datetime.timedelta(seconds=-1), "size must be a length of time .*, of at least 0, not datetime"),
    ],
)
def test_refusals_name_the_field(given, said):
    with pytest.raises(ValueError, match=said):
        microseconds("size", given)
