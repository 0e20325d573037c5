"""How good the choice of a window is, on a grid that it was not learnt from: other sizes, distances and operators.

In each cell the chosen window and the others that come near the best are timed in turn, in one process.
"""

import numpy as np
import pandas as pd

from algorithms.windows.choosing.learnt import learnt
from experiments.choosing.grid import cells_over
from experiments.choosing.measuring.own import OWN
from experiments.harness.cell import Cell, digest
from experiments.harness.measured import ALL, Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from safeguards.wrong_input import unknown

NEAR = 1.2
"""Within so many times the time of the best, a choice is a good one."""

LAPS = 15
"""Of each window that comes near the best, half a millisecond each: of fewer, the least of several medians is often one
that was lucky, and the choice seems worse than it is."""

POINT = ("operator", "window", "distance", "batch")


@experiment("auto_choice")
def auto_choice(settings: Settings) -> list[Cell]:
    """A cell for each operator, own ones among them, and each point. Another table makes other cells."""
    own = settings.sizes.get("own", ())
    for name in own:
        if name not in OWN:
            raise SettingsError(unknown("operator in sizes.own", name, OWN))
    table = digest(learnt())
    return cells_over(settings, [*own, *settings.operators], "auto", laps=LAPS, within=3, chosen=True, table=table)


def over_best(measured: Measured) -> Table:
    """The time of a round of the chosen window over that of the best, in each cell."""
    return measured.fact("over_best", *POINT, metric="time")


@auto_choice.quantity
def share_near_the_best(measured: Measured) -> Table:
    """The share of the cells in which the choice takes at most 1.2 times as long as the best."""
    table = over_best(measured)
    return _over_all_cells((table <= NEAR).astype(float).where(table.notna()))


@auto_choice.quantity
def mean_over_the_best(measured: Measured) -> Table:
    """The geometric mean of all cells of the choice's time over that of the best."""
    return np.exp(_over_all_cells(np.log(over_best(measured))))


def _over_all_cells(table: Table) -> Table:
    """The mean of all lines, within each repetition."""
    return pd.DataFrame([table.mean(axis=0)], ALL, table.columns)
