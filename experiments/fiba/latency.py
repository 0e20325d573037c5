"""FiBA, section 5.2, Figure 12: cycles of single rounds, in order and at a large distance."""

import numpy as np

from experiments.harness.cell import Cell
from experiments.harness.grid import point, synthetic_only, window_of
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, over, ratio, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

CLASSIC, FINGER = "b_tree", "fiba"

TREE = ("algorithm", "min_arity", "operator")

COUNT, COUNTED = "rounds.combines", "sum"
"""How combines are counted, and the operator it is done with: the number does not depend on it."""


@experiment("fiba_latency")
def fiba_latency(settings: Settings) -> list[Cell]:
    """A fixed number of rounds for each operator, at d = 0 and a quarter of the window unless distances are given;
    and the combines of a round."""
    synthetic_only(settings)
    n = window_of(settings)
    distances = settings.distances or tuple(dict.fromkeys((0, n // 4)))
    if (largest := max(distances)) > n:
        raise SettingsError(f"distances has {largest}; in a window of {n} items it is at most {n}")
    rounds = settings.sizes["rounds"]
    timed = [
        point(
            settings,
            algorithm,
            operator,
            n,
            d,
            measurement="single_rounds.latency",
            protocol={"items": n + rounds.get(operator, rounds["other"])},
        )
        for operator in settings.operators
        for d in distances
        for algorithm in settings.algorithms
    ]
    counted = [
        point(settings, algorithm, COUNTED, n, d, measurement=COUNT)
        for d in distances
        for algorithm in settings.algorithms
        if algorithm["name"] in (CLASSIC, FINGER) and COUNTED in settings.operators
    ]
    return timed + counted


LEAST, MEDIAN, HIGH, MOST = 0.0, 0.5, 0.999, 1.0
"""Quantiles that the panels show."""


def step_of(measured: Measured) -> float:
    """What the cycle counter advances by at the least, apart from stray readings: no round is taken as shorter."""
    sampled = [np.asarray(samples) for samples in measured.rows["samples"].dropna()]
    advances = np.concatenate([cycles[cycles > 1] for cycles in sampled]) if sampled else np.empty(0)
    return float(np.quantile(advances, 0.001)) if len(advances) else 1.0


def in_order(measured: Measured, share: float) -> Table:
    """Cycles of a quantile of the rounds at d = 0."""
    return measured.quantile(share, *TREE, distance=0).clip(lower=step_of(measured))


def far(measured: Measured, share: float) -> Table:
    """Cycles of a quantile of the rounds at the largest distance."""
    return measured.quantile(share, *TREE, distance=largest_distance(measured)).clip(lower=step_of(measured))


def largest_distance(measured: Measured) -> int:
    """Raises NotMeasuredError where only d = 0 was measured."""
    distances = measured.rows["distance"].dropna()
    if distances.empty or (d := int(distances.max())) == 0:
        raise NotMeasuredError("no rows at a large distance")
    return d


def classic_over_finger(table: Table) -> Table:
    """The classic tree over the finger tree of the same min-arity."""
    return ratio(lines_of(table, algorithm=CLASSIC), lines_of(table, algorithm=FINGER))


@fiba_latency.quantity
def most_in_order(measured: Measured) -> Table:
    """The costliest round at d = 0, classic over finger."""
    return classic_over_finger(in_order(measured, MOST))


@fiba_latency.quantity
def least_in_order(measured: Measured) -> Table:
    """The cheapest round at d = 0, classic over finger."""
    return classic_over_finger(in_order(measured, LEAST))


@fiba_latency.quantity
def median_in_order(measured: Measured) -> Table:
    """The median at d = 0, classic over finger."""
    return classic_over_finger(in_order(measured, MEDIAN))


@fiba_latency.quantity
def mean_in_order(measured: Measured) -> Table:
    """The mean of the rounds at d = 0, classic over finger."""
    return classic_over_finger(measured.average(*TREE, distance=0))


@fiba_latency.quantity
def median_far(measured: Measured) -> Table:
    """The median at the large distance, classic over finger."""
    return classic_over_finger(far(measured, MEDIAN))


def classics_over_finger_of_2(table: Table) -> Table:
    """Each classic tree over the finger tree of min-arity 2."""
    return over(lines_of(table, algorithm=CLASSIC), lines_of(table, algorithm=FINGER, min_arity=2))


@fiba_latency.quantity
def least_far_over_finger_of_2(measured: Measured) -> Table:
    """The cheapest round at the large distance: each classic tree over the finger tree of min-arity 2."""
    return classics_over_finger_of_2(far(measured, LEAST))


@fiba_latency.quantity
def median_far_over_finger_of_2(measured: Measured) -> Table:
    """The same of the median."""
    return classics_over_finger_of_2(far(measured, MEDIAN))


@fiba_latency.quantity
def high_far_over_finger_of_2(measured: Measured) -> Table:
    """The same of the 99.9th percentile."""
    return classics_over_finger_of_2(far(measured, HIGH))


@fiba_latency.quantity
def finger_over_finger_of_2(measured: Measured) -> Table:
    """The median at the large distance: a finger tree of larger min-arity over that of min-arity 2."""
    fingers = lines_of(far(measured, MEDIAN), algorithm=FINGER)
    return over(where(fingers, min_arity=lambda arity: arity > 2), lines_of(fingers, min_arity=2))


@fiba_latency.quantity
def finger_of_8_over_4(measured: Measured) -> Table:
    """The median at the large distance: the finger tree of min-arity 8 over that of min-arity 4."""
    fingers = lines_of(far(measured, MEDIAN), algorithm=FINGER)
    return ratio(lines_of(fingers, min_arity=8), lines_of(fingers, min_arity=4))


def combines_in_words(measured: Measured, d: int) -> str:
    """Combines of a round at distance d, tree by tree."""
    try:
        combines = measured.each("combines", "algorithm", "min_arity", distance=d).median(axis=1)
    except NotMeasuredError:
        return ""
    return f"combines of a round at d = {d:,}: " + ", ".join(
        f"{name} {arity}: {count:.1f}" for (name, arity), count in combines.items()
    )


@fiba_latency.reason(least_in_order)
@fiba_latency.reason(median_in_order)
def combines_in_order(measured: Measured) -> str:
    return combines_in_words(measured, 0)


@fiba_latency.reason(median_far)
@fiba_latency.reason(least_far_over_finger_of_2)
@fiba_latency.reason(median_far_over_finger_of_2)
@fiba_latency.reason(high_far_over_finger_of_2)
@fiba_latency.reason(finger_over_finger_of_2)
@fiba_latency.reason(finger_of_8_over_4)
def combines_far(measured: Measured) -> str:
    return combines_in_words(measured, largest_distance(measured))
