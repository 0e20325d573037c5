"""What a batch is once it has been read: rows for the compiled loop, and what is carried to the next batch."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from algorithms.moments import UNKNOWN
from algorithms.streams.sliding.keys import Coded


class Waiting(NamedTuple):
    """Rows that the clock has not passed yet, as they came."""

    positions: np.ndarray
    codes: np.ndarray | None
    values: list[tuple[np.ndarray, ...]]


class Carried(NamedTuple):
    """What a reader carries from one batch to the next."""

    newest: Any = None
    """The newest position so far; None before the first."""
    count: int = 0
    punctuations: int = 0
    late: int = 0
    widths: Mapping[str, int] = {}
    """How many columns of values each operator takes; empty before the first record."""
    zone: Any = UNKNOWN
    """The time zone of times, in which results are given."""
    waiting: Waiting | None = None
    """Rows of a window with a result per row and late records."""


@dataclass(frozen=True)
class Rows:
    """Columns of equal length: positions, the clock before each row, values of each operator, codes of keys.

    Nothing is copied that need not be: columns may be the user's own.
    """

    positions: np.ndarray
    clock: np.ndarray
    final: Any
    """Where the clock goes after the last row."""
    values: list[tuple[np.ndarray, ...]]
    codes: np.ndarray | None
    """None for streams without keys."""
    when: np.ndarray | None
    """The time of a result that the row fires; None for its number in the stream."""
    after: Carried
    """What the reader will carry once these rows are taken in."""
    coded: Coded | None = None

    def __len__(self) -> int:
        return len(self.positions)

    def chosen(self, rows: np.ndarray) -> "Rows":
        """The rows that a mask or an array of numbers chooses."""
        columns = {
            name: None if column is None else column[rows]
            for name, column in (
                ("positions", self.positions),
                ("clock", self.clock),
                ("codes", self.codes),
                ("when", self.when),
            )
        }
        return replace(self, **columns, values=[tuple(values[rows] for values in each) for each in self.values])
