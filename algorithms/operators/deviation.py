"""Standard deviation and variance, of a sample and of a population, in a form that keeps its digits.

Table 1 of the Reactive Aggregator paper keeps sums of values and of squares: their difference has no digit left once
values are large against their spread (1e9 and 1e9 + 1). Here a partial is (n, mean, M2), M2 the sum of squared
distances from the mean, joined as in Chan, Golub, LeVeque: Updating Formulae and a Pairwise Algorithm for Computing
Sample Variances (1979). It costs a division a combine. Squares of distances below 2^-537 are too small for a float64.
"""

from typing import NamedTuple

import numpy as np

from algorithms.kernel import kernel
from algorithms.operators.monoid import COMMUTATIVE, INVERTIBLE, value_operator


class Moments(NamedTuple):
    """Number of values, their mean and the sum of squared distances from it."""

    n: int
    mean: float
    m2: float


@kernel
def join(a, b):
    """Moments of both parts. No branch for empty parts: with n = 0, `share` or the distance's weight is exactly 0."""
    n = a.n + b.n
    share = b.n / max(n, 1)
    distance = b.mean - a.mean
    return Moments(n, a.mean + distance * share, a.m2 + b.m2 + distance * (a.n * share) * distance)


@kernel
def split_off(a, b):
    """Moments x such that join(b, x) is a, up to rounding. When nothing is left, so are no rounding errors."""
    n = a.n - b.n
    if n > 0:
        mean = a.mean + (a.mean - b.mean) * (b.n / n)
        distance = mean - b.mean
        return Moments(n, mean, max(a.m2 - b.m2 - distance * (b.n * (n / a.n)) * distance, 0.0))
    return Moments(0, 0.0, 0.0)


@value_operator
class SampleStdDev(NamedTuple):
    """Standard deviation of a sample, NaN for fewer than two values (Table 1: SampleStdDev). Partial: Moments."""

    identity: Moments

    name = "sample_stddev"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = False, "float64"
    rounding = "|error| <= 2 n eps sqrt(sum x^2 / (n - 1)) + 2^-535"

    @classmethod
    def make(cls, dtype: str) -> "SampleStdDev":
        return cls(Moments(0, 0.0, 0.0))

    def lift(op, value):
        return Moments(1, np.float64(value), 0.0)

    def combine(op, a, b):
        return join(a, b)

    def undo(op, a, b):
        return split_off(a, b)

    def lower(op, a):
        return np.sqrt(a.m2 / (a.n - 1)) if a.n > 1 else np.nan


@value_operator
class PopulationStdDev(NamedTuple):
    """Standard deviation of a population, NaN for none (Table 1: PopulationStdDev). Partial: Moments."""

    identity: Moments

    name = "population_stddev"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = False, "float64"
    rounding = "|error| <= 2 n eps sqrt(sum x^2 / n) + 2^-535"

    @classmethod
    def make(cls, dtype: str) -> "PopulationStdDev":
        return cls(Moments(0, 0.0, 0.0))

    def lift(op, value):
        return Moments(1, np.float64(value), 0.0)

    def combine(op, a, b):
        return join(a, b)

    def undo(op, a, b):
        return split_off(a, b)

    def lower(op, a):
        return np.sqrt(a.m2 / a.n) if a.n > 0 else np.nan


@value_operator
class SampleVariance(NamedTuple):
    """Variance of a sample, NaN for fewer than two values: the square of SampleStdDev. Partial: Moments."""

    identity: Moments

    name = "sample_variance"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = False, "float64"
    rounding = "|error| <= 4 n eps sum x^2 / (n - 1) + 2^-1070"

    @classmethod
    def make(cls, dtype: str) -> "SampleVariance":
        return cls(Moments(0, 0.0, 0.0))

    def lift(op, value):
        return Moments(1, np.float64(value), 0.0)

    def combine(op, a, b):
        return join(a, b)

    def undo(op, a, b):
        return split_off(a, b)

    def lower(op, a):
        return a.m2 / (a.n - 1) if a.n > 1 else np.nan


@value_operator
class PopulationVariance(NamedTuple):
    """Variance of a population, NaN for none: the square of PopulationStdDev. Partial: Moments."""

    identity: Moments

    name = "population_variance"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = False, "float64"
    rounding = "|error| <= 4 n eps sum x^2 / n + 2^-1070"

    @classmethod
    def make(cls, dtype: str) -> "PopulationVariance":
        return cls(Moments(0, 0.0, 0.0))

    def lift(op, value):
        return Moments(1, np.float64(value), 0.0)

    def combine(op, a, b):
        return join(a, b)

    def undo(op, a, b):
        return split_off(a, b)

    def lower(op, a):
        return a.m2 / a.n if a.n > 0 else np.nan
