"""Worst cases in order: windows that do their work in bursts, beside those that spread it evenly.

Not a figure of the five papers; the paper of DABA (Tangwongsan, Hirzel, Schneider 2017) has such histograms. A burst
comes once in n rounds (two-stacks flips, FlatFIT walks the ring), so n rounds are timed one by one. A machine that does
something else for a moment gives every algorithm rounds of millions of cycles: a round is therefore taken in the
quieter of two repetitions, in which a burst stays, and combines are counted as well.
"""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, window_of
from experiments.harness.measured import Measured, Table, keyed, lines_of, ratio
from experiments.harness.measuring.rig import MOST_SAMPLES
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

LATENCY, COUNT = "single_rounds.latency", "single_rounds.combines"
STEADY, BURSTS = ("daba", "daba_lite"), ("two_stacks", "two_stacks_lite")


@experiment("in_order_latency")
def in_order_latency(settings: Settings) -> list[Cell]:
    """n rounds in order in a window of n items: cycles of each, and the combines of the costliest."""
    in_order_only(settings)
    n = window_of(settings)
    if n > MOST_SAMPLES:
        raise SettingsError(f"window is {n}; a window's worth of single rounds is kept, which may be {MOST_SAMPLES:,}")
    return [
        point(settings, algorithm, operator, n, 0, measurement=measurement, protocol={"items": 2 * n})
        for measurement in (LATENCY, COUNT)
        for operator in settings.operators
        for algorithm in settings.algorithms
    ]


def over_daba(table: Table) -> Table:
    """Each two-stacks over the daba that keeps as many partial aggregates, for each operator."""
    pairs = zip(BURSTS, STEADY)
    return pd.concat([
        keyed(ratio(lines_of(table, algorithm=burst), lines_of(table, algorithm=steady)), "algorithm", burst)
        for burst, steady in pairs
    ])  # fmt: skip


@in_order_latency.quantity
def worst_round_over_daba(measured: Measured) -> Table:
    """Cycles of two-stacks' costliest round over those of DABA's, each round in the quieter of two repetitions."""
    return over_daba(measured.worst_of_quieter("algorithm", "operator", algorithm=[*STEADY, *BURSTS]))


@in_order_latency.quantity
def combines_of_costliest_round(measured: Measured) -> Table:
    """Combines of the costliest of n rounds in order."""
    return measured.fact("costliest_round", "algorithm", "operator", metric="combines")


@in_order_latency.quantity
def items_left_out_of_costliest_round(measured: Measured) -> Table:
    """n less the combines of the costliest of n rounds."""
    counts = measured.fact("costliest_round", "algorithm", "operator", "window", metric="combines")
    return -counts.sub(counts.index.get_level_values("window").to_numpy(), axis=0)
