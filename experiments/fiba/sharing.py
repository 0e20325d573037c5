"""FiBA, section 5.4, Figure 14: a big and a small window, by range queries on one tree or by a tree for each."""

import json

import pandas as pd

from experiments.fiba.measuring.sharing import RANGE, TWIN
from experiments.harness.cell import Cell
from experiments.harness.grid import point, synthetic_only
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

FINGER = "fiba"
TIME, BYTES = "sharing.time", "sharing.bytes"


def small_windows(n: int) -> list[int]:
    """1, 4, 16 ... below n, and n."""
    return [*(1 << k for k in range(0, n.bit_length(), 2) if 1 << k < n), n]


@experiment("fiba_sharing")
def fiba_sharing(settings: Settings) -> list[Cell]:
    """Throughput over the size s of the small window, at distance s / 2, and the memory of the trees."""
    synthetic_only(settings)
    if settings.distances is not None:
        raise SettingsError(
            f"distances is {list(settings.distances)}; {settings.name} takes half of each small window: leave it out"
        )
    n = settings.window or settings.sizes["window"]
    return [
        point(
            settings,
            algorithm,
            operator,
            small,
            small // 2,
            measurement=measurement,
            uses={"sharing": sharing},
            protocol={"window": n},
        )
        for measurement in (TIME, BYTES)
        for operator in settings.operators
        for small in small_windows(n)
        for algorithm in settings.algorithms
        for sharing in ((RANGE, TWIN) if algorithm["name"] == FINGER else (TWIN,))
    ]


def _pairs(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The finger tree's value an operation, or in all if it is bytes, by (parameters, operator, small window)."""
    of_finger = rows[(rows["metric"] == metric) & (rows["algorithm"] == FINGER)]
    if of_finger.empty:
        raise NotMeasuredError(f"no rows of {FINGER} with metric {metric}")
    uses = [json.loads(parameters) for parameters in of_finger["parameters"]]
    per_operation = of_finger["value"] / (of_finger["operations"] if metric == "time" else 1)
    table = of_finger.assign(
        each=per_operation, sharing=[use["sharing"] for use in uses], min_arity=[use["min_arity"] for use in uses]
    ).pivot_table(index=["min_arity", "operator", "window"], columns="sharing", values="each", aggfunc="median")
    if not {RANGE, TWIN} <= set(table.columns) or table.dropna().empty:
        raise NotMeasuredError("needs both ways of sharing at one small window")
    return table.dropna()


@fiba_sharing.claim("Figure 14", "One tree with range queries and two trees are in the same ballpark", "a small factor")
def same_ballpark(rows: pd.DataFrame) -> Judgement:
    table = _pairs(rows, "time")
    ratio = table[RANGE] / table[TWIN]
    text = f"time of range over twin {ratio.min():.2f} to {ratio.max():.2f}, median {ratio.median():.2f} (within 2)"
    reason = "the two differ where the small window is tiny, or as large as the big one"
    return share((ratio <= 2) & (ratio >= 0.5), text, reason)


@fiba_sharing.claim("Figure 14", "Sharing does not consistently improve the running time", "not consistently")
def no_consistent_gain(rows: pd.DataFrame) -> Judgement:
    table = _pairs(rows, "time")
    slower = table[RANGE] >= table[TWIN]
    text = f"range is no faster at {int(slower.sum())} of {len(slower)} points (not consistently: at a quarter or more)"
    return share(pd.Series([slower.mean() >= 0.25]), text, "our range query costs less than keeping up a second tree")


@fiba_sharing.claim("Section 5.4", "Sharing saves space (decided by counting bytes)", "reduced space")
def saves_space(rows: pd.DataFrame) -> Judgement:
    table = _pairs(rows, "bytes")
    ratio = table[TWIN] / table[RANGE]
    largest = ratio[ratio.index.get_level_values("window") == ratio.index.get_level_values("window").max()]
    text = f"bytes of twin over range {ratio.min():.3f} to {ratio.max():.2f}, of two equal windows {largest.min():.2f}"
    return share(ratio > 1, f"{text} (saves: above 1)", "a small tree must take some memory")
