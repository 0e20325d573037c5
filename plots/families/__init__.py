"""One module for each family of figures: its `Options`, and `figure`, which draws a description of that class.

A family is found by the name of its module; nothing else lists it.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import ModuleType
from typing import Any, get_type_hints

from plots.columns import FigureError, check_known, text
from plots.description import Description, Names, Titles


def names() -> list[str]:
    """The families that there are."""
    return [module.name for module in pkgutil.iter_modules(__path__)]


def family_of(name: str) -> ModuleType:
    """The module of a family."""
    return importlib.import_module(f"{__name__}.{name}")


def described(mapping: Mapping[str, Any]) -> Description:
    """The options of a family from configuration. Raises FigureError for unknown, missing and wrong keys."""
    if not mapping.get("family"):
        raise FigureError("the figure has no family; it must be given")
    check_known("family", mapping["family"], names())
    options = family_of(mapping["family"]).Options
    kinds = get_type_hints(options)
    for key, value in mapping.items():
        if key not in kinds:
            _refuse(key, value, kinds)
    values = {key: _as(kinds[key], value) for key, value in mapping.items() if value is not None}
    for option in fields(options):
        if option.default is option.default_factory is MISSING and not values.get(option.name):
            raise FigureError(f"the figure has no {option.name}; family {mapping['family']} needs it")
    return options(**values)


def _as(kind: Any, value: Any) -> Any:
    """A value of the configuration as the option of that kind holds it."""
    if kind == Names:
        return (value,) if isinstance(value, str) else tuple(text(entry) for entry in value)
    return {text(key): title for key, title in value.items()} if kind == Titles else value


def _refuse(key: str, value: Any, known: Mapping[str, Any]) -> None:
    """Say which families have the key, or which of these keys is nearest."""
    if owners := [family for family in names() if key in get_type_hints(family_of(family).Options)]:
        raise FigureError(f"{key} is {value!r}; only family {' or '.join(owners)} has it")
    check_known("a key of the figure", key, known)
