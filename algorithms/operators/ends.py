"""First and last value of a window: the simplest operators that are not commutative."""

from typing import Any, NamedTuple

from algorithms.operators.monoid import SELECTIVE, nothing, own_dtype, value_operator


class Maybe(NamedTuple):
    """Partial of First and Last: whether there is a value, and the value."""

    some: int
    value: Any


@value_operator
class First(NamedTuple):
    """Oldest value. Partial: Maybe. `lower` of nothing is NaN, or 0 for whole numbers."""

    identity: Maybe

    name = "first"
    laws = (SELECTIVE,)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "First":
        return cls(Maybe(0, nothing(dtype)))

    def lift(op, value):
        return Maybe(1, value)

    def combine(op, a, b):
        return a if a.some != 0 else b

    def lower(op, a):
        return a.value


@value_operator
class Last(NamedTuple):
    """Youngest value. Partial: Maybe. `lower` of nothing is NaN, or 0 for whole numbers."""

    identity: Maybe

    name = "last"
    laws = (SELECTIVE,)
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str) -> "Last":
        return cls(Maybe(0, nothing(dtype)))

    def lift(op, value):
        return Maybe(1, value)

    def combine(op, a, b):
        return b if b.some != 0 else a

    def lower(op, a):
        return a.value
