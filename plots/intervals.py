"""Confidence intervals of a mean, by Student's t distribution: what papers shade around the average of repetitions."""

import math

import numpy as np
import pandas as pd

LEAST = 3
"""Repetitions that an interval needs: with two, the 99 % interval is 64 times as wide as their difference."""

HALVINGS = 60
"""Halvings of the interval that contains a quantile: more than float64 can distinguish."""


def within(t: float, degrees: int) -> float:
    """Probability that a t-distributed variable lies between -t and t, exactly, for whole degrees of freedom.

    The finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4. O(degrees).
    """
    angle = math.atan2(t, math.sqrt(degrees))
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = term if degrees > 1 else 0.0
    for k in range(2 + odd, degrees, 2):
        term *= math.cos(angle) ** 2 * (k - 1) / k
        total += term
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total


def quantile(share: float, degrees: int) -> float:
    """The t for which `share` (above 0, below 1) of the distribution lies between -t and t. O(degrees)."""
    low, high = 0.0, 1.0
    while within(high, degrees) < share:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, degrees) < share else (low, middle)
    return high


def half_width(values: pd.Series, percent: float) -> float:
    """Half the width of the confidence interval of the mean of independent repetitions.

    Missing values are left out. It is 0 if there are fewer than LEAST.
    """
    known = values.dropna().to_numpy(float)
    if len(known) < LEAST:
        return 0.0
    return quantile(percent / 100, len(known) - 1) * float(np.std(known, ddof=1)) / math.sqrt(len(known))
