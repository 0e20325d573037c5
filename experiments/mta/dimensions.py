"""Monoid Tree Aggregator, section 5.8, Figure 9: one window of k dimensions, beside k windows of one."""

import json

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point
from experiments.harness.old_judgement import Judgement, NotMeasuredError, explained, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_numbers
from experiments.mta.constant import STORED
from experiments.mta.measuring.constant_size import SEPARATE


@experiment("mta_dimensions")
def mta_dimensions(settings: Settings) -> list[Cell]:
    """Time of an arrival over the number of dimensions, in one window and, in memory, in as many windows."""
    in_order_only(settings)
    n = settings.window or settings.sizes["window"]
    return [
        point(settings, algorithm, operator, n, 0, uses=use, measurement="constant_size.time", asked={"dimensions": k})
        for operator in settings.operators
        for k in whole_numbers("sizes.dimensions", settings.sizes["dimensions"], 1)
        for algorithm in settings.algorithms
        for use in ({}, {"sharing": SEPARATE})
        if not use or algorithm["name"] not in STORED
    ]


def lines(rows: pd.DataFrame) -> pd.DataFrame:
    """Nanoseconds of an arrival by (algorithm, sharing), columns k. Raises NotMeasuredError."""
    timed = rows[(rows["metric"] == "time") & rows["value"].notna()]
    if timed.empty:
        raise NotMeasuredError("no arrivals were timed")
    timed = timed.assign(
        ns=timed["value"] / timed["operations"],
        k=[json.loads(text)["dimensions"] for text in timed["workload_parameters"]],
        sharing=[json.loads(text).get("sharing", "") for text in timed["parameters"]],
    )
    return timed.pivot_table(index=["algorithm", "sharing"], columns="k", values="ns", aggfunc="median").astype(float)


def _together(rows: pd.DataFrame) -> pd.DataFrame:
    """The lines of one window of k dimensions. Raises NotMeasuredError if they are too short."""
    table = lines(rows)
    together = table[table.index.get_level_values("sharing") == ""].droplevel("sharing").dropna(axis=1)
    if together.empty or together.shape[1] < 3 or 1 not in together.columns:
        raise NotMeasuredError("needs windows of one and of two other numbers of dimensions")
    return together


@mta_dimensions.claim("Figure 9", "The latency grows linearly with the dimensions", "linear: 411 ns each, 4,158 shared")
def grows_linearly(rows: pd.DataFrame) -> Judgement:
    together = _together(rows)
    k = together.columns.to_numpy(float)
    fits = together.apply(lambda line: pd.Series([*np.polyfit(k, line, 1), explained(k, line.to_numpy())]), axis=1)
    texts = [
        f"{name} {slope:.2f} ns each, {shared:.1f} shared, R^2 {r2:.2f}"
        for name, slope, shared, r2 in fits.itertuples(name=None)
    ]
    text = f"{'; '.join(texts)} (linear: rising, 0.9)"
    return share((fits[0] > 0) & (fits[2] >= 0.9), text, "vector instructions add several dimensions at a time")


@mta_dimensions.claim("Figure 9", "It grows far slower than in proportion to the dimensions", "5 of 50 times at k = 50")
def slower_than_proportional(rows: pd.DataFrame) -> Judgement:
    together = _together(rows)
    k = int(together.columns.max())
    ratio = together[k] / (k * together[1])
    text = f"at k = {k} {', '.join(f'{name} {value:.2f}' for name, value in ratio.items())} of k times that of k = 1"
    return share(ratio <= 0.5, f"{text} (far slower: at most 0.5)", "copying wide partial aggregates takes its time")


@mta_dimensions.claim("Figure 9", "One window of k dimensions is faster than k windows", "k = 1 times k, computed")
def faster_than_separate(rows: pd.DataFrame) -> Judgement:
    together, table = _together(rows), lines(rows)
    separate = table[table.index.get_level_values("sharing") == SEPARATE].droplevel("sharing")
    names = [name for name in together.index if name in separate.index]
    k = max((k for k in together.columns if k in separate.columns), default=1)
    if not names or k == 1:
        raise NotMeasuredError("needs k windows of one dimension, measured")
    ratio = separate.loc[names, k] / together.loc[names, k]
    text = f"at k = {k}: {', '.join(f'{name} {value:.1f} times' for name, value in ratio.items())}"
    return share(ratio > 1, text, "wide partial aggregates leave the caches")
