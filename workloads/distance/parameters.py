"""Parameters of the distance-d protocol, its prefill and its trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from workloads import record_sets
from workloads.checks import check_range, check_types
from workloads.distance.generator import FIRST_HIGH, Rounds
from workloads.traces import Trace
from workloads.traces.values import VALUES, values


@dataclass(frozen=True)
class Distance:
    """Endless and computed by arithmetic: measured loops take the prefill and continue from there.

    window    items in the window, n, from 1 to 2^39; a run sets it by window=...
    distance  younger items in the window at each arrival, d, from 0 to n; a run takes one of distances=[...]
    items     length of the finite trace, prefill included; at least n; null: 2 n
    folder    folder of record sets made with experiment=make_workload; the trace is read from there if it exists
    """

    window: int
    distance: int
    items: int | None = None
    folder: str = "results/records"

    def __post_init__(self) -> None:
        check_types(self)
        check_range("window", self.window, 1, FIRST_HIGH >> 1)
        check_range("distance", self.distance, 0, self.window)
        object.__setattr__(self, "items", self.length)
        check_range("items", self.length, self.window, FIRST_HIGH)

    @property
    def length(self) -> int:
        """Items of the finite trace."""
        return 2 * self.window if self.items is None else self.items

    def prefill(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and values of the n items that fill the window, int64, shape (n,), in the order to insert them.

        First the high times 2^40 .. 2^40+d-1, then the low times 0 .. n-d-1. The low times of the rounds that follow
        are n-d, n-d+1 and so on; their items have the serial numbers n, n+1 and so on (see `values_table`).
        """
        serial = np.arange(self.window)
        return self.record_set().times(serial), values(serial)

    def values_table(self) -> np.ndarray:
        """The values that recur, int64, shape (101,): item i (from 0, prefill included) has entry i mod 101."""
        return np.arange(1, VALUES + 1)

    def record_set(self) -> Rounds:
        """What experiment=make_workload makes."""
        return Rounds(self.window, self.distance, self.length)

    def trace(self) -> Trace:
        """The prefill and `items` - n low times after it. Evictions are the window's affair and not in the trace.

        Raises RecordsError for a damaged record set.
        """
        rounds = self.record_set()
        if manifest := record_sets.find(rounds, self.folder):
            columns = record_sets.read(manifest, ["time", "value"])
        else:
            serial = np.arange(self.length)
            columns = {"time": rounds.times(serial), "value": values(serial)}
        note = f"synthetic: a window of {self.window} items, each arrival {self.distance} places from its end"
        return Trace("distance", asdict(self), columns["time"], columns["value"], notes=(note,))
