"""Bulk evictions and insertions, the evaluation of the extension of FiBA in small.

Tangwongsan, Hirzel, Schneider: Out-of-Order Sliding-Window Aggregation with Efficient Bulk Evictions and Insertions
(PVLDB 16, 2023). Rounds evict the m oldest entries and insert m, in bulk or by loops of single operations, over m.
"""

from algorithms.windows.contract import card
from experiments.harness.cell import Cell
from experiments.harness.fitting import growth
from experiments.harness.grid import point, synthetic_only, window_of
from experiments.harness.measured import Measured, Table, lines_of, ratio, where
from experiments.harness.measuring.bulk import BULK, LOOP
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

FINGER = "fiba"
LARGE_BATCH = 64
"""A batch of which bulk operations can make something: from this m on."""


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
    n = window_of(settings)
    return [
        point(settings, algorithm, operator, n, d, uses=use, measurement="bulk.time", batch=m)
        for operator in settings.operators
        for d in distances_of(settings, n)
        for m in batches_of(n, d)
        for algorithm in settings.algorithms
        for use in uses_of(algorithm["name"])
    ]


def per_item(measured: Measured, how: str) -> Table:
    """Nanoseconds an item of the finger tree, in bulk or by loops, by distance and batch."""
    return measured.each("time", "min_arity", "distance", "batch", algorithm=FINGER, evict=how, insert=how)


@fiba_bulk.quantity
def largest_batch_over_single(measured: Measured) -> Table:
    """Time an item of the bulk operations: at the largest batch over that at the smallest."""
    return growth(per_item(measured, BULK), "batch")


@fiba_bulk.quantity
def loop_over_bulk(measured: Measured) -> Table:
    """Time an item by a loop of single operations over that in bulk, for batches of at least LARGE_BATCH."""
    return where(ratio(per_item(measured, LOOP), per_item(measured, BULK)), batch=lambda m: m >= LARGE_BATCH)


@fiba_bulk.quantity
def bulk_of_one_over_single(measured: Measured) -> Table:
    """Time of bulk operations on a single item over that of the single operations."""
    return lines_of(ratio(per_item(measured, BULK), per_item(measured, LOOP)), batch=1)
