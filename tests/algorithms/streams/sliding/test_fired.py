"""The columns that a batch fires into: what was written stays, and room that is not used is given back."""

import numpy as np
import pytest

from algorithms.streams.sliding.fired import Column

pytestmark = pytest.mark.plain


def test_what_was_written_stays_while_the_column_grows():
    column, written = Column(np.int64, 1), []
    for n in (0, 1, 1, 5, 0, 30, 2, 100):
        column.places(n)[:] = range(len(written), len(written) + n)
        written.extend(range(len(written), len(written) + n))
        assert column.whole().tolist() == written


@pytest.mark.parametrize(("used", "given_back"), [(0, True), (49, True), (50, False), (100, False)])
def test_room_that_is_more_than_half_is_given_back(used, given_back):
    column = Column(np.int64, 100)
    column.places(used)[:] = 7
    assert (column.whole().base is None) == given_back
    assert column.whole().tolist() == [7] * used


def test_a_full_column_is_doubled():
    column, rooms = Column(np.int64, 1), set()
    for _ in range(1024):
        column.places(1)
        rooms.add(len(column._array))
    assert rooms == {2**n for n in range(11)}
