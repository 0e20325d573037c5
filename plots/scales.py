"""The x axis: where a value is placed, and what is written below it."""

import math
from typing import NamedTuple

import numpy as np

from plots.description import FigureError

MOST_TICKS = 8


class Scale(NamedTuple):
    """Places of the values on a linear axis, with the ticks; `gap` is where the axis is broken, None if it is not.

    `slot` is the width of the stretch that belongs to 0 alone, in which series may stand side by side.
    """

    places: dict[float, float]
    ticks: list[tuple[float, str]]
    gap: float | None = None
    slot: float = 0.0


def scale(kind: str, values: np.ndarray) -> Scale:
    """Lay out the x values (float64, any order) of all panels on a linear or log2 axis.

    On a log2 axis 0 stands one step left of the smallest positive value, behind a break of the axis. Ticks stand
    at values, written as powers of two if all values are. Raises FigureError for negative values on a log2 axis.
    """
    distinct = sorted({float(value) for value in values})
    if kind == "linear":
        return Scale({value: value for value in distinct}, [])
    if distinct[0] < 0:
        raise FigureError(f"x_scale is 'log2', but x takes the value {distinct[0]:g}; use linear for negative values")
    positive = [value for value in distinct if value > 0]
    places = {value: math.log2(value) for value in positive}
    ticks = _ticks(positive)
    if distinct[0] > 0 or not positive:
        return Scale(places or {0.0: 0.0}, ticks or [(0.0, "0")])
    first, last = places[positive[0]], places[positive[-1]]
    step = max(1.0, 0.13 * (last - first))
    zero = first - step
    return Scale({0.0: zero} | places, [(zero, "0"), *ticks], gap=first - 0.4 * step, slot=0.7 * step)


def _ticks(positive: list[float]) -> list[tuple[float, str]]:
    exponents = [math.log2(value) for value in positive]
    powers = all(exponent.is_integer() for exponent in exponents)
    ticks: list[tuple[float, str]] = []
    for exponent, value in zip(exponents, positive, strict=True):
        if not ticks or exponent - ticks[-1][0] >= (exponents[-1] - exponents[0]) / MOST_TICKS:
            ticks.append((exponent, f"$2^{{{int(exponent)}}}$" if powers else f"{value:,.6g}"))
    return ticks
