"""What operators that wrap another one, their field `op`, have in common."""

import operator

from algorithms.operators.monoid import (
    combine,
    encode,
    equal,
    fold,
    fold_long,
    lower,
    present,
    presents_lowered,
    takes_any_number,
    undo,
    unit,
    value_dtypes,
)

OF_THE_WRAPPED = ("name", "laws", "exact", "rounding", "takes", "dtype")


def wrapper(cls: type) -> type:
    """Everything but lifting is the wrapped operator's own, for one class of wrapper, unless it says otherwise."""
    for name in OF_THE_WRAPPED:
        if name not in vars(cls):
            setattr(cls, name, property(operator.attrgetter(f"op.{name}")))

    @combine.of(cls)
    def _(op, dst, k, a, i, b, j):
        combine(op.op, dst, k, a, i, b, j)

    @fold.of(cls)
    def _(op, dst, k, a, first, last):
        fold(op.op, dst, k, a, first, last)

    @fold_long.of(cls)
    def _(op, dst, k, a, first, last):
        fold_long(op.op, dst, k, a, first, last)

    @undo.of(cls)
    def _(op, dst, k, a, i, b, j):
        undo(op.op, dst, k, a, i, b, j)

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
