"""Reactive Aggregator, section 6.2, Figure 8: tumbling windows, of which no firing can reuse anything."""

from experiments.harness.cell import Cell
from experiments.harness.fitting import spread
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import Measured, Table, lines_of, ratio
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.reactive_aggregator.measuring.contestants import BASELINE

INCREMENTAL = "reactive"
FIRING, COUNT = "slides.firing", "slides.combines"


@experiment("ra_tumbling")
def ra_tumbling(settings: Settings) -> list[Cell]:
    """Time of a firing after n new items over n, and combines counted with the first operator."""
    in_order_only(settings)
    return [
        point(settings, algorithm, operator, n, 0, measurement=measurement, batch=n)
        for measurement in (FIRING, COUNT)
        for operator in (settings.operators if measurement == FIRING else settings.operators[:1])
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]


def firings(measured: Measured) -> Table:
    """Nanoseconds of a firing with the n items before it."""
    return measured.each("firing", "algorithm", "operator", "window")


@ra_tumbling.quantity
def firing_over_recomputation_s(measured: Measured) -> Table:
    """The time of RA's firing over that of recomputation's."""
    table = firings(measured)
    return ratio(lines_of(table, algorithm=INCREMENTAL), lines_of(table, algorithm=BASELINE))


@ra_tumbling.reason(firing_over_recomputation_s)
def times_of_an_item(measured: Measured) -> str:
    """What an item takes in the largest window of each operator."""
    table = firings(measured).median(axis=1).rename("ns").reset_index()
    largest = table[table["window"] == table["window"].max()].sort_values(["operator", "algorithm"])
    listed = ", ".join(
        f"{line.algorithm} {line.ns / line.window:.2f} with {line.operator}" for line in largest.itertuples()
    )
    return f"ns an item at n = {table['window'].max():,}: {listed}"


@ra_tumbling.quantity
def costlier_over_cheaper_operator(measured: Measured) -> Table:
    """The time of a firing with the costlier operator over that with the cheaper one."""
    return spread(firings(measured), "operator")


@ra_tumbling.quantity
def more_combines_than_recomputation(measured: Measured) -> Table:
    """RA's combines of a firing less recomputation's."""
    table = measured.each("combines", "algorithm", "window")
    ours, theirs = lines_of(table, algorithm=INCREMENTAL), lines_of(table, algorithm=BASELINE)
    both = ours.index.intersection(theirs.index)
    return (ours.loc[both] - theirs.loc[both]).mul(both.get_level_values("window").to_numpy(float), axis=0)
