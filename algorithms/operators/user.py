"""A user's own operator, from plain Python functions on numbers: compiled, and as fast as those of this package.

It has a class of its own (`algorithms.own_classes`), even under the name of another; where its functions are simple
enough to be compared (`algorithms.operators.frozen`), one that was made of equal ones in this process is the same
class, and what is compiled for it is kept on disk for the next process.
"""

import contextlib
import functools
import itertools
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core.errors import NumbaError

from algorithms.kernel import OPTIONS, PLAIN, kernel
from algorithms.operators.frozen import frozen
from algorithms.operators.monoid import (
    COMMUTATIVE,
    INVERTIBLE,
    SELECTIVE,
    described,
    described_with,
    encode,
    number,
    numpy_arithmetic,
    value_dtypes,
    value_operator,
)
from algorithms.operators.samples import check_laws
from algorithms.own_classes import CLASSES, class_of

EXAMPLES = (1.0, 1, (1.0, 1.0), (1, 1))
"""Values that `lift` is tried on; it must compile for one of them."""


class OperatorError(ValueError):
    """A function of a user's operator that cannot be compiled, or that gives the wrong type."""


def from_functions(
    lift: Callable[[Any], Any],
    combine: Callable[[Any, Any], Any],
    lower: Callable[[Any], Any],
    identity: Any,
    *,
    name: str = "mine",
    commutative: bool = False,
    undo: Callable[[Any, Any], Any] | None = None,
    selective: bool = False,
    check: Sequence[Any] | None = None,
) -> Any:
    """An operator from lift(value), combine(a, b) with a the older, lower(a), and undo(a, b): x where a = b + x.

    >>> from sliding_windows import operators, window
    >>> most_positive = operators.from_functions(
    ...     lift=lambda v: v, combine=lambda a, b: max(a, b), lower=lambda a: a, identity=0.0, name="most_positive"
    ... )
    >>> w = window("daba_lite", most_positive, capacity=100)
    >>> w.insert_many([0, 1, 2], [-3.0, 7.0, 5.0])
    >>> w.query()
    7.0

    A partial aggregate is a number or a NamedTuple of numbers, with the types of `identity`: 0 for whole numbers, 0.0
    for floats. `commutative` and `selective` declare laws, and `undo` makes it a group. If `check` has some values, all
    laws are tried on their partial aggregates, floats up to rounding. Raises OperatorError if a function does not
    compile or returns another type than the identity's, and ValueError with a counterexample if a law does not hold.

    Functions that read nothing but numbers, tuples, arrays, named tuples and functions of Python and NumPy are compiled
    with the globals of this moment, and what is compiled is kept on disk. Others are compiled in every process.
    """
    if not name.isidentifier():
        raise ValueError(f"name of an operator must be an identifier, not {name!r}")
    check_identity(name, identity)
    functions = {"lift": lift, "combine": combine, "lower": lower} | ({"undo": undo} if undo else {})
    for role, function in functions.items():
        if not callable(function):
            raise OperatorError(f"{name}: {role} must be a function, not {function!r}")
    declared = ((COMMUTATIVE, commutative), (INVERTIBLE, undo is not None), (SELECTIVE, selective))
    laws = tuple(law for law, holds in declared if holds)
    key = key_of(as_compiled(name, functions, laws, identity)[1] or uuid.uuid4().hex, type(identity))
    if key in CLASSES:
        example = None  # that class has it
    else:
        example = plain_example_for(lift, identity) if PLAIN else check_types(name, functions, identity)
    if check is not None:
        check_laws(name, {role: in_numpy(function) for role, function in functions.items()}, identity, laws, check)
    return class_of(key, operator_class, name, functions, laws, example, identity)(identity)


@functools.lru_cache(maxsize=10_000)
def key_of(content: str, partial: type) -> str:
    """The key of an operator's class. A named tuple that was defined again is another class, with the same content."""
    return uuid.uuid4().hex


def as_compiled(
    name: str, functions: Mapping[str, Callable], laws: tuple[str, ...], identity: Any
) -> tuple[Mapping[str, Callable], str | None]:
    """The functions that are compiled, and what tells the operator from others; None where that is not known.

    Plain Python runs the functions as they are at the moment, and keeps nothing.
    """
    return (functions, None) if PLAIN else frozen(name, functions, laws, identity)


def operator_class(
    name: str, functions: dict[str, Callable], laws: tuple[str, ...], example: Any, identity: Any
) -> type:
    """A new class of operator around the functions; `example` is a value that `lift` takes."""
    read_now, content = as_compiled(name, functions, laws, identity)
    compiled = {role: compilable(function) for role, function in read_now.items()}
    of_lift, of_combine, of_lower, of_undo = (compiled.get(role) for role in ("lift", "combine", "lower", "undo"))

    class Mine(NamedTuple):
        identity: Any

    Mine.__doc__ = f"The user's operator {name}."
    Mine.name, Mine.laws, Mine.takes = name, laws, dtype_of(example)
    Mine.rounding = "what its own functions lose"
    Mine.content = content
    Mine.exact = all(isinstance(part, int) for part in parts_of(identity))
    Mine.lift = lambda op, value: of_lift(value)
    Mine.combine = lambda op, a, b: of_combine(a, b)
    Mine.lower = lambda op, a: of_lower(a)
    if of_undo:
        Mine.undo = lambda op, a, b: of_undo(a, b)

    takes_pairs = isinstance(example, tuple)

    @encode.of(Mine)
    def _(op, value):
        if not takes_pairs:
            return number(op, value)
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise ValueError(f"{op.name}: a value must be a pair of numbers, not {value!r}")
        return number(op, value[0]), number(op, value[1])

    @value_dtypes.of(Mine)
    def _(op, width):
        if width != 1 + takes_pairs:
            form = "a pair of numbers" if takes_pairs else "a number"
            raise ValueError(f"{op.name}: a value must be {form}, not {'one' if width == 1 else f'{width} of them'}")
        return (op.takes,) * width

    @described.of(Mine)
    def _(op):
        return described_with(op, functions)

    return value_operator(Mine)


