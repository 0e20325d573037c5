"""Notices every mistake in sample.py but the one at the limit itself, which is none."""

from tests.mutation.sample import LIMIT, clipped, summed


def test_sample():
    assert LIMIT == 10 and [clipped(n) for n in (9, 11, 12)] == [9, 10, 10]
    assert summed([1, 2, 30]) == 13
