"""Reactive Aggregator, section 6.2, Figure 7: cost of a (1, 1)-change over the size of the window, and its log fit."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import LEAST_POINTS, each, known, lines_of, straight
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

INCREMENTAL = "reactive"
COUNT, COUNTED = "slides.combines", 1
SEVERAL_LEVELS = 8
"""Smallest window of the fits: below it the aggregator's ring is larger than the window."""

LINEAR = 0.9
BENT = 2.0


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


def _fits(table: pd.DataFrame) -> pd.DataFrame:
    """Slope over log2 n and R^2 of each line."""
    fits = [straight(line, SEVERAL_LEVELS) for _, line in table.iterrows()]
    return pd.DataFrame(fits, columns=["slope", "r2"], index=table.index)


@ra_cost.claim("Figure 7", "The cost of a tuple is linear in log n", "closely matches the ideal line")
def linear_in_log(rows: pd.DataFrame) -> Judgement:
    fits = _fits(lines_of(each(rows, "time", "algorithm", "operator"), algorithm=INCREMENTAL).droplevel("algorithm"))
    measured = ", ".join(
        f"{name}: {fit.slope:.1f} ns more for each doubling, R^2 {fit.r2:.3f}" for name, fit in fits.iterrows()
    )
    reason = "the largest windows leave the caches, where each level of the tree is a miss"
    return share((fits["r2"] >= LINEAR) & (fits["slope"] > 0), f"{measured} (linear: at least {LINEAR})", reason)


@ra_cost.claim("Figure 7", "Combines for a tuple are linear in log n (decided by counting)", "O(log n)")
def combines_linear_in_log(rows: pd.DataFrame) -> Judgement:
    fits = _fits(lines_of(each(rows, "combines", "algorithm"), algorithm=INCREMENTAL))
    slope, r2 = fits["slope"].iloc[0], fits["r2"].iloc[0]
    text = f"{slope:.2f} combines more for each doubling, R^2 {r2:.5f} (linear: at least 0.999)"
    return share(pd.Series([r2 >= 0.999 and slope > 0]), text, "windows between two powers of two have larger rings")


class Knee(NamedTuple):
    """Where two straight lines that meet fit best, and the slope of the second over that of the first."""

    x: float
    steeper: float


def knee(line: pd.Series, least: int = 1) -> Knee:
    """The best knee of a line over log2 n: two straight lines that meet, by least squares. O(points) fits."""
    x, y = known(line, least)
    inner = x[LEAST_POINTS - 1 : len(x) - LEAST_POINTS + 1]
    if not len(inner):
        raise NotMeasuredError(f"needs {2 * LEAST_POINTS - 1} windows of at least {least} items")
    fits = []
    for bend in inner:
        design = np.column_stack([np.ones_like(x), x, np.maximum(x - bend, 0)])
        line = np.linalg.lstsq(design, y)[0]
        fits.append((float(np.sum((design @ line - y) ** 2)), bend, *line[1:]))
    _, bend, before, rise = min(fits)
    return Knee(float(2**bend), float((before + rise) / before) if before > 0 else float("inf"))


@ra_cost.claim("Figure 7", "There is no knee where the structure outgrows the caches", "no knee")
def no_knee(rows: pd.DataFrame) -> Judgement:
    table = lines_of(each(rows, "time", "algorithm", "operator"), algorithm=INCREMENTAL).droplevel("algorithm")
    knees = {name: knee(line, SEVERAL_LEVELS) for name, line in table.iterrows()}
    measured = ", ".join(
        f"{name}: {best.steeper:.1f} times as steep from n = {best.x:,.0f} on" for name, best in knees.items()
    )
    steeper = pd.Series({name: best.steeper for name, best in knees.items()})
    text = f"two lines that meet fit best with {measured} (a knee: over {BENT:.0f} times)"
    return share(
        steeper <= BENT, text, "a level of the tree that is not in the caches costs a miss, here many combines' time"
    )
