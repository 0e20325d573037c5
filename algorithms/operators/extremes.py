"""Max, min and how many values share them: rows of Table 1 that compare, and cannot subtract.

The identity is the least (greatest) number of the type, never 0: values may be negative. For an empty window `lower`
gives that identity.
"""

from typing import Any, NamedTuple

from algorithms.kernel import kernel
from algorithms.operators.monoid import COMMUTATIVE, SELECTIVE, highest, lowest, own_dtype, value_operator


@kernel
def known(value, otherwise):
    """The value, or `otherwise` for NaN, with which comparing would not be associative."""
    return value if value == value else otherwise


@value_operator
class Max(NamedTuple):
    """Greatest value (Table 1: Max). Partial: that value."""

    identity: Any

    name = "max"
    laws = (COMMUTATIVE, SELECTIVE)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "Max":
        return cls(lowest(dtype))

    def lift(op, value):
        return known(value, op.identity)

    def combine(op, a, b):
        return a if a > b else b

    def lower(op, a):
        return a


@value_operator
class Min(NamedTuple):
    """Least value (Table 1: Min). Partial: that value."""

    identity: Any

    name = "min"
    laws = (COMMUTATIVE, SELECTIVE)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "Min":
        return cls(highest(dtype))

    def lift(op, value):
        return known(value, op.identity)

    def combine(op, a, b):
        return a if a < b else b

    def lower(op, a):
        return a


class Tally(NamedTuple):
    """Partial of MaxCount and MinCount: how many values equal the extreme one, and that one."""

    n: int
    extreme: Any


@value_operator
class MaxCount(NamedTuple):
    """How many values equal the greatest (Table 1: MaxCount). Partial: Tally; the identity is (0, least number)."""

    identity: Tally

    name = "max_count"
    laws = (COMMUTATIVE,)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "MaxCount":
        return cls(Tally(0, lowest(dtype)))

    def lift(op, value):
        return Tally(int(value == value), known(value, op.identity.extreme))

    def combine(op, a, b):
        n = (a.n if a.extreme >= b.extreme else 0) + (b.n if b.extreme >= a.extreme else 0)
        return Tally(n, a.extreme if a.extreme > b.extreme else b.extreme)

    def lower(op, a):
        return a.n


@value_operator
class MinCount(NamedTuple):
    """How many values equal the least (Table 1: MinCount). Partial: Tally; the identity is (0, greatest number)."""

    identity: Tally

    name = "min_count"
    laws = (COMMUTATIVE,)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "MinCount":
        return cls(Tally(0, highest(dtype)))

    def lift(op, value):
        return Tally(int(value == value), known(value, op.identity.extreme))

    def combine(op, a, b):
        n = (a.n if a.extreme <= b.extreme else 0) + (b.n if b.extreme <= a.extreme else 0)
        return Tally(n, a.extreme if a.extreme < b.extreme else b.extreme)

    def lower(op, a):
        return a.n
