"""Rows by key: which are side by side, and that nothing is copied where they are already."""

import numpy as np
import pytest

from algorithms.rolling.groups import groups_of, one_group

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    ("keys", "order", "bounds"),
    [
        (["b", "b", "a", "c", "c"], None, [0, 2, 3, 5]),
        (["b", "a", "b", "c", "a"], [0, 2, 1, 4, 3], [0, 2, 4, 5]),
        (["x"] * 3, None, [0, 3]),
    ],
)
def test_rows_of_a_key_stand_side_by_side_in_their_order(keys, order, bounds):
    groups = groups_of(keys, len(keys))
    assert np.asarray(groups.bounds).tolist() == bounds
    assert (None if groups.order is None else groups.order.tolist()) == order
    column = np.arange(len(keys)) * 10
    there = groups.gathered(column)
    assert there.tolist() == [10 * i for i in order or range(len(keys))]
    assert groups.scattered(there).tolist() == column.tolist()
    assert [groups.row(place) for place in range(len(keys))] == (order or list(range(len(keys))))


def test_columns_are_not_copied_where_rows_are_in_order():
    column = np.arange(3.0)
    for groups in (one_group(3), groups_of(["b", "b", "a"], 3)):
        assert groups.gathered(column) is groups.scattered(column) is groups.rows(column) is column
