"""How often the rule finds an injected slowdown: a window, and the same a tenth slower."""

from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, real_number
from experiments.verdicts.pairs import pairs_of, ratios, share_that


@experiment("verdict_power")
def verdict_power(settings: Settings) -> list[Cell]:
    """Pairs of which the other is slower by the share sizes.slowdown."""
    return pairs_of(settings, real_number("sizes.slowdown", settings.sizes["slowdown"], 0))


@verdict_power.quantity
def slowdown_of_a_pair(measured: Measured) -> Table:
    """The slowed window's time over the other's."""
    return ratios(measured)


@verdict_power.quantity
def found_slower(measured: Measured) -> Table:
    """The share of the pairs whose slowed window the rule calls slower."""
    return share_that(measured, lambda decision: decision.value > 1)
