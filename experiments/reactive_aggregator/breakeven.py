"""Reactive Aggregator, section 6.2, Table 3: the window from which incremental computation pays off.

Twice: against a bare loop that recomputes, and with both inside SlidingAggregate. The break-even points of the claims
come from all pairs of all repetitions: a straight line through the logarithms of speed-up and window, near the windows
that the searches found, with the interval that resampling the pairs gives.
"""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_number
from experiments.reactive_aggregator.measuring.contestants import FRAMEWORK, LOOP

BREAK_EVEN, TEN_TIMES = "break_even", "ten_times"
TARGETS = {BREAK_EVEN: 1.0, TEN_TIMES: 10.0}

NEVER = ("count", "collect")
PAPER = {
    "sum": (370, 5200), "sum:float64": (290, 5200), "max": (260, 5200), "max:float64": (130, 3600),
    "arithmetic_mean": (10, 900), "min_count": (200, 4480), "sample_stddev": (10, 700), "population_stddev": (10, 700),
    "arg_max": (130, 2770), "arg_max:float64": (250, 5810),
}  # fmt: skip
"""Table 3: the windows of BREAK_EVEN and of TEN_TIMES."""

NEAR, RESAMPLED = 2.0, 200
"""The line is fitted to windows within a factor of NEAR of those found; pairs are resampled RESAMPLED times."""


class Estimate(NamedTuple):
    """The window that the pairs give, and the ends of its interval in 95 % of the resamplings."""

    n: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{_tens(self.n)} ({_tens(self.low)} to {_tens(self.high)})"


def _tens(n: float) -> str:
    return f"{max(10, round(n / 10) * 10):,}"


@experiment("ra_breakeven")
def ra_breakeven(settings: Settings) -> list[Cell]:
    """For each operator a search for both targets, in the loop and in the framework."""
    in_order_only(settings)
    limit = settings.window or whole_number("sizes.limit", settings.sizes["limit"], 10)
    lists = min(limit, whole_number("sizes.limit_of_lists", settings.sizes["limit_of_lists"], 10))
    return [
        point(
            settings,
            algorithm,
            operator,
            lists if operator.startswith("collect") else limit,
            0,
            measurement=f"breakeven.{target}",
            uses={"framework": framework},
        )
        for framework in (LOOP, FRAMEWORK)
        for operator in settings.operators
        for algorithm in settings.algorithms
        for target in TARGETS
    ]


