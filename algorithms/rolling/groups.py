"""Rows of each key side by side: a stable partition, and back."""

from typing import Any, NamedTuple

import numpy as np

from algorithms.errors import ValueKindError
from algorithms.kernel import Slots, as_slots, driver, slots


class Groups(NamedTuple):
    """Row order[k] is the k-th in the order of groups; group g is places bounds[g] .. bounds[g + 1] - 1.

    `order` is None where rows are in that order already. No group is empty.
    """

    order: np.ndarray | None
    bounds: Slots

    def gathered(self, column: np.ndarray) -> np.ndarray:
        """The column in the order of groups."""
        return column if self.order is None else column[self.order]

    def scattered(self, column: np.ndarray) -> np.ndarray:
        """The column in the order of rows again."""
        if self.order is None:
            return column
        rows = np.empty_like(column)
        rows[self.order] = column
        return rows

    def rows(self, places: np.ndarray) -> np.ndarray:
        """The rows at places in the order of groups, as floats; NaN stays."""
        if self.order is None:
            return places
        there = ~np.isnan(places)
        rows = np.full(len(places), np.nan)
        rows[there] = self.order[places[there].astype(np.int64)]
        return rows

    def row(self, place: int) -> int:
        """The row at a place in the order of groups."""
        return place if self.order is None else int(self.order[place])


def one_group(rows: int) -> Groups:
    return Groups(None, as_slots(np.array([0, rows] if rows else [0])))


def groups_of(keys: Any, rows: int) -> Groups:
    """Rows by key. O(rows). Raises ValueKindError for a column of another length, a null, or keys of several kinds."""
    from algorithms.rolling import arrow  # it takes 0.1 s to import, which others need not wait for

    codes, most = arrow.codes("by", keys)
    if len(codes) != rows:
        raise ValueKindError(f"by has {len(codes)} rows, and values have {rows}")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=most))])
    distinct = as_slots(np.unique(bounds))
    if not np.any(codes[1:] < codes[:-1]):
        return Groups(None, distinct)
    order = slots(rows, "i8", "order")
    partition(as_slots(codes), as_slots(bounds[:-1].copy()), order, rows)
    return Groups(np.asarray(order), distinct)


@driver
def partition(codes, place, order, rows):
    """order = the rows by their codes, those of a code in their order; place[c] is where code c begins."""
    for i in range(rows):
        order[place[codes[i]]] = i
        place[codes[i]] += 1
