"""How often the rule says that two equal windows differ: the same window under two names, with load from beside."""

from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.verdicts.pairs import pairs_of, share_that


@experiment("verdict_false_alarms")
def verdict_false_alarms(settings: Settings) -> list[Cell]:
    """Pairs of equal windows."""
    return pairs_of(settings, slowdown=0.0)


@verdict_false_alarms.quantity
def said_to_differ(measured: Measured) -> Table:
    """The share of the pairs that the rule calls different."""
    return share_that(measured, lambda decision: True)
