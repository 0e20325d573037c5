"""Monoid Tree Aggregator, section 5.4, Figure 6: arrivals in a window of constant size, over its size."""

import json

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import each, known, lines_of, rise, straight
from experiments.harness.old_judgement import Judgement, NotMeasuredError, explained, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_number
from experiments.mta.measuring.arrivals import NAIVE

LOG, AMORTISED, DABA = "log_mta", "amta", "daba"
STORED = {"kvs_amta": "amta", "kvs_log_mta": "log_mta"}
"""Windows in a key-value store, and what each is in memory."""

LEAST_LINEAR, LEAST_FAST = 64, 512
FLAT, MICROSECOND = 0.5, 1000
"""A line is flat if it rises by no more than half of its mean over the whole range."""


@experiment("mta_constant")
def mta_constant(settings: Settings) -> list[Cell]:
    """Time of an arrival over n; Naive only up to a window that it is not too slow for."""
    in_order_only(settings)
    largest = whole_number("sizes.recomputed", settings.sizes["recomputed"], 1)
    return [
        point(settings, algorithm, operator, n, 0, measurement="constant_size.time")
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        if algorithm["name"] != NAIVE or n <= largest
    ]


def lines(rows: pd.DataFrame) -> pd.DataFrame:
    """Nanoseconds of an arrival, a line for each algorithm, columns n."""
    return each(rows, "time", "algorithm")


def line(rows: pd.DataFrame, algorithm: str) -> pd.Series:
    """The line of one algorithm. Raises NotMeasuredError if there is none."""
    return lines_of(lines(rows), algorithm=algorithm).iloc[0]


@mta_constant.claim("Figure 6", "Naive's latency grows linearly with the window", "linear")
def naive_is_linear(rows: pd.DataFrame) -> Judgement:
    naive = line(rows, NAIVE).dropna()
    _, y = known(naive, LEAST_LINEAR)
    x = naive.index[naive.index >= LEAST_LINEAR].to_numpy(float)
    r2, times = explained(x, y), (y[-1] / y[0]) / (x[-1] / x[0])
    text = f"from n = {LEAST_LINEAR} on R^2 over n {r2:.3f}, growing {times:.2f} times as n does (linear: 0.95, 0.5)"
    return share(pd.Series([r2 >= 0.95 and times >= 0.5]), text, "larger windows fall out of the caches")


def _flat(rows: pd.DataFrame, algorithm: str) -> Judgement:
    growth = rise(line(rows, algorithm))
    text = f"rises by {growth:.0%} of its mean over the whole range of n (flat: at most {FLAT:.0%})"
    return share(pd.Series([growth <= FLAT]), text, "windows beyond the caches wait for memory, whatever the algorithm")


@mta_constant.claim("Figure 6", "AMTA's latency does not depend on the window", "flat")
def amortised_is_flat(rows: pd.DataFrame) -> Judgement:
    return _flat(rows, AMORTISED)


@mta_constant.claim("Figure 6", "DABA's latency does not depend on the window", "flat")
def daba_is_flat(rows: pd.DataFrame) -> Judgement:
    return _flat(rows, DABA)


@mta_constant.claim("Figure 6", "Log MTA's latency is logarithmic", "a line over log n")
def log_is_logarithmic(rows: pd.DataFrame) -> Judgement:
    slope, r2 = straight(line(rows, LOG))
    text = f"{slope:.1f} ns for each doubling of n, R^2 {r2:.2f} (logarithmic: rising, 0.8)"
    return share(pd.Series([slope > 0 and r2 >= 0.8]), text, "levels beyond the caches cost more than those within")


@mta_constant.claim("Figure 6", "Mem. AMTA has the lowest latency in windows of 2^9 and more", "lowest from 2^9 on")
def amortised_is_lowest(rows: pd.DataFrame) -> Judgement:
    table = lines(rows)
    table = table[[n for n in table.columns if n >= LEAST_FAST]]
    if AMORTISED not in table.index or len(table) < 2 or table.empty:
        raise NotMeasuredError(f"needs AMTA and others in windows of at least {LEAST_FAST} elements")
    others = table.drop(index=AMORTISED)
    ratio = (table.loc[AMORTISED] / others.min()).dropna()
    best = others.mean(axis=1).idxmin()
    text = f"AMTA over the fastest other, mostly {best}: {ratio.min():.2f} to {ratio.max():.2f} (lowest: at most 1)"
    return share(ratio <= 1, text, "compiled, DABA's four combines cost no more than AMTA's bookkeeping")


@mta_constant.claim("Figure 6", "The key-value store costs AMTA about a microsecond at most", "about 1 microsecond")
def store_is_cheap(rows: pd.DataFrame) -> Judgement:
    table = lines(rows)
    pairs = [(kvs, memory) for kvs, memory in STORED.items() if {kvs, memory} <= set(table.index)]
    if not pairs:
        raise NotMeasuredError("needs a window in a key-value store and the same in memory")
    extra = {kvs: (table.loc[kvs] - table.loc[memory]).max() for kvs, memory in pairs}
    text = ", ".join(f"{name} at most {value:,.0f} ns more than in memory" for name, value in extra.items())
    text += f" (about: 2,000){_misses(rows)}"
    return share(pd.Series(extra) <= 2 * MICROSECOND, text, "pages of the store are written to disk")


def _misses(rows: pd.DataFrame) -> str:
    """How often windows waited for their store."""
    facts = [json.loads(text) for text in rows["facts"]]
    arrivals = sum(counts["arrivals"] for counts in facts if "misses" in counts)
    return f"; {sum(counts.get('misses', 0) for counts in facts):,} misses in {arrivals:,} arrivals" if arrivals else ""
