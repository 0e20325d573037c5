"""Checks of parameters, and the error for a name that does not exist. Each error says what would be right."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import types
import typing
from collections.abc import Sequence
from typing import Any

from safeguards.wrong_input import is_real, unknown


class UnknownName(ValueError):
    """A workload, parameter, column or choice that does not exist; the message offers the nearest names."""

    def __init__(self, kind: str, name: object, known: Sequence[str]):
        super().__init__(unknown(kind, name, known))


def check_types(instance: Any) -> None:
    """Check every field of a frozen dataclass against its annotation, and make values canonical.

    Known annotations: int, float, bool, str, None and their unions. A whole float (1e6) counts as an int, an int as a
    float, since configuration files and command lines do not tell them apart; a bool is never a number.
    Raises ValueError.
    """
    hints = typing.get_type_hints(type(instance))
    for field in dataclasses.fields(instance):
        kinds = typing.get_args(hints[field.name]) or (hints[field.name],)
        value = _canonical(field.name, getattr(instance, field.name), kinds)
        object.__setattr__(instance, field.name, value)


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise ValueError unless low <= value <= high."""
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}; it must be from {low} to {high}")


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise UnknownName unless `value` is one of `choices`."""
    if value not in choices:
        raise UnknownName(name, value, choices)


def _canonical(name: str, value: Any, kinds: tuple[type, ...]) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    if isinstance(value, bool):
        if bool in kinds:
            return value
    elif isinstance(value, str) and str in kinds:
        return value
    elif is_real(value):
        with contextlib.suppress(OverflowError):  # a whole number that no float reaches
            if math.isfinite(value):
                if int in kinds and value == int(value):
                    return int(value)
                if float in kinds:
                    return float(value)
    words = " or ".join(_WORDS[kind] for kind in kinds)
    raise ValueError(f"{name} is {value!r}; it must be {words}")


_WORDS = {int: "a whole number", float: "a finite number", str: "a text", bool: "true or false", types.NoneType: "null"}
