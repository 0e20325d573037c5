"""The operators by name: every class with a `name` in a module of this package, found by importing the modules."""

import functools
import importlib
import inspect
import keyword
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from algorithms.operators.monoid import combine
from safeguards.wrong_input import offered, unknown

VERSIONS = ("float64", "int64")
"""Dtypes that an operator may be made for; the first that it supports is its default."""

NARROW = ("float32", "int32")
"""Dtypes that `make` takes besides, of operators whose partials are numbers; streams do not choose them."""

ALIASES = MappingProxyType(
    {
        "avg": "arithmetic_mean",
        "mean": "arithmetic_mean",
        "std": "sample_stddev",
        "stddev": "sample_stddev",
        "stddev_pop": "population_stddev",
        "stddev_samp": "sample_stddev",
        "var": "sample_variance",
        "var_pop": "population_variance",
        "var_samp": "sample_variance",
        "variance": "sample_variance",
    }
)
"""Operators by the names that pandas and SQL have for them. Without a word for it, a deviation is that of a sample."""

FIELD = "an identifier that is no keyword and does not begin with an underscore"
"""The rule for names of results and of a product's parts, which become fields of named tuples."""


def is_field(name: Any) -> bool:
    """Whether a result or a part of a product may have this name."""
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_"


def must_be_operator(field: str, op: Any) -> Any:
    """Return the operator. Raises ValueError naming the field if `op` is not an operator."""
    if type(op) not in combine.table:
        raise ValueError(f"{field} must be the name of an operator, or one made by operators, not {op!r}")
    return op


@functools.cache
def classes() -> Mapping[str, type[Any]]:
    """Operator classes by name."""
    package = __name__.rpartition(".")[0]
    by_name = {}
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        module = importlib.import_module(f"{package}.{info.name}")
        for member in vars(module).values():
            if isinstance(member, type) and member.__module__ == module.__name__:
                name = vars(member).get("name")
                if isinstance(name, str):
                    by_name[name] = member
    return MappingProxyType(dict(sorted(by_name.items())))


def names() -> tuple[str, ...]:
    """The operators' own names, in alphabetical order; `make` also takes those of ALIASES."""
    return tuple(classes())


def own_name(name: str) -> str:
    """The operator's own name, for that or an alias. Raises ValueError for an unknown name, suggesting the nearest."""
    own = ALIASES.get(name, name)
    if own not in classes():
        raise ValueError(unknown("operator", name, sorted([*classes(), *ALIASES])))
    return own


def make(name: str, dtype: str | None = None, **parameters: Any) -> Any:
    """An operator by its name, or by that of pandas or SQL (ALIASES), for values of a dtype.

    That is "int64" or "float64" (the default, unless the operator has only "int64").

    Or "int32" or "float32", the types of the Reactive Aggregator's paper: partials of 32 bits, where sums wrap around.

    Parameters are the operator's own: capacity of collect and concat; bits, hashes and probe of bloom; modulus of
    affine; precision of hyperloglog; quantile, accuracy, least and most of ddsketch; strict and latest of lis. Raises
    ValueError for an unknown name, dtype or parameter, and for an impossible parameter value.

    >>> from sliding_windows import operators
    >>> operators.make("mean").name, operators.make("sum", "int64").takes
    ('arithmetic_mean', 'int64')
    >>> operators.make("hyperloglog", precision=10).laws
    ('commutative',)
    """
    name = own_name(name)
    dtypes = versions(name) + narrow_versions(name)
    cls, dtype = classes()[name], dtypes[0] if dtype is None else str(dtype)
    if dtype not in dtypes:
        raise ValueError(f"{name}: no version for dtype {dtype!r}; there is {' and '.join(dtypes)}")
    takes = tuple(inspect.signature(cls.make).parameters)[1:]
    for parameter in parameters:
        if parameter not in takes:
            offer = offered(parameter, takes) if takes else "it has none"
            raise ValueError(f"{name}: unknown parameter {parameter!r}; {offer}")
    return cls.make(dtype, **parameters)


def chosen(field: str, operator: Any, dtype: str | None, entries: int | None = None) -> Any:
    """The operator that a user's argument stands for: made by `make_for` from a name, or an operator as it is.

    Raises ValueError naming the field for anything else, and for a dtype beside an operator that is already made.
    """
    if isinstance(operator, str):
        return make(operator, dtype) if entries is None else make_for(operator, dtype, entries)
    must_be_operator(field, operator)
    if dtype is not None:
        raise ValueError(f"dtype={dtype!r} is for an operator given by name; {operator.name} takes {operator.takes}")
    return operator


def make_for(name: str, dtype: str | None, entries: int) -> Any:
    """Like `make`, for a window of at most `entries` values: collect gets room for all of them.

    The room is rounded up to a power of two, because every size of a partial aggregate is compiled separately.
    """
    room = {"capacity": 1 << max(entries - 1, 0).bit_length()} if name == "collect" else {}
    return make(name, dtype, **room)


def versions(name: str) -> tuple[str, ...]:
    """Dtypes of values that an operator supports: one for whole numbers has only "int64".

    Raises ValueError for an unknown name.
    """
    return ("int64",) if classes()[own_name(name)].takes == "int64" else VERSIONS


def narrow_versions(name: str) -> tuple[str, ...]:
    """Dtypes of 32 bits that an operator supports: all whose values are numbers that are kept, or are made float64."""
    return NARROW if versions(name) == VERSIONS and getattr(classes()[own_name(name)], "keeps_numbers", False) else ()
