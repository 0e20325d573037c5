"""Monoid Tree Aggregator, Table 1: how combines, size and local size grow with the window, counted."""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.fitting import identity, spread, straightness
from experiments.harness.grid import in_order_only, windows_of
from experiments.harness.measured import Measured, NotMeasuredError, Table, keyed, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.mta.series import STORED, points

COMBINES, SIZES = ("combines", "worst_bulk"), ("size", "local_size")
METRICS = (*COMBINES, *SIZES)

LEAST = 64
"""Smaller windows have too few levels to tell the orders apart."""


@experiment("mta_complexity")
def mta_complexity(settings: Settings) -> list[Cell]:
    """Each of METRICS over n for each algorithm; of windows in a store the sizes: they combine as those in memory."""
    in_order_only(settings)
    return [
        cell
        for metric in METRICS
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        if metric in SIZES or algorithm["name"] not in STORED
        for cell in points(settings, algorithm, operator, n, measurement=f"bulk_arrivals.{metric}")
    ]


def counts(measured: Measured) -> Table:
    """What was counted, by metric."""
    there = [metric for metric in METRICS if (measured.rows["metric"] == metric).any()]
    if not there:
        raise NotMeasuredError("nothing was counted")
    tables = [keyed(measured.each(metric, "algorithm", "store", "window"), "metric", metric) for metric in there]
    return where(pd.concat(tables), window=lambda n: n >= LEAST)


@mta_complexity.quantity
def spread_of_counts(measured: Measured) -> Table:
    """The largest of each count over its smallest, in windows of all sizes. For the order O(1)."""
    return spread(counts(measured), "window", 3)


@mta_complexity.quantity
def straightness_over_log(measured: Measured) -> Table:
    """How straight each count is over log2 n: R^2, negative where it falls. For the order O(log n)."""
    return straightness(counts(measured), "window")


@mta_complexity.quantity
def straightness_over_n(measured: Measured) -> Table:
    """How straight each count is over n: R^2, negative where it falls. For the order O(n)."""
    return straightness(counts(measured), "window", identity)


@mta_complexity.quantity
def share_elsewhere(measured: Measured) -> Table:
    """The share of the partial aggregates of the largest window that are in the store and not in this process."""
    table = counts(measured)
    size, local = (where(lines_of(table, metric=metric), algorithm=STORED) for metric in ("size", "local_size"))
    return where(1 - ratio(local, size), window=values_of(size, "window")[-1:])
