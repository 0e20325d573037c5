"""Checks of parameters: each error names the field and says what would be right."""

import math
from typing import Any

from algorithms import operators
from algorithms.streams.compressed.state import NEVER
from algorithms.streams.sliding.units import Unit
from algorithms.times import TimeError


def distance(unit: Unit, D: Any) -> int:
    """D in units of time, NEVER for None and infinity. Raises ValueError."""
    if D is None or (isinstance(D, float) and math.isinf(D) and D > 0):
        return NEVER
    try:
        return int(unit.length("D", D, least=0))
    except ValueError as error:
        raise ValueError(f"{error}; None and infinity are never") from None


def first_left(unit: Unit, start: Any) -> int:
    """The left boundary of the first epoch; 0 is 0 in every unit. Raises ValueError."""
    if start is None or (isinstance(start, int) and start == 0):
        return 0
    try:
        return int(unit.positions("start", [start])[0])
    except TimeError as error:
        raise ValueError(f"start: {error}") from None


def key_names(f_K: Any, reserved: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the key columns, none of which may be reserved. Raises ValueError."""
    names = (f_K,) if isinstance(f_K, str) else f_K
    if not isinstance(names, tuple) or not all(map(operators.is_field, names)) or len(set(names)) < len(names):
        raise ValueError(
            f"f_K must be the name of the key column or a tuple of different ones, each {operators.FIELD}, not {f_K!r}"
        )
    for name in reserved:
        if name in names:
            raise ValueError(f"f_K: {name!r} is what a column of the results is called already")
    return names
