"""Operators of every kind; run as a script, it prints what they say they are, for another process to compare."""

import json
import math
from typing import NamedTuple

import numba
import numpy as np

from algorithms import operators
from algorithms.kernel import kernel
from algorithms.operators.fingerprint import fingerprint
from algorithms.operators.monoid import value_operator

OTHER = {
    "bits": 2**15,
    "hashes": 5,
    "probe": 3,
    "capacity": 61,
    "modulus": 10_007,
    "strict": False,
    "latest": True,
    "precision": 10,
    "quantile": 0.9,
    "accuracy": 0.05,
    "least": 1e-3,
    "most": 1e6,
}
"""For every parameter that an operator by name has, a value that is not its default."""

FACTOR, TABLE = 3, np.arange(4.0)
WORDS = {"some": 1, "words": {"in", "no", "order"}}


class Pair(NamedTuple):
    n: int
    total: float


class Doubled(NamedTuple):
    """An operator that somebody has written as those of the package are. Partial: the sum."""

    identity: float

    name = "doubled"
    laws = ()
    exact, takes = False, "float64"

    def lift(op, value):
        return scaled(value)

    def combine(op, a, b):
        return a + b

    def lower(op, a):
        return a


value_operator(Doubled)


@kernel
def scaled(value):
    return value * FACTOR


@numba.njit
def compiled(value):
    return value * FACTOR + (5 if value in (1.0, 2.0) else 0)


def times(factor, function=lambda v: v):
    before = numba.njit(function)
    return lambda v: before(v) * factor


def looked_up(v):
    return TABLE[1] * v + math.floor(v) * np.hypot(v, 1.0)


def spoken(v):
    return v in {"some", "more", "words"} or v in WORDS


def nested(v):
    def inner(u):
        return u + 7

    return inner(v)


def mine(lift, **changes):
    known = {"lift": lift, "combine": lambda a, b: a + b, "lower": lambda a: a, "identity": 0.0}
    return operators.from_functions(**known | changes)


def own():
    """A few that read what is outside of them."""
    return {
        "plain": mine(lambda v: v),
        "a helper": mine(lambda v: scaled(v)),
        "a compiled helper": mine(compiled),
        "a closure": mine(times(2.0, times(3.0))),
        "a table": mine(looked_up),
        "a function inside": mine(nested),
        "built in": mine(float, combine=max, identity=-math.inf),
        "a record": operators.from_functions(
            lambda v: Pair(1, v),
            lambda a, b: Pair(n=a.n + b.n, total=a.total + b.total),
            lambda a: a.total / a.n,
            Pair(0, 0.0),
            undo=lambda a, b: Pair(a.n - b.n, a.total - b.total),
            name="mean",
            commutative=True,
        ),
    }


def every():
    """Operators of all kinds by a name of their own."""
    made = {
        f"{name} {dtype}": operators.make(name, dtype)
        for name in operators.names()
        for dtype in operators.versions(name)
    }
    made |= own()
    made["by somebody"] = Doubled(0.0)
    made["a product"] = operators.product(a="sum", b=made["bloom float64"], c=operators.product(d=made["a closure"]))
    made["repeated"] = operators.repeated(made["a product"], 3)
    made["counting"] = operators.counting(made["repeated"])
    return made


def said():
    """What each says it is, and the fingerprint of a function that reads sets, which have another order every time."""
    return {name: operators.described(op) for name, op in every().items()} | {"words": fingerprint(spoken)}


if __name__ == "__main__":
    print(json.dumps(said()))
