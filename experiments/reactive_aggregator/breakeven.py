"""Reactive Aggregator, section 6.2, Table 3: the window from which incremental computation pays off.

Twice: with both inside SlidingAggregate, as the paper's two ran in one engine; and against a bare loop that recomputes.
Only the first is judged.
"""

from experiments.harness.cell import Cell
from experiments.harness.fitting import rank_correlation
from experiments.harness.grid import in_order_only, point
from experiments.harness.measured import Measured, NotMeasuredError, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_number
from experiments.reactive_aggregator.measuring.contestants import FRAMEWORK, LOOP

BREAK_EVEN, TEN_TIMES = "break_even", "ten_times"
TARGETS = {BREAK_EVEN: 1.0, TEN_TIMES: 10.0}

LARGEST_PRINTED = {BREAK_EVEN: 370, TEN_TIMES: 5_810}

FAR = 20_000
"""A search that found nothing counts as the largest window that it tried, if that is at least so large.

It is more than half an order of magnitude above the largest that the paper prints.
"""

OTHER_OPERATORS = ("count", "collect")
"""Those of Table 3 that never break even."""

LEAST_OPERATORS = 4
"""Of a rank correlation."""


@experiment("ra_breakeven")
def ra_breakeven(settings: Settings) -> list[Cell]:
    """For each operator a search for both targets, in the loop and in the framework."""
    in_order_only(settings)
    limit = settings.window or whole_number("sizes.limit", settings.sizes["limit"], 10)
    lists = min(limit, whole_number("sizes.limit_of_lists", settings.sizes["limit_of_lists"], 10))
    return [
        point(
            settings,
            algorithm,
            operator,
            lists if operator.startswith("collect") else limit,
            0,
            measurement=f"breakeven.{target}",
            uses={"framework": framework},
        )
        for framework in (LOOP, FRAMEWORK)
        for operator in settings.operators
        for algorithm in settings.algorithms
        for target in TARGETS
    ]


def windows_of_searches(measured: Measured, metric: str) -> Table:
    """The window that each repetition's search found, or the largest that it tried: by operator."""
    found = measured.total(metric, "operator", framework=FRAMEWORK)
    largest = measured.fact("largest", "operator", metric=metric, framework=FRAMEWORK)
    found = found.fillna(largest.where(largest >= FAR))
    if found.isna().all(axis=None):
        raise NotMeasuredError(f"nothing was found up to {largest.max(axis=None):,.0f} items")
    return found


@ra_breakeven.quantity
def break_even(measured: Measured) -> Table:
    """Items of the smallest window in which RA is not slower than recomputation."""
    return windows_of_searches(measured, BREAK_EVEN)


@ra_breakeven.quantity
def ten_times(measured: Measured) -> Table:
    """Items of the smallest window in which RA is ten times faster than recomputation."""
    return windows_of_searches(measured, TEN_TIMES)


@ra_breakeven.quantity
def speed_up_of_break_even_search(measured: Measured) -> Table:
    """How many times faster RA is in the largest window that was tried to find the break-even point."""
    return speed_up_of_the_largest(measured, BREAK_EVEN)


@ra_breakeven.quantity
def speed_up_of_ten_times_search(measured: Measured) -> Table:
    """As `speed_up_of_break_even_search`, to find the window of ten times."""
    return speed_up_of_the_largest(measured, TEN_TIMES)


def speed_up_of_the_largest(measured: Measured, metric: str) -> Table:
    """By operator; of a search that found nothing only if it went as far as the largest that the paper prints."""
    speed_up, largest = (
        measured.fact(name, "operator", metric=metric, framework=FRAMEWORK) for name in ("speed_up", "largest")
    )
    return speed_up.where((speed_up > TARGETS[metric]) | (largest >= LARGEST_PRINTED[metric]))


@ra_breakeven.quantity
def rank_correlation_with_cost(measured: Measured) -> Table:
    """Of break-even windows with what recomputing takes for an entry, over the operators that break even in the paper.

    That is what it takes in the largest window tried to find that of ten times.
    """
    windows = break_even(measured)
    cost = measured.fact("ns_of_an_entry", "operator", metric=TEN_TIMES, framework=FRAMEWORK)
    both = [name for name in windows.index.intersection(cost.index) if name[0] not in OTHER_OPERATORS]
    if len(both) < LEAST_OPERATORS:
        raise NotMeasuredError(f"needs {LEAST_OPERATORS} operators that break even in the paper")
    return rank_correlation(windows.loc[both], cost)
