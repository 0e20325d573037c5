"""The grid from which the choice of a window is learnt: every window that is legal, at every point, for each operator.

`python -m experiments.choosing.learn` makes the library's table of its rows.
"""

from experiments.choosing.grid import cells_over
from experiments.harness.cell import Cell
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

FASTEST = "fastest"
"""The series of the quickest window at each point, whichever that is."""


@experiment("auto_grid")
def auto_grid(settings: Settings) -> list[Cell]:
    """A cell for each operator and point; the laps of all windows are in its facts."""
    return cells_over(settings, settings.operators, FASTEST, laps=3, within=1e9, chosen=False)
