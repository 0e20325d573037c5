"""FiBA, section 5.2, the "curious effect" of Figure 12, counted: combines of a round far from order, over the window.

How often a repair walks to a spine and then down the whole of it depends on the window, the distance and the arity. The
paper saw it with 2^22 items at a distance of 2^20; combines are the same there whatever the operator and the machine.
Beside FiBA as published there is our addition to it, which makes the way down cheaper (fiba_folds.py).
"""

from experiments.harness.cell import Cell
from experiments.harness.grid import point, synthetic_only, windows_of
from experiments.harness.measured import Measured, Table, lines_of, over, ratio, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

PUBLISHED = "fiba"

COMBINES, WALKS = "rounds.combines", "rounds.walks"

PRINTED_WINDOW = 1 << 22
"""Of Figure 12; the distance is a quarter of it."""


@experiment("fiba_anomaly")
def fiba_anomaly(settings: Settings) -> list[Cell]:
    """Combines, and nodes on the way down a spine, over n at d = n / 4."""
    synthetic_only(settings)
    if settings.distances is not None or len(settings.operators) > 1:
        raise SettingsError(f"{settings.name} counts combines at a quarter of each window, with one operator")
    return [
        point(settings, algorithm, settings.operators[0], n, n // 4, measurement=measurement)
        for measurement in (COMBINES, WALKS)
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]


def counted(measured: Measured, metric: str) -> Table:
    """Combines, or nodes on the way down, of a round in the paper's window, by algorithm and min-arity."""
    return measured.each(metric, "algorithm", "min_arity", window=PRINTED_WINDOW)


@fiba_anomaly.quantity
def larger_arity_over_2(measured: Measured) -> Table:
    """Combines of a round with a larger min-arity over those with min-arity 2."""
    table = counted(measured, "combines")
    return over(where(table, min_arity=lambda arity: arity > 2), lines_of(table, min_arity=2))


@fiba_anomaly.quantity
def arity_8_over_4(measured: Measured) -> Table:
    """Combines of a round with min-arity 8 over those with min-arity 4."""
    table = counted(measured, "combines")
    return ratio(lines_of(table, min_arity=8), lines_of(table, min_arity=4))


@fiba_anomaly.quantity
def further_down_with_4(measured: Measured) -> Table:
    """Nodes on a round's way down a spine with min-arity 4, less those with another min-arity."""
    table = lines_of(counted(measured, "walks"), algorithm=PUBLISHED)
    return lines_of(table, min_arity=4).iloc[0] - where(table, min_arity=lambda arity: arity != 4)