def pairs_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Every pair: operator, framework, the window n, and the logarithm of the speed-up."""
    timed = rows[rows["metric"].isin(TARGETS) & rows["samples"].notna()]
    if timed.empty:
        raise NotMeasuredError("no pairs were timed")
    frames = []
    for row in timed.itertuples():
        ns = np.asarray(row.samples, float).reshape(-1, 2)
        frames.append(
            pd.DataFrame(
                {
                    "operator": row.operator,
                    "framework": json.loads(row.parameters)["framework"],
                    "n": json.loads(row.facts)["windows"],
                    "speed_up": np.log(ns[:, 0] / ns[:, 1]),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def crossing(n: np.ndarray, speed_ups: np.ndarray, target: float) -> np.ndarray:
    """Where the straight line through log n and the logarithms of speed-ups reaches the target.

    `speed_ups` has a row for each n, and a column for each line. A line that does not rise crosses nowhere: NaN.
    """
    slope, at_one = np.polyfit(np.log(n), speed_ups, 1)
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(slope > 0, np.exp((np.log(target) - at_one) / slope), np.nan)


def estimate(pairs: pd.DataFrame, searched: float, target: float) -> Estimate:
    """The crossing of the medians near the window that searches found, and its interval; else that window itself."""
    near = pairs[(pairs["n"] >= searched / NEAR) & (pairs["n"] <= searched * NEAR)]
    groups = {n: group.to_numpy() for n, group in near.groupby("n")["speed_up"]}
    if len(groups) < 2:
        return Estimate(searched, searched, searched)
    random, n = np.random.default_rng(0), np.array(list(groups), float)
    medians = np.array([[np.median(group)] for group in groups.values()])
    redrawn = np.array([np.median(random.choice(group, (RESAMPLED, len(group))), axis=1) for group in groups.values()])
    crossed = float(np.nan_to_num(crossing(n, medians, target)[0], nan=searched))
    crossings = np.nan_to_num(crossing(n, redrawn, target), nan=searched)
    low, high = np.clip(np.quantile(crossings, [0.025, 0.975]), searched / NEAR, searched * NEAR)
    return Estimate(float(np.clip(crossed, low, high)), float(low), float(high))


def table_of(rows: pd.DataFrame, metric: str, framework: str) -> dict[str, Estimate | None]:
    """For each operator the window that reaches the target; None where most searches found none."""
    searched = rows[rows["metric"] == metric]
    searched = searched[[json.loads(text)["framework"] == framework for text in searched["parameters"]]]
    if searched.empty:
        raise NotMeasuredError(f"no searches in {framework}")
    pairs = pairs_of(rows)
    pairs = pairs[pairs["framework"] == framework]
    estimates: dict[str, Estimate | None] = {}
    for operator, runs in searched.groupby("operator"):
        values = runs["value"].dropna()
        reached = 2 * len(values) > len(runs)
        of_operator = pairs[pairs["operator"] == operator]
        estimates[operator] = estimate(of_operator, float(values.median()), TARGETS[metric]) if reached else None
    return estimates


def _pays_off(rows: pd.DataFrame, metric: str, framework: str, n: int) -> tuple[pd.Series, str]:
    """Whether each operator that pays off in the paper does so within `n` items; and in words, beside the paper's.

    A search that found nothing and did not go as far as `n` decides nothing.
    """
    table = {name: window for name, window in table_of(rows, metric, framework).items() if name in PAPER}
    limits = rows[rows["metric"] == metric].groupby("operator")["window"].max()
    holds = {
        name: window is not None and window.low <= n for name, window in table.items() if window or limits[name] >= n
    }
    if not holds:
        raise NotMeasuredError(f"no operator of the paper was searched for up to {n:,} items")
    column = list(TARGETS).index(metric)
    measured = ", ".join(
        f"{name} {window or f'never up to {limits[name]:,}'} [{PAPER[name][column]:,}]"
        for name, window in table.items()
    )
    return pd.Series(holds), f"{measured}, in square brackets the paper's (asked: at most {n:,}, its largest)"


REASONS = {
    LOOP: "recomputation is here a loop over one array, which vector instructions do several entries at a time",
    FRAMEWORK: "less stands around the window than in the paper's engine, and the walk costs more than the combines",
}


def _add_claims_of_table_3(framework: str, words: str) -> None:
    """The claims of Table 3, with both windows in a bare loop or in the framework."""

    @ra_breakeven.claim("Table 3", f"Count and Collect never break even ({words})", "never")
    def never(rows: pd.DataFrame) -> Judgement:
        table = {name: window for name, window in table_of(rows, BREAK_EVEN, framework).items() if name in NEVER}
        if not table:
            raise NotMeasuredError("no rows of count and collect")
        limits = rows[rows["operator"].isin(NEVER)].groupby("operator")["window"].max()
        text = ", ".join(
            f"{name} {f'at {window}' if window else f'not up to {limits[name]:,}'}" for name, window in table.items()
        )
        reason = "the framework recomputes a count like any other aggregate, and joins short lists faster than values"
        return share(pd.Series([window is None for window in table.values()]), text, reason)

    @ra_breakeven.claim("Table 3", f"All others break even in small windows ({words})", "10 to 370")
    def break_even(rows: pd.DataFrame) -> Judgement:
        holds, text = _pays_off(rows, BREAK_EVEN, framework, 370)
        return share(holds, text, REASONS[framework])

    @ra_breakeven.claim("Table 3", f"All others are ten times faster at moderate windows ({words})", "700 to 5,810")
    def ten_times(rows: pd.DataFrame) -> Judgement:
        holds, text = _pays_off(rows, TEN_TIMES, framework, 5810)
        return share(holds, text, REASONS[framework])

    @ra_breakeven.claim("Table 3", f"The costlier the operator, the sooner RA breaks even ({words})", "in general")
    def costlier_sooner(rows: pd.DataFrame) -> Judgement:
        table = table_of(rows, BREAK_EVEN, framework)
        table = {name: window for name, window in table.items() if window and name in PAPER}
        if len(table) < 4:
            raise NotMeasuredError("needs four operators that break even")
        cost = pd.Series({name: _cost(rows, name, framework) for name in table})
        windows = pd.Series({name: window.n for name, window in table.items()})
        rank = float(cost.rank().corr(windows.rank()))
        measured = ", ".join(f"{name} {cost[name]:.2f} ns" for name in cost.sort_values().index)
        text = f"rank correlation of break-even with recomputing an entry {rank:.2f} (sooner: below -0.5): {measured}"
        return share(pd.Series([rank < -0.5]), text, "what the aggregator's own combines cost differs as well")


def _cost(rows: pd.DataFrame, operator: str, framework: str) -> float:
    """Nanoseconds that recomputing takes for each entry, in the largest windows that were tried."""
    timed = rows[(rows["operator"] == operator) & rows["metric"].isin(TARGETS) & rows["samples"].notna()]
    per_entry = []
    for row in timed[[json.loads(text)["framework"] == framework for text in timed["parameters"]]].itertuples():
        n = np.array(json.loads(row.facts)["windows"])
        ns = np.asarray(row.samples, float)[::2]
        per_entry += list((ns / n)[n == n.max()])
    return float(np.median(per_entry))


for _framework, _words in ((LOOP, "against a bare loop"), (FRAMEWORK, "both in SlidingAggregate")):
    _add_claims_of_table_3(_framework, _words)
