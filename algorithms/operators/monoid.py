"""What an operator is: the contract between windows and monoids.

A window never sees a value of a partial aggregate, only slots of them, so that a number, a record and a set of 16,384
bits obey one contract and nothing is allocated. Write partials left to right in time order; only associativity may be
assumed.

An operator whose partial is a number or a small record is a class of plain functions made a member of this contract by
`value_operator`; partials then travel in registers. One whose partial is wide (a bit set, a list) implements the
contract itself, in destination-passing style.

Laws an operator may declare beyond associativity and identity; tests/algorithms/operators holds every declaration to
account, in both directions:

    commutative   a + b = b + a
    invertible    undo(b + x, b) = x for all b and x, so that the oldest value can be taken off again
    selective     a + b is a or b

Besides, an operator has `name`; `dtype`, of a partial; `takes`, what values are: int64 or float64, or int32 or float32,
of which a partial keeps 32 bits, as in the Reactive Aggregator's paper; and `exact`: False where partials hold rounded
numbers, so that laws hold up to rounding. Sums of int32 wrap around at 32 bits, as those of int64 do at 64. An operator
that is made by name has `make(dtype, ...)`.

One that may not be exact has `rounding`, a bound of the error of `lower` for n values x, in words: eps is 2^-53, or
2^-24 for partials of float32. It holds to first order in n eps, where nothing overflows, for every order of combines;
so in every window that combines, whatever left it before. tests/algorithms/operators holds these to account, too.

A NaN is no value for operators that compare: they lift it to the identity, since it would break associativity.
"""

import contextlib
from types import FunctionType
from typing import Any

import numpy as np

from algorithms.kernel import PLAIN, as_like, generic, kernel, load, opaque, partial_dtype, row, slots, store
from algorithms.operators.fingerprint import BYTECODE, fingerprint

COMMUTATIVE, INVERTIBLE, SELECTIVE = "commutative", "invertible", "selective"
LAWS = (COMMUTATIVE, INVERTIBLE, SELECTIVE)


@generic
def lift(op, dst, k, value):
    """dst[k] = the partial aggregate of the one value."""


@generic
def combine(op, dst, k, a, i, b, j):
    """dst[k] = a[i] + b[j], a[i] the older; dst[k] may be a[i] or b[j]."""


@generic
def fold(op, dst, k, a, first, last):
    """dst[k] = a[first] + ... + a[last - 1], at least one; last - first - 1 combines. dst[k] is none of them."""


@generic
def fold_long(op, dst, k, a, first, last):
    """The same as fold, for stretches so long that vector instructions pay off."""


@fold_long.default
def _(op, dst, k, a, first, last):
    fold(op, dst, k, a, first, last)


@generic
def extend(op, dst, k, spare, values, first, last):
    """dst[k] = dst[k] + the values first .. last - 1 of a column; a combine for each. dst[spare] may be written to."""


@extend.default
def _(op, dst, k, spare, values, first, last):
    for i in range(first, last):
        lift(op, dst, spare, row(values, i))
        combine(op, dst, k, dst, k, dst, spare)


@generic
def undo(op, dst, k, a, i, b, j):
    """dst[k] = x where a[i] = b[j] + x: take the oldest part b[j] off a[i]. Invertible operators only."""


@generic
def lower(op, a, i):
    """The number that partial a[i] stands for, as compiled loops consume it."""


@generic
def unit(op, dst, k):
    """dst[k] = the identity."""


@generic
def equal(op, a, i, b, j):
    """Whether partials a[i] and b[j] are the same. Operators with partials of numbers only."""


@generic
def present(op, a, i):
    """What partial a[i] stands for, as people read it: a number, a str, a list, a set. Plain Python only."""


@generic
def presents_lowered(op):
    """Whether `present` shows the number that `lower` gives; if not, that is a checksum or a part. Plain Python."""


@presents_lowered.default
def _(op):
    return False


@generic
def encode(op, value):
    """The value as `lift` takes it, from what people write. Plain Python. Raises ValueError for an unfit value."""


@generic
def value_dtypes(op, width):
    """The dtypes of a record of `width` values, 1 for a number. Plain Python. Raises ValueError for a wrong width."""


@value_dtypes.default
def _(op, width):
    if width != 1:
        raise ValueError(f"{op.name}: a value must be a number, not a record of {width}")
    return (op.takes,)


@generic
def takes_any_number(op):
    """Whether `lift` takes every number of the dtype; if not, `encode` looks at each. Plain Python."""


@takes_any_number.default
def _(op):
    return True


@generic
def takes_nan(op):
    """Whether NaN is a value to `lift`, and null is NaN; if not, batches with either are refused. Plain Python."""


@takes_nan.default
def _(op):
    return False


