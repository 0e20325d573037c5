"""FiBA, section 5.3, Figure 13: items in order, over the size of the window, beside the best in-order algorithms.

Quantities about shape are computed twice where that is possible: of time, which caches bend at large windows, and of
counted combines, which are exact.
"""

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.fitting import (
    geometric_mean,
    largest,
    reduced,
    share_of,
    smallest,
    straightness,
)
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import (
    Measured,
    NotMeasuredError,
    Table,
    keyed,
    lines_of,
    over,
    ratio,
    values_of,
    where,
)
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

CLASSIC, FINGER, TREES = "b_tree", "fiba", ("b_tree", "fiba")
STACKS, DABA, REACTIVE = "two_stacks", "daba", "reactive"
RANKED = (STACKS, DABA, REACTIVE, *TREES)
"""What the panel compares: a place among fewer says nothing."""

COUNT, COUNTED = "rounds.combines", "sum"
"""How combines are counted, and the operator it is done with: the number does not depend on it."""

CHEAP, COSTLY = ("sum", "geometric_mean"), "bloom"

SEVERAL_LEVELS = 256
"""Smallest window of the quantities about shape: below it, a tree of min_arity 8 has less than three levels."""


@experiment("fiba_fifo")
def fiba_fifo(settings: Settings) -> list[Cell]:
    """Throughput in order over n for each operator, and counted combines of the trees."""
    in_order_only(settings)
    timed = [
        point(settings, algorithm, operator, n, 0)
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]
    counted = [
        point(settings, algorithm, COUNTED, n, 0, measurement=COUNT)
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        if algorithm["name"] in TREES and COUNTED in settings.operators
    ]
    return timed + counted


def rates(measured: Measured) -> Table:
    """Million items/s of each algorithm, the best of its arities, by operator and window."""
    return largest(measured.rate("algorithm", "min_arity", "operator", "window"), "min_arity")


def rank(measured: Measured, name: str) -> Table:
    """The place of an algorithm by throughput, 1 the fastest, at windows where all of `RANKED` were measured."""
    table = rates(measured)
    if missing := set(RANKED) - set(values_of(table, "algorithm")):
        raise NotMeasuredError(f"no rows of {', '.join(sorted(missing))}")

    def of(names: np.ndarray, rate: np.ndarray) -> np.ndarray:
        return (rate >= rate[names == name]).sum(axis=0)

    return reduced(table, "algorithm", of, len(RANKED))


def share_of_rank(measured: Measured, name: str, wanted: int) -> Table:
    """The share of windows at which an algorithm has that place."""
    places = rank(measured, name)
    return share_of((places == wanted).astype(float).where(places.notna()), "window")


@fiba_fifo.quantity
def two_stacks_best(measured: Measured) -> Table:
    """The share of windows at which two-stacks has the highest throughput."""
    return share_of_rank(measured, STACKS, 1)


@fiba_fifo.quantity
def daba_second(measured: Measured) -> Table:
    """The share of windows at which DABA has the second highest throughput."""
    return share_of_rank(measured, DABA, 2)


@fiba_fifo.reason(two_stacks_best)
@fiba_fifo.reason(daba_second)
def daba_first(measured: Measured) -> str:
    """At how many windows DABA is fastest."""
    first = share_of_rank(measured, DABA, 1).median(axis=1)
    return "DABA is first at " + ", ".join(f"{share:.0%} of the windows ({op})" for (op,), share in first.items())


def large(table: Table) -> Table:
    """The windows of several levels."""
    return where(table, window=lambda n: n >= SEVERAL_LEVELS)


@fiba_fifo.quantity
def finger_time(measured: Measured) -> Table:
    """Nanoseconds of a round of the finger trees."""
    return large(measured.each("time", "min_arity", "operator", "window", algorithm=FINGER))


@fiba_fifo.quantity
def finger_combines(measured: Measured) -> Table:
    """Combines of a round of the finger trees."""
    return large(measured.each("combines", "min_arity", "window", algorithm=FINGER))


@fiba_fifo.quantity
def classic_time(measured: Measured) -> Table:
    """Nanoseconds of a round of the classic tree."""
    return large(measured.each("time", "min_arity", "operator", "window", algorithm=CLASSIC))


@fiba_fifo.quantity
def classic_straightness(measured: Measured) -> Table:
    """How straight the classic tree's time of a round is over log2 n: R^2, negative where it falls."""
    return straightness(classic_time(measured), "window")


@fiba_fifo.quantity
def classic_combines_straightness(measured: Measured) -> Table:
    """The same of the classic tree's combines."""
    return straightness(large(measured.each("combines", "min_arity", "window", algorithm=CLASSIC)), "window")


@fiba_fifo.quantity
def reactive_time(measured: Measured) -> Table:
    """Nanoseconds of a round of Reactive."""
    return large(measured.each("time", "operator", "window", algorithm=REACTIVE))


@fiba_fifo.quantity
def reactive_straightness(measured: Measured) -> Table:
    """How straight Reactive's time of a round is over log2 n: R^2, negative where it falls."""
    return straightness(reactive_time(measured), "window")


def daba_over_best_finger(measured: Measured) -> Table:
    """Throughput of DABA over that of the best finger tree."""
    table = rates(measured)
    return ratio(lines_of(table, algorithm=DABA), lines_of(table, algorithm=FINGER))


@fiba_fifo.quantity
def best_finger_of_daba(measured: Measured) -> Table:
    """Throughput of the best finger tree as a share of DABA's: the geometric mean over windows of several levels."""
    return 1 / geometric_mean(large(daba_over_best_finger(measured)), "window")


@fiba_fifo.quantity
def gap_with_bloom_over_cheap(measured: Measured) -> Table:
    """The best finger tree's gap to DABA with bloom over that with a cheap operator: geometric means over windows."""
    gap = geometric_mean(daba_over_best_finger(measured), "window")
    return 1 / over(where(gap, operator=CHEAP), lines_of(gap, operator=COSTLY))


@fiba_fifo.quantity
def in_order_over_best_finger(measured: Measured) -> Table:
    """Least throughput of two-stacks and of DABA over that of the best finger tree, of all windows."""
    table = rates(measured)
    finger = lines_of(table, algorithm=FINGER)
    lines = [
        keyed(smallest(ratio(lines_of(table, algorithm=name), finger), "window"), "algorithm", name)
        for name in (STACKS, DABA)
    ]
    return pd.concat(lines)


@fiba_fifo.quantity
def tree_over_reactive(measured: Measured) -> Table:
    """Throughput of each tree over that of Reactive: the geometric mean over the windows."""
    reactive = lines_of(rates(measured), algorithm=REACTIVE)
    trees = measured.rate("operator", "window", "algorithm", "min_arity", algorithm=TREES)
    return geometric_mean(over(trees, reactive), "window")
