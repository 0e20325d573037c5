"""Reactive Aggregator, section 6.2, Figure 12: the resident set of a process, beside the bytes of the window."""

import json

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import LEAST_POINTS
from experiments.harness.old_judgement import Judgement, NotMeasuredError, explained, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_number
from experiments.reactive_aggregator.measuring.contestants import BASELINE

INCREMENTAL = "reactive"
RESIDENT, BYTES = "resident.resident", "resident.bytes"

SMALL, LARGE = 4096, 65536
"""Up to SMALL the paper shows both; from LARGE on the window is what grows."""

MOST_BYTES = 256
"""Bytes an item that are still a small constant: 8 partial aggregates of 24 bytes, and as much again in times."""


@experiment("ra_memory")
def ra_memory(settings: Settings) -> list[Cell]:
    """Resident set and exact bytes over n; recomputation only up to a window that it is not too slow for."""
    in_order_only(settings)
    largest = whole_number("sizes.recomputed", settings.sizes["recomputed"], 1)
    return [
        point(settings, algorithm, operator, n, 0, measurement=measurement)
        for measurement in (RESIDENT, BYTES)
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        if algorithm["name"] != BASELINE or n <= largest
    ]


def _resident(rows: pd.DataFrame) -> pd.DataFrame:
    """Every process: algorithm, operator, window, the largest resident set and the one before the window was made."""
    resident = rows[(rows["metric"] == "resident") & rows["value"].notna()]
    if resident.empty:
        raise NotMeasuredError("no resident sets were sampled")
    counts_before = [json.loads(facts)["before"] for facts in resident["facts"]]
    base = [float(np.max(samples[:count])) for samples, count in zip(resident["samples"], counts_before, strict=True)]
    return resident.assign(base=base)[["algorithm", "operator", "window", "value", "base"]]


def _lines(rows: pd.DataFrame, algorithm: str) -> pd.DataFrame:
    """Most bytes of any repetition above the base, by operator, columns n."""
    table = _resident(rows)
    of_algorithm = table[table["algorithm"] == algorithm]
    if of_algorithm.empty:
        raise NotMeasuredError(f"no rows of {algorithm}")
    grown = of_algorithm.assign(grown=of_algorithm["value"] - of_algorithm["base"])
    return grown.pivot_table(index="operator", columns="window", values="grown", aggfunc="max")


@ra_memory.claim("Figure 12", "RA takes O(n) space, and the constant is small", "linear, small constant")
def linear_and_small(rows: pd.DataFrame) -> Judgement:
    table = _lines(rows, INCREMENTAL)
    table = table[[n for n in table.columns if n >= LARGE]]
    if table.shape[1] < LEAST_POINTS:
        raise NotMeasuredError(f"needs {LEAST_POINTS} windows of at least {LARGE:,} items")
    n = table.columns.to_numpy(float)
    slope = table.apply(lambda line: np.polyfit(n, line.to_numpy(float), 1)[0], axis=1)
    r2 = table.apply(lambda line: explained(n, line.to_numpy(float)), axis=1)
    measured = ", ".join(f"{name}: {slope[name]:.0f} bytes an item, R^2 {r2[name]:.3f}" for name in table.index)
    text = (
        f"resident set above the process's own, from n = {LARGE:,} on: {measured} (linear: 0.95; small: {MOST_BYTES})"
    )
    return share((r2 >= 0.95) & (slope > 0) & (slope <= MOST_BYTES), text, "the ring doubles, and is resized in a copy")


@ra_memory.claim("Figure 12", "RA's exact bytes are O(n) (decided by the layout)", "linear, small constant")
def bytes_are_linear(rows: pd.DataFrame) -> Judgement:
    counted = rows[(rows["metric"] == "bytes") & (rows["algorithm"] == INCREMENTAL) & (rows["window"] >= SMALL)]
    if counted["window"].nunique() < 2:
        raise NotMeasuredError(f"needs two windows of at least {SMALL:,} items")
    per_item = counted["value"] / counted["window"]
    text = f"{per_item.min():.0f} to {per_item.max():.0f} bytes an item (small: at most {MOST_BYTES})"
    return share(per_item <= MOST_BYTES, text, "the reserve for a resize is as large as the ring")


@ra_memory.claim("Figure 12", "In small windows the process's own memory dominates", "minor impact of n")
def base_dominates(rows: pd.DataFrame) -> Judgement:
    table = _resident(rows)
    small = table[table["window"] <= SMALL]
    if small.empty:
        raise NotMeasuredError(f"needs windows of at most {SMALL:,} items")
    rise = small["value"] / small["base"] - 1
    text = (
        f"the window adds {rise.min():.1%} to {rise.max():.1%} to {small['base'].median() / 2**20:.0f} MB (minor: 10 %)"
    )
    return share(rise <= 0.1, text, "loading compiled code takes memory as well")


@ra_memory.claim("Figure 12", "Up to n = 4K RA takes hardly more than recomputation", "lines next to each other")
def near_recomputation(rows: pd.DataFrame) -> Judgement:
    table = _resident(rows)
    most = table.pivot_table(index=["operator", "window"], columns="algorithm", values="value", aggfunc="max")
    if not {BASELINE, INCREMENTAL} <= set(most.columns) or most.dropna().empty:
        raise NotMeasuredError("needs both at one window")
    ratio = (most[INCREMENTAL] / most[BASELINE]).dropna()
    text = f"RA's resident set over recomputation's {ratio.min():.2f} to {ratio.max():.2f} (hardly: at most 1.1)"
    return share(ratio <= 1.1, text, "the two were loaded at different times")