@generic
def fields_of_partial(op):
    """The dtype of each field of a partial that is a record of numbers, by name; of a number under the name "partial".

    Empty for wide partials. Plain Python.
    """


@fields_of_partial.default
def _(op):
    return {}


@generic
def described(op):
    """The operator in one line: the same in every process, different after any change of results. Plain Python.

    The line has its name and parameters, those of its parts, and the fingerprints of functions from outside this
    package. The names of this package's own operators suffice.
    """


@generic
def error_bound(op):
    """How far the result may be from the aggregate, in words; empty if it is exact. Plain Python."""


@error_bound.default
def _(op):
    return "" if op.exact else op.rounding


@fold.default
def _(op, dst, k, a, first, last):
    dst[k] = a[first]
    for j in range(first + 1, last):
        combine(op, dst, k, dst, k, a, j)


@encode.default
def _(op, value):
    return number(op, value)


@described.default
def _(op):
    cls = type(op)
    if cls.__module__.startswith(f"{__package__}."):
        return as_call(op.name, field_texts(op))
    return described_with(op, own_functions(cls))


def described_with(op: Any, functions: dict[str, Any]) -> str:
    """Describe an operator that consists of functions: its name, fields and laws, and the functions' fingerprints."""
    digests = {role: fingerprint(function) for role, function in sorted(functions.items())}
    return as_call(op.name, field_texts(op) | {"laws": " ".join(op.laws) or "none"} | digests | {"bytecode": BYTECODE})


def own_functions(cls: type) -> dict[str, Any]:
    """The functions of an operator's class, and those that implement this contract for it outside this module."""
    functions = {name: value for name, value in vars(cls).items() if isinstance(value, FunctionType) and name[0] != "_"}
    for generic_function in (lift, combine, fold, fold_long, extend, undo, lower, unit, equal, present, encode):
        implementation = generic_function.table.get(cls)
        if implementation is not None and implementation.__module__ != __name__:
            functions[f"{generic_function.__name__} of slots"] = implementation
    return functions


def field_texts(fields: Any) -> dict[str, str]:
    return dict(zip(fields._fields, map(field_text, fields), strict=True))


