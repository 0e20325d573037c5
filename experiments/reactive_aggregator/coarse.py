"""Reactive Aggregator, section 6.2, Figure 10: m items between two firings, over the size of the window."""

import re
from collections.abc import Callable

import numpy as np

from experiments.harness.cell import Cell
from experiments.harness.fitting import straightness
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import Measured, Table, lines_of, over, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

INCREMENTAL = "reactive"
TIME, COUNT = "slides.time", "slides.combines"
CONSTANTS, FRACTIONS = ("1", "4", "64"), ("n/16", "n/4", "n")
"""The slides of the paper."""

LEVELS = 8
"""A line with constant m begins where the window has eight times as many items: before, m is a fraction of n."""

LARGE = 1024
"""Items of a large window, in which a line with m a fraction of n is flat: there m is 64 items and more."""

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


def line_of_slide(measured: Measured, metric: str) -> Table:
    """Time or combines of an item by slide and window, for the paper's slides."""
    return measured.each(metric, "slide", "window", algorithm=INCREMENTAL, slide=[*CONSTANTS, *FRACTIONS])


def points_where(table: Table, wanted: Callable[[str, int], bool]) -> Table:
    """The points of lines by slide and window that a function of both wants."""
    slides, windows = (table.index.get_level_values(name) for name in ("slide", "window"))
    return table[np.array([wanted(slide, n) for slide, n in zip(slides, windows, strict=True)])]


def constants(measured: Measured, metric: str) -> Table:
    """The lines with a constant m, each from where the window has several levels above a batch."""
    table = where(line_of_slide(measured, metric), slide=CONSTANTS)
    return points_where(table, lambda slide, n: n >= LEVELS * int(slide))


@ra_coarse.quantity
def straightness_of_cost(measured: Measured) -> Table:
    """For a constant m, how straight the time of an item is over log2 n: R^2, negative where it falls."""
    return straightness(constants(measured, "time"), "window")


@ra_coarse.quantity
def straightness_of_combines(measured: Measured) -> Table:
    """As `straightness_of_cost`, of combines."""
    return straightness(constants(measured, "combines"), "window")


def fractions(measured: Measured, metric: str, within: Callable[[int], bool]) -> Table:
    """The lines with m a fraction of n, in some windows."""
    return where(where(line_of_slide(measured, metric), slide=FRACTIONS), window=within)


@ra_coarse.quantity
def cost_in_large_windows(measured: Measured) -> Table:
    """For m a fraction of n, nanoseconds of an item in windows of at least LARGE items."""
    return fractions(measured, "time", lambda n: n >= LARGE)


@ra_coarse.quantity
def cost_in_small_windows(measured: Measured) -> Table:
    """For m a fraction of n, nanoseconds of an item in windows of at most LARGE items."""
    return fractions(measured, "time", lambda n: n <= LARGE)


@ra_coarse.quantity
def combines_in_large_windows(measured: Measured) -> Table:
    """For m a fraction of n, combines of an item in windows of at least LARGE items."""
    return fractions(measured, "combines", lambda n: n >= LARGE)


def over_that_of_m_1(measured: Measured, metric: str) -> Table:
    """Time or combines of an item over those with m = 1, by slide and window, where m is more than 1."""
    table = line_of_slide(measured, metric)
    several = points_where(table, lambda slide, n: batch_of(slide, n) > 1)
    return over(several, lines_of(table, slide="1"))


@ra_coarse.quantity
def cost_over_that_of_firing_after_each(measured: Measured) -> Table:
    """Time of an item over that with m = 1."""
    return over_that_of_m_1(measured, "time")


@ra_coarse.quantity
def combines_over_those_of_firing_after_each(measured: Measured) -> Table:
    """Combines of an item over those with m = 1."""
    return over_that_of_m_1(measured, "combines")
