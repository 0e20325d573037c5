"""Bulk evictions and insertions, the evaluation of the extension of FiBA in small.

Tangwongsan, Hirzel, Schneider: Out-of-Order Sliding-Window Aggregation with Efficient Bulk Evictions and Insertions
(PVLDB 16, 2023). Rounds evict the m oldest entries and insert m, in bulk or by loops of single operations, over m.
"""

import json

import pandas as pd

from algorithms.windows.contract import card
from experiments.harness.cell import Cell
from experiments.harness.grid import point, synthetic_only
from experiments.harness.measuring.bulk import BULK, LOOP
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

FINGER = "fiba"
LARGE_BATCH = 64
"""From this m on, bulk operations must win."""


def distances_of(settings: Settings, n: int) -> tuple[int, ...]:
    """The distances asked for, or 0 and half the window. Raises SettingsError where there is no room for a batch."""
    distances = settings.distances or tuple(dict.fromkeys((0, n // 2)))
    if (most := max(distances)) >= n:
        raise SettingsError(
            f"distances has {most}; of a window of {n} items a round evicts the oldest, so a distance must be below it"
        )
    return distances


def batches_of(n: int, d: int) -> list[int]:
    """m = 1, 4, 16 ... up to a quarter of the window, and no more than the n - d entries that are not younger."""
    return [m for m in (1 << k for k in range(0, n.bit_length(), 2)) if m == 1 or m <= min(n // 4, n - d)]


def uses_of(algorithm: str) -> list[dict[str, str]]:
    """How a window can be used: by loops, and in bulk if its card says so."""
    loops = [{"evict": LOOP, "insert": LOOP}]
    if {"bulk_evict", "bulk_insert"} <= set(card(algorithm).operations):
        return [{"evict": BULK, "insert": BULK}, *loops]
    return loops


@experiment("fiba_bulk")
def fiba_bulk(settings: Settings) -> list[Cell]:
    """Time per item over m at each distance, for each algorithm in bulk and by loops."""
    synthetic_only(settings)
    if len(settings.operators) > 1:
        raise SettingsError(f"operators is {list(settings.operators)}; {settings.name} draws one: operators=[sum]")
    n = settings.window or settings.sizes["window"]
    return [
        point(settings, algorithm, operator, n, d, uses=use, measurement="bulk.time", batch=m)
        for operator in settings.operators
        for d in distances_of(settings, n)
        for m in batches_of(n, d)
        for algorithm in settings.algorithms
        for use in uses_of(algorithm["name"])
    ]


def _per_item(rows: pd.DataFrame, algorithm: str) -> pd.DataFrame:
    """Nanoseconds an item, the median over repetitions, by (min_arity, distance, batch): columns bulk, loop."""
    timed = rows[(rows["metric"] == "time") & (rows["algorithm"] == algorithm) & rows["batch"].notna()]
    if timed.empty:
        raise NotMeasuredError(f"no batches of {algorithm}")
    parameters_of = timed["parameters"].map(json.loads)
    table = timed.assign(
        ns=timed["value"] / timed["operations"],
        use=[parameters["evict"] for parameters in parameters_of],
        min_arity=[parameters.get("min_arity", 0) for parameters in parameters_of],
    ).pivot_table(index=["min_arity", "distance", "batch"], columns="use", values="ns", aggfunc="median")
    if not {BULK, LOOP} <= set(table.columns):
        raise NotMeasuredError(f"{algorithm} was not measured both in bulk and by loops")
    return table.dropna()


def _batches(table: pd.DataFrame) -> pd.Index:
    return table.index.get_level_values("batch")


@fiba_bulk.claim(
    "2023, evaluation", "The finger tree's bulk operations cost less an item the larger the batch", "falls with m"
)
def bulk_falls(rows: pd.DataFrame) -> Judgement:
    table = _per_item(rows, FINGER)[BULK].unstack("batch")
    if table.shape[1] < 2:
        raise NotMeasuredError("needs two sizes of batches")
    ratio = table.apply(lambda line: line.dropna().iloc[0] / line.dropna().iloc[-1], axis=1)
    text = f"m = {table.columns[0]} over the largest: {ratio.min():.1f} to {ratio.max():.1f} times (falls: at least 2)"
    return share(ratio >= 2, text, "lifting and storing an entry costs the same in any batch")


@fiba_bulk.claim("2023, evaluation", f"Bulk operations outrun loops of single ones from m = {LARGE_BATCH} on", "faster")
def bulk_beats_loop(rows: pd.DataFrame) -> Judgement:
    table = _per_item(rows, FINGER)
    table = table[_batches(table) >= LARGE_BATCH]
    if table.empty:
        raise NotMeasuredError(f"needs batches of at least {LARGE_BATCH}")
    ratio = table[LOOP] / table[BULK]
    text = f"loop over bulk: {ratio.min():.1f} to {ratio.max():.1f} times (outruns: above 1)"
    return share(ratio > 1, text, "single insertions at the end have a path of their own, of one combine")


@fiba_bulk.claim("2023, evaluation", "For single items bulk operations are not much slower than single ones", "close")
def bulk_of_one(rows: pd.DataFrame) -> Judgement:
    table = _per_item(rows, FINGER)
    table = table[_batches(table) == 1]
    if table.empty:
        raise NotMeasuredError("needs batches of one item")
    ratio = table[BULK] / table[LOOP]
    text = f"bulk over single: {ratio.min():.2f} to {ratio.max():.2f} times (not much: at most 1.5)"
    return share(ratio <= 1.5, text, "a bulk operation repairs a whole path, a single one often no more than a leaf")
