"""Monoid Tree Aggregator, section 5.6, Table 2: six analytics over memory usage, with the policies of the paper."""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import unnamed, windows_of
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.mta.constant import AMORTISED, DABA
from experiments.mta.measuring.arrivals import NAIVE

GAINING = ("max", "lis")
"""The operators whose policies let many elements go."""


@experiment("mta_analytics")
def mta_analytics(settings: Settings) -> list[Cell]:
    """Time of an update for each operator and algorithm, in windows of n elements at most."""
    if settings.distances is not None:
        raise SettingsError(f"distances is {list(settings.distances)}; {settings.name} is in order: leave them out")
    if settings.workload["name"] != "memory_usage":
        raise SettingsError(
            f"workload is {settings.workload['name']!r}; {settings.name} is measured on workload=memory_usage"
        )
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm["name"],
            parameters=unnamed(algorithm),
            operator=operator,
            workload="memory_usage",
            stream=unnamed(settings.workload),
            window=n,
            measurement="analytics.time",
        )
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Nanoseconds of an update in the largest window, the median over repetitions: a line an operator.

    Columns are algorithms; operators that not all were measured with are left out. Raises NotMeasuredError.
    """
    timed = rows[(rows["metric"] == "time") & rows["value"].notna()]
    timed = timed[timed["window"] == timed["window"].max()]
    if timed.empty:
        raise NotMeasuredError("no updates were timed")
    timed = timed.assign(ns=timed["value"] / timed["operations"])
    return timed.pivot_table(index="operator", columns="algorithm", values="ns", aggfunc="median").dropna()


def _require(times: pd.DataFrame, algorithms: tuple[str, ...], operators: tuple[str, ...] = ()) -> None:
    missing = [name for name in (*algorithms, *operators) if name not in (*times.columns, *times.index)]
    if missing or times.empty:
        raise NotMeasuredError(f"needs rows of {' and '.join(missing) or 'one operator with all algorithms'}")


def _listed(values: pd.Series) -> str:
    return ", ".join(f"{operator} {value:,.2f}" for operator, value in values.items())


@mta_analytics.claim("Table 2", "Mem. AMTA is the fastest on every row", "fastest with all six")
def amortised_is_fastest(rows: pd.DataFrame) -> Judgement:
    times = table(rows)
    _require(times, (AMORTISED, DABA))
    ratio = times[AMORTISED] / times.drop(columns=AMORTISED).min(axis=1)
    text = f"AMTA over the fastest other: {_listed(ratio)} (fastest: at most 1)"
    return share(ratio <= 1, text, "where one goes for each that comes, DABA's loop is as short when compiled")


@mta_analytics.claim("Table 2", "max and LIS gain most over DABA", "1.99 and 1.55 times; the others 1.03 to 1.26")
def gain_over_daba(rows: pd.DataFrame) -> Judgement:
    times = table(rows)
    _require(times, (AMORTISED, DABA), GAINING)
    gain = times[DABA] / times[AMORTISED]
    others = gain.drop(list(GAINING))
    if others.empty:
        raise NotMeasuredError("needs an operator whose window has a constant size")
    text = f"DABA over AMTA: {_listed(gain.sort_values(ascending=False))}"
    return share(gain[list(GAINING)] > others.max(), text, "LIS has the widest partial aggregate of all to copy")


@mta_analytics.claim("Table 2", "Naive is the second best on max", "2,554 ns, after 1,763 of Mem. AMTA")
def naive_is_second(rows: pd.DataFrame) -> Judgement:
    times = table(rows)
    _require(times, (AMORTISED, NAIVE), ("max",))
    ranked = times.loc["max"].sort_values()
    text = f"with max: {', '.join(f'{name} {value:,.1f} ns' for name, value in ranked.items())}"
    reason = "an expired maximum makes Naive fold the whole window, and how often depends on the readings"
    return share(pd.Series([ranked.index[1] == NAIVE]), text, reason)


@mta_analytics.claim(
    "Table 2", "In windows of constant size Naive is slower by orders of magnitude", "over 60,000 times"
)
def naive_is_far_behind(rows: pd.DataFrame) -> Judgement:
    times = table(rows)
    _require(times, (AMORTISED, NAIVE))
    ratio = (times[NAIVE] / times[AMORTISED]).drop(list(GAINING), errors="ignore")
    if ratio.empty:
        raise NotMeasuredError("needs an operator whose window has a constant size")
    text = f"Naive over AMTA: {_listed(ratio)} (orders of magnitude: 100)"
    return share(ratio >= 100, text, "the window is small, and a fold takes several elements at a time")
