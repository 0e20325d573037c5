"""What determines the results of a function, in 16 hex digits: the same in every process, different after a change.

It covers, of a plain function and of every one that it reaches:

- bytecode, constants, functions inside, names of attributes and arguments (comments, docstrings and names of variables
  may change);
- defaults and the contents of closures;
- the globals that it reads, and what it reads of modules: functions in the same way, compiled by Numba or not; numbers,
  texts, arrays and containers by their contents; named tuples by their fields and defaults; other objects by their
  attributes.

Of what belongs to Python, NumPy or Numba, and of any other class or module, only the name counts. Not covered are
attributes whose names are only known when the function runs, Numba's options, functions of `numba.vectorize`, and the
versions of Python's, NumPy's and Numba's own code. Globals count as they are when the fingerprint is taken. Each
version of Python has its own bytecode (`BYTECODE`).
"""

import dis
import functools
import hashlib
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

BYTECODE = sys.implementation.cache_tag
"""The version of Python's bytecode, as in the names of .pyc files."""

BY_NAME = sys.stdlib_module_names | {"numpy", "numba"}
GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
PLAIN = (int, float, complex, str, bytes, types.NoneType, types.EllipsisType)
ARGUMENTS = 0x04 | 0x08
"""Flags of code: that it takes *arguments, **keywords."""


def fingerprint(function: Any) -> str:
    """Sixteen hex digits of a function, or of anything else that operators are made of."""
    return Fingerprints().of(function).hex()[:16]


def hashed(kind: str, *parts: str | bytes) -> bytes:
    """A digest of the parts, each with its length, so that their boundaries count."""
    digest = hashlib.sha256()
    for part in (kind, *parts):
        encoded = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(b"%d:" % len(encoded) + encoded)
    return digest.digest()


class Fingerprints:
    """Digests of objects that may refer to each other; each is taken once."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[Any, bytes]] = {}
        self.within: list[int] = []
        """The objects whose digests are being taken, from the outermost in."""

    def of(self, value: Any) -> bytes:
        if isinstance(value, PLAIN) and type(value).__module__ == "builtins":
            return hashed(type(value).__name__, repr(value))
        if id(value) in self.known:
            return self.known[id(value)][1]
        if id(value) in self.within:
            return hashed("itself", str(len(self.within) - self.within.index(id(value))))
        self.within.append(id(value))
        digest = self.compute(value)
        self.within.pop()
        self.known[id(value)] = value, digest  # with the object, so that its id stays its own
        return digest

    def all(self, values: Any) -> list[bytes]:
        return [self.of(value) for value in values]

    def compute(self, value: Any) -> bytes:
        """The digest of anything but a plain number or text."""
        kind = name_of(type(value))
        if isinstance(value, np.ndarray | np.generic):
            contents = self.of(value.tolist()) if value.dtype.hasobject else value.tobytes()
            return hashed("array", str(value.dtype), str(value.shape), contents)
        if isinstance(value, tuple | list):
            return hashed(kind, *getattr(value, "_fields", ()), *self.all(value))
        if isinstance(value, set | frozenset):
            return hashed(kind, *sorted(self.all(value)))
        if isinstance(value, dict):
            return hashed(kind, *sorted(self.of(key) + self.of(item) for key, item in value.items()))
        if isinstance(value, types.ModuleType):
            return hashed("module", value.__name__)
        if isinstance(value, type):
            return self.of_class(value)
        if isinstance(value, functools.partial):
            return hashed("partial", *self.all((value.func, value.args, value.keywords)))
        if hasattr(value, "py_func"):
            return self.of(value.py_func)
        if isinstance(value, types.FunctionType):
            return self.of_function(value)
        if isinstance(value, types.MethodType):
            return hashed("method", *self.all((value.__func__, value.__self__)))
        if callable(value) and hasattr(value, "__qualname__"):
            owner = getattr(value, "__self__", None)
            return hashed("built in", name_of(value), b"" if isinstance(owner, types.ModuleType) else self.of(owner))
        if getattr(value, "__dict__", None):
            return hashed("object", kind, self.of(vars(value)))
        return hashed("object", kind, text_of(value))

    def of_class(self, cls: type) -> bytes:
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return hashed("named tuple", cls.__name__, *cls._fields, self.of(cls._field_defaults))
        return hashed("class", name_of(cls))

    def of_function(self, function: types.FunctionType) -> bytes:
        if str(function.__module__).partition(".")[0] in BY_NAME:
            return hashed("function", name_of(function))
        code, cells = function.__code__, function.__closure__ or ()
        outer = [part for name, value in outside(code, function.__globals__) for part in (name, self.of(value))]
        defaults = self.all((function.__defaults__, function.__kwdefaults__))
        return hashed("function", self.of_code(code, function.__doc__), *defaults, *map(self.of_cell, cells), *outer)

    def of_code(self, code: types.CodeType, doc: str | None = None) -> bytes:
        arguments = code.co_argcount + code.co_kwonlyargcount
        counts = (code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount, code.co_flags & ARGUMENTS)
        names = self.all((counts, code.co_varnames[:arguments], code.co_names))
        entries = [entry for entry in code.co_consts if entry is None or entry != doc]
        digests = [self.of_code(entry) if isinstance(entry, types.CodeType) else self.of(entry) for entry in entries]
        return hashed("code", code.co_code, code.co_exceptiontable, *names, *digests)

    def of_cell(self, cell: types.CellType) -> bytes:
        try:
            return self.of(cell.cell_contents)
        except ValueError:  # an empty cell
            return hashed("empty")


def outside(code: types.CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and values of the globals that a code object reads, and of what it reads from modules."""
    name, value = "", None
    for instruction in dis.get_instructions(code):
        if instruction.opname in GLOBAL:
            name = instruction.argval
            value = scope.get(name)  # None: built in, or missing
        elif instruction.opname in ATTRIBUTE and isinstance(value, types.ModuleType):
            if value.__name__.partition(".")[0] in BY_NAME:
                continue
            name = f"{name}.{instruction.argval}"
            value = getattr(value, instruction.argval, None)
        else:
            value = None
            continue
        yield name, value
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from outside(constant, scope)


def name_of(definition: Any) -> str:
    """The name of a class or function, with its module's."""
    return f"{getattr(definition, '__module__', None)}.{definition.__qualname__}"


def text_of(value: Any) -> str:
    """The repr of an object, without addresses; empty if it raises."""
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    except Exception:
        return ""
