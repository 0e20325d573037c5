"""FiBA, section 5.3, Figure 13: items in order, over the size of the window, beside the best in-order algorithms.

Claims about shape are judged twice where that is possible: on time, which caches bend at large windows, and on counted
combines, which are exact.
"""

import numpy as np
import pandas as pd

from experiments.fiba.judging import medians, series
from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_judgement import Judgement, NotMeasuredError, arity_of, explained, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

CLASSIC, FINGER, TREES = "b_tree", "fiba", ("b_tree", "fiba")

COUNT, COUNTED = "rounds.combines", "sum"
"""How combines are counted, and the operator it is done with: the number does not depend on it."""

CHEAP = ("sum", "geometric_mean")

SEVERAL_LEVELS = 256
"""Smallest window of the claims on shape: below it, a tree of min_arity 8 has less than three levels."""


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


def _mostly(wins: dict[str, tuple[int, int]], rank: str, reason: str) -> Judgement:
    """Whether something holds at more than half of the windows, operator by operator."""
    text = ", ".join(f"{operator}: {won} of {of}" for operator, (won, of) in wins.items())
    return share(
        pd.Series([2 * won > of for won, of in wins.values()]), f"{rank} at n of {text} (most: over half)", reason
    )


def _ranks(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """For each operator the throughput by algorithm (the best of its arities) and n, where all were measured."""
    table = medians(rows, "window").groupby(["operator", "algorithm"]).max()
    ranks = {operator: lines.droplevel("operator").dropna(axis=1) for operator, lines in table.groupby("operator")}
    if not any(lines.shape[1] for lines in ranks.values()):
        raise NotMeasuredError("no window that every algorithm was measured at")
    return ranks


def _require(ranks: dict[str, pd.DataFrame], *algorithms: str) -> None:
    for lines in ranks.values():
        for name in algorithms:
            if name not in lines.index:
                raise NotMeasuredError(f"no rows of {name}")


@fiba_fifo.claim("Figure 13", "Two-stacks has the best throughput for most window sizes", "best for most n")
def two_stacks_is_best(rows: pd.DataFrame) -> Judgement:
    ranks = _ranks(rows)
    _require(ranks, "two_stacks", "daba")
    wins = {
        operator: (int((lines.idxmax() == "two_stacks").sum()), lines.shape[1]) for operator, lines in ranks.items()
    }
    return _mostly(
        wins, "best", "daba's even work suits a processor that predicts branches; a flip is a burst of misses"
    )


@fiba_fifo.claim("Figure 13", "DABA is generally second best", "second for most n")
def daba_is_second(rows: pd.DataFrame) -> Judgement:
    ranks = _ranks(rows)
    _require(ranks, "two_stacks", "daba")
    wins = {}
    for operator, lines in ranks.items():
        rank = lines.rank(ascending=False).loc["daba"]
        wins[operator] = (int((rank == 2).sum()), lines.shape[1])
    times_first = {operator: int((lines.idxmax() == "daba").sum()) for operator, lines in ranks.items()}
    instead = ", ".join(f"{operator}: {n}" for operator, n in times_first.items() if n)
    return _mostly(wins, "second", f"daba is first instead ({instead} times)" if instead else "another is as good here")


def _large(table: pd.DataFrame) -> pd.DataFrame:
    """The windows of several levels that every line has."""
    large = table[[n for n in table.columns if n >= SEVERAL_LEVELS]].dropna(axis=1)
    if large.shape[1] < 3:
        raise NotMeasuredError(f"needs three windows of at least {SEVERAL_LEVELS} items")
    return large


@fiba_fifo.claim("Figure 13", "The finger trees' throughput is constant as the window grows", "constant")
def finger_is_constant(rows: pd.DataFrame) -> Judgement:
    ns = 1e3 / _large(series(medians(rows, "window"), FINGER))
    x = np.log2(ns.columns.to_numpy(float))
    rise = ns.apply(lambda line: np.polyfit(x, line.to_numpy(float), 1)[0] * np.ptp(x) / line.mean(), axis=1)
    text = (
        f"line fitted to ns per item over log2 n, n = {ns.columns[0]:,} to {ns.columns[-1]:,}: over the whole range it"
        f" rises by {rise.min():.0%} to {rise.max():.0%} of the mean (constant: within 25 %)"
    )
    return share(rise.abs() <= 0.25, text, "large windows leave the caches, and then each eviction waits for memory")


def _combines(rows: pd.DataFrame, algorithm: str) -> pd.DataFrame:
    """Combines of a round by min_arity and n."""
    counted = rows[(rows["metric"] == "combines") & (rows["algorithm"] == algorithm)]
    if counted.empty:
        raise NotMeasuredError(f"no combines of {algorithm} were counted")
    counted = counted.assign(
        min_arity=counted["parameters"].map(arity_of), each=counted["value"] / counted["operations"]
    )
    return _large(counted.pivot_table(index="min_arity", columns="window", values="each"))


@fiba_fifo.claim(
    "Figure 13", "A finger tree's combines for a round are constant in n (decided by counting)", "amortised O(1)"
)
def finger_combines_are_constant(rows: pd.DataFrame) -> Judgement:
    table = _combines(rows, FINGER)
    spread = table.max(axis=1) / table.min(axis=1)
    means = ", ".join(f"min_arity {mu}: {line.mean():.2f}" for mu, line in table.iterrows())
    return share(
        spread <= 1.1, f"{means}; most over least {spread.max():.3f} (constant: at most 1.1)", "rounds of splits"
    )


@fiba_fifo.claim(
    "Figure 13", "The best finger tree is within a small factor of DABA for sum and geomean", "small factor"
)
def finger_near_daba(rows: pd.DataFrame) -> Judgement:
    ranks = {operator: lines for operator, lines in _ranks(rows).items() if operator in CHEAP}
    if not ranks:
        raise NotMeasuredError(f"no rows with {' or '.join(CHEAP)}")
    _require(ranks, "daba", FINGER)
    factor = pd.Series(
        {operator: (lines.loc["daba"] / lines.loc[FINGER]).median() for operator, lines in ranks.items()}
    )
    text = "daba over the best finger tree, median over n: "
    text += ", ".join(f"{operator} {value:.1f}" for operator, value in factor.items()) + " (small: at most 4)"
    return share(factor <= 4, text, "a round of our daba is a few nanoseconds, any walk of a tree many times that")


@fiba_fifo.claim("Figure 13", "The classic B-tree's throughput falls like 1 / log n", "time linear in log n")
def classic_falls_like_log(rows: pd.DataFrame) -> Judgement:
    ns = 1e3 / _large(series(medians(rows, "window"), CLASSIC))
    x = np.log2(ns.columns.to_numpy(float))
    slope = ns.apply(lambda line: np.polyfit(x, line.to_numpy(float), 1)[0], axis=1)
    r2 = ns.apply(lambda line: explained(x, line.to_numpy(float)), axis=1)
    text = f"ns per item over log2 n: R^2 {r2.min():.2f} to {r2.max():.2f}, rising (linear: at least 0.8)"
    return share((r2 >= 0.8) & (slope > 0), text, "the height of the tree grows in steps")


@fiba_fifo.claim("Figure 13", "The classic B-tree's combines for a round grow like log n (by counting)", "O(log n)")
def classic_combines_grow_like_log(rows: pd.DataFrame) -> Judgement:
    table = _combines(rows, CLASSIC)
    x = np.log2(table.columns.to_numpy(float))
    r2 = table.apply(lambda line: explained(x, line.to_numpy(float)), axis=1)
    growth = table.iloc[:, -1] / table.iloc[:, 0]
    text = f"R^2 over log2 n {r2.min():.2f} to {r2.max():.2f} (linear: at least 0.8), grown {growth.min():.1f} times"
    return share((r2 >= 0.8) & (growth > 1), text, "the height of the tree grows in steps")


@fiba_fifo.claim("Figure 13", "With bloom, Reactive outruns all B-trees", "best of the trees")
def reactive_wins_with_bloom(rows: pd.DataFrame) -> Judgement:
    ranks = {operator: lines for operator, lines in _ranks(rows).items() if operator == "bloom"}
    if not ranks:
        raise NotMeasuredError("no rows with bloom")
    _require(ranks, "reactive", *TREES)
    lines = ranks["bloom"]
    ahead = lines.loc["reactive"] > lines.loc[list(TREES)].max()
    ratio = (lines.loc["reactive"] / lines.loc[list(TREES)].max()).median()
    text = f"ahead of the best B-tree at {int(ahead.sum())} of {len(ahead)} n, median {ratio:.2f} times its throughput"
    return share(
        pd.Series([2 * ahead.sum() > len(ahead)]), text + " (outruns: at over half)", "our finger tree combines less"
    )
