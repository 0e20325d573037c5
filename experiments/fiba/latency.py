"""FiBA, section 5.2, Figure 12: cycles of single rounds, in order and at a large distance.

Claims take each round in its quietest repetition (see harness.measuring.single_rounds), so that what the machine
does besides is not held against an algorithm; the figure shows every sample.
"""

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import point, synthetic_only
from experiments.harness.old_judgement import Judgement, NotMeasuredError, quietest, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

CLASSIC, FINGER = "b_tree", "fiba"
CHEAP, COSTLY = ("sum", "geometric_mean"), ("bloom",)


@experiment("fiba_latency")
def fiba_latency(settings: Settings) -> list[Cell]:
    """A fixed number of rounds for each operator, at d = 0 and a quarter of the window unless distances are given."""
    synthetic_only(settings)
    n = settings.window or settings.sizes["window"]
    distances = settings.distances or tuple(dict.fromkeys((0, n // 4)))
    if (largest := max(distances)) > n:
        raise SettingsError(f"distances has {largest}; a window of {n} items holds at most that")
    rounds = settings.sizes["rounds"]
    return [
        point(
            settings,
            algorithm,
            operator,
            n,
            d,
            measurement="single_rounds.latency",
            protocol={"items": n + rounds.get(operator, rounds["other"])},
        )
        for operator in settings.operators
        for d in distances
        for algorithm in settings.algorithms
    ]


def _pairs(rows: pd.DataFrame, operators: tuple[str, ...], in_order: bool) -> pd.DataFrame:
    """Cycles of the rounds of classic and finger trees side by side, by operator, distance and min_arity."""
    table = quietest(rows).unstack("algorithm")
    pairs = table[table.index.get_level_values("operator").isin(operators)]
    pairs = pairs[pairs.index.get_level_values("distance") == 0 if in_order else _far(pairs)]
    if pairs.empty or not {CLASSIC, FINGER} <= set(pairs.columns):
        where = "d = 0" if in_order else "a large distance"
        raise NotMeasuredError(f"no rounds of both trees at {where} with {' or '.join(operators)}")
    return pairs[[CLASSIC, FINGER]].dropna()


def _far(table: pd.DataFrame) -> np.ndarray:
    """Which lines have the largest distance that is not 0."""
    distance = table.index.get_level_values("distance")
    return (distance > 0) & (distance == distance.max())


def _ratios(pairs: pd.DataFrame, quantile: float) -> pd.Series:
    """The quantile of the classic tree's rounds over that of the finger tree's."""
    return pd.Series([np.quantile(a, quantile) / np.quantile(b, quantile) for a, b in pairs.itertuples(index=False)])


def _at_least(rows: pd.DataFrame, operators: tuple[str, ...], factor: float, reason: str) -> Judgement:
    pairs = _pairs(rows, operators, in_order=True)
    least, median = _ratios(pairs, 0), _ratios(pairs, 0.5)
    text = (
        f"classic over finger: median {median.min():.1f} to {median.max():.1f} times, minimum {least.min():.1f} to "
        f"{least.max():.1f} times (below: at least {factor:g} times)"
    )
    return share((least >= factor) & (median >= factor), text, reason)


@fiba_latency.claim(
    "Figure 12", "In order, with bloom, the finger trees' median and minimum are orders of magnitude below", "10 times"
)
def far_below_with_bloom(rows: pd.DataFrame) -> Judgement:
    reason = "the combines of a round, which fiba_fifo counts, differ by less than ten times themselves"
    return _at_least(rows, COSTLY, 10, reason)


@fiba_latency.claim(
    "Figure 12",
    "In order, with sum and geomean, the finger trees' median and minimum are clearly below",
    "clearly below",
)
def below_with_cheap_operators(rows: pd.DataFrame) -> Judgement:
    return _at_least(rows, CHEAP, 1.5, "a cheap operator's rounds are short in a tree of few levels")


@fiba_latency.claim("Figure 12", "In order, with sum and geomean, the worst cases are similar", "similar")
def similar_worst_cases(rows: pd.DataFrame) -> Judgement:
    ratio = _ratios(_pairs(rows, CHEAP, in_order=True), 1)
    text = f"costliest round, classic over finger: {ratio.min():.2f} to {ratio.max():.2f} times (similar: within 4)"
    return share((ratio <= 4) & (ratio >= 0.25), text, "splits and merges up to the root are rare, and few were met")


@fiba_latency.claim(
    "Figure 12", "At a large distance, with sum and geomean, both trees' medians are similar", "similar"
)
def similar_far_from_order(rows: pd.DataFrame) -> Judgement:
    ratio = _ratios(_pairs(rows, CHEAP, in_order=False), 0.5)
    text = f"median, classic over finger: {ratio.min():.2f} to {ratio.max():.2f} times (similar: within 2)"
    return share((ratio <= 2) & (ratio >= 0.5), text, "evictions stay at the finger at any distance of insertions")


@fiba_latency.claim(
    "Figure 12",
    "At a large distance, with bloom, the best finger tree is far below every classic tree",
    "orders of magnitude",
)
def best_finger_far_from_order(rows: pd.DataFrame) -> Judgement:
    pairs = _pairs(rows, COSTLY, in_order=False)
    measured, holds = [], []
    for name, quantile in (("minimum", 0), ("median", 0.5), ("99.9th percentile", 0.999)):
        best = pairs.map(lambda cycles, q=quantile: np.quantile(cycles, q)).min()
        ratio = best[CLASSIC] / best[FINGER]
        measured.append(f"{name} {ratio:.1f} times")
        holds.append(ratio >= 10)
    text = f"best classic over best finger: {', '.join(measured)} (orders of magnitude: at least 10 times)"
    return share(pd.Series(holds), text, "both walk to the root for the insertion; only the eviction is cheaper")
