"""The record set of the distance-d protocol: pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workloads.record_sets import RecordSet
from workloads.traces.values import values

FIRST_HIGH = 1 << 40  # above every low time: rounds would have to go on for 2^40 items to reach it
ROWS = 1 << 18
"""Items of a chunk."""


@dataclass(frozen=True)
class Rounds(RecordSet):
    """The record set: the prefill and then a low time a round, `items` in all. A longer set begins with a shorter."""

    window: int
    distance: int
    items: int
    name: str = "distance"

    @property
    def chunks(self) -> int:
        return -(-self.items // ROWS)

    def chunk(self, number: int) -> dict[str, np.ndarray]:
        """Times and values of a chunk, int64. Below 1 ms."""
        serial = np.arange(number * ROWS, min((number + 1) * ROWS, self.items))
        return {"time": self.times(serial), "value": values(serial)}

    def times(self, serial: np.ndarray) -> np.ndarray:
        """Times of the items with these numbers, int64: the d high ones first, low ones from 0 on after them."""
        return serial + np.where(serial < self.distance, FIRST_HIGH, -self.distance)
