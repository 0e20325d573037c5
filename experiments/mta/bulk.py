"""Monoid Tree Aggregator, section 5.5, Figure 7: one arrival that lets many elements go, over their number."""

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point
from experiments.harness.old_judgement import Judgement, NotMeasuredError, explained, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.mta.constant import AMORTISED, DABA, LOG, STORED
from experiments.mta.measuring.arrivals import NAIVE

LARGE = 1 << 10
"""Evictions of at least so many elements are large."""

CROSSING = 1 << 20, 1 << 23
"""Where DABA overtakes Naive in the paper, and of how many elements."""


def batches_of(n: int, step: int) -> list[int]:
    """1, then ever 2^step times as many while that is less than n / 2, n / 2, and all but one."""
    return sorted({*(1 << k for k in range(0, n.bit_length() - 1, step)), max(1, n // 2), max(1, n - 1)})


@experiment("mta_bulk")
def mta_bulk(settings: Settings) -> list[Cell]:
    """Time of one arrival over how many it lets go, in a window of n elements."""
    in_order_only(settings)
    n = settings.window or settings.sizes["window"]
    return [
        point(settings, algorithm, operator, n, 0, measurement="bulk_arrivals.time", batch=m)
        for operator in settings.operators
        for m in batches_of(n, settings.sizes["step"])
        for algorithm in settings.algorithms
    ]


def lines(rows: pd.DataFrame) -> pd.DataFrame:
    """Nanoseconds of the median arrival, the median over repetitions: a line for each algorithm, columns m."""
    timed = rows[(rows["metric"] == "time") & rows["samples"].notna() & rows["batch"].notna()]
    if timed.empty:
        raise NotMeasuredError("no arrival was timed by itself")
    medians = timed["samples"].map(lambda samples: float(np.median(np.asarray(samples, float))))
    return timed.assign(ns=medians).pivot_table(index="algorithm", columns="batch", values="ns", aggfunc="median")


def _common_lines(table: pd.DataFrame, *names: str, least: int = 3) -> pd.DataFrame:
    """The lines of these algorithms where all are known. Raises NotMeasuredError."""
    if missing := [name for name in names if name not in table.index]:
        raise NotMeasuredError(f"no rows of {' and '.join(missing)}")
    common = table.loc[list(names)].dropna(axis=1).astype(float)
    if common.shape[1] < least:
        raise NotMeasuredError(f"needs {least} sizes of evictions")
    return common


@mta_bulk.claim("Figure 7a", "DABA's latency grows linearly with what goes", "linear")
def daba_is_linear(rows: pd.DataFrame) -> Judgement:
    line = _common_lines(lines(rows), DABA).loc[DABA]
    r2 = explained(line.index.to_numpy(float), line.to_numpy())
    text = f"R^2 over m {r2:.3f}, {line.iloc[-1] / line.index[-1]:.1f} ns an element (linear: 0.95)"
    return share(pd.Series([r2 >= 0.95]), text, "small evictions are timed by few cycles")


@mta_bulk.claim("Figure 7a", "Naive's latency hardly depends on what goes", "constant, about 2 s")
def naive_is_constant(rows: pd.DataFrame) -> Judgement:
    line = _common_lines(lines(rows), NAIVE).loc[NAIVE]
    ratio = line.max() / line.min()
    text = f"{line.min() / 1e6:,.3g} to {line.max() / 1e6:,.3g} ms, {ratio:.2f} times (constant: at most 2)"
    reason = "what stays is folded in one go, which is several times faster than asking the policy element by element"
    return share(pd.Series([ratio <= 2]), text, reason)


@mta_bulk.claim("Figure 7a", "DABA is slower than Naive when an eighth of the window or more goes", "from 2^20 of 2^23")
def daba_overtakes_naive(rows: pd.DataFrame) -> Judgement:
    table = _common_lines(lines(rows), DABA, NAIVE)
    n, slower = int(rows["window"].max()), table.loc[DABA] > table.loc[NAIVE]
    eighth = n * CROSSING[0] // CROSSING[1]
    first = next((int(m) for m in table.columns if slower[m]), None)
    text = f"of {n:,} elements " + ("never" if first is None else f"from m = {first:,}") + f" (an eighth: {eighth:,})"
    is_near = first is not None and eighth / 4 <= first <= eighth * 4
    reason = "how much faster a fold of many is than single combines differs between the paper's Java and here"
    return share(pd.Series([is_near]), text, reason)


def _logarithmic(line: pd.Series) -> tuple[float, float]:
    """How much slower the slowest large eviction is than the smallest of them, and R^2 over log2 m."""
    large = line[line.index >= LARGE]
    if len(large) < 3:
        raise NotMeasuredError(f"needs three evictions of at least {LARGE:,} elements")
    return float(large.max() / large.iloc[0]), explained(np.log2(line.index.to_numpy(float)), line.to_numpy())


@mta_bulk.claim("Figure 7b", "MTA's latency grows no faster than the logarithm of what goes", "logarithmic")
def mta_is_logarithmic(rows: pd.DataFrame) -> Judgement:
    table = _common_lines(lines(rows), LOG, AMORTISED)
    growth = {name: _logarithmic(table.loc[name]) for name in (LOG, AMORTISED)}
    allowed = np.log2(table.columns.max()) / np.log2(LARGE) * 2
    text = ", ".join(f"{name} {ratio:.1f} times (R^2 over log2 m {r2:.2f})" for name, (ratio, r2) in growth.items())
    text = f"slowest from m = {LARGE:,} on over the first of them: {text} (logarithmic: at most {allowed:.1f})"
    holds = pd.Series({name: ratio <= allowed for name, (ratio, _) in growth.items()})
    return share(holds, text, "nodes that were not touched for long are not in the caches")


@mta_bulk.claim("Figure 7b", "Mem. LMTA is mostly faster than Mem. AMTA", "258 against 455 microseconds at worst")
def log_is_faster(rows: pd.DataFrame) -> Judgement:
    table = _common_lines(lines(rows), LOG, AMORTISED)
    holds = table.loc[LOG] <= table.loc[AMORTISED]
    worst = table.max(axis=1) / 1e3
    text = f"worst {worst[LOG]:.2f} and {worst[AMORTISED]:.2f} microseconds; Mem. LMTA at most as slow"
    return share(holds, text, "AMTA lets few elements go one by one, in constant time, where Log MTA renews a branch")


@mta_bulk.claim("Figure 7b", "MTA in memory is faster than DABA throughout", "faster throughout")
def faster_than_daba(rows: pd.DataFrame) -> Judgement:
    table = _common_lines(lines(rows), LOG, AMORTISED, DABA)
    ratio = (table.loc[DABA] / table.loc[[LOG, AMORTISED]].max()).dropna()
    most = (table.loc[DABA] / table.loc[AMORTISED]).max()
    text = f"DABA over the slower of the two {ratio.min():.2f} to {ratio.max():,.0f} times, over AMTA up to {most:,.0f}"
    return share(ratio > 1, text, "for an element or a few, DABA's constant cost is below a branch of Log MTA")


@mta_bulk.claim("Figure 7b", "For large evictions MTA in a key-value store is far below DABA", "5 ms against seconds")
def store_beats_daba(rows: pd.DataFrame) -> Judgement:
    table = lines(rows)
    stored = [name for name in STORED if name in table.index]
    if not stored:
        raise NotMeasuredError("no window in a key-value store was measured")
    table = _common_lines(table, DABA, *stored)
    large = table[[m for m in table.columns if m >= rows["window"].max() // 8]]
    ratio = (large.loc[DABA] / large.loc[stored].max()).dropna()
    text = f"DABA over the slower, an eighth of the window and more: {ratio.min():.1f} to {ratio.max():,.1f} times (10)"
    return share(ratio >= 10, text, "the store is asked for a few pairs of every level, each in a page of its own")