def dtype_of(example: Any) -> str:
    """The dtype of a value, or of the first of a pair."""
    return str(np.dtype(type(np.atleast_1d(example)[0].item())))


def compilable(function: Callable) -> Callable:
    """The function as compiled code may call it: as it is, unless it is plain Python (max and np.hypot Numba knows)."""
    return kernel(function) if is_plain(function) else function


def is_plain(function: Callable) -> bool:
    return type(function) is type(is_plain)


def in_numpy(function: Callable) -> Callable:
    """The function with the arithmetic of compiled code."""
    called = numpy_arithmetic(lambda op, *arguments: function(*arguments))
    return lambda *arguments: called(None, *arguments)


def check_identity(name: str, identity: Any) -> None:
    """Raise ValueError unless the identity is a number or a NamedTuple of numbers."""
    constants = identity if isinstance(identity, tuple) and hasattr(identity, "_fields") else (identity,)
    for constant in constants:
        if type(constant) not in (int, float) or (isinstance(constant, int) and not -(2**63) <= constant < 2**63):
            raise ValueError(
                f"{name}: identity must be an int of 64 bits, a float, or a NamedTuple of them, not {identity!r}"
            )


# -------------------------------------------------------------------------------------------------- types, by compiling


def check_types(name: str, functions: dict[str, Callable], identity: Any) -> Any:
    """Compile every function by itself and compare its type with the identity's. Returns a value that lift takes."""
    example = example_for(name, functions["lift"], identity)
    for role in ("combine", "undo"):
        if role in functions:
            returned = compiled_type(name, role, functions[role], identity, identity)
            if returned != numba.typeof(identity):
                expected = type_text(numba.typeof(identity))
                raise OperatorError(f"{name}: {role} gives {type_text(returned)} where the identity is {expected}")
    returned = compiled_type(name, "lower", functions["lower"], identity)
    if not isinstance(returned, numba.types.Number | numba.types.Boolean):
        raise OperatorError(f"{name}: lower gives {type_text(returned)} where it must give a number")
    return example


def plain_example_for(lift: Callable, identity: Any) -> Any:
    """As `example_for`, in plain Python: calls lift and looks at the types that it returns."""
    must_be_whole = [isinstance(number, int) for number in parts_of(identity)]
    for example in EXAMPLES:
        with contextlib.suppress(Exception):  # a lift that takes other values may raise anything
            whole = [not isinstance(number, float) for number in parts_of(in_numpy(lift)(example))]
            if all(fits or not required for fits, required in zip(whole, must_be_whole, strict=True)):
                return example
    return EXAMPLES[0]


def parts_of(partial: Any) -> tuple:
    """The numbers of a partial."""
    return partial if isinstance(partial, tuple) else (partial,)


def example_for(name: str, lift: Callable, identity: Any) -> Any:
    """The first example that lift makes a partial from. If there is none, raises the error of the very first."""
    first_error = None
    for example in EXAMPLES:
        try:
            lifted = compiled_type(name, "lift", lift, example)
            if not fits(lifted, numba.typeof(identity)):
                raise OperatorError(
                    f"{name}: lift gives {type_text(lifted)} from {type_text(numba.typeof(example))}"
                    f" where the identity is {type_text(numba.typeof(identity))}"
                )
        except OperatorError as error:
            first_error = first_error or error
        else:
            return example
    raise first_error


def compiled_type(name: str, role: str, function: Callable, *examples: Any):
    """Numba's type of what the function returns. Raises OperatorError with the first line of Numba's reason."""
    probe = function
    if not is_plain(function):  # built in, or compiled by the user
        probe = (lambda a: function(a)) if len(examples) == 1 else (lambda a, b: function(a, b))
    dispatcher = numba.njit(**OPTIONS)(probe)
    try:
        dispatcher.compile(tuple(numba.typeof(example) for example in examples))
    except NumbaError as error:
        raise OperatorError(f"{name}: {role} does not compile: {reason(error)}") from None
    return dispatcher.nopython_signatures[0].return_type


def reason(error: Exception) -> str:
    """The line of a Numba message that says what is wrong."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Failed in", "During:", "- Resolution"))]
    return lines[0] if lines else type(error).__name__


def fits(source, target) -> bool:
    """Whether a value of one Numba type can be stored as the other without loss: whole as float, not the reverse."""
    if isinstance(target, numba.types.BaseTuple):
        same = getattr(source, "instance_class", None) is target.instance_class
        return same and all(itertools.starmap(fits, zip(source.types, target.types, strict=True)))
    is_whole = isinstance(source, numba.types.Integer | numba.types.Boolean)
    return is_whole or (isinstance(source, numba.types.Float) and isinstance(target, numba.types.Float))


def type_text(numba_type) -> str:
    """A Numba type in the user's terms."""
    if isinstance(numba_type, numba.types.BaseNamedTuple):
        types = zip(numba_type.fields, map(type_text, numba_type.types), strict=True)
        return f"{numba_type.instance_class.__name__}({', '.join(f'{field}: {text}' for field, text in types)})"
    if isinstance(numba_type, numba.types.BaseTuple):
        return "a plain tuple"
    return str(numba_type)
