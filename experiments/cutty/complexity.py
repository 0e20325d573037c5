"""Cutty, Table 1: space and combines of a periodic query, counted on a grid of ranges and slides, and the formulas."""

import re

from experiments.cutty.comparing import compared, more
from experiments.cutty.grid import cell_on_stream, streams_only
from experiments.cutty.measuring.queries import PERIODIC
from experiments.cutty.measuring.table_1 import METRICS
from experiments.cutty.measuring.techniques import TECHNIQUES, techniques
from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_number

GRID = re.compile(r"(\d+) / (\d+)")


@experiment("cutty_complexity", techniques)
def cutty_complexity(settings: Settings) -> list[Cell]:
    """A cell for each technique, range and slide, and column of the table."""
    streams_only(settings, "debs12")
    if any(algorithm["name"] == "naive" for algorithm in settings.algorithms):
        raise SettingsError("algorithms has 'naive', which Table 1 has no formulas of")
    queries = []
    for text in settings.sizes["grid"]:
        r, s = _range_and_slide(text)
        whole_number("slide", s, 1)
        whole_number("range", r, s + 1)  # with fewer than two slices in a range a logarithm is 0
        queries.append({"ask": PERIODIC, "range": r, "slide": s})
    return [
        cell_on_stream(settings, algorithm["name"], metric, query, window=query["range"], module="table_1")
        for algorithm in settings.algorithms
        for query in queries
        for metric in METRICS
    ]


def _range_and_slide(text: str) -> tuple[int, int]:
    """Both numbers of a point of the grid. Raises SettingsError unless it is written such as "1000 / 300"."""
    if not (match := GRID.fullmatch(str(text))):
        raise SettingsError(f"grid has {text!r}; a point of it is range / slide, such as 1000 / 300")
    return int(match[1]), int(match[2])


AT = ("algorithm", "range", "slide")


def above(measured: Measured, metric: str) -> Table:
    """What was counted of a slice, record or window, less its formula."""
    return measured.each(metric, *AT) - measured.fact("formula", *AT, metric=metric)


@cutty_complexity.quantity
def partials_above_the_formula(measured: Measured) -> Table:
    """The most partial aggregates that are kept, less the formula."""
    return above(measured, "partials")


@cutty_complexity.quantity
def store_above_the_formula(measured: Measured) -> Table:
    """Combines to store a slice, less the formula."""
    return above(measured, "store")


@cutty_complexity.quantity
def update_of_a_record(measured: Measured) -> Table:
    """Combines of a record: to fold it into a slice, and its part of storing the slice."""
    return measured.each("update", *AT)


@cutty_complexity.quantity
def amortised_above_the_formula(measured: Measured) -> Table:
    """Combines of the records of a slice and of storing it, less the amortised formula."""
    return above(measured, "update") / measured.fact("formula", *AT, metric="slices")


@cutty_complexity.quantity
def merge_above_the_formula(measured: Measured) -> Table:
    """Combines to merge a window, on average, less the formula."""
    return above(measured, "merge")


@cutty_complexity.quantity
def merge_over_the_formula(measured: Measured) -> Table:
    """Combines to merge a window, on average, over the formula."""
    return measured.each("merge", *AT) / measured.fact("formula", *AT, metric="merge")


@cutty_complexity.quantity
def slices_above_the_formula(measured: Measured) -> Table:
    """Slices that are stored in the whole stream, less the formula for as many records."""
    slices = measured.total("slices", *AT)
    records = slices / measured.each("slices", *AT)
    return slices - records * measured.fact("formula", *AT, metric="slices")


@cutty_complexity.quantity
def partials_more(measured: Measured) -> Table:
    """How many more partial aggregates a technique keeps at most than another."""
    return more(measured.total("partials", *AT))


@cutty_complexity.quantity
def partials_ratio(measured: Measured) -> Table:
    """The most partial aggregates that a technique keeps over those of another."""
    return compared(measured.total("partials", *AT))


@cutty_complexity.quantity
def updates_more(measured: Measured) -> Table:
    """How many more combines a technique makes to fold records and store slices than another."""
    return more(measured.total("update", *AT))


@cutty_complexity.quantity
def merges_more(measured: Measured) -> Table:
    """How many more combines a technique makes to merge windows than another."""
    return more(measured.total("merge", *AT))


def combines(measured: Measured) -> Table:
    """All combines."""
    return measured.total("update", *AT) + measured.total("merge", *AT)


@cutty_complexity.quantity
def combines_more(measured: Measured) -> Table:
    """How many more combines a technique makes than another, all in all."""
    return more(combines(measured))


@cutty_complexity.quantity
def combines_ratio(measured: Measured) -> Table:
    """Combines of a technique over those of another, all in all."""
    return compared(combines(measured))


@cutty_complexity.quantity
def store_ratio(measured: Measured) -> Table:
    """Combines that store slices or merge windows, of a technique over those of another."""
    return compared(measured.total("store", *AT) + measured.total("merge", *AT))


@cutty_complexity.quantity
def slices_ratio(measured: Measured) -> Table:
    """Slices that a technique stores over those of another."""
    return compared(measured.total("slices", *AT))


def equal_slices(measured: Measured) -> str:
    """Which techniques make the same slices, but for the open one, and at which range and slide."""
    slices = measured.total("slices", *AT).iloc[:, 0]
    said = []
    for (r, s), found in slices.groupby(["range", "slide"]):
        ordered = found.droplevel(["range", "slide"]).sort_values()
        for _, same in ordered.groupby((ordered.diff() > 1).cumsum()):
            slicings = dict.fromkeys(TECHNIQUES[name].slicing for name in same.index)
            if len(slicings) > 1:
                said.append(f"{', '.join(slicings)} at {r:,} / {s:,}")
    return f"the same slices: {'; '.join(said)}" if said else ""


for _quantity in (
    partials_above_the_formula,
    amortised_above_the_formula,
    merge_above_the_formula,
    slices_above_the_formula,
    partials_more,
    partials_ratio,
    combines_more,
    combines_ratio,
    store_ratio,
    slices_ratio,
):
    cutty_complexity.reason(_quantity)(equal_slices)
