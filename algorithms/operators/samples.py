"""Laws of a user's operator, tried on sample values when it is made."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from algorithms.operators.monoid import COMMUTATIVE, INVERTIBLE, SELECTIVE

MOST = 12
"""The most samples that are used: associativity takes every triple of them."""


def check_laws(
    name: str, functions: dict[str, Callable[..., Any]], identity: Any, laws: Sequence[str], samples: Sequence[Any]
) -> None:
    """Raise ValueError with a counterexample unless associativity, identity and the declared laws hold on the samples.

    O(s^3) combines for s samples, of which at most MOST are used.
    """
    lift, combine = functions["lift"], functions["combine"]
    samples = list(samples)[:MOST]
    lifted = [(sample, lift(sample)) for sample in samples]

    def demand(law: str, left: Any, right: Any, **values: Any) -> None:
        if not alike(left, right):
            operands = ", ".join(f"{letter} = lift({value!r})" for letter, value in values.items())
            raise ValueError(f"{name}: {law} does not hold for {operands}: {as_text(left)} is not {as_text(right)}")

    for v, a in lifted:
        demand("identity + a = a", combine(identity, a), a, a=v)
        demand("a + identity = a", combine(a, identity), a, a=v)
    for (v, a), (u, b) in itertools.product(lifted, repeat=2):
        both = combine(a, b)
        if COMMUTATIVE in laws:
            demand("a + b = b + a (commutative)", both, combine(b, a), a=v, b=u)
        if INVERTIBLE in laws:
            demand("undo(a + b, a) = b", functions["undo"](both, a), b, a=v, b=u)
        if SELECTIVE in laws and not alike(both, a):
            demand("a + b is a or b (selective)", both, b, a=v, b=u)
    for (v, a), (u, b), (t, c) in itertools.product(lifted, repeat=3):
        law = "(a + b) + c = a + (b + c) (associative)"
        demand(law, combine(combine(a, b), c), combine(a, combine(b, c)), a=v, b=u, c=t)


def alike(left: Any, right: Any) -> bool:
    """Equal, floats up to rounding; NaN equals NaN."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, float) or isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(left) and math.isnan(right))
    return bool(left == right)


def as_text(value: Any) -> str:
    """A partial as the user would write it."""
    if isinstance(value, tuple):
        return f"{type(value).__name__}({', '.join(map(as_text, value))})"
    return repr(value.item() if hasattr(value, "item") else value)
