"""The x axis: where a value is placed, and the text below it."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from plots.columns import FigureError, in_order, is_number

MOST_TICKS, FEW_VALUES = 8, 10
BASES = {"log2": 2, "log10": 10}
NO_TITLES: Mapping[str, str] = MappingProxyType({})


LOGARITHMS = {"log2": np.log2, "log10": np.log10}


class Scale(NamedTuple):
    """Positions of the values on a linear axis, with the ticks; `gap` is where the axis is broken, None if it is not.

    `slot` is the width of the stretch reserved for 0, where series may be drawn side by side. `between` gives the
    positions of numbers (above 0 on a logarithmic axis) that need not be among the values. Categories at `ordered` and
    beyond stand for themselves: they have no order in which a line could join them.
    """

    places: Mapping[Any, float]
    ticks: list[tuple[float, str]]
    gap: float | None = None
    slot: float = 0.0
    between: Callable[[np.ndarray], np.ndarray] = np.asarray
    ordered: float = math.inf


def scale(kind: str, values: np.ndarray, first: Sequence[str] = (), titles: Mapping[str, str] = NO_TITLES) -> Scale:
    """Lay out the x values of all panels (float64, or text for categories; any order; missing ones have no position).

    On a logarithmic axis, 0 is one step left of the smallest positive value, behind a break of the axis. Ticks are at
    values, and always at the last. They are written as powers of the base if all values are powers, or all but one,
    which has a tick only where it is the last. Categories are at 0, 1, 2 ..., those of `first` first, with their
    `titles`; whole numbers have separators, and texts that are not of `first` no order. Raises FigureError for negative
    values on a logarithmic axis.
    """
    known = values[~pd.isna(values)]
    if kind == "category":
        categories = in_order(known, first)
        ticks = [(float(place), titles.get(value, separated(value))) for place, value in enumerate(categories)]
        places = {value: place for value, (place, _) in zip(categories, ticks, strict=True)}
        return Scale(places, ticks, ordered=sum(value in first or is_number(value) for value in categories))
    distinct = sorted({float(value) for value in known})
    if kind == "linear" or not distinct:
        return Scale({value: value for value in distinct or [0.0]}, _at_values(distinct))
    if distinct[0] < 0:
        raise FigureError(f"x_scale is {kind!r}, but x takes the value {distinct[0]:g}; use linear for negative values")
    logarithm = LOGARITHMS[kind]
    positive = [value for value in distinct if value > 0]
    places = {value: float(logarithm(value)) for value in positive}
    ticks = _ticks(places, BASES[kind])
    if distinct[0] > 0 or not positive:
        return Scale(places or {0.0: 0.0}, ticks or [(0.0, "0")], between=logarithm)
    first, last = places[positive[0]], places[positive[-1]]
    step = max(1.0, 0.13 * (last - first))
    zero = first - step
    return Scale(
        {0.0: zero} | places, [(zero, "0"), *ticks], gap=first - 0.4 * step, slot=0.7 * step, between=logarithm
    )


def three_digits(value: float) -> str:
    """A number with three significant digits, whole from a hundred on, with thousands separators."""
    return f"{value:,.0f}" if abs(value) >= 99.95 else f"{value:.3g}"


def separated(value: str) -> str:
    """The text of a category; of a whole number with separators of thousands."""
    return f"{int(value):,}" if value.isdecimal() else value


def _at_values(distinct: Sequence[float]) -> list[tuple[float, str]]:
    """Ticks at the values of a linear axis, as many as there is room for and always at the last; none if there are many
    values, so that the axis has round numbers."""
    if not 1 < len(distinct) <= FEW_VALUES:
        return []
    last, apart = distinct[-1], (distinct[-1] - distinct[0]) / (2 * MOST_TICKS)
    chosen: list[float] = []
    for value in distinct[:-1]:
        if last - value >= apart and (not chosen or value - chosen[-1] >= apart):
            chosen.append(value)
    return [(value, f"{value:,.6g}".replace("-", "−")) for value in [*chosen, last]]


def _ticks(places: Mapping[float, float], base: int) -> list[tuple[float, str]]:
    """Ticks at the positive values, which are sorted, as many as there is room for; the last one always has one."""
    if not places:
        return []
    exponents = list(places.values())
    whole = [exponent for exponent in exponents if exponent.is_integer()]
    powers = len(whole) == len(places) or len(whole) == len(places) - 1 > 1
    (most, last), apart = list(places.items())[-1], (exponents[-1] - exponents[0]) / MOST_TICKS
    chosen: list[tuple[float, float]] = []
    for value, exponent in places.items():
        room = last - exponent >= apart and (not chosen or exponent - chosen[-1][1] >= apart)
        if value < most and room and (exponent.is_integer() or not powers):
            chosen.append((value, exponent))
    return [(exponent, _text(value, base, powers)) for value, exponent in [*chosen, (most, last)]]


def _text(value: float, base: int, powers: bool) -> str:
    """A value, as a power of the base if others are: 2^20, or 2^20 - 1 for one less."""
    for less, sign in ((0, ""), (1, " - 1"), (-1, " + 1")) if powers else ():
        exponent = math.log(value + less, base) if value + less > 0 else 0.5
        if base ** round(exponent) == value + less:
            return f"${base}^{{{round(exponent)}}}{sign}$"
    return f"{value:,.6g}"
