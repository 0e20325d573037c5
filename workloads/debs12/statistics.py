"""What is documented of a sample of 170 s of the real data, beside the same statistics of other records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from workloads.debs12 import layout

QUANTILES = {"min": 0.0, "p1": 0.01, "median": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1.0}

DOCUMENTED = {
    "spacing": {"min": 2.1, "p1": 9.90, "median": 10.0, "p99": 10.10, "p99.9": 21.6, "max": 23.6},
    "mf01": {"min": 12_466, "median": 13_049, "max": 18_224, "deviation": 359, "step": 4.9, "changing": 0.844},
    "mf02": {"min": 13_698, "median": 14_368, "max": 20_331, "deviation": 408, "step": 5.5, "changing": 0.842},
    "mf03": {"min": 7_275, "median": 8_094, "max": 9_388, "deviation": 196, "step": 2.4, "changing": 0.817},
}
"""Spacing of timestamps in ms; energy measures in their own unit. Measured on the challenge's own sample: the 17,000
records from 2012-02-22T16:46:28.967 on that public copies of the text file begin with.

deviation: standard deviation; step: mean absolute difference from record to record; changing: share of steps that are
not zero.
"""


class Fact(NamedTuple):
    """One statistic of one quantity (see DOCUMENTED), as documented and as found."""

    quantity: str
    statistic: str
    documented: float
    found: float

    def __str__(self) -> str:
        name = f"{self.quantity} {self.statistic}"
        return f"{name:<15} {self.documented:>10,.5g} documented, {self.found:>10,.5g} here"


def facts(times: np.ndarray, energy: Mapping[str, np.ndarray]) -> list[Fact]:
    """Every documented statistic beside that of these records: times in ns, energy measures by name; at least two.

    O(n) time and space: extremes and quantiles of whole columns. Raises ValueError for fewer than two records.
    """
    if len(times) < 2:
        raise ValueError(f"there are {len(times)} records; statistics of their spacing need at least 2")
    spacing = np.diff(times) / 1e6
    measured = {"spacing": _quantiles("spacing", spacing)}
    for name in layout.ENERGY:
        measured[name] = {**_quantiles(name, energy[name]), **_changes(energy[name])}
    return list(_facts_of(measured))


def _facts_of(measured: Mapping[str, Mapping[str, float]]) -> Iterator[Fact]:
    for quantity, statistics in DOCUMENTED.items():
        for statistic, documented in statistics.items():
            yield Fact(quantity, statistic, documented, measured[quantity][statistic])


def _quantiles(quantity: str, data: np.ndarray) -> dict[str, float]:
    names = [name for name in DOCUMENTED[quantity] if name in QUANTILES]
    values = np.quantile(data, [QUANTILES[name] for name in names])
    return dict(zip(names, values.tolist(), strict=True))


def _changes(data: np.ndarray) -> dict[str, float]:
    steps = np.abs(np.diff(data))
    return {
        "deviation": float(data.std()),
        "step": float(steps.mean()),
        "changing": float(np.count_nonzero(steps) / len(steps)),
    }
