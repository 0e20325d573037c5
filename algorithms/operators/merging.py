"""An operator whose values are partial aggregates of another: what merges slices, panes or shards.

Rows between two neighbouring borders of windows are in the same windows, so one partial stands for all of them (panes:
Li, Maier, Tufte, Papadimos, Tucker: No Pane, No Gain, SIGMOD Record 34(1), 2005; slices: Cutty, CIKM 2016, section 4).
An engine makes partials where the rows are, and moves and keeps only these.
"""

from typing import Any, NamedTuple

from algorithms.kernel import as_like, store
from algorithms.operators.monoid import (
    COMMUTATIVE,
    as_call,
    described,
    encode,
    fields_of_partial,
    lift,
    takes_any_number,
    value_dtypes,
)
from algorithms.operators.wrapped import wrapper

WIDE = ("int64", "float64")
"""The dtypes of columns; partials with other fields cannot be columns."""


@wrapper
class Merging(NamedTuple):
    """Another operator, over its partial aggregates: a value is a number, or a record with a partial's fields."""

    op: Any

    @property
    def takes(self) -> str:
        return list(fields_of_partial(self.op).values())[-1]


def merging(op: Any) -> Merging:
    """The operator over partial aggregates of `op`. Raises ValueError where `why_not_merging` has a reason."""
    if reason := why_not_merging(op):
        raise ValueError(reason)
    return Merging(op)


def why_not_merging(op: Any) -> str:
    """Why rows cannot be aggregated beforehand, in any order, and their partials kept in columns; empty if they can."""
    fields = fields_of_partial(op)
    if COMMUTATIVE not in op.laws:
        return f"{op.name} depends on the order of rows"
    if not fields or not set(fields.values()) <= set(WIDE):
        return f"a partial aggregate of {op.name} does not consist of numbers of 64 bits"
    return ""


@value_dtypes.of(Merging)
def _(op, width):
    fields = tuple(fields_of_partial(op.op).values())
    if width != len(fields):
        raise ValueError(f"{op.name}: a partial aggregate has {len(fields)} fields, not {width}")
    return fields


@fields_of_partial.of(Merging)
def _(op):
    return fields_of_partial(op.op)


@encode.of(Merging)
def _(op, value):
    return value


@takes_any_number.of(Merging)
def _(op):
    return True


@described.of(Merging)
def _(op):
    return as_call("merging", {"op": described(op.op)})


@lift.of(Merging)
def _(op, dst, k, value):
    store(dst, k, as_like(value, op.op.identity))
