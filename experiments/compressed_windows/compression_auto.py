"""Ours, beyond the compressed-windows paper, which names both as future work: other codecs, a D chosen at run time.

The stream of `compression` is fed without waiting, so that throughput is what A_C can do. Each codec is measured with
each D; and a controller (algorithms.streams.compressed.controller) picks D for a budget of memory, by the paper's
accounting, or for a bound on latency. It is judged by what D's that are fixed from beginning to end make of the same
goal: it must keep to the goal wherever one of them does, and come near the best of those that do.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from experiments.compressed_windows.grid import ages_of, fed_cell
from experiments.compressed_windows.judging import AGE, METRIC, against_infinity, throughput
from experiments.compressed_windows.measuring.aggregates import LATENCY, MEMORY, Goal, aggregates, goal_of
from experiments.harness.cell import Cell
from experiments.harness.fitting import largest, smallest
from experiments.harness.measured import Measured, NotMeasuredError, Table, keyed, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

FIXED, CONTROLLED = "a_c", "a_c_controlled"

DENSE, FAST = "zstd", ("snappy", "lz4")


@experiment("compression_auto", aggregates)
def compression_auto(settings: Settings) -> list[Cell]:
    """A cell for each codec and D, and for each codec with a controller and goal."""
    return [
        fed_cell(settings, algorithm, age)
        for algorithm in settings.algorithms
        for age in (goals_of(settings) if algorithm["name"] == CONTROLLED else ages_of(settings))
    ]


def goals_of(settings: Settings) -> list[str]:
    """What the controller is to keep to. Raises SettingsError."""
    goals = settings.sizes["goals"]
    if not isinstance(goals, list | tuple) or not goals:
        raise SettingsError(f"sizes.goals is {goals!r}; it must be a list such as [memory<=8MB, latency<=5ms]")
    for text in goals:
        goal = goal_of(text)
        if goal is None or goal.bound <= 0:
            raise SettingsError(f"sizes.goals has {text!r}; a goal is such as memory<=8MB or latency<=5ms")
    return list(dict.fromkeys(goals))


BOUNDED = {MEMORY: "most_memory", LATENCY: "latency"}
"""The fact that a goal bounds."""


def bounded(measured: Measured, kind: str, algorithm: str) -> Table:
    """What goals of this kind bound, by codec and D."""
    return measured.fact(BOUNDED[kind], "codec", "D", metric=METRIC, algorithm=algorithm)


def worth(measured: Measured, kind: str, algorithm: str) -> Table:
    """What there is to gain: throughput within a budget of memory; within a bound on latency, one over the memory."""
    if kind == MEMORY:
        return throughput(measured, "codec", "D", algorithm=algorithm)
    return 1 / measured.fact("mean_memory", "codec", "D", metric=METRIC, algorithm=algorithm)


def goals(table: Table, kind: str) -> Iterator[tuple[str, Goal]]:
    """The goals of this kind among the D's of a table. Raises NotMeasuredError if there are none."""
    known = [(text, goal) for text in values_of(table, "D") if (goal := goal_of(text)) and goal.quantity == kind]
    if not known:
        raise NotMeasuredError(f"no controller with a goal of {kind}")
    yield from known


def best_fixed(measured: Measured, kind: str, goal: Goal) -> Table:
    """The most that a fixed D within the goal is worth, for each codec; NaN where none keeps to it."""
    kept = worth(measured, kind, FIXED).where(bounded(measured, kind, FIXED) <= goal.bound)
    return largest(kept.fillna(-np.inf), "D").replace(-np.inf, np.nan)


def share_of_bound(measured: Measured, kind: str) -> Table:
    """What the controller has of the bound, for each codec and goal that some fixed D keeps to."""
    table = bounded(measured, kind, CONTROLLED)
    pieces = []
    for text, goal in goals(table, kind):
        part = lines_of(table, D=text) / goal.bound
        pieces.append(keyed(part.where(best_fixed(measured, kind, goal).reindex(part.index).notna()), AGE, text))
    return pd.concat(pieces)


def share_of_best(measured: Measured, kind: str) -> Table:
    """What the controller is worth, of the best fixed D that keeps to the goal; 0 where it breaks the goal itself."""
    table = worth(measured, kind, CONTROLLED)
    pieces = [
        keyed(ratio(lines_of(table, D=text), best_fixed(measured, kind, goal)), AGE, text)
        for text, goal in goals(table, kind)
    ]
    near, part = pd.concat(pieces), share_of_bound(measured, kind)
    part = part.loc[near.index]
    return near.where(part <= 1, 0.0).where(part.notna())


@compression_auto.quantity
def part_of_the_budget(measured: Measured) -> Table:
    """The controller's most memory at any time over its budget."""
    return share_of_bound(measured, MEMORY)


@compression_auto.quantity
def throughput_of_the_best(measured: Measured) -> Table:
    """The controller's throughput over that of the best fixed D within the budget."""
    return share_of_best(measured, MEMORY)


@compression_auto.quantity
def part_of_the_bound(measured: Measured) -> Table:
    """The controller's mean latency over its bound."""
    return share_of_bound(measured, LATENCY)


@compression_auto.quantity
def best_memory_of_its_own(measured: Measured) -> Table:
    """The memory of the best fixed D within the bound over the controller's, means over the run."""
    return share_of_best(measured, LATENCY)


def of_codecs(table: Table) -> Table:
    """The D's that compress, in words. Raises NotMeasuredError unless all codecs were measured."""
    if missing := [codec for codec in (DENSE, *FAST) if codec not in values_of(table, "codec")]:
        raise NotMeasuredError(f"no rows of {', '.join(missing)}")
    return against_infinity(table, lambda one, _: one)


@compression_auto.quantity
def dense_memory_of_fast(measured: Measured) -> Table:
    """Zstandard's memory at the end over that of the better of Snappy and LZ4."""
    table = of_codecs(measured.fact("memory", "codec", "D", metric=METRIC, algorithm=FIXED))
    return ratio(lines_of(table, codec=DENSE), smallest(where(table, codec=FAST), "codec"))


@compression_auto.quantity
def fast_throughput_of_dense(measured: Measured) -> Table:
    """Throughput of the slower of Snappy and LZ4 over that of Zstandard."""
    table = of_codecs(throughput(measured, "codec", "D", algorithm=FIXED))
    return ratio(smallest(where(table, codec=FAST), "codec"), lines_of(table, codec=DENSE))
