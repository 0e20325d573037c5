"""Reactive Aggregator, section 6.2, Figure 9: a capacity that swings between n and 2 n, beside one that stays."""

import numpy as np

from experiments.harness.cell import Cell
from experiments.harness.fitting import slope
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import Measured, Table, lines_of, ratio, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.reactive_aggregator.measuring.resizing import FIXED, LEAST, OSCILLATING, swing_of

INCREMENTAL = "reactive"
TIME, COUNT, RESIZE = "resizing.time", "resizing.combines", "resizing.resize"
LARGE = 256
"""Items of the smallest window whose resize the paper prints the time of."""


def _check_swings(settings: Settings) -> None:
    """Raise SettingsError for windows and algorithms that cannot swing."""
    in_order_only(settings)
    for algorithm in settings.algorithms:
        if algorithm["name"] != INCREMENTAL:
            name = algorithm["name"]
            raise SettingsError(f"algorithms has {name}; only {INCREMENTAL} resizes itself: algorithms=[{INCREMENTAL}]")
    for n in windows_of(settings):
        if n < LEAST or n & (n - 1):
            raise SettingsError(f"window is {n}; a capacity swings between powers of two, from {LEAST} on")


@experiment("ra_resize")
def ra_resize(settings: Settings) -> list[Cell]:
    """Time of an item over n with both capacities, combines of an item, and the time of single resizes."""
    _check_swings(settings)
    return [
        point(
            settings,
            algorithm,
            operator,
            n,
            0,
            measurement=measurement,
            uses={"capacity": capacity},
            batch=swing_of(n) if capacity == OSCILLATING else None,
        )
        for measurement, capacities in (
            (TIME, (FIXED, OSCILLATING)),
            (COUNT, (FIXED, OSCILLATING)),
            (RESIZE, (OSCILLATING,)),
        )
        for operator in (settings.operators[:1] if measurement == COUNT else settings.operators)
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        for capacity in capacities
    ]


@ra_resize.quantity
def oscillating_over_fixed(measured: Measured) -> Table:
    """The time of an item while the capacity swings over that while it stays."""
    table = measured.each("time", "capacity", "operator", "window", algorithm=INCREMENTAL)
    return ratio(lines_of(table, capacity=OSCILLATING), lines_of(table, capacity=FIXED))


@ra_resize.quantity
def more_combines_while_oscillating(measured: Measured) -> Table:
    """Combines of an item while the capacity swings less those while it stays."""
    table = measured.each("combines", "capacity", "window", algorithm=INCREMENTAL)
    swinging, steady = lines_of(table, capacity=OSCILLATING), lines_of(table, capacity=FIXED)
    both = swinging.index.intersection(steady.index)
    return swinging.loc[both] - steady.loc[both]


@ra_resize.quantity
def time_of_a_resize(measured: Measured) -> Table:
    """Microseconds of a single resize from n to 2 n: the median of those of a repetition."""
    return measured.quantile(0.5, "operator", "window", metric="resize", algorithm=INCREMENTAL) / 1e3


@ra_resize.quantity
def power_of_a_resize(measured: Measured) -> Table:
    """The power of n that the time of a resize grows with, in windows of at least LARGE items."""
    return slope(np.log2(where(time_of_a_resize(measured), window=lambda n: n >= LARGE)), "window")