def field_text(value: Any) -> str:
    """A field of an operator as text: a number, a NamedTuple of numbers, or another operator."""
    if type(value) in combine.table:
        return described(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return as_call(type(value).__name__, field_texts(value))
    return repr(value) if type(value) in (bool, int, float, str) else fingerprint(value)


def as_call(name: str, parts: dict[str, str]) -> str:
    return f"{name}({', '.join(f'{field}={text}' for field, text in parts.items())})"


def number(op: Any, value: Any) -> int | float:
    """The value as a number of the type that the operator takes: an int of its bits, or a float.

    Raises ValueError for what is no number, or is not whole or too large where the operator takes whole numbers. Floats
    round: a float64 whole numbers beyond 2^53, as in a column. A float32 does not become infinite: that is refused.
    """
    if isinstance(value, int | float | np.bool_ | np.integer | np.floating):
        with contextlib.suppress(OverflowError):  # a whole number that no float reaches
            if op.takes in FLOATS:
                return rounded(float(value), op.takes)
            if float(value).is_integer() and lowest(op.takes) <= int(value) <= highest(op.takes):
                return int(value)
    raise ValueError(f"{op.name}: a value must be {expected(op.takes)}, not {value!r}")


FLOATS = ("float64", "float32")


def rounded(value: float, dtype: str) -> float:
    """The value as a float of the dtype. Raises OverflowError for a number that a float32 has only infinity for."""
    with np.errstate(over="ignore"):
        nearest = float(np.dtype(dtype).type(value))
    if np.isinf(nearest) and not np.isinf(value):
        raise OverflowError(f"{value!r} is too large for {dtype}")
    return nearest


def expected(dtype: str) -> str:
    """What a value must be, in words."""
    if dtype in FLOATS:
        return "a number" if dtype == "float64" else "a number that a float32 holds"
    return f"a whole number of at most {8 * np.dtype(dtype).itemsize} bits"


def partials(op: Any, n: int, name: str = "partials"):
    """Slots for n partial aggregates of an operator."""
    return slots(n, op.dtype, name)


def numpy_arithmetic(function):
    """The function with the arithmetic of compiled code: x / 0 is inf or nan, int64 wraps around, and nothing warns."""

    @np.errstate(all="ignore")
    def call(op, *arguments):
        return function(op, *map(_as_numpy, arguments))

    return call


def _as_numpy(value):
    kind = type(value)
    if kind in _NUMPY_TYPE:
        return _NUMPY_TYPE[kind](value)
    if isinstance(value, tuple):
        return tuple.__new__(kind, [_NUMPY_TYPE.get(type(part), _as_numpy)(part) for part in value])
    if isinstance(value, np.int32 | np.float32):
        return value
    return np.int64(value) if isinstance(value, int | np.integer) else np.float64(value)


_NUMPY_TYPE = {int: np.int64, float: np.float64}
"""For the values that are by far the most frequent."""


def value_operator(cls):
    """Make a NamedTuple with `identity` and plain functions lift, combine, lower (and undo) an operator.

        @value_operator
        class Sum(NamedTuple):
            identity: Any
            name = "sum"
            laws = (COMMUTATIVE, INVERTIBLE)
            exact, takes = exact_if_whole, own_dtype

            def lift(op, value): return value
            def combine(op, a, b): return a + b
            def lower(op, a): return a
            def undo(op, a, b): return a - b

    A partial is a number or a NamedTuple of numbers; the identity's type is the partial's type. `undo` is there if and
    only if the laws say INVERTIBLE.
    """
    adapt = numpy_arithmetic if PLAIN else kernel
    of_lift, of_combine, of_lower = adapt(cls.lift), adapt(cls.combine), adapt(cls.lower)
    read_lower = numpy_arithmetic(cls.lower)

    @lift.of(cls)
    def _(op, dst, k, value):
        store(dst, k, as_like(of_lift(op, value), op.identity))

    @combine.of(cls)
    def _(op, dst, k, a, i, b, j):
        store(dst, k, of_combine(op, load(a, i, op.identity), load(b, j, op.identity)))

    @fold.of(cls)
    def _(op, dst, k, a, first, last):
        acc = load(a, first, op.identity)
        j = opaque(first + 1)
        while j < last:
            acc = as_like(of_combine(op, acc, load(a, j, op.identity)), op.identity)
            j = opaque(j + 1)
        store(dst, k, acc)

    @fold_long.of(cls)
    def _(op, dst, k, a, first, last):
        acc = load(a, first, op.identity)
        for j in range(first + 1, last):
            acc = as_like(of_combine(op, acc, load(a, j, op.identity)), op.identity)
        store(dst, k, acc)

    @extend.of(cls)
    def _(op, dst, k, spare, values, first, last):
        acc = load(dst, k, op.identity)
        for i in range(first, last):
            lifted = as_like(of_lift(op, row(values, i)), op.identity)
            acc = as_like(of_combine(op, acc, lifted), op.identity)
        store(dst, k, acc)

    @lower.of(cls)
    def _(op, a, i):
        return of_lower(op, load(a, i, op.identity))

    @unit.of(cls)
    def _(op, dst, k):
        store(dst, k, op.identity)

    @equal.of(cls)
    def _(op, a, i, b, j):
        return load(a, i, op.identity) == load(b, j, op.identity)

    @present.of(cls)
    def _(op, a, i):
        return np.asarray(read_lower(op, load(a, i, op.identity))).item()

    @presents_lowered.of(cls)
    def _(op):
        return True

    @fields_of_partial.of(cls)
    def _(op):
        names = op.identity._fields if isinstance(op.identity, tuple) else ("partial",)
        return {name: str(np.dtype(type(value))) for name, value in zip(names, _fields(op), strict=True)}

    if INVERTIBLE in cls.laws:
        of_undo = adapt(cls.undo)

        @undo.of(cls)
        def _(op, dst, k, a, i, b, j):
            store(dst, k, of_undo(op, load(a, i, op.identity), load(b, j, op.identity)))

    cls.dtype = property(lambda op: partial_dtype(op.identity))
    cls.keeps_numbers = True
    return cls


def _fields(op) -> tuple:
    return op.identity if isinstance(op.identity, tuple) else (op.identity,)


exact_if_whole = property(lambda op: all(isinstance(x, int | np.integer) for x in _fields(op)))
"""`exact` of an operator whose partials are exact only if they are whole numbers."""

own_dtype = property(lambda op: str(np.dtype(type(_fields(op)[-1]))))
"""`takes` of an operator that keeps values, or sums of them, as the partial or its last field."""


def _number_of(dtype: str, value: Any) -> Any:
    """A number from which compiled code takes the type: Python's for 64 bits, NumPy's for fewer."""
    scalar = np.dtype(dtype).type(value)
    return scalar.item() if scalar.itemsize == 8 else scalar


def zero(dtype: str) -> Any:
    """0 of the dtype."""
    return _number_of(dtype, 0)


def nothing(dtype: str) -> Any:
    """What stands for a missing value: NaN, or 0 for whole numbers, which have no NaN."""
    return _number_of(dtype, np.nan if np.dtype(dtype).kind == "f" else 0)


def lowest(dtype: str) -> Any:
    """The least value of a dtype, the identity of max: -inf, or the least whole number (not 0: values are negative)."""
    return _number_of(dtype, -np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min)


def highest(dtype: str) -> Any:
    """The greatest value of a dtype, the identity of min."""
    return _number_of(dtype, np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max)
