"""A sum that carries what rounding took from it along: for spikes, and for windows that subtract.

Each addition's rounding error is computed exactly from its operands (Knuth, The Art of Computer Programming 2, section
4.2.2, theorem B) and summed beside, as in Neumaier: Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
Summen (ZAMM 54, 1974). Three times the additions of a sum, twice its memory.
"""

from typing import NamedTuple

import numpy as np

from algorithms.kernel import kernel
from algorithms.operators.monoid import COMMUTATIVE, INVERTIBLE, value_operator


class Carried(NamedTuple):
    """A rounded sum, and the sum of what rounding took from it."""

    total: float
    rest: float


@kernel
def added(total, x, rests):
    """total + x, with the exact error of that addition added to the rests; an infinite sum has none."""
    both = total + x
    back = both - total
    error = (total - (both - back)) + (x - back)
    return Carried(both, rests + error if np.isfinite(both) else 0.0)


@value_operator
class CompensatedSum(NamedTuple):
    """Sum of the values, as if added with twice the digits, and rounded once. Partial: Carried."""

    identity: Carried

    name = "compensated_sum"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = False, "float64"
    rounding = "|error| <= eps |sum x| + 2 (n eps)^2 sum |x|"

    @classmethod
    def make(cls, dtype: str) -> "CompensatedSum":
        return cls(Carried(0.0, 0.0))

    def lift(op, value):
        return Carried(np.float64(value), 0.0)

    def combine(op, a, b):
        return added(a.total, b.total, a.rest + b.rest)

    def undo(op, a, b):
        return added(a.total, -b.total, a.rest - b.rest)

    def lower(op, a):
        return a.total + a.rest
