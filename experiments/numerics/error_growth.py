"""Whether errors grow with what has left the window: every operator that rounds, in windows that combine and subtract.

No figure of a paper. A window that combines its values anew owes its error to those in it, as the operator's card says;
one that subtracts what leaves keeps the rounding errors of all that ever was in it.
"""

import numpy as np

from algorithms import operators
from algorithms.windows.choosing.trial import VALUES
from algorithms.windows.contract import card
from experiments.harness.cell import Cell
from experiments.harness.fitting import reduced
from experiments.harness.grid import in_order_only, point, window_of
from experiments.harness.measured import Measured, Table, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_numbers
from experiments.numerics.measuring.exact import BOUNDS
from safeguards.wrong_input import unknown


@experiment("error_growth")
def error_growth(settings: Settings) -> list[Cell]:
    """Every operator in every window that takes it, after each of some numbers of updates."""
    in_order_only(settings)
    updates = whole_numbers("sizes.updates", settings.sizes["updates"], VALUES)
    n = window_of(settings)
    if n < 2:
        raise SettingsError(f"window is {n}; a deviation needs at least 2 values")
    for operator in settings.operators:
        if operator not in BOUNDS:
            raise SettingsError(unknown("operator that rounds", operator, BOUNDS))
    return [
        point(settings, algorithm, operator, n, 0, measurement="growth.share", asked={"updates": count})
        for operator in settings.operators
        for algorithm in settings.algorithms
        if not card(algorithm["name"]).refusal(operators.make(operator))
        for count in updates
    ]


def shares(measured: Measured, subtracting: bool) -> Table:
    """The share of its card's bound that the largest error takes, in windows that subtract what leaves, or combine."""
    table = measured.total("share", "algorithm", "operator", "updates")
    return where(table, algorithm=[name for name in values_of(table, "algorithm") if subtracts(name) == subtracting])


def subtracts(algorithm: str) -> bool:
    """Whether a window rounds where it need not, by subtracting what leaves."""
    return bool(card(algorithm).rounding)


@error_growth.quantity
def share_of_bound(measured: Measured) -> Table:
    """The largest share of its card's bound that an error takes, however many updates came before, in windows that
    combine."""
    return reduced(shares(measured, False), "updates", lambda count, y: y.max(axis=0))


@error_growth.quantity
def growth_where_combined(measured: Measured) -> Table:
    """The largest error after the most updates over that after the fewest, in windows that combine."""
    return grown(shares(measured, False))


@error_growth.quantity
def share_where_subtracted(measured: Measured) -> Table:
    """The largest share of the bound that an error takes after the most updates, in windows that subtract."""
    return reduced(shares(measured, True), "updates", lambda count, y: y[np.argmax(count)])


def grown(table: Table) -> Table:
    """The value after the most updates over that after the fewest."""
    return reduced(table, "updates", lambda count, y: y[np.argmax(count)] / y[np.argmin(count)], 2)
