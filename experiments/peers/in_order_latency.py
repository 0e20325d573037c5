"""Worst cases in order: windows that do their work in bursts, beside those that spread it evenly.

Not a figure of the five papers; the paper of DABA (Tangwongsan, Hirzel, Schneider 2017) has such histograms. A burst
comes once in n rounds (two-stacks flips, FlatFIT walks the ring), so n rounds are timed one by one. A machine that does
something else for a moment gives every algorithm rounds of millions of cycles: claims take each round in its quietest
repetition, in which a burst stays, and are decided by counting combines as well.
"""

import json

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point
from experiments.harness.measuring.rig import MOST_SAMPLES
from experiments.harness.old_judgement import NOT_REPRODUCED, REPRODUCED, Judgement, NotMeasuredError, quietest, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

LATENCY, COUNT = "single_rounds.latency", "single_rounds.combines"
STEADY, BURSTS = ("daba", "daba_lite"), ("two_stacks", "two_stacks_lite")
MOST_COMBINES = 8
"""Of a round of daba: 4 for an insertion, 3 for an eviction, 1 for a query."""


@experiment("in_order_latency")
def in_order_latency(settings: Settings) -> list[Cell]:
    """n rounds in order in a window of n items: cycles of each, and the combines of the costliest."""
    in_order_only(settings)
    n = settings.window or settings.sizes["window"]
    if n > MOST_SAMPLES:
        raise SettingsError(f"window is {n}; a window's worth of single rounds is kept, which may be {MOST_SAMPLES:,}")
    return [
        point(settings, algorithm, operator, n, 0, measurement=measurement, protocol={"items": 2 * n})
        for measurement in (LATENCY, COUNT)
        for operator in settings.operators
        for algorithm in settings.algorithms
    ]


def _worst(rows: pd.DataFrame, algorithms: tuple[str, ...]) -> pd.DataFrame:
    """Cycles of the costliest round by operator (lines) and algorithm."""
    table = quietest(rows).map(np.max).groupby(["operator", "algorithm"]).max().unstack("algorithm")
    if missing := [name for name in algorithms if name not in table.columns]:
        raise NotMeasuredError(f"no rounds of {', '.join(missing)}")
    return table[list(algorithms)].dropna()


def _pairwise(rows: pd.DataFrame) -> pd.Series:
    """The costliest round of each two-stacks over that of the daba that keeps as many partial aggregates."""
    table = _worst(rows, STEADY + BURSTS)
    return pd.concat([table[burst] / table[steady] for steady, burst in zip(STEADY, BURSTS)])


@in_order_latency.claim(
    "DABA 2017", "DABA's worst round is orders of magnitude below two-stacks' (cycles)", "worst-case O(1) against O(n)"
)
def daba_far_below_two_stacks(rows: pd.DataFrame) -> Judgement:
    ratio = _pairwise(rows)
    text = (
        f"costliest round, two-stacks over daba: {', '.join(f'{times:,.0f}' for times in ratio)} times (at least 100)"
    )
    return share(ratio >= 100, text, "a round was disturbed in every repetition, or the window is small")


@in_order_latency.claim(
    "DABA 2017",
    "DABA's costliest round takes a constant number of combines, two-stacks' n (decided by counting)",
    "8 and n",
)
def counted_bursts(rows: pd.DataFrame) -> Judgement:
    counted = rows[rows["metric"] == "combines"]
    if missing := [name for name in STEADY + BURSTS if name not in set(counted["algorithm"])]:
        raise NotMeasuredError(f"no combines of {', '.join(missing)} were counted")
    worst = counted.assign(most=[json.loads(facts)["costliest_round"] for facts in counted["facts"]])
    worst = worst.groupby("algorithm")["most"].max()
    n = int(counted["window"].max())
    holds = all(worst[name] <= MOST_COMBINES for name in STEADY) and all(worst[name] >= n - 1 for name in BURSTS)
    text = ", ".join(f"{name}: {worst[name]:,}" for name in STEADY + BURSTS)
    text += f" of n = {n:,} (at most {MOST_COMBINES}; at least n - 1)"
    return Judgement(
        REPRODUCED if holds else NOT_REPRODUCED, text, "" if holds else "a bound does not hold: see counts"
    )
