"""f_A, f_O and f_S as a user gives them: names, operators, or functions of the user's own, which are compiled."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from algorithms import operators
from algorithms.kernel import PLAIN, partial_dtype, slots, store
from algorithms.operators.monoid import zero
from algorithms.operators.user import (
    OperatorError,
    check_identity,
    compilable,
    compiled_type,
    fits,
    is_plain,
    type_text,
)
from algorithms.own_classes import new_class
from algorithms.streams.compressed.functions import Folded, Stops, f_A, f_O, f_S
from safeguards.wrong_input import unknown

DTYPES = ("int8", "int16", "int32", "int64", "float32", "float64")

ARGUMENTS = {
    "f_A": "times, values, first, last, time, value",
    "f_O": "times, values, first, last",
    "f_S": "times, values, first, last, left",
}


def functions(given: Any, add: Any, slide: Any, dtype: Any, gives: Any) -> tuple[Any, tuple[str, ...] | None]:
    """What compiled loops take for f_O, f_A and f_S, and the dtypes of the columns that a window keeps.

    The dtypes are None where the first batch says how many columns there are. Raises ValueError naming the parameter
    that is wrong, OperatorError for a function that does not compile or gives the wrong type.
    """
    own = {name: one for name, one in (("f_A", add), ("f_S", slide)) if one is not None}
    if callable(given):
        own["f_O"] = given
        inner, dtypes = None, columns_dtypes(dtype)
        try:
            check_identity("gives", gives := 0.0 if gives is None else gives)
        except ValueError:
            raise ValueError(f"gives must be an int, a float or a NamedTuple of them, not {gives!r}") from None
    elif isinstance(given, str) and given == "stops":
        dtypes = columns_dtypes(dtype)
        if len(dtypes) != 1:
            raise ValueError(f"dtype: stops are counted in one column, of speeds, not in {len(dtypes)}")
        inner = Stops(zero(dtypes[0]))
    else:
        if isinstance(given, str) and given not in operators.names():
            raise ValueError(unknown("f_O", given, ("stops", *operators.names())))
        if dtype is not None and not isinstance(given, str):
            raise ValueError(f"dtype={dtype!r} is for an operator given by name; this one takes {given.takes}")
        op = operators.make(given, dtype) if isinstance(given, str) else operators.must_be_operator("f_O", given)
        inner, dtypes = Folded(op), None
    if gives is not None and not callable(given):
        raise ValueError(f"gives={gives!r} says what a function f_O gives, and f_O is {given!r}, no function")
    if not own:
        return inner, dtypes
    for name, function in own.items():
        if not is_plain(function) or function.__code__.co_argcount != ARGUMENTS[name].count(",") + 1:
            raise OperatorError(f"{name} must be a function {name}({ARGUMENTS[name]}), not {function!r}")
    if not PLAIN:
        check_types(own, dtypes or (inner.op.takes,), gives)
    result = partial_dtype(gives) if "f_O" in own else None
    return user_class(own.get("f_A"), own.get("f_O"), own.get("f_S"), result)(0 if inner is None else inner), dtypes


def columns_dtypes(dtype: Any) -> tuple[str, ...]:
    """The dtypes of columns. Raises ValueError for one that cannot be."""
    found = ("float64",) if dtype is None else dtype if isinstance(dtype, tuple) else (dtype,)
    for one in found:
        if not isinstance(one, str) or one not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, or a tuple of these, not {dtype!r}")
    return found


@functools.cache
def user_class(add: Any, output: Any, slide: Any, result: Any) -> Any:
    """A class around the functions, one for the same ones."""
    return new_class(made_of, "f", add, output, slide, result)


def made_of(name: str, add: Any, output: Any, slide: Any, result: Any) -> type:
    """A new class around the functions: what is None is done as `inner` does, or as the paper's do.

    `result` is the dtype of what f_O gives, if that is among them.
    """
    of_A, of_O, of_S = (function and compilable(function) for function in (add, output, slide))

    class Mine(NamedTuple):
        inner: Any

    Mine.name = property(lambda f: output.__name__ if output else f.inner.name)
    Mine.dtype = property(lambda f: result if output else f.inner.dtype)

    @f_O.of(Mine)
    def _(f, out, k, times, values, first, last):
        f_O(f.inner, out, k, times, values, first, last)

    if output:

        @f_O.of(Mine)
        def own_O(f, out, k, times, values, first, last):
            store(out.agg, k, of_O(times, values, first, last))

    if add:

        @f_A.of(Mine)
        def own_A(f, times, values, first, last, time, value):
            return of_A(times, values, first, last, time, value)

    if slide:

        @f_S.of(Mine)
        def own_S(f, times, values, first, last, left):
            return of_S(times, values, first, last, left)

    return Mine


def check_types(own: dict[str, Callable], dtypes: tuple[str, ...], gives: Any) -> None:
    """Compile every function by itself and look at what it gives."""
    columns = tuple(slots(1, dtype, "values") for dtype in dtypes)
    values = columns if len(columns) > 1 else columns[0]
    value = tuple(zero(dtype) for dtype in dtypes) if len(columns) > 1 else zero(dtypes[0])
    arguments: tuple = (slots(1, "i8", "times"), values, 0, 0)
    more = {"f_O": (), "f_A": (0, value), "f_S": (0,)}
    for name, function in own.items():
        given = compiled_type(name, f"{name}({ARGUMENTS[name]})", function, *arguments, *more[name])
        example = gives if name == "f_O" else 0
        if not fits(given, compiled_type("gives", "gives", lambda x: x, example)):
            wanted = f"gives={gives!r} says" if name == "f_O" else "a position is wanted,"
            raise OperatorError(f"{name} gives {type_text(given)}, where {wanted} {type(example).__name__}")
