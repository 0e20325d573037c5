"""Reactive Aggregator, section 6.2, Figure 9: a capacity that swings between n and 2 n, beside one that stays."""

import json

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import each, lines_of, slope
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.reactive_aggregator.measuring.resizing import FIXED, LEAST, OSCILLATING, swing_of

INCREMENTAL = "reactive"
TIME, COUNT, RESIZE = "resizing.time", "resizing.combines", "resizing.resize"
NOISE = 1.1
"""Up to this ratio of times, one is no slower than the other."""


def _check_swings(settings: Settings) -> None:
    """Raise SettingsError for windows and algorithms that cannot swing."""
    in_order_only(settings)
    for algorithm in settings.algorithms:
        if algorithm["name"] != INCREMENTAL:
            name = algorithm["name"]
            raise SettingsError(f"algorithms has {name}; only {INCREMENTAL} resizes itself: algorithms=[{INCREMENTAL}]")
    for n in windows_of(settings):
        if n < LEAST or n & (n - 1):
            raise SettingsError(f"window is {n}; a capacity swings between powers of two, from {LEAST} on")


@experiment("ra_resize")
def ra_resize(settings: Settings) -> list[Cell]:
    """Time of an item over n with both capacities, combines of an item, and the time of single resizes."""
    _check_swings(settings)
    return [
        point(
            settings,
            algorithm,
            operator,
            n,
            0,
            measurement=measurement,
            uses={"capacity": capacity},
            batch=swing_of(n) if capacity == OSCILLATING else None,
        )
        for measurement, capacities in (
            (TIME, (FIXED, OSCILLATING)),
            (COUNT, (FIXED, OSCILLATING)),
            (RESIZE, (OSCILLATING,)),
        )
        for operator in (settings.operators[:1] if measurement == COUNT else settings.operators)
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        for capacity in capacities
    ]


@ra_resize.claim("Figure 9", "The capacity does oscillate: every swing doubles and halves it (counted)", "by design")
def really_oscillates(rows: pd.DataFrame) -> Judgement:
    timed = rows[rows["metric"] == "time"]
    facts = timed["facts"].map(json.loads)
    swings = pd.Series([timing["resizes"] / timing["swings"] for timing in facts if "swings" in timing])
    fixed = sum(timing["resizes"] for timing in facts if "swings" not in timing)
    if swings.empty:
        raise NotMeasuredError("no swings were timed")
    text = f"{swings.min():.2f} to {swings.max():.2f} resizes a swing, {fixed} where the capacity is fixed"
    return share(pd.Series([*(swings == 2), fixed == 0]), text, "the window did not have the sizes it should")


@ra_resize.claim("Figure 9", "Resizing is amortised: oscillating is no slower than fixed", "faster than fixed")
def no_slower(rows: pd.DataFrame) -> Judgement:
    table = each(rows, "time", "capacity", "operator")
    ratio = (
        (
            lines_of(table, capacity=OSCILLATING).droplevel("capacity")
            / lines_of(table, capacity=FIXED).droplevel("capacity")
        )
        .stack()
        .dropna()
    )
    if ratio.empty:
        raise NotMeasuredError("needs both capacities at one window")
    text = f"time of oscillating over fixed {ratio.min():.2f} to {ratio.max():.2f}, median {ratio.median():.2f}"
    reason = "a resize copies the window to a place that is not in the caches"
    return share(ratio <= NOISE, f"{text} (no slower: at most {NOISE})", reason)


@ra_resize.claim("Figure 9", "Oscillating combines at most a constant more for an item (by counting)", "amortised O(1)")
def combines_amortised(rows: pd.DataFrame) -> Judgement:
    table = each(rows, "combines", "capacity")
    if not {FIXED, OSCILLATING} <= set(table.index):
        raise NotMeasuredError("needs combines with both capacities")
    rise = (table.loc[OSCILLATING] - table.loc[FIXED]).dropna()
    text = f"{rise.min():.2f} to {rise.max():.2f} combines more for an item (a constant: at most 6, 3 n for n/2 items)"
    return share(rise <= 6, text, "a resize is more than one tree built anew")


@ra_resize.claim("Section 6.2", "A single resize takes time linear in n", "4.2 us for 256 to 512, 9.4 ms for 1M to 2M")
def resize_is_linear(rows: pd.DataFrame) -> Judgement:
    sampled = rows[(rows["metric"] == "resize") & rows["samples"].notna()]
    if sampled["window"].nunique() < 3:
        raise NotMeasuredError("needs resizes of three windows")
    each_ns = sampled.assign(ns=[float(np.median(samples)) for samples in sampled["samples"]])
    table = each_ns.pivot_table(index="operator", columns="window", values="ns", aggfunc="median")
    table = table[[n for n in table.columns if n >= 64]] if (table.columns >= 64).sum() >= 3 else table
    growth = table.apply(lambda line: slope(np.log2(line.index.to_numpy(float)), np.log2(line.to_numpy(float))), axis=1)
    ends = [table.columns[0], table.columns[-1]]
    measured = "; ".join(
        f"{name}: " + ", ".join(f"n = {n:,} {line[n] / 1e3:,.1f} us" for n in ends) + f", power of n {growth[name]:.2f}"
        for name, line in table.iterrows()
    )
    return share(
        (growth >= 0.8) & (growth <= 1.25), f"{measured} (linear: 0.8 to 1.25)", "small windows stay in the caches"
    )
