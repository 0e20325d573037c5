"""What operators that wrap another one, their field `op`, have in common."""

from algorithms.operators.monoid import (
    encode,
    equal,
    lower,
    present,
    presents_lowered,
    takes_any_number,
    unit,
    value_dtypes,
)


def wrapper(cls: type) -> type:
    """Everything but lifting and combining is the wrapped operator's own, for one class of wrapper."""

    @equal.of(cls)
    def _(op, a, i, b, j):
        return equal(op.op, a, i, b, j)

    @lower.of(cls)
    def _(op, a, i):
        return lower(op.op, a, i)

    @unit.of(cls)
    def _(op, dst, k):
        unit(op.op, dst, k)

    @present.of(cls)
    def _(op, a, i):
        return present(op.op, a, i)

    @presents_lowered.of(cls)
    def _(op):
        return presents_lowered(op.op)

    @encode.of(cls)
    def _(op, value):
        return encode(op.op, value)

    @value_dtypes.of(cls)
    def _(op, width):
        return value_dtypes(op.op, width)

    @takes_any_number.of(cls)
    def _(op):
        return takes_any_number(op.op)

    return cls
