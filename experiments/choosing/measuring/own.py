"""Operators of one's own, as a user of the library writes them: names of these stand beside those of the catalogue."""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from algorithms import operators
from experiments.harness.feasibility import operator_called


class Span(NamedTuple):
    low: float
    high: float


class Turn(NamedTuple):
    cosine: float
    sine: float


def spread() -> Any:
    """The range of the values: two numbers a partial, and hardly dearer than a maximum."""
    return operators.from_functions(
        lift=lambda value: Span(value, value),
        combine=lambda a, b: Span(min(a.low, b.low), max(a.high, b.high)),
        lower=lambda a: a.high - a.low,
        identity=Span(math.inf, -math.inf),
        name="own_spread",
        commutative=True,
    )


def direction() -> Any:
    """Rotations one after the other, kept at length 1: a root and two divisions for each combine."""

    def combine(a: Turn, b: Turn) -> Turn:
        cosine, sine = a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine
        length = math.sqrt(cosine * cosine + sine * sine)
        return Turn(cosine / length, sine / length)

    return operators.from_functions(
        lift=lambda value: Turn(1.0 / math.sqrt(1.0 + value * value), value / math.sqrt(1.0 + value * value)),
        combine=combine,
        lower=lambda a: a.sine,
        identity=Turn(1.0, 0.0),
        name="own_direction",
    )


OWN: dict[str, Callable[[], Any]] = {"own_spread": spread, "own_direction": direction}


@functools.cache
def operator_named(name: str) -> Any:
    """An operator of the catalogue, such as "sum" or "max:float64", or one of OWN. The same object at every call."""
    return OWN[name]() if name in OWN else operator_called(name)
