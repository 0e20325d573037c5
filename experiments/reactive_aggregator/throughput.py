"""Reactive Aggregator, section 6.2, Figure 6: throughput beside recomputation, over the size of the window.

Once in a bare loop, and once with both inside SlidingAggregate, which does around the window what an engine does: the
paper's two ran in the same engine, and what a few per cent are depends on what stands around them.
"""

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import Measured, Table, lines_of, ratio, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.reactive_aggregator.measuring.contestants import BASELINE, FRAMEWORK

INCREMENTAL = "reactive"
IN_FRAMEWORK, COUNT = "contestants.time", "slides.combines"

SMALL, LARGE = 100, 1024
"""Items of the largest small window, by section 1 (between 1 and 100), and of the window whose speed-up is printed."""


@experiment("ra_throughput")
def ra_throughput(settings: Settings) -> list[Cell]:
    """Throughput over n, in the loop and in the framework, and combines counted at every n."""
    in_order_only(settings)
    grid = [
        (algorithm, operator, n)
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]
    framed = [
        point(settings, algorithm, operator, n, 0, uses={"framework": FRAMEWORK}, measurement=IN_FRAMEWORK)
        for algorithm, operator, n in grid
    ]
    counted = [
        point(settings, algorithm, operator, n, 0, measurement=COUNT, batch=1)
        for algorithm, operator, n in grid
        if operator == settings.operators[0]
    ]
    return [*(point(settings, *place, 0) for place in grid), *framed, *counted]


def times(measured: Measured) -> Table:
    """Nanoseconds of an item with both windows in the framework, as the paper's two ran in one engine."""
    return measured.each("time", "algorithm", "operator", "window", framework=FRAMEWORK)


@ra_throughput.quantity
def slower_in_small_windows(measured: Measured) -> Table:
    """RA's throughput below recomputation's, as a share of it: in each window of at most SMALL items."""
    table = where(times(measured), window=lambda n: n <= SMALL)
    return 1 - ratio(lines_of(table, algorithm=BASELINE), lines_of(table, algorithm=INCREMENTAL))


@ra_throughput.quantity
def times_faster_in_large_windows(measured: Measured) -> Table:
    """RA's throughput over recomputation's in windows of LARGE items."""
    table = lines_of(times(measured), window=LARGE)
    return ratio(lines_of(table, algorithm=BASELINE), lines_of(table, algorithm=INCREMENTAL))


@ra_throughput.reason(times_faster_in_large_windows)
def time_of_an_entry(measured: Measured) -> str:
    """What recomputing takes for an entry of a window of LARGE items."""
    table = lines_of(times(measured), algorithm=BASELINE, window=LARGE).median(axis=1) / LARGE
    return "recomputation takes " + ", ".join(f"{ns:.2f} ns an entry with {name}" for (name,), ns in table.items())


@ra_throughput.quantity
def times_fewer_combines_in_large_windows(measured: Measured) -> Table:
    """Recomputation's combines of an item over RA's in windows of LARGE items."""
    table = measured.each("combines", "algorithm", window=LARGE)
    return ratio(lines_of(table, algorithm=BASELINE), lines_of(table, algorithm=INCREMENTAL))
