"""Sub-O(log n) Out-of-Order Sliding-Window Aggregation (Tangwongsan, Hirzel, Schneider, arXiv 1810.11308, 2018).

Section 5.1, Figure 11, and the quantities by which its statements (statements.yaml) are decided.
"""

import numpy as np

from experiments.harness.cell import REPLAY, Cell
from experiments.harness.fitting import geometric_mean, neighbours, reduced, spread, straightness
from experiments.harness.grid import spans_of, unnamed, window_of
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, values_of, where, without
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

CLASSIC, FINGER = "b_tree", "fiba"

COUNT, COUNTED = "rounds.combines", "sum"
"""How combines are counted, and the operator it is done with: the number does not depend on it."""


def distances_of(settings: Settings, window: int) -> tuple[int, ...]:
    """The out-of-order distances to measure: as asked for, or the profile's that fit, and the window itself."""
    if settings.distances is not None:
        if (largest := max(settings.distances)) > window:
            raise SettingsError(f"distances has {largest}; in a window of {window} items it is at most {window}")
        return settings.distances
    return (*(d for d in settings.sizes["distances"] if d < window), window)


def counted_points(n: int) -> list[dict]:
    """Every power of two below n, and n, as the distance: where combines are counted, whatever the operator."""
    distances = [*(1 << k for k in range(n.bit_length()) if 1 << k < n), n]
    return [
        {"window": n, "distance": d, "stream": {"window": n, "distance": d}, "measurement": COUNT} for d in distances
    ]


@experiment("fiba_ooo")
def fiba_ooo(settings: Settings) -> list[Cell]:
    """Figure 11: throughput over d for each operator; on a trace, over the length of a time-based window."""
    name, stream = settings.workload["name"], unnamed(settings.workload)
    if name == "distance":
        n = window_of(settings)
        points = [
            {"window": n, "distance": d, "stream": {"window": n, "distance": d}} for d in distances_of(settings, n)
        ]
    else:
        points = [{"window": span, "stream": stream, "measurement": REPLAY} for span in spans_of(settings)]
    counted = counted_points(n) if name == "distance" and settings.distances is None else []
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm["name"],
            parameters=unnamed(algorithm),
            operator=operator,
            workload=name,
            **point,
        )
        for operator in settings.operators
        for algorithm in settings.algorithms
        for point in points + counted * (operator == COUNTED and algorithm["name"] in (CLASSIC, FINGER))
    ]


TREE = ("algorithm", "min_arity", "operator")
"""What tells the lines of the figure apart."""


def rates(measured: Measured) -> Table:
    """Million items/s over the distance; measured on the distance protocol only."""
    return measured.rate(*TREE, "distance", workload="distance")


def inside(table: Table, least: int = 3) -> Table:
    """The distances 1 <= d < n: away from the in-order and the LIFO end."""
    distances = values_of(table, "distance")
    inner = [d for d in distances if 1 <= d < distances[-1]]
    if len(inner) < least:
        raise NotMeasuredError(f"needs {least} distances between 1 and n, {len(inner)} measured")
    return where(table, distance=inner)


@fiba_ooo.quantity
def classic_spread(measured: Measured) -> Table:
    """The classic tree's throughput at its fastest distance over that at its slowest."""
    return spread(inside(lines_of(rates(measured), algorithm=CLASSIC)), "distance")


@fiba_ooo.quantity
def finger_over_classic_at_first(measured: Measured) -> Table:
    """Throughput of the finger tree over that of the classic tree of the same min-arity, at the smallest distance."""
    table = rates(measured)
    first = lines_of(table, distance=min(values_of(inside(table, 1), "distance")))
    return ratio(lines_of(first, algorithm=FINGER), lines_of(first, algorithm=CLASSIC))


@fiba_ooo.quantity
def finger_straightness(measured: Measured) -> Table:
    """How straight the finger tree's time of a round is over log2 d: R^2, negative where it falls."""
    return straightness(1e3 / inside(lines_of(rates(measured), algorithm=FINGER)), "distance")


@fiba_ooo.quantity
def uptick_at_n(measured: Measured) -> Table:
    """Throughput at d = n over that at the next smaller distance."""
    table, n = rates(measured), int(measured.rows["window"].max())
    distances = values_of(table, "distance")
    if n not in distances or len(distances) < 2:
        raise NotMeasuredError("needs d = n and a smaller distance")
    return ratio(lines_of(table, distance=n), lines_of(table, distance=max(d for d in distances if d < n)))


@fiba_ooo.quantity
def smaller_arity_over_larger(measured: Measured) -> Table:
    """Throughput of a tree over that of the next larger min-arity: geometric means over the distances."""
    return neighbours(geometric_mean(inside(rates(measured)), "distance"), "min_arity")


STEP = 0.04
"""A rise between neighbouring powers of two that is a step: this share of the most combines of a round."""


@fiba_ooo.quantity
def steps_saved_by_arity(measured: Measured) -> Table:
    """Steps of the combines of a round over the distance, less those of the next larger min-arity."""
    counts = inside(measured.each("combines", "min_arity", "distance", algorithm=FINGER))

    def steps(d: np.ndarray, combines: np.ndarray) -> np.ndarray:
        return (np.diff(combines, axis=0) > STEP * combines.max(axis=0)).sum(axis=0)

    return neighbours(reduced(counts, "distance", steps, 4), "min_arity", np.subtract)


@fiba_ooo.quantity
def combines_of_smaller_arity_over_larger(measured: Measured) -> Table:
    """Combines of a round over those with the next larger min-arity: geometric means over the distances."""
    counts = inside(measured.each("combines", "algorithm", "min_arity", "distance"))
    return neighbours(geometric_mean(counts, "distance"), "min_arity")


@fiba_ooo.quantity
def restructurings_at_n(measured: Measured) -> Table:
    """Splits, merges and moves of a round at d = n."""
    table = measured.fact("restructurings", "algorithm", "min_arity", "distance", "window", metric="combines")
    n = table.index.get_level_values("window")
    at_n = table[table.index.get_level_values("distance") == n]
    if at_n.empty:
        raise NotMeasuredError("no combines were counted at d = n")
    return without(at_n, "distance", "window")
