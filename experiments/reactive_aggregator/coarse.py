"""Reactive Aggregator, section 6.2, Figure 10: m items between two firings, over the size of the window."""

import re

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import each, lines_of, rise, straight
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

INCREMENTAL = "reactive"
TIME, COUNT = "slides.time", "slides.combines"
LINEAR, FLAT = 0.9, 0.25
LEVELS = 8
"""A line with constant m begins where the window has eight times as many items: before, m is a fraction of n."""

LARGE = 1024
"""From here on a line with m a fraction of n should be flat."""

SLIDE = re.compile(r"[1-9][0-9]*|n(/[1-9][0-9]*)?")


def batch_of(slide: str, n: int) -> int:
    """The m of a slide such as "64" or "n/16" in a window of n items, 0 where there is none: m < 1 or m > n.

    Raises SettingsError for a slide that is neither.
    """
    if not SLIDE.fullmatch(slide):
        raise SettingsError(f"slides has {slide!r}; a slide is a number of items such as 64, or n, or n/16")
    m = n // int(slide[2:] or 1) if slide[0] == "n" else int(slide)
    return m if m <= n else 0


def slides_of(settings: Settings, n: int) -> dict[str, int]:
    """The m of each slide that a window of n items can have."""
    batches = {str(slide): batch_of(str(slide), n) for slide in settings.sizes["slides"]}
    return {slide: m for slide, m in batches.items() if m}


@experiment("ra_coarse")
def ra_coarse(settings: Settings) -> list[Cell]:
    """Time and combines of an item over n, for each slide."""
    in_order_only(settings)
    return [
        point(settings, algorithm, operator, n, 0, uses={"slide": slide}, measurement=measurement, batch=m)
        for measurement in (TIME, COUNT)
        for operator in (settings.operators if measurement == TIME else settings.operators[:1])
        for n in windows_of(settings)
        for slide, m in slides_of(settings, n).items()
        for algorithm in settings.algorithms
    ]


def constant(slide: str) -> bool:
    """Whether the slide is a number of items, and not a fraction of the window."""
    return slide.isdigit()


def _lines(rows: pd.DataFrame, metric: str, is_constant: bool) -> pd.DataFrame:
    """The aggregator's lines with constant m, or else with m a fraction of n, by slide."""
    table = lines_of(each(rows, metric, "algorithm", "slide"), algorithm=INCREMENTAL).droplevel("algorithm")
    lines = table[[constant(slide) == is_constant for slide in table.index]]
    if lines.empty:
        raise NotMeasuredError("no such slides")
    return lines


def _straight(table: pd.DataFrame, least: float, unit: str, reason: str) -> Judgement:
    fits = {}
    for slide, line in table.iterrows():
        fits[slide] = straight(line, LEVELS * int(slide))
    text = ", ".join(f"m = {slide}: {fit[0]:.2f} {unit} a doubling, R^2 {fit[1]:.3f}" for slide, fit in fits.items())
    holds = pd.Series([slope > 0 and r2 >= least for slope, r2 in fits.values()])
    return share(holds, f"{text} (straight: R^2 at least {least})", reason)


def _flat(table: pd.DataFrame, reason: str) -> Judgement:
    rises = pd.Series({slide: rise(line, LARGE) for slide, line in table.iterrows()})
    measured = ", ".join(f"m = {slide} {value:+.0%}" for slide, value in rises.items())
    text = f"rise of the line over log2 n from n = {LARGE:,} on, of its mean: {measured} (flat: within {FLAT:.0%})"
    return share(rises.abs() <= FLAT, text, reason)


@ra_coarse.claim("Figure 10", "For constant m the cost of an item is a straight line in log n", "straight")
def straight_for_constants(rows: pd.DataFrame) -> Judgement:
    return _straight(
        _lines(rows, "time", True), LINEAR, "ns", "large windows leave the caches, where a level is a miss"
    )


@ra_coarse.claim("Figure 10", "For constant m combines are a straight line in log n (by counting)", "O(1 + log(n/m))")
def combines_straight_for_constants(rows: pd.DataFrame) -> Judgement:
    return _straight(_lines(rows, "combines", True), 0.999, "combines", "small windows have few levels above a batch")


@ra_coarse.claim("Figure 10", "For m a fraction of n the cost of an item is constant in large windows", "flat")
def flat_for_fractions(rows: pd.DataFrame) -> Judgement:
    return _flat(_lines(rows, "time", False), "large windows leave the caches")


@ra_coarse.claim("Figure 10", "For m a fraction of n combines are constant (by counting)", "O(1)")
def combines_flat_for_fractions(rows: pd.DataFrame) -> Judgement:
    return _flat(_lines(rows, "combines", False), "the look-up's share of a firing shrinks with m")
