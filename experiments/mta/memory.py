"""Monoid Tree Aggregator, section 5.7, Figure 8: the largest window that a process of limited memory can fill.

And the least memory in which it reaches its capacity, which is found by bisection.
"""

import numpy as np
import pandas as pd

from algorithms.windows.contract import catalogue
from experiments.harness.cell import Cell
from experiments.harness.fitting import reduced
from experiments.harness.grid import in_order_only
from experiments.harness.measured import Measured, Table, keyed, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_numbers
from experiments.mta.measuring.arrivals import NAIVE
from experiments.mta.series import AMORTISED, DABA, LOG, STORED, largest_window, points
from safeguards.wrong_input import unknown

PRINTED_CAPACITY = 1 << 25
"""Elements of the paper's window, for fractions that fall as it grows."""


@experiment("mta_memory")
def mta_memory(settings: Settings) -> list[Cell]:
    """A process for each algorithm and limit; the window is the capacity that it wants."""
    in_order_only(settings)
    capacity = settings.window or settings.sizes["capacity"]
    limits = whole_numbers("sizes.memory", settings.sizes["memory"], 1)
    searched = searched_for(settings)
    return [
        cell
        for operator in settings.operators
        for algorithm in settings.algorithms
        for fields in (
            *({"measurement": "limited.reached", "asked": {"memory": limit}} for limit in limits),
            *([{"measurement": "limited.needed"}] if algorithm["name"] in searched else []),
        )
        for cell in points(settings, algorithm, operator, capacity, **fields)
    ]


def searched_for(settings: Settings) -> list[str]:
    """The algorithms whose least memory is looked for: all, unless the sizes name some. Raises SettingsError."""
    names, cards = settings.sizes.get("searched", [algorithm["name"] for algorithm in settings.algorithms]), catalogue()
    for name in names:
        if name not in cards:
            raise SettingsError(unknown("algorithm in sizes.searched", name, cards))
    return names


def reached(measured: Measured) -> Table:
    """Elements reached with each limit (MB)."""
    return measured.total("reached", "algorithm", "store", "memory")


def needed(measured: Measured) -> Table:
    """The least MB in which the capacity is reached."""
    return measured.total("needed", "algorithm", "store")


@mta_memory.quantity
def least_step_with_memory(measured: Measured) -> Table:
    """The fewest elements reached in addition from one limit to the next: below 0 where it falls."""
    return reduced(reached(measured), "memory", lambda limit, y: np.diff(y[np.argsort(limit)], axis=0).min(axis=0), 2)


@mta_memory.quantity
def stored_over_others(measured: Measured) -> Table:
    """Memory needed by each tree in a store over that of each window in memory, in the paper's capacity."""
    largest_window(measured, PRINTED_CAPACITY)
    table = needed(measured)
    others = where(lines_of(table, store=""), algorithm=(DABA, LOG, AMORTISED, NAIVE))
    stored = where(table, algorithm=STORED)
    return pd.concat(
        [
            keyed(stored / lines_of(others, algorithm=name).to_numpy(), "than", name)
            for name in values_of(others, "algorithm")
        ]
    )


@mta_memory.quantity
def naive_over_others(measured: Measured) -> Table:
    """Memory needed by Naive over that of each other window in memory."""
    table = lines_of(needed(measured), store="")
    others = where(table, algorithm=(DABA, LOG, AMORTISED))
    return lines_of(table, algorithm=NAIVE).to_numpy() / others


@mta_memory.quantity
def log_over_amortised_in_stores(measured: Measured) -> Table:
    """Memory needed by Log MTA over that of AMTA, both in a store."""
    table = needed(measured)
    return ratio(lines_of(table, algorithm=f"kvs_{LOG}"), lines_of(table, algorithm=f"kvs_{AMORTISED}"))


@mta_memory.quantity
def trees_over_daba(measured: Measured) -> Table:
    """Memory needed by each tree in memory over that of DABA."""
    table = lines_of(needed(measured), store="")
    return where(table, algorithm=(LOG, AMORTISED)) / lines_of(table, algorithm=DABA).to_numpy()
