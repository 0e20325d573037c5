"""The error bound that each rounding operator states, on streams made to break it, in every window that combines.

Exact answers are of fractions. What left a window must not matter, so each stream slides through, and every window of
it is held to the bound of its own values. Windows that subtract break it on the same streams, which their cards say.
"""

import functools
from fractions import Fraction

import numpy as np
import pytest

from algorithms import catalogue, operators, window
from algorithms.operators.monoid import INVERTIBLE
from experiments.numerics.measuring.exact import BOUNDS, EPS, TINY
from experiments.numerics.measuring.hostile import SHAPES, spikes

pytestmark = pytest.mark.smoke

ROWS, N = 60, 9


@functools.cache
def stream(make, positive):
    values = make(np.random.default_rng(6), ROWS)
    return np.abs(values) if positive else values


COMBINING = [name for name, card in catalogue().items() if not card.rounding]
SUBTRACTING = [name for name, card in catalogue().items() if card.rounding]


def test_every_operator_that_rounds_says_how_much():
    made = {name: operators.make(name) for name in operators.names()}
    assert {name for name, op in made.items() if not op.exact} == set(BOUNDS)
    assert all("error| <= " in operators.error_bound(made[name]) for name in BOUNDS)
    others = {name for name, op in made.items() if name not in BOUNDS and operators.error_bound(op)}
    assert others == {"ddsketch", "hyperloglog"}, "test_sketches.py holds these to account"
    assert operators.error_bound(operators.make("sum", "int64")) == ""


def test_the_windows_that_subtract_are_those_that_need_an_inverse():
    assert [
        name for name, card in catalogue().items() if card.law in ("group", "selective monoid, or group")
    ] == SUBTRACTING


def test_what_is_made_of_operators_says_what_they_lose():
    total = operators.error_bound(operators.make("sum"))
    assert operators.error_bound(operators.counting(operators.make("sum"))) == total
    assert operators.error_bound(operators.repeated("sum", 3)) == total
    assert operators.error_bound(operators.product(a="sum", b="max")) == f"a: {total}"
    own = operators.from_functions(lambda v: v, lambda a, b: a + b, lambda a: a, 0.0, name="own")
    assert operators.error_bound(own) == "what its own functions lose"


@pytest.mark.plain
@pytest.mark.parametrize("make", SHAPES)
def test_partials_of_32_bits(make):
    values = make(np.random.default_rng(6), ROWS).astype(np.float32)
    totals = (operators.make(name, "float32") for name in ("sum", "arithmetic_mean"))
    w, eps = (
        window("two_stacks_lite", operators.product(**dict(zip(("sum", "mean"), totals))), capacity=N + 1),
        2.0**-24,
    )
    for i, value in enumerate(values.tolist()):
        w.insert(i, value)
        if len(w) > N:
            w.evict()
        x, n = list(map(Fraction, values[max(0, i - N + 1) : i + 1].tolist())), len(w)
        size, found = sum(map(abs, x)), w.query()
        assert abs(Fraction(found.sum) - sum(x)) <= n * eps * size
        assert abs(Fraction(found.mean) - sum(x) / n) <= (n + 1) * eps * size / n + TINY


@functools.cache
def expected(operator, make):
    """(exact answer, bound) of each window of two values or more that slides over the stream."""
    values = list(map(Fraction, stream(make, operator == "geometric_mean").tolist()))
    return [BOUNDS[operator](values[max(0, i - N + 1) : i + 1]) for i in range(1, ROWS)]


def answers(name, operator, make):
    w = window(name, operators.make(operator), capacity=N + 1)
    for i, value in enumerate(stream(make, operator == "geometric_mean").tolist()):
        w.insert(i, value)
        if len(w) > N:
            w.evict()
        if i > 0:
            yield w.query()


def worst(name, operator, make):
    """The largest share of its bound that an error takes."""
    pairs = zip(answers(name, operator, make), expected(operator, make), strict=True)
    return max(float(abs(Fraction(found) - exact) / bound) for found, (exact, bound) in pairs if bound)


@pytest.mark.plain
@pytest.mark.parametrize("name", COMBINING)
@pytest.mark.parametrize("operator", BOUNDS)
def test_no_error_is_beyond_the_bound(name, operator):
    for make in SHAPES:
        assert worst(name, operator, make) <= 1, make.__name__


@pytest.mark.plain
@pytest.mark.parametrize("operator", BOUNDS)
def test_no_bound_is_far_from_what_happens(operator):
    assert max(worst("recalc", operator, make) for make in SHAPES) > 0.01


@pytest.mark.plain
@pytest.mark.parametrize("name", SUBTRACTING)
def test_what_subtracting_loses(name):
    assert all(INVERTIBLE in operators.make(operator).laws for operator in BOUNDS)
    lost = {operator: worst(name, operator, spikes) for operator in BOUNDS if operator != "geometric_mean"}
    assert lost["sum"] > 1e6 and lost["arithmetic_mean"] > 1e6
    assert lost["sample_stddev"] > 10
    for make in SHAPES:
        values = list(map(Fraction, stream(make, False).tolist()))
        largest = max(sum(map(abs, values[max(0, i - N) : i + 1])) for i in range(ROWS))
        for operator, unit in (("sum", EPS), ("compensated_sum", 4 * N * EPS * EPS)):
            found = answers(name, operator, make)
            for i, (answer, (exact, bound)) in enumerate(zip(found, expected(operator, make), strict=True)):
                assert abs(Fraction(answer) - exact) <= bound + 2 * (i + 2) * unit * largest, (operator, make.__name__)
