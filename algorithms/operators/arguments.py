"""ArgMax and ArgMin: which argument had the extreme measure. The first in window order wins a tie.

A value is a pair (measure, argument), or one number that is both. Partials remember whether they hold anything: with
the least number of the type as the only sign of emptiness, an empty part would win a tie against it.
"""

from typing import Any, NamedTuple

from algorithms.kernel import kernel
from algorithms.operators.extremes import known
from algorithms.operators.monoid import (
    SELECTIVE,
    encode,
    highest,
    lowest,
    nothing,
    number,
    own_dtype,
    value_dtypes,
    value_operator,
)


class Extreme(NamedTuple):
    """Partial of ArgMax and ArgMin: whether there is a value, its measure and its argument."""

    some: int
    measure: Any
    argument: Any


@kernel
def pair(value):
    """Measure and argument of a value. Compiled code decides by the type, before it runs."""
    if isinstance(value, tuple):
        return value[0], value[1]
    return value, value


@kernel
def lift_pair(op, value):
    measure, argument = pair(value)
    some = measure == measure
    return Extreme(int(some), known(measure, op.identity.measure), argument if some else op.identity.argument)


@value_operator
class ArgMax(NamedTuple):
    """Argument of the first greatest measure (Table 1: ArgMax). Partial: Extreme. `lower` of nothing is NaN or 0."""

    identity: Extreme

    name = "arg_max"
    laws = (SELECTIVE,)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "ArgMax":
        return cls(Extreme(0, lowest(dtype), nothing(dtype)))

    def lift(op, value):
        return lift_pair(op, value)

    def combine(op, a, b):
        return b if b.measure > a.measure or a.some == 0 else a

    def lower(op, a):
        return a.argument


@value_operator
class ArgMin(NamedTuple):
    """Argument of the first least measure (Table 1: ArgMin). Partial: Extreme. `lower` of nothing is NaN or 0."""

    identity: Extreme

    name = "arg_min"
    laws = (SELECTIVE,)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "ArgMin":
        return cls(Extreme(0, highest(dtype), nothing(dtype)))

    def lift(op, value):
        return lift_pair(op, value)

    def combine(op, a, b):
        return b if b.measure < a.measure or a.some == 0 else a

    def lower(op, a):
        return a.argument


def takes_pairs(cls, form: str):
    """Register the values of an operator whose `lift` takes a number, or a pair of numbers of that form."""

    @encode.of(cls)
    def _(op, value):
        if not isinstance(value, tuple | list):
            return number(op, value)
        if len(value) != 2:
            raise ValueError(f"{op.name}: a value must be a number or a pair {form}, not {value!r}")
        return number(op, value[0]), number(op, value[1])

    @value_dtypes.of(cls)
    def _(op, width):
        if width > 2:
            raise ValueError(f"{op.name}: a value must be a number or a pair {form}, not a record of {width}")
        return (op.takes,) * width


takes_pairs(ArgMax, "(measure, argument)")
takes_pairs(ArgMin, "(measure, argument)")
