"""The exact answer for a row, and the one rule by which a library's answer is wrong.

An answer is wrong if it is further from the exact one than TOLERANCE times the scale of the values in the window now:
the sum of their magnitudes for a sum, their mean for a mean, their root mean square for a standard deviation, and for a
skewness the root mean square over the standard deviation (times the skewness, if that is larger than 1). This is what
rounding each value of the window does to the answer, whatever the algorithm: sums of n floats that add the window's
values one after the other err by at most n eps of that scale, 2e-10 for a million of them. So who is wrong by this rule
has kept something that is not in the window, or has lost what is. Answers that are one of the values, a place or a
count must be exact; of equal maxima any place is right.

Sums are rounded once (math.fsum), and squares and cubes are of deviations from the mean of the window: these numbers
are within a few eps of the exact ones, as a test with fractions shows. Where the exact answer is NaN, nothing is.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

TOLERANCE = 1e-9

SEVERAL = ("sum", "mean", "std", "max")
"""The answers of the task `several`."""


class Exact(NamedTuple):
    """The exact answer, and the scale of what rounding may do to it; 0 if nothing may."""

    answer: float
    scale: float = 0.0


def of_sum(values: list[float]) -> Exact:
    return Exact(math.fsum(values), math.fsum(map(abs, values)))


def of_mean(values: list[float]) -> Exact:
    total, magnitude = of_sum(values)
    return Exact(total / len(values), magnitude / len(values))


def deviations(values: list[float]) -> list[float]:
    """Distances from the mean, less what the mean itself is rounded by."""
    mean = of_mean(values).answer
    rough = [value - mean for value in values]
    rest = math.fsum(rough) / len(values)
    return [value - rest for value in rough]


def root_mean_square(values: list[float]) -> float:
    return math.sqrt(math.fsum(value * value for value in values) / len(values))


def of_std(values: list[float]) -> Exact:
    """With the divisor n - 1; NaN for a single value."""
    if len(values) < 2:
        return Exact(math.nan)
    squares = math.fsum(distance * distance for distance in deviations(values))
    return Exact(math.sqrt(squares / (len(values) - 1)), root_mean_square(values))


def of_skew(values: list[float]) -> Exact:
    """The adjusted one of Fisher and Pearson, G1; NaN for fewer than three values, and where they are all the same."""
    n, distances = len(values), deviations(values)
    spread = root_mean_square(distances)
    if n < 3 or spread == 0:
        return Exact(math.nan)
    third = math.fsum(distance**3 for distance in distances) / n
    answer = math.sqrt(n * (n - 1)) / (n - 2) * third / spread**3
    return Exact(answer, max(1.0, abs(answer)) * root_mean_square(values) / spread)


def of_median(values: list[float]) -> Exact:
    ordered = sorted(values)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return Exact(low) if low == high else Exact((low + high) / 2, abs(low) + abs(high))


EXACT: dict[str, Callable[[list[float]], Exact]] = {
    "sum": of_sum,
    "mean": of_mean,
    "std": of_std,
    "min": lambda values: Exact(min(values)),
    "max": lambda values: Exact(max(values)),
    "argmax": lambda values: Exact(max(values)),
    "median": of_median,
    "distinct": lambda values: Exact(float(len(set(values)))),
    "skew": of_skew,
}
"""By task; of argmax, the value that must be at the place that is answered."""


def relative_error(exact: Exact, answer: float) -> float:
    """How far an answer is off, in units of the scale; infinite for a missing one and for what must be exact."""
    off = abs(answer - exact.answer)
    if off == 0:
        return 0.0
    return float(off / exact.scale) if exact.scale and np.isfinite(off) else math.inf
