"""An operator that skips what is missing: it wraps another operator, and lifts NaN to the identity.

So a window holds a place for the record, which counts as a record and may fire, and every algorithm works as without.
In compiled code it is one comparison a value.
"""

from typing import Any, NamedTuple

from algorithms.kernel import has_nan
from algorithms.operators.monoid import (
    COMMUTATIVE,
    INVERTIBLE,
    as_call,
    described,
    lift,
    takes_nan,
    unit,
    value_operator,
)
from algorithms.operators.wrapped import wrapper


@wrapper
class Skipping(NamedTuple):
    """Another operator, over the values that are not NaN; of records, over those without any NaN."""

    op: Any


def skipping(op: Any) -> Any:
    """The operator over the values that are not NaN; itself if it takes NaN already, as null_count does.

    Of no values at all the result is the operator's of nothing: 0 for sum and count, NaN for means and deviations, the
    infinities for max and min.

    >>> from sliding_windows import operators, rolling
    >>> op = operators.skipping(operators.make("sum"))
    >>> op.name
    'sum'
    >>> operators.skipping(operators.make("null_count")).name
    'null_count'
    """
    return op if takes_nan(op) else Skipping(op)


@value_operator
class NullCount(NamedTuple):
    """Number of values that are NaN, or null: those that `skipping` skips. Partial: that number."""

    identity: int

    name = "null_count"
    laws = (COMMUTATIVE, INVERTIBLE)
    exact, takes = True, "float64"

    @classmethod
    def make(cls, dtype: str) -> "NullCount":
        return cls(0)

    def lift(op, value):
        return 1 if value != value else 0

    def combine(op, a, b):
        return a + b

    def undo(op, a, b):
        return a - b

    def lower(op, a):
        return a


@takes_nan.of(NullCount)
@takes_nan.of(Skipping)
def _(op):
    return True


@lift.of(Skipping)
def _(op, dst, k, value):
    if has_nan(value):
        unit(op.op, dst, k)
    else:
        lift(op.op, dst, k, value)


@described.of(Skipping)
def _(op):
    return as_call("skipping", {"op": described(op.op)})
