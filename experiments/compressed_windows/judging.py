"""Tables of A_C over the injection rate and D, and what one D costs or saves against D = infinity."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from experiments.compressed_windows.measuring.aggregates import INFINITE
from experiments.harness.measured import Measured, NotMeasuredError, Table, keyed, lines_of, values_of

METRIC = "injected"

AGE = "age"
"""The key of a D in tables, in words. It is not called D, so that whatever is undecided repeats all D's of its rate."""

Of = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]


def throughput(measured: Measured, *keys: str, **where: str) -> Table:
    """Tuples done a second."""
    return 1e6 * measured.rate(*keys, metric=METRIC, **where)


def over_d(table: Table) -> Table:
    """The table with D as seconds, float64, infinity among them; lines whose D a controller chooses are left out.

    Raises NotMeasuredError where D = infinity, which everything is compared with, or every other D is missing.
    """
    ages = pd.to_numeric(table.index.get_level_values("D"), errors="coerce").astype(float)
    if math.inf not in ages or not np.isfinite(ages).any():
        raise NotMeasuredError(f"needs D = {INFINITE} and another D to compare with it")
    kept, others = table[~ages.isna()], [name for name in table.index.names if name != "D"]
    levels = [*(kept.index.get_level_values(name) for name in others), ages[~ages.isna()]]
    return kept.set_axis(pd.MultiIndex.from_arrays(levels, names=[*others, "D"]), axis=0)


def against(table: Table, base: float, of: Of) -> Table:
    """of(line of a D, line of the base D) for every other D, the largest first. Keys: the others, and AGE."""
    bases = lines_of(table, D=base)
    pieces = []
    for age in sorted(set(values_of(table, "D")) - {base, math.inf}, reverse=True):
        lines = lines_of(table, D=age)
        both = lines.index.intersection(bases.index)
        pieces.append(keyed(of(lines.loc[both], bases.loc[both]), AGE, f"{age:g} s"))
    if not sum(map(len, pieces)):
        raise NotMeasuredError(f"no rate has both D = {base:g} s and another D")
    return pd.concat(pieces)


def against_infinity(table: Table, of: Of = np.divide) -> Table:
    """Every D against infinity."""
    return against(over_d(table), math.inf, of)


def in_steps(table: Table) -> Table:
    """The table over the place of each D, from 1 (infinity) on: as figures draw it, D shrinks in equal steps."""
    located = over_d(table)
    places = {age: place for place, age in enumerate(sorted(values_of(located, "D"), reverse=True), 1)}
    index = located.index.set_levels([places[age] for age in located.index.levels[-1]], level="D")
    return located.set_axis(index.set_names([*located.index.names[:-1], "step"]), axis=0)
