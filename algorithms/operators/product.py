"""Products of operators: several aggregates of one window, of the same values or of the columns of a record.

A partial aggregate is a record of the parts' partials, a field each by its name; everything is done part by part. This
is the multi-dimensional aggregation of Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced
Memory Footprint and Efficient Bulk Evictions (IEEE TPDS, 2018), sections 3.2 and 5.8.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, each_part, element, field, kernel, slots
from algorithms.operators.monoid import (
    FLOATS,
    SELECTIVE,
    as_call,
    combine,
    described,
    encode,
    equal,
    error_bound,
    lift,
    lower,
    present,
    takes_any_number,
    undo,
    unit,
    value_dtypes,
)
from algorithms.operators.registry import FIELD, is_field, make, must_be_operator
from safeguards.wrong_input import whole


class Product(NamedTuple):
    """Several operators, each on its own value of a tuple, or all on one number. Partial: a record, a field a part.

    `lower` gives the sum of what the parts give, for checksums; `present` a tuple with the parts' names.
    """

    parts: tuple[Any, ...]
    like: Slots
    """One slot of the partial's dtype, which has the parts' names."""

    @property
    def name(op) -> str:
        return f"product({', '.join(op.names())})"

    @property
    def laws(op) -> tuple[str, ...]:
        return shared_laws(op.parts)

    @property
    def exact(op) -> bool:
        return all(part.exact for part in op.parts)

    @property
    def rounding(op) -> str:
        texts = ((name, error_bound(part)) for name, part in zip(op.names(), op.parts, strict=True))
        return "; ".join(f"{name}: {text}" for name, text in texts if text)

    @property
    def takes(op) -> str:
        return next(dtype for dtype in ("int32", "int64", *FLOATS[::-1]) if dtype in {part.takes for part in op.parts})

    @property
    def dtype(op) -> np.dtype:
        return np.dtype([(name, part.dtype) for name, part in zip(op.names(), op.parts, strict=True)], align=True)

    def names(op) -> tuple[str, ...]:
        return op.like.dtype.names


class Repeated(NamedTuple):
    """One operator k times, each on its own value of a tuple, or all on one number. Partial: an array of k partials.

    Compiled in the same time for every k, unlike a product of k parts.
    """

    part: Any
    k: int

    @property
    def name(op) -> str:
        return f"{op.k} x {op.part.name}"

    @property
    def laws(op) -> tuple[str, ...]:
        return shared_laws((op.part,) * op.k)

    @property
    def exact(op) -> bool:
        return op.part.exact

    @property
    def rounding(op) -> str:
        return op.part.rounding

    @property
    def takes(op) -> str:
        return op.part.takes

    @property
    def dtype(op) -> np.dtype:
        return np.dtype([("parts", op.part.dtype, (op.k,))])


def shared_laws(parts: tuple[Any, ...]) -> tuple[str, ...]:
    """The laws of all parts. Of two that select, each may select another operand, so that the product does not."""
    laws = [law for law in parts[0].laws if all(law in part.laws for part in parts)]
    return tuple(law for law in laws if law != SELECTIVE or len(parts) == 1)


def product(**parts: Any) -> Product:
    """The product of operators or names of operators: product(count="count", longest=operators.make("max")).

    Inserted values are tuples with one value per part, in the order of the parts, or one number for all. Raises
    ValueError without parts, for a name that cannot be a field, and for a part that is not an operator.

    >>> from sliding_windows import operators, window
    >>> w = window("daba_lite", operators.product(largest="max", rows="count"), capacity=100)
    >>> w.insert_many([0, 1, 2], [-3.0, 7.0, 5.0])
    >>> w.query()
    Answers(largest=7.0, rows=3)
    """
    if not parts:
        raise ValueError("product: give at least one operator by a name of its own, as in product(largest='max')")
    for name in parts:
        if not is_field(name):
            raise ValueError(f"product: the name of a part must be {FIELD}, not {name!r}")
    operators = tuple(
        make(operator) if isinstance(operator, str) else must_be_operator(f"product: part {name}", operator)
        for name, operator in parts.items()
    )
    dtype = np.dtype([(name, operator.dtype) for name, operator in zip(parts, operators, strict=True)], align=True)
    return Product(operators, slots(1, dtype, "product"))


def repeated(operator: Any, k: int) -> Repeated:
    """An operator, or the name of one, k times. Raises ValueError unless k is a whole number of at least 1.

    >>> from sliding_windows import operators, window
    >>> w = window("daba_lite", operators.repeated("max", 2), capacity=100)
    >>> w.insert_many([0, 1], [(1.0, 9.0), (4.0, 2.0)])
    >>> w.query()
    (4.0, 9.0)
    """
    k = whole("repeated: k", k)
    op = make(operator) if isinstance(operator, str) else must_be_operator("repeated: operator", operator)
    return Repeated(op, k)


@kernel
def value_of(value, n):
    """The value of part n; compiled code decides by the type, before it runs."""
    if isinstance(value, tuple):
        return value[n]
    return value


# ------------------------------------------------------------------------------------------------ products part by part


def lift_part(n):
    return lambda op, dst, k, value: lift(op.parts[n], field(dst, n), k, value_of(value, n))


def combine_part(n):
    return lambda op, dst, k, a, i, b, j: combine(op.parts[n], field(dst, n), k, field(a, n), i, field(b, n), j)


def undo_part(n):
    return lambda op, dst, k, a, i, b, j: undo(op.parts[n], field(dst, n), k, field(a, n), i, field(b, n), j)


def unit_part(n):
    return lambda op, dst, k: unit(op.parts[n], field(dst, n), k)


def lower_part(n):
    return lambda op, a, i: lower(op.parts[n], field(a, n), i)


def equal_part(n):
    return lambda op, a, i, b, j: equal(op.parts[n], field(a, n), i, field(b, n), j)


lift_parts, unit_parts = each_part(lift_part), each_part(unit_part)
combine_parts, undo_parts = each_part(combine_part), each_part(undo_part)
lower_parts = each_part(lower_part, kernel(lambda x, y: x + y))
equal_parts = each_part(equal_part, kernel(lambda x, y: x and y))


@lift.of(Product)
def _(op, dst, k, value):
    lift_parts(op, dst, k, value)


@combine.of(Product)
def _(op, dst, k, a, i, b, j):
    combine_parts(op, dst, k, a, i, b, j)


@undo.of(Product)
def _(op, dst, k, a, i, b, j):
    undo_parts(op, dst, k, a, i, b, j)


@unit.of(Product)
def _(op, dst, k):
    unit_parts(op, dst, k)


@lower.of(Product)
def _(op, a, i):
    return lower_parts(op, a, i)


@equal.of(Product)
def _(op, a, i, b, j):
    return equal_parts(op, a, i, b, j)


@present.of(Product)
def _(op, a, i):
    answers = (present(part, field(a, n), i) for n, part in enumerate(op.parts))
    return namedtuple("Answers", op.names())(*answers)


@described.of(Product)
def _(op):
    return as_call("product", dict(zip(op.names(), map(described, op.parts), strict=True)))


@encode.of(Product)
def _(op, value):
    return encode_parts(op, op.parts, value)


def encode_parts(op: Any, parts: tuple[Any, ...], value: Any) -> Any:
    if not isinstance(value, tuple | list):
        value = (value,) * len(parts)
    if len(value) != len(parts):
        raise ValueError(f"{op.name}: a value must be one for all or {len(parts)}, one for each, not {value!r}")
    return tuple(encode(part, part_value) for part, part_value in zip(parts, value, strict=True))


@value_dtypes.of(Product)
def _(op, width):
    return dtypes_of_parts(op, op.parts, width)


def dtypes_of_parts(op: Any, parts: tuple[Any, ...], width: int) -> tuple[str, ...]:
    if width not in (1, len(parts)):
        raise ValueError(f"{op.name}: a value must be one for all or {len(parts)}, one for each, not {width}")
    dtypes = tuple(dtype for part in parts for dtype in value_dtypes(part, 1))
    return dtypes if width > 1 else (op.takes,)


@takes_any_number.of(Product)
def _(op):
    return all(map(takes_any_number, op.parts))


# ---------------------------------------------------------------------------------------------- one operator many times


@lift.of(Repeated)
def _(op, dst, k, value):
    for d in range(op.k):
        lift(op.part, element(dst, d), k, value_of(value, d))


@combine.of(Repeated)
def _(op, dst, k, a, i, b, j):
    for d in range(op.k):
        combine(op.part, element(dst, d), k, element(a, d), i, element(b, d), j)


@undo.of(Repeated)
def _(op, dst, k, a, i, b, j):
    for d in range(op.k):
        undo(op.part, element(dst, d), k, element(a, d), i, element(b, d), j)


@unit.of(Repeated)
def _(op, dst, k):
    for d in range(op.k):
        unit(op.part, element(dst, d), k)


@lower.of(Repeated)
def _(op, a, i):
    total = lower(op.part, element(a, 0), i)
    for d in range(1, op.k):
        total += lower(op.part, element(a, d), i)
    return total


@equal.of(Repeated)
def _(op, a, i, b, j):
    same = True
    for d in range(op.k):
        same = same and equal(op.part, element(a, d), i, element(b, d), j)
    return same


@present.of(Repeated)
def _(op, a, i):
    return tuple(present(op.part, element(a, d), i) for d in range(op.k))


@described.of(Repeated)
def _(op):
    return f"{op.k} x {described(op.part)}"


@encode.of(Repeated)
def _(op, value):
    return encode_parts(op, (op.part,) * op.k, value)


@value_dtypes.of(Repeated)
def _(op, width):
    return dtypes_of_parts(op, (op.part,) * op.k, width)


@takes_any_number.of(Repeated)
def _(op):
    return takes_any_number(op.part)
