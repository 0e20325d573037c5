"""Affine maps modulo a prime, composed in window order: the operator that shows every mistake.

It is exact, not commutative, and remembers every value and their order in two numbers: an evicted value left in, two
parts swapped or one taken twice changes the result. Sum and max hide such errors. No paper's operator; it stands beside
concatenation, which shows the same on a short window in a form that can be read.
"""

from typing import NamedTuple

import numpy as np

from algorithms.kernel import kernel
from algorithms.operators.monoid import INVERTIBLE, value_operator
from safeguards.wrong_input import is_whole

LARGEST_MODULUS = 3_037_000_499  # its square is the last that fits in int64


class Map(NamedTuple):
    """The map x -> slope x + offset, slope not 0."""

    slope: int
    offset: int


@value_operator
class Affine(NamedTuple):
    """Composition of the maps x -> (1 + v mod (p - 1)) x + v^2 mod p of whole values v, the oldest applied first.

    Partial: Map. `lower` gives the image of 1 (1 itself for an empty window). `modulus` p must be a prime from 3 on.
    """

    identity: Map
    modulus: int

    name = "affine"
    laws = (INVERTIBLE,)
    exact, takes = True, "int64"

    @classmethod
    def make(cls, dtype: str, modulus: int = 2**31 - 1) -> "Affine":
        if not is_whole(modulus) or not 3 <= modulus <= LARGEST_MODULUS:
            raise ValueError(f"affine: modulus must be a prime from 3 to {LARGEST_MODULUS}, not {modulus!r}")
        if divisor := next((d for d in range(2, int(modulus**0.5) + 1) if modulus % d == 0), None):
            raise ValueError(f"affine: modulus must be a prime, not {modulus} = {divisor} x {modulus // divisor}")
        return cls(Map(1, 0), modulus)

    def lift(op, value):
        value = np.int64(value)
        v = value % op.modulus
        return Map(1 + value % (op.modulus - 1), v * v % op.modulus)

    def combine(op, a, b):
        return Map(a.slope * b.slope % op.modulus, (b.slope * a.offset + b.offset) % op.modulus)

    def undo(op, a, b):
        slope = a.slope * inverse(b.slope, op.modulus) % op.modulus
        return Map(slope, (a.offset - slope * b.offset % op.modulus) % op.modulus)

    def lower(op, a):
        return (a.slope + a.offset) % op.modulus


@kernel(inline=False)
def inverse(a, modulus):
    """The number whose product with `a` is 1 modulo a prime: a^(modulus - 2), by squaring."""
    power, exponent, result = a, modulus - 2, 1
    while exponent > 0:
        if exponent & 1:
            result = result * power % modulus
        power = power * power % modulus
        exponent >>= 1
    return result
