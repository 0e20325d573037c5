"""Monoid Tree Aggregator, Table 1: how combines and local memory grow with the window, counted."""

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import each, known, lines_of
from experiments.harness.old_judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError, explained
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

METRICS = {"combines": "amortised", "worst_bulk": "bulk eviction", "local_size": "local size"}
CONSTANT, LOGARITHMIC, LINEAR = "O(1)", "O(log n)", "O(n)"
LEAST = 64
"""Smaller windows have too few levels to tell the orders apart."""

TABLE = {
    "reactive": (LOGARITHMIC, LINEAR, LINEAR),
    "daba": (CONSTANT, LINEAR, LINEAR),
    "log_mta": (LOGARITHMIC, LOGARITHMIC, LOGARITHMIC),
    "amta": (CONSTANT, LOGARITHMIC, LOGARITHMIC),
}
"""Table 1: the orders of METRICS."""


@experiment("mta_complexity")
def mta_complexity(settings: Settings) -> list[Cell]:
    """Each of METRICS over n for each algorithm."""
    in_order_only(settings)
    return [
        point(settings, algorithm, operator, n, 0, measurement=f"bulk_arrivals.{metric}")
        for metric in METRICS
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]


def order(line: pd.Series) -> str:
    """The order of growth of a line over n: constant if it changes by a tenth at most, else the better fit.

    Raises NotMeasuredError for fewer than three windows.
    """
    logs, y = known(line, LEAST)
    if np.ptp(y) <= 0.1 * y.max():
        return CONSTANT
    return LOGARITHMIC if explained(logs, y) > explained(2**logs, y) else LINEAR


def _as_in_table(rows: pd.DataFrame, algorithm: str) -> Judgement:
    orders, texts = [], []
    for metric, words in METRICS.items():
        line = lines_of(each(rows, metric, "algorithm"), algorithm=algorithm).iloc[0].dropna()
        orders.append(order(line))
        texts.append(f"{words} {orders[-1]} ({line.iloc[0]:,.3g} to {line.iloc[-1]:,.3g})")
    agreeing = sum(measured == printed for measured, printed in zip(orders, TABLE[algorithm]))
    verdict = REPRODUCED if agreeing == len(orders) else PARTLY if agreeing >= len(orders) / 2 else NOT_REPRODUCED
    windows = sorted(n for n in rows["window"].unique() if n >= LEAST)
    text = f"{', '.join(texts)}, for n = {windows[0]:,} to {windows[-1]:,}"
    return Judgement(verdict, text, "" if verdict == REPRODUCED else f"printed are {', '.join(TABLE[algorithm])}")


@mta_complexity.claim("Table 1", "Reactive Aggregator", "amortised O(log n), bulk eviction O(n), local size O(n)")
def reactive(rows: pd.DataFrame) -> Judgement:
    return _as_in_table(rows, "reactive")


@mta_complexity.claim("Table 1", "SWAG, which is DABA", "amortised O(1), bulk eviction O(n), local size O(n)")
def daba(rows: pd.DataFrame) -> Judgement:
    return _as_in_table(rows, "daba")


@mta_complexity.claim("Table 1", "Log MTA", "amortised, bulk eviction and local size O(log n)")
def log_mta(rows: pd.DataFrame) -> Judgement:
    return _as_in_table(rows, "log_mta")


@mta_complexity.claim("Table 1", "Amortised MTA", "amortised O(1), bulk eviction and local size O(log n)")
def amta(rows: pd.DataFrame) -> Judgement:
    return _as_in_table(rows, "amta")


@mta_complexity.claim("Table 1", "All of them slide by policies of the user", "the two MTA only")
def policies(rows: pd.DataFrame) -> Judgement:
    algorithms = sorted(set(rows.loc[rows["metric"] == "combines", "algorithm"]))
    if missing := [name for name in TABLE if name not in algorithms]:
        raise NotMeasuredError(f"no rows of {' and '.join(missing)}")
    text = f"{', '.join(algorithms)} ran under one policy"
    reason = "of the frameworks compared; here any window takes a policy, the others ask it once for each element"
    return Judgement(PARTLY, text, reason)
