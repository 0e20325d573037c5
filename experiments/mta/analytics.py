"""Monoid Tree Aggregator, section 5.6, Table 2: six analytics over memory usage, with the policies of the paper."""

from collections.abc import Callable

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.fitting import largest, smallest
from experiments.harness.grid import unnamed, windows_of
from experiments.harness.measured import Measured, Table, keyed, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.mta.measuring.arrivals import NAIVE
from experiments.mta.series import AMORTISED, DABA, largest_window, uses_of_stores

GAINING = ("max", "lis")
"""The operators whose policies evict many elements at once."""

PRINTED_WINDOW = 1 << 20
"""Elements of the paper's window, for numbers that depend on it."""


@experiment("mta_analytics")
def mta_analytics(settings: Settings) -> list[Cell]:
    """Time of an update for each operator and algorithm, in windows of n elements at most."""
    if settings.distances is not None:
        raise SettingsError(f"distances is {list(settings.distances)}; {settings.name} is in order: leave them out")
    if settings.workload["name"] != "memory_usage":
        raise SettingsError(
            f"workload is {settings.workload['name']!r}; {settings.name} is measured on workload=memory_usage"
        )
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm["name"],
            parameters=unnamed(algorithm),
            operator=operator,
            workload="memory_usage",
            stream={**unnamed(settings.workload), **pattern},
            window=n,
            measurement="analytics.time",
            uses=use,
        )
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        for pattern in ({}, *({"pattern": other} for other in settings.sizes["patterns"] if operator == "max"))
        for use in uses_of_stores(settings, algorithm["name"])
    ]


USAGE = "usage"
"""The pattern of the readings that stands for the paper's; the others are controls."""


def times(measured: Measured, pattern: str = USAGE) -> Table:
    """Nanoseconds of an update in the largest window, on readings of one pattern."""
    table = measured.each("time", "algorithm", "store", "operator", "window", pattern=pattern)
    return lines_of(table, window=values_of(table, "window")[-1])


def of_memory(table: Table, name: str) -> Table:
    return lines_of(table, algorithm=name, store="")


def over(measured: Measured, name: str) -> Table:
    """Time of every algorithm over that of one, for each operator."""
    table = times(measured)
    base = of_memory(table, name)
    found = []
    for other, store in table.index.droplevel("operator").unique():
        line = ratio(lines_of(table, algorithm=other, store=store), base)
        found.append(keyed(keyed(line, "algorithm", other), "store", store))
    return pd.concat(found)


@mta_analytics.quantity
def amortised_over_fastest_other(measured: Measured) -> Table:
    """Time of AMTA in memory over that of the fastest other algorithm, for each operator."""
    table = times(measured)
    others = where(table, algorithm=lambda name: name != AMORTISED)
    return ratio(of_memory(table, AMORTISED), smallest(smallest(others, "store"), "algorithm"))


@mta_analytics.quantity
def over_amortised(measured: Measured) -> Table:
    """Time of each algorithm over that of AMTA in memory, for each operator."""
    compared = over(measured, AMORTISED)
    return where(compared, algorithm=lambda name: name not in (AMORTISED, NAIVE))


@mta_analytics.quantity
def naive_over_amortised(measured: Measured) -> Table:
    """Time of Naive over that of AMTA in memory, for each operator, in the paper's window."""
    largest_window(measured, PRINTED_WINDOW)
    return of_memory(over(measured, AMORTISED), NAIVE)


@mta_analytics.quantity
def gain_over_that_of_others(measured: Measured) -> Table:
    """By how much AMTA is faster than DABA with max and LIS, over the most that it is with another operator."""
    table = times(measured)
    gain = ratio(of_memory(table, DABA), of_memory(table, AMORTISED))
    others = largest(where(gain, operator=lambda name: name not in GAINING), "operator")
    return where(gain, operator=GAINING) / others.to_numpy()


@mta_analytics.quantity
def amortised_over_daba(measured: Measured) -> Table:
    """Time of AMTA, in memory and in stores, over that of DABA, for each operator."""
    return where(over(measured, DABA), algorithm=(AMORTISED, f"kvs_{AMORTISED}"))


def _naive_over(measured: Measured, of: Callable[[Table], Table]) -> Table:
    """Time of Naive with max over what `of` makes of all others but AMTA in memory, by the pattern of the readings."""
    found = []
    for pattern in values_of(measured.each("time", "algorithm", "store", "operator", "window", "pattern"), "pattern"):
        table = lines_of(times(measured, pattern), operator="max")
        others = where(table, algorithm=lambda name: name not in (AMORTISED, NAIVE))
        found.append(keyed(of_memory(table, NAIVE) / of(others).to_numpy(), "pattern", pattern))
    return pd.concat(found)


@mta_analytics.quantity
def naive_over_second(measured: Measured) -> Table:
    """Time of Naive with max over that of the fastest other than AMTA in memory, by the pattern of the readings."""
    return _naive_over(measured, lambda others: smallest(smallest(others, "store"), "algorithm"))


@mta_analytics.quantity
def naive_over_slowest(measured: Measured) -> Table:
    """Time of Naive with max over that of the slowest other, by the pattern of the readings."""
    return _naive_over(measured, lambda others: largest(largest(others, "store"), "algorithm"))
