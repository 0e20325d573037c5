"""f_A, f_O and f_S from the user's arguments: names, operators, or the user's own functions, which are compiled."""

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


def functions(output: Any, add: Any, slide: Any, dtype: Any, gives: Any) -> tuple[Any, tuple[str, ...] | None]:
    """What compiled loops take for f_O, f_A and f_S, and the dtypes of the columns that a window keeps.

    The dtypes are None if the first batch decides how many columns there are. Raises ValueError naming the parameter
    that is wrong, OperatorError for a function that does not compile or gives the wrong type.
    """
    custom = {name: function for name, function in (("f_A", add), ("f_S", slide)) if function is not None}
    if callable(output):
        custom["f_O"] = output
        inner, dtypes = None, columns_dtypes(dtype)
        try:
            check_identity("gives", gives := 0.0 if gives is None else gives)
        except ValueError:
            raise ValueError(f"gives must be an int, a float or a NamedTuple of them, not {gives!r}") from None
    elif isinstance(output, str) and output == "stops":
        dtypes = columns_dtypes(dtype)
        if len(dtypes) != 1:
            raise ValueError(f"dtype: stops are counted in one column, of speeds, not in {len(dtypes)}")
        inner = Stops(zero(dtypes[0]))
    else:
        if isinstance(output, str) and output not in operators.names():
            raise ValueError(unknown("f_O", output, ("stops", *operators.names())))
        if dtype is not None and not isinstance(output, str):
            raise ValueError(f"dtype={dtype!r} is for an operator given by name; this one takes {output.takes}")
        op = operators.make(output, dtype) if isinstance(output, str) else operators.must_be_operator("f_O", output)
        inner, dtypes = Folded(op), None
    if gives is not None and not callable(output):
        raise ValueError(f"gives={gives!r} says what a function f_O gives, and f_O is {output!r}, no function")
    if not custom:
        return inner, dtypes
    for name, function in custom.items():
        if not is_plain(function) or function.__code__.co_argcount != ARGUMENTS[name].count(",") + 1:
            raise OperatorError(f"{name} must be a function {name}({ARGUMENTS[name]}), not {function!r}")
    if not PLAIN:
        check_types(custom, dtypes or (inner.op.takes,), gives)
    result = partial_dtype(gives) if "f_O" in custom else None
    f = user_class(custom.get("f_A"), custom.get("f_O"), custom.get("f_S"), result)
    return f(0 if inner is None else inner), dtypes


def columns_dtypes(dtype: Any) -> tuple[str, ...]:
    """The dtypes of columns. Raises ValueError for an unsuitable one."""
    dtypes = ("float64",) if dtype is None else dtype if isinstance(dtype, tuple) else (dtype,)
    for name in dtypes:
        if not isinstance(name, str) or name not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, or a tuple of these, not {dtype!r}")
    return dtypes


@functools.cache
def user_class(add: Any, output: Any, slide: Any, result: Any) -> Any:
    """The class around these functions; the same functions get the same class."""
    return new_class(made_of, "f", add, output, slide, result)


def made_of(name: str, add: Any, output: Any, slide: Any, result: Any) -> type:
    """A new class around the functions; in place of None, `inner` or the paper's functions serve.

    `result` is the dtype of what f_O returns, if the user has one.
    """
    compiled_A, compiled_O, compiled_S = (function and compilable(function) for function in (add, output, slide))

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
            store(out.agg, k, compiled_O(times, values, first, last))

    if add:

        @f_A.of(Mine)
        def own_A(f, times, values, first, last, time, value):
            return compiled_A(times, values, first, last, time, value)

    if slide:

        @f_S.of(Mine)
        def own_S(f, times, values, first, last, left):
            return compiled_S(times, values, first, last, left)

    return Mine


def check_types(custom: dict[str, Callable], dtypes: tuple[str, ...], gives: Any) -> None:
    """Compile every function by itself and check the type that it returns."""
    columns = tuple(slots(1, dtype, "values") for dtype in dtypes)
    values = columns if len(columns) > 1 else columns[0]
    value = tuple(zero(dtype) for dtype in dtypes) if len(columns) > 1 else zero(dtypes[0])
    arguments: tuple = (slots(1, "i8", "times"), values, 0, 0)
    extra_arguments = {"f_O": (), "f_A": (0, value), "f_S": (0,)}
    for name, function in custom.items():
        returned = compiled_type(name, f"{name}({ARGUMENTS[name]})", function, *arguments, *extra_arguments[name])
        example = gives if name == "f_O" else 0
        if not fits(returned, compiled_type("gives", "gives", lambda x: x, example)):
            expectation = f"gives={gives!r} says" if name == "f_O" else "a position is wanted,"
            raise OperatorError(f"{name} gives {type_text(returned)}, where {expectation} {type(example).__name__}")
