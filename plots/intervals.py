"""Confidence intervals of a mean, by Student's t distribution: what papers shade around the average of repetitions."""

import math

import numpy as np
import pandas as pd

LEAST = 3
"""Repetitions that an interval needs: of two, the one of 99 % is 64 times as wide as they are apart."""

HALVINGS = 60
"""Of the interval that holds a quantile: more than a float64 tells apart."""


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
    """The t between whose negative and which `share` (above 0, below 1) of the distribution lies. O(degrees)."""
    low, high = 0.0, 1.0
    while within(high, degrees) < share:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, degrees) < share else (low, middle)
    return high


def half_width(values: pd.Series, percent: float) -> float:
    """Half the width of the confidence interval of the mean of independent repetitions; 0 of fewer than LEAST.

    Values without a number are left out.
    """
    known = values.dropna().to_numpy(float)
    if len(known) < LEAST:
        return 0.0
    return quantile(percent / 100, len(known) - 1) * float(np.std(known, ddof=1)) / math.sqrt(len(known))
