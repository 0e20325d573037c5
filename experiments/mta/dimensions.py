"""Monoid Tree Aggregator, section 5.8, Figure 9: one window of k dimensions, beside k windows of one."""

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.fitting import LEAST_POINTS, identity, reduced, straightness
from experiments.harness.grid import in_order_only, window_of
from experiments.harness.measured import Measured, NotMeasuredError, Table, keyed, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_numbers
from experiments.mta.measuring.constant_size import SEPARATE
from experiments.mta.series import points


@experiment("mta_dimensions")
def mta_dimensions(settings: Settings) -> list[Cell]:
    """Time of an arrival over the number of dimensions, in one window and in as many windows."""
    in_order_only(settings)
    n = window_of(settings)
    dimensions = whole_numbers("sizes.dimensions", settings.sizes["dimensions"], 1)
    apart = whole_numbers("sizes.separate", settings.sizes["separate"], 1)
    return [
        cell
        for operator in settings.operators
        for k in dimensions
        for algorithm in settings.algorithms
        for use in ({}, {"sharing": SEPARATE})
        if not use or k in apart
        for cell in points(
            settings, algorithm, operator, n, measurement="constant_size.time", asked={"dimensions": k}, uses=use
        )
    ]


def times(measured: Measured, sharing: str = "") -> Table:
    """Nanoseconds of an arrival in one window of k dimensions, or in k windows."""
    return lines_of(measured.each("time", "algorithm", "store", "sharing", "dimensions"), sharing=sharing)


@mta_dimensions.quantity
def straightness_over_k(measured: Measured) -> Table:
    """How straight the time is over k: R^2, negative where it falls."""
    return straightness(times(measured), "dimensions", identity)


@mta_dimensions.quantity
def share_of_one_dimension(measured: Measured) -> Table:
    """The slope of the straight line over k, as a share of that line at k = 1."""

    def of(k: np.ndarray, y: np.ndarray) -> np.ndarray:
        slope, shared = np.polyfit(k.astype(float), y, 1)
        return slope / (slope + shared)

    return reduced(times(measured), "dimensions", of, LEAST_POINTS)


@mta_dimensions.quantity
def over_proportional(measured: Measured) -> Table:
    """Time in one window of k dimensions over k times that of a window of one, for each k above 1."""
    table = times(measured)
    proportional = [
        keyed(k * lines_of(table, dimensions=1), "dimensions", k) for k in values_of(table, "dimensions") if k > 1
    ]
    if not proportional:
        raise NotMeasuredError("needs a window of one dimension and one of several")
    return ratio(table, pd.concat(proportional))


@mta_dimensions.quantity
def separate_over_together(measured: Measured) -> Table:
    """Time in k windows of one dimension over that in one window of k, both measured."""
    together, apart = times(measured), times(measured, SEPARATE)
    return where(ratio(apart, together), dimensions=lambda k: k > 1)
