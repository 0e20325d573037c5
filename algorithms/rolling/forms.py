"""Sum, mean, max, min and variance as partial aggregates in registers, for the loops over count and time windows.

The operators of `algorithms.operators` keep their partials in slots, as windows need them. In a loop over a column that
costs a store and a load for every combine, some five cycles that the next combine waits for. A form is the same monoid
as three functions of numbers. A missing value, NaN, enters as the identity; the loops count the others.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from algorithms.fours import alike
from algorithms.kernel import Slots, generic, kernel, quotient
from algorithms.operators.monoid import highest, lowest, nothing


@generic
def add(form, a, value):
    """a and one value more, before or after it; `a` itself if the value is missing."""


@generic
def merge(form, a, b):
    """a and b together. Every form is commutative."""


@generic
def answer(form, a, present):
    """The number that partial `a`, of so many values, stands for."""


@generic
def answers_of_four(form, sums, present):
    """The same for a vector of partials; for sums and means."""


@kernel
def answer_if(form, a, present, least):
    """The answer, or `form.nothing` if it would be of fewer than `least` values."""
    return answer(form, a, present) if present >= least else form.nothing


class Sum(NamedTuple):
    """Sum. Partial: the sum."""

    identity: Any
    nothing: Any


class Mean(NamedTuple):
    """Arithmetic mean. Partial: the sum."""

    identity: Any
    nothing: Any


class Max(NamedTuple):
    """Greatest value. Partial: that value."""

    identity: Any
    nothing: Any


class Min(NamedTuple):
    """Least value. Partial: that value."""

    identity: Any
    nothing: Any


class Moments(NamedTuple):
    """Number of values, their mean, and the sum of squared distances from it."""

    n: int
    mean: float
    m2: float


class Spread(NamedTuple):
    """Variance with divisor n - ddof. Partial: Moments.

    A value is added as in Welford: Note on a Method for Calculating Corrected Sums of Squares and Products
    (Technometrics 4, 1962); partials are joined as in Chan, Golub, LeVeque: Updating Formulae and a Pairwise Algorithm
    for Computing Sample Variances (1979). Sums of squares only grow. `share[n]` is 1 / n, since divisions would take
    half of the time; share[0] is 0.
    """

    identity: Moments
    nothing: float
    share: Slots
    ddof: int


class Deviation(NamedTuple):
    """Standard deviation: the root of `Spread`'s answer."""

    identity: Moments
    nothing: float
    share: Slots
    ddof: int


@kernel
def given(form, value):
    """A value as a partial of one number; the identity if it is missing."""
    return value if value == value else form.identity


@kernel
def plus_value(form, a, value):
    return merge(form, a, given(form, value))


@kernel
def plus(form, a, b):
    return a + b


@kernel
def itself(form, a, present):
    return a


for cls in (Sum, Mean, Max, Min):
    add.of(cls)(plus_value)
for cls in (Sum, Mean):
    merge.of(cls)(plus)
for cls in (Sum, Max, Min):
    answer.of(cls)(itself)


@merge.of(Max)
def _(form, a, b):
    return a if a > b else b


@merge.of(Min)
def _(form, a, b):
    return a if a < b else b


@answer.of(Mean)
def _(form, a, present):
    return quotient(a, present)


@answers_of_four.of(Sum)
def _(form, sums, present):
    return sums


@answers_of_four.of(Mean)
def _(form, sums, present):
    return sums / alike(float(present))


@kernel
def plus_a_value(form, a, value):
    if value != value:
        return a
    n = a.n + 1
    distance = value - a.mean
    mean = a.mean + distance * form.share[n]
    return Moments(n, mean, a.m2 + distance * (value - mean))


@kernel
def together(form, a, b):
    n = a.n + b.n
    distance = b.mean - a.mean
    between = distance * (a.n * b.n * form.share[n]) * distance
    return Moments(n, a.mean + distance * (b.n * form.share[n]), a.m2 + b.m2 + between)


for cls in (Spread, Deviation):
    add.of(cls)(plus_a_value)
    merge.of(cls)(together)


@answer.of(Spread)
def _(form, a, present):
    return a.m2 * form.share[present - form.ddof]


@answer.of(Deviation)
def _(form, a, present):
    return np.sqrt(a.m2 * form.share[present - form.ddof])  # in the shade of the additions that wait for each other


@functools.lru_cache(2)  # of a million rows they take as long as a tenth of their answers
def shares(longest: int) -> np.ndarray:
    """1 / n for n up to `longest`, and 0 for n = 0."""
    return np.concatenate([[0.0], 1.0 / np.arange(1, longest + 1)])


def simple(cls: Any, dtype: str) -> Any:
    """The form of a sum, mean, max or min over a column of a dtype, float64 or int64."""
    identity = {Sum: 0.0, Mean: 0.0, Max: lowest(dtype), Min: highest(dtype)}[cls]
    return cls(identity, nothing(dtype))
