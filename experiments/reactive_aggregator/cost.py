"""Reactive Aggregator, section 6.2, Figure 7: cost of a (1, 1)-change over the size of the window, and its log fit."""

import numpy as np

from experiments.harness.cell import Cell
from experiments.harness.fitting import LEAST_POINTS, reduced, straightness
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import Measured, Table, lines_of, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

INCREMENTAL = "reactive"
COUNT, COUNTED = "slides.combines", 1
SEVERAL_LEVELS = 8
"""Smallest window of the fits: below it the aggregator's ring is larger than the window."""

STEEPEST = 100.0


@experiment("ra_cost")
def ra_cost(settings: Settings) -> list[Cell]:
    """Time of a round over n for each operator, and combines counted with the first of them."""
    in_order_only(settings)
    timed = [
        point(settings, algorithm, operator, n, 0)
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]
    counted = [
        point(settings, algorithm, settings.operators[0], n, 0, measurement=COUNT, batch=COUNTED)
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]
    return timed + counted


def of_several_levels(table: Table) -> Table:
    """The windows of the fits."""
    return where(table, window=lambda n: n >= SEVERAL_LEVELS)


def times(measured: Measured) -> Table:
    """Nanoseconds of a (1, 1)-change by operator and window."""
    return of_several_levels(lines_of(measured.each("time", "algorithm", "operator", "window"), algorithm=INCREMENTAL))


@ra_cost.quantity
def straightness_of_cost(measured: Measured) -> Table:
    """How straight the time of a change is over log2 n: R^2, negative where it falls."""
    return straightness(times(measured), "window")


@ra_cost.quantity
def straightness_of_combines(measured: Measured) -> Table:
    """How straight the combines of a change are over log2 n: R^2, negative where they fall."""
    return straightness(of_several_levels(measured.each("combines", "window", algorithm=INCREMENTAL)), "window")


@ra_cost.quantity
def steeper_from_the_knee(measured: Measured) -> Table:
    """The slope over log2 n from the best knee on, over that before it."""
    return reduced(times(measured), "window", lambda n, ns: knee(n, ns)[1], 2 * LEAST_POINTS - 1)


@ra_cost.reason(steeper_from_the_knee)
def place_of_the_knee(measured: Measured) -> str:
    """Where the best knee of each operator is, by the medians of repetitions."""
    table = times(measured)
    places = []
    for name in values_of(table, "operator"):
        line = lines_of(table, operator=name).median(axis=1).dropna()
        bends, _ = knee(line.index.get_level_values("window").to_numpy(), line.to_numpy()[:, None])
        places.append(f"at n = {bends[0]:,.0f} with {name}")
    return f"the best knee is {', '.join(places)}"


def knee(n: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each column the n at which two straight lines over log2 n that meet there fit best, by least squares.

    And the slope of the second over that of the first; STEEPEST is the most that is said, and said where the first
    does not rise. O(n) fits.
    """
    x = np.log2(n.astype(float))
    squares, ratios = [], []
    bends = x[LEAST_POINTS - 1 : len(x) - LEAST_POINTS + 1]
    for bend in bends:
        design = np.column_stack([np.ones_like(x), x, np.maximum(x - bend, 0)])
        _, before, more = fit = np.linalg.lstsq(design, y)[0]
        squares.append(((design @ fit - y) ** 2).sum(axis=0))
        rises = before > 1e-9 * np.abs(y).max(axis=0)
        ratios.append(np.where(rises, np.minimum((before + more) / np.where(rises, before, 1), STEEPEST), STEEPEST))
    best = np.argmin(squares, axis=0)
    return 2 ** bends[best], np.choose(best, ratios)
