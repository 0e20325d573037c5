"""Reactive Aggregator, section 6.2, Figure 11 and Table 4: beside the base intervals of Arasu and Widom (AW)."""

from experiments.harness.cell import Cell
from experiments.harness.fitting import LEAST_POINTS, spread
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_numbers
from experiments.reactive_aggregator.coarse import CONSTANTS, COUNT, FRACTIONS, TIME, slides_of

INCREMENTAL, OTHER = "reactive", "b_int"


@experiment("ra_vs_bint")
def ra_vs_bint(settings: Settings) -> list[Cell]:
    """Figure 11: the first operator over n for each slide. Table 4: all at a few n, firing after every item."""
    in_order_only(settings)
    sliding = [
        point(settings, algorithm, settings.operators[0], n, 0, uses={"slide": slide}, measurement=measurement, batch=m)
        for measurement in (TIME, COUNT)
        for n in windows_of(settings)
        for slide, m in slides_of(settings, n).items()
        for algorithm in settings.algorithms
    ]
    table = [
        point(settings, algorithm, operator, n, 0)
        for operator in settings.operators
        for n in whole_numbers("sizes.table", settings.sizes["table"], 1)
        for algorithm in settings.algorithms
    ]
    return sliding + table


def aw_over_ra(table: Table) -> Table:
    """AW over RA, by the other keys."""
    return ratio(lines_of(table, algorithm=OTHER), lines_of(table, algorithm=INCREMENTAL))


@ra_vs_bint.quantity
def table_4(measured: Measured) -> Table:
    """T_AW / T_RA for firing after every item, by operator and window."""
    return aw_over_ra(measured.each("time", "algorithm", "operator", "window", slide=""))


@ra_vs_bint.quantity
def spread_over_operators(measured: Measured) -> Table:
    """The largest T_AW / T_RA of any operator over the smallest, by window."""
    return spread(table_4(measured), "operator")


def figure_11(measured: Measured, metric: str) -> Table:
    """AW over RA, time or combines of an item, by slide and window."""
    return aw_over_ra(measured.each(metric, "algorithm", "slide", "window", slide=[*CONSTANTS, *FRACTIONS]))


@ra_vs_bint.quantity
def time_over_ra_s(measured: Measured) -> Table:
    """T_AW / T_RA of an item, by slide and window."""
    return figure_11(measured, "time")


@ra_vs_bint.quantity
def spread_over_windows(measured: Measured) -> Table:
    """The largest T_AW / T_RA in any window over the smallest, by slide."""
    return spread(figure_11(measured, "time"), "window", LEAST_POINTS)


@ra_vs_bint.quantity
def combines_over_ra_s(measured: Measured) -> Table:
    """AW's combines of an item over RA's, by slide and window."""
    return figure_11(measured, "combines")


def combines_beside_ra_s(measured: Measured) -> str:
    """AW's combines over RA's with m = 1, from the smallest to the largest window; empty if they were not counted."""
    try:
        table = lines_of(figure_11(measured, "combines"), slide="1").median(axis=1)
    except NotMeasuredError:
        return ""
    (first,), (last,) = table.index[0], table.index[-1]
    ends = f"{table.iloc[0]:.2f} times at n = {first:,} and {table.iloc[-1]:.2f} times at n = {last:,}"
    return f"AW's combines of an item with m = 1 are {ends} those of RA"


for _quantity in (table_4, time_over_ra_s):
    ra_vs_bint.reason(_quantity)(combines_beside_ra_s)
