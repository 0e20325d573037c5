"""The x axis: where a value is placed, and the text below it."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from plots.columns import FigureError, in_order

MOST_TICKS = 8
BASES = {"log2": 2, "log10": 10}
NO_TITLES: Mapping[str, str] = MappingProxyType({})


class Scale(NamedTuple):
    """Positions of the values on a linear axis, with the ticks; `gap` is where the axis is broken, None if it is not.

    `slot` is the width of the stretch reserved for 0, where series may be drawn side by side.
    """

    places: Mapping[Any, float]
    ticks: list[tuple[float, str]]
    gap: float | None = None
    slot: float = 0.0


def scale(kind: str, values: np.ndarray, first: Sequence[str] = (), titles: Mapping[str, str] = NO_TITLES) -> Scale:
    """Lay out the x values of all panels (float64, or text for categories; any order; missing ones have no position).

    On a logarithmic axis, 0 is one step left of the smallest positive value, behind a break of the axis. Ticks are at
    values. They are written as powers of the base if all values are powers, or all but one, which then has no tick.
    Categories are at 0, 1, 2 ..., those of `first` first, with their `titles`. Raises FigureError for negative values
    on a logarithmic axis.
    """
    known = values[~pd.isna(values)]
    if kind == "category":
        categories = in_order(known, first)
        ticks = [(float(place), titles.get(value, value)) for place, value in enumerate(categories)]
        return Scale({value: place for value, (place, _) in zip(categories, ticks, strict=True)}, ticks)
    distinct = sorted({float(value) for value in known})
    if kind == "linear" or not distinct:
        return Scale({value: value for value in distinct or [0.0]}, [])
    if distinct[0] < 0:
        raise FigureError(f"x_scale is {kind!r}, but x takes the value {distinct[0]:g}; use linear for negative values")
    logarithm = {"log2": math.log2, "log10": math.log10}[kind]
    positive = [value for value in distinct if value > 0]
    places = {value: logarithm(value) for value in positive}
    ticks = _ticks(places, BASES[kind])
    if distinct[0] > 0 or not positive:
        return Scale(places or {0.0: 0.0}, ticks or [(0.0, "0")])
    first, last = places[positive[0]], places[positive[-1]]
    step = max(1.0, 0.13 * (last - first))
    zero = first - step
    return Scale({0.0: zero} | places, [(zero, "0"), *ticks], gap=first - 0.4 * step, slot=0.7 * step)


def _ticks(places: Mapping[float, float], base: int) -> list[tuple[float, str]]:
    """Ticks at the positive values, which are sorted, as many as there is room for."""
    exponents = list(places.values())
    whole = {value: exponent for value, exponent in places.items() if exponent.is_integer()}
    powers = len(whole) == len(places) or len(whole) == len(places) - 1 > 1
    ticks: list[tuple[float, str]] = []
    for value, exponent in (whole if powers else places).items():
        if not ticks or exponent - ticks[-1][0] >= (exponents[-1] - exponents[0]) / MOST_TICKS:
            ticks.append((exponent, f"${base}^{{{int(exponent)}}}$" if powers else f"{value:,.6g}"))
    return ticks
