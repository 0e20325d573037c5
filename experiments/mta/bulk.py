"""Monoid Tree Aggregator, section 5.5, Figure 7: one arrival that evicts many elements, over their number."""

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.fitting import largest, neighbours, share_of, smallest, straightness
from experiments.harness.grid import in_order_only, window_of
from experiments.harness.measured import Measured, Table, keyed, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.mta.measuring.arrivals import NAIVE
from experiments.mta.series import (
    AMORTISED,
    DABA,
    LOG,
    MILLISECOND,
    STORED,
    beside_memory,
    in_memory,
    in_stores,
    largest_window,
    points,
)

PRINTED_WINDOW = 1 << 23
"""Elements of the paper's window, for numbers that depend on it."""


def batches_of(n: int, step: int) -> list[int]:
    """1, then ever 2^step times as many while that is less than n / 2, then n / 8, n / 2, and all but one."""
    powers = (1 << k for k in range(0, n.bit_length() - 1, step))
    return sorted({*powers, max(1, n // 8), max(1, n // 2), max(1, n - 1)})


@experiment("mta_bulk")
def mta_bulk(settings: Settings) -> list[Cell]:
    """Time of one arrival over how many it evicts, in a window of n elements."""
    in_order_only(settings)
    n = window_of(settings)
    return [
        cell
        for operator in settings.operators
        for m in batches_of(n, settings.sizes["step"])
        for algorithm in settings.algorithms
        for cell in points(settings, algorithm, operator, n, measurement="bulk_arrivals.time", batch=m)
    ]


def times(measured: Measured) -> Table:
    """Nanoseconds of an arrival that evicts `batch` elements, on average, as in the paper."""
    return measured.each("time", "algorithm", "store", "batch")


def last(table: Table) -> int:
    """The largest eviction: all but one."""
    return values_of(table, "batch")[-1]


@mta_bulk.quantity
def daba_straightness(measured: Measured) -> Table:
    """How straight DABA's time is over the number evicted: R^2, negative where it falls."""
    return straightness(in_memory(times(measured), DABA), "batch", lambda m: m.astype(float))


@mta_bulk.quantity
def naive_times(measured: Measured) -> Table:
    """Milliseconds of an arrival with Naive."""
    return in_memory(times(measured), NAIVE) / MILLISECOND


def _daba_over_naive(measured: Measured, eighth_or_more: bool) -> Table:
    table, eighth = times(measured), largest_window(measured) // 8
    compared = ratio(in_memory(table, DABA), in_memory(table, NAIVE))
    return where(compared, batch=lambda m: (m >= eighth) == eighth_or_more)


@mta_bulk.quantity
def daba_over_naive_from_an_eighth(measured: Measured) -> Table:
    """Time of DABA over that of Naive where an eighth of the window or more is evicted, as 2^20 of 2^23."""
    return _daba_over_naive(measured, True)


@mta_bulk.quantity
def daba_over_naive_below_an_eighth(measured: Measured) -> Table:
    """Time of DABA over that of Naive where less than an eighth of the window is evicted."""
    return _daba_over_naive(measured, False)


@mta_bulk.quantity
def log_over_amortised_in_stores(measured: Measured) -> Table:
    """Time of Log MTA over that of AMTA, both in a store, for each number evicted."""
    table = times(measured)
    return ratio(lines_of(table, algorithm=f"kvs_{LOG}"), lines_of(table, algorithm=f"kvs_{AMORTISED}"))


@mta_bulk.quantity
def straightness_in_stores(measured: Measured) -> Table:
    """How straight the time is over log2 of the number evicted, without the last: R^2, negative where it falls."""
    table = in_stores(times(measured))
    return straightness(where(table, batch=values_of(table, "batch")[:-1]), "batch")


@mta_bulk.quantity
def log_is_faster_in_stores(measured: Measured) -> Table:
    """The share of the numbers evicted for which Log MTA is faster than AMTA, both in a store."""
    return _share_below_1(log_over_amortised_in_stores(measured))


@mta_bulk.quantity
def log_is_faster_in_memory(measured: Measured) -> Table:
    """The share of the numbers evicted for which Log MTA is faster than AMTA, both in memory."""
    table = times(measured)
    return _share_below_1(ratio(in_memory(table, LOG), in_memory(table, AMORTISED)))


def _share_below_1(compared: Table) -> Table:
    """The share of the numbers evicted for which a ratio is below 1."""
    return share_of((compared < 1).astype(float).where(compared.notna()), "batch")


@mta_bulk.quantity
def log_over_amortised_at_worst(measured: Measured) -> Table:
    """The longest time of Log MTA in memory over the longest of AMTA."""
    table = times(measured)
    return ratio(largest(in_memory(table, LOG), "batch"), largest(in_memory(table, AMORTISED), "batch"))


@mta_bulk.quantity
def stores_over_memory(measured: Measured) -> Table:
    """Time of each tree in a store over that of the same tree in memory, for each number evicted."""
    return beside_memory(times(measured), lambda there, here: there / here)


@mta_bulk.quantity
def last_over_one_before(measured: Measured) -> Table:
    """Time in a store where all but one are evicted over that where half are."""
    table = in_stores(times(measured))
    two = where(table, batch=values_of(table, "batch")[-2:])
    return neighbours(two, "batch", lambda half, all_but_one: all_but_one / half)


@mta_bulk.quantity
def naive_over_slowest_in_store(measured: Measured) -> Table:
    """The longest time of Naive over the longest of each tree in a store, in the paper's window."""
    largest_window(measured, PRINTED_WINDOW)
    table = times(measured)
    slowest, naive = largest(in_stores(table), "batch"), largest(in_memory(table, NAIVE), "batch")
    return naive.to_numpy() / slowest


@mta_bulk.quantity
def trees_over_fastest_other(measured: Measured) -> Table:
    """Time of each tree in memory over that of the fastest of DABA, Naive and the trees in stores."""
    table = times(measured)
    trees = where(lines_of(table, store=""), algorithm=(LOG, AMORTISED))
    others = where(table, algorithm=lambda name: name not in (LOG, AMORTISED))
    fastest = smallest(smallest(others, "store"), "algorithm")
    return _each_over(trees, fastest)


@mta_bulk.quantity
def daba_over_trees_in_memory(measured: Measured) -> Table:
    """Time of DABA over that of each tree in memory, for each number evicted."""
    table = times(measured)
    return 1 / _each_over(where(lines_of(table, store=""), algorithm=(LOG, AMORTISED)), in_memory(table, DABA))


def _each_over(lines: Table, other: Table) -> Table:
    """The lines of each algorithm over another line."""
    names = values_of(lines, "algorithm")
    return pd.concat([keyed(ratio(lines_of(lines, algorithm=name), other), "algorithm", name) for name in names])


@mta_bulk.quantity
def daba_over_trees_in_stores(measured: Measured) -> Table:
    """Time of DABA over that of each tree in a store, where half of the window or more is evicted."""
    table = times(measured)
    daba = in_memory(table, DABA)
    compared = beside_memory(table, lambda there, here: here / there, dict.fromkeys(STORED, daba))
    return where(compared, batch=values_of(table, "batch")[-2:])


def _waits(measured: Measured) -> Table:
    """Reads of the store that an arrival waits for, without those of filling the window again."""
    awaited, arrivals = (
        measured.fact(name, "algorithm", "store", "batch", algorithm=list(STORED)) for name in ("awaited", "watched")
    )
    return awaited / arrivals


@mta_bulk.quantity
def reads_of_an_eviction(measured: Measured) -> Table:
    """Reads of the store that an arrival waits for, for each level of a tree over the window."""
    return _waits(measured) / np.log2(largest_window(measured))


@mta_bulk.quantity
def waits_of_the_last(measured: Measured) -> Table:
    """Reads of the store that an arrival waits for which evicts all but one."""
    table = _waits(measured)
    return where(table, batch=[last(table)])
