"""Count, sum, mean, geometric mean and standard deviation: rows of Table 1 that add, and can subtract.

Table 1 of Tangwongsan, Hirzel, Schneider, Wu: General Incremental Sliding-Window Aggregation (PVLDB 8(7), 2015).
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.operators.monoid import COMMUTATIVE, INVERTIBLE, exact_if_whole, own_dtype, value_operator, zero


@value_operator
class Count(NamedTuple):
    """Number of values (Table 1: Count). Partial: that number. Whole and exact whatever the values are."""

    identity: int

    name = "count"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = True, "float64"

    @classmethod
    def make(cls, dtype: str) -> "Count":
        return cls(0)

    def lift(op, value):
        return 1

    def combine(op, a, b):
        return a + b

    def undo(op, a, b):
        return a - b

    def lower(op, a):
        return a


@value_operator
class Sum(NamedTuple):
    """Sum of the values (Table 1: Sum). Partial: the sum. Whole numbers wrap around, which undo takes back."""

    identity: Any

    name = "sum"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = exact_if_whole, own_dtype
    rounding = "|error| <= n eps sum |x|"

    @classmethod
    def make(cls, dtype: str) -> "Sum":
        return cls(zero(dtype))

    def lift(op, value):
        return value

    def combine(op, a, b):
        return a + b

    def undo(op, a, b):
        return a - b

    def lower(op, a):
        return a


class Total(NamedTuple):
    """Partial of a mean: number of values and their sum."""

    n: int
    total: Any


class WideTotal(NamedTuple):
    """Partial of a mean of whole numbers: how many, and their sum in two parts, high 2^32 + low.

    The sum of 2^31 values of 64 bits does not fit into 64 bits, but the sums of their halves do.
    """

    n: int
    high: int
    low: int


@value_operator
class ArithmeticMean(NamedTuple):
    """Mean of the values, NaN for none (Table 1: ArithmeticMean). Partial: their number and their sum.

    Of int64 values the sum is kept in 96 bits (`WholeMean`), of int32 values in 64 (`NarrowMean`): it is exact for up
    to 2^31 values, whatever they are.
    """

    identity: Total

    name = "arithmetic_mean"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = exact_if_whole, own_dtype
    rounding = "|error| <= (n + 1) eps mean |x| + 2^-1074"

    @classmethod
    def make(cls, dtype: str) -> "ArithmeticMean | WholeMean":
        if dtype == "int64":
            return WholeMean(WideTotal(0, 0, 0))
        return NarrowMean(Total(0, 0)) if dtype == "int32" else cls(Total(0, zero(dtype)))

    def lift(op, value):
        return Total(1, value)

    def combine(op, a, b):
        return Total(a.n + b.n, a.total + b.total)

    def undo(op, a, b):
        return Total(a.n - b.n, a.total - b.total)

    def lower(op, a):
        return a.total / a.n if a.n > 0 else np.nan


@value_operator
class WholeMean(NamedTuple):
    """ArithmeticMean of int64 values. Partial: WideTotal."""

    identity: WideTotal

    name = property(lambda op: ArithmeticMean.name)  # a property: this class is found by `make` of the other one only
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = True, "int64"

    def lift(op, value):
        return WideTotal(1, value >> 32, value & 0xFFFFFFFF)

    def combine(op, a, b):
        return WideTotal(a.n + b.n, a.high + b.high, a.low + b.low)

    def undo(op, a, b):
        return WideTotal(a.n - b.n, a.high - b.high, a.low - b.low)

    def lower(op, a):
        return (a.high * 4294967296.0 + a.low) / a.n if a.n > 0 else np.nan


@value_operator
class NarrowMean(NamedTuple):
    """ArithmeticMean of int32 values. Partial: Total, of 64 bits."""

    identity: Total

    name = property(lambda op: ArithmeticMean.name)
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = True, "int32"

    def lift(op, value):
        return Total(1, value)

    def combine(op, a, b):
        return Total(a.n + b.n, a.total + b.total)

    def undo(op, a, b):
        return Total(a.n - b.n, a.total - b.total)

    def lower(op, a):
        return a.total / a.n if a.n > 0 else np.nan


class LogTotal(NamedTuple):
    """Partial of a geometric mean: the sum of logarithms and the number of values."""

    logs: float
    n: int


@value_operator
class GeometricMean(NamedTuple):
    """Geometric mean of positive values, NaN for none (Table 1: GeometricMean).

    Partial: the sum of logarithms and the number, where the table has the product, which overflows after some hundred
    values. The identity is (0.0, 0). A zero makes the result 0, but undo cannot take it off (inf - inf); a negative
    value makes it NaN.
    """

    identity: LogTotal

    name = "geometric_mean"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = False, "float64"
    rounding = "|error| <= (n + 4) eps (1 + mean |ln x|) times the result + 2^-1074"

    @classmethod
    def make(cls, dtype: str) -> "GeometricMean":
        return cls(LogTotal(0.0, 0))

    def lift(op, value):
        return LogTotal(np.log(value), 1)

    def combine(op, a, b):
        return LogTotal(a.logs + b.logs, a.n + b.n)

    def undo(op, a, b):
        return LogTotal(a.logs - b.logs, a.n - b.n)

    def lower(op, a):
        return np.exp(a.logs / a.n) if a.n > 0 else np.nan
