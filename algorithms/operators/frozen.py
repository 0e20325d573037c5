"""A user's functions as they are when the operator is made, and a digest that only equal ones share.

Code that is kept on disk runs in other processes, where a global may be another. So what is compiled is a copy of the
function that has the globals and the closure of the moment, and the digest is of the copies: two that are equal are
compiled to the same code. That holds for functions that read numbers, tuples and arrays of them, classes of named
tuples, and the functions of Python, NumPy and `math`. Of others nobody can tell from here (functions of the user's own,
compiled or not, for which Numba may have other code; functions within a function; objects): they are not kept.
"""

import types
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from algorithms.operators.fingerprint import BY_NAME, Fingerprints, outside

PLACES = 24
"""Hex digits of a digest: 96 bits."""


class UnknownContentError(TypeError):
    """A function reads something whose content cannot be told."""


class Frozen(Fingerprints):
    """Digests of functions that have been frozen; raises UnknownContentError for what only a name would stand for."""

    def compute(self, value: Any) -> bytes:
        if not _is_known(value):
            raise UnknownContentError(repr(value))
        return super().compute(value)

    def of_code(self, code: types.CodeType, doc: str | None = None) -> bytes:
        if any(isinstance(constant, types.CodeType) for constant in code.co_consts):
            raise UnknownContentError(f"a function within {code.co_name}")
        return super().of_code(code, doc)


def _is_known(value: Any) -> bool:
    """Whether the digest of a value is one of all that it is."""
    if isinstance(value, np.ndarray | np.generic):
        return not value.dtype.hasobject
    if isinstance(value, np.ufunc):
        return getattr(np, value.__name__, None) is value
    if isinstance(value, type):
        return value.__module__ in ("builtins", "numpy") or _is_named_tuple(value)
    if isinstance(value, types.BuiltinFunctionType):
        return str(value.__module__).partition(".")[0] in BY_NAME
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in BY_NAME
    if isinstance(value, FunctionType):
        return hasattr(value, "frozen") or str(value.__module__).partition(".")[0] in BY_NAME
    return type(value) in (tuple, list, dict, frozenset) or _is_named_tuple(type(value))


def _is_named_tuple(cls: type) -> bool:
    return cls.__mro__[1:] == (tuple, object) and hasattr(cls, "_fields")


def frozen(name: str, functions: Mapping[str, Callable], *others: Any) -> tuple[Mapping[str, Callable], str | None]:
    """The functions with what they read now, and a digest of them, of their roles, the name and the other values.

    Where the content of one cannot be told, the functions as they are, and None. The copies are named after the digest:
    Numba names machine code after functions, and two pieces of one name in a process would be taken for one.
    """
    try:
        copies = {role: _copy(function, f"{name}_{role}") for role, function in functions.items()}
        parts = (name, dict(sorted(copies.items())), others)
        digest = Frozen().of(parts).hex()[:PLACES]
    except UnknownContentError:
        return functions, None
    for role, copy in copies.items():
        if isinstance(copy, FunctionType):
            copy.__name__ = copy.__qualname__ = f"{name}_{role}_{digest}"
    return copies, digest


def _copy(function: Callable, name: str) -> Callable:
    """A plain function with its own globals and closure; what is built in stays as it is."""
    if type(function) is not FunctionType or str(function.__module__).partition(".")[0] in BY_NAME:
        return function
    read = {"__name__", "__builtins__", *(key for key, _ in outside(function.__code__, function.__globals__))}
    scope = {key: _kept(value) for key, value in function.__globals__.items() if key in read}
    try:
        cells = tuple(types.CellType(_kept(cell.cell_contents)) for cell in function.__closure__ or ())
    except ValueError:
        raise UnknownContentError(f"an empty cell of {name}") from None
    copy = FunctionType(function.__code__, scope, name, function.__defaults__, cells)
    copy.__kwdefaults__, copy.__module__, copy.__doc__ = function.__kwdefaults__, function.__module__, function.__doc__
    copy.frozen = True
    return copy


def _kept(value: Any) -> Any:
    """An array may change later: its numbers as they are now."""
    return np.array(value) if type(value) is np.ndarray else value
