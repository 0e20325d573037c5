"""The error bound that each rounding operator states, on streams made to break it, in every window that combines.

Exact answers are of fractions. What left a window must not matter, so each stream slides through, and every window of
it is held to the bound of its own values. Windows that subtract break it on the same streams, which their cards say.
"""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from algorithms import catalogue, operators, window
from algorithms.operators.monoid import INVERTIBLE

pytestmark = pytest.mark.smoke

EPS = Fraction(1, 2**53)
TINY = Fraction(1, 2**1074)
ROWS, N = 60, 9


def spikes(rng, rows):
    return np.where(rng.random(rows) < 0.1, rng.choice([1e16, -1e16, 3e15], rows), rng.random(rows))


def alternating(rng, rows):
    return (1e8 + rng.random(rows)) * (-1.0) ** np.arange(rows)


def denormals(rng, rows):
    return rng.integers(1, 2**20, rows) * 5e-324


def falling(rng, rows):
    return np.geomspace(1e15, 1e-15, rows) * (1 + rng.random(rows))


def rising(rng, rows):
    return falling(rng, rows)[::-1].copy()


def far_from_zero(rng, rows):
    return 1e9 + rng.normal(size=rows)


def cancelling(rng, rows):
    x = np.repeat(10.0 ** rng.integers(-8, 18, rows // 2 + 1), 2)[:rows]
    return x * (-1.0) ** np.arange(rows) * (1 + (rng.random(rows) < 0.2) * 2.0**-50)


def equal(rng, rows):
    return np.full(rows, 0.1)


STREAMS = (spikes, alternating, denormals, falling, rising, far_from_zero, cancelling, equal)


@functools.cache
def stream(make, positive):
    values = make(np.random.default_rng(6), ROWS)
    return np.abs(values) if positive else values


def root(x):
    """The square root of a fraction, to more digits than anything here needs."""
    bits = 1400
    return Fraction(math.isqrt((x.numerator << 2 * bits) // x.denominator), 1 << bits)


# Each gives the exact answer and the bound, of fractions of the n values in a window; n is at least 2.


def exact_sum(x):
    return sum(x), len(x) * EPS * sum(map(abs, x))


def exact_compensated(x):
    n = len(x)
    return sum(x), EPS * abs(sum(x)) + 2 * (n * EPS) ** 2 * sum(map(abs, x))


def exact_mean(x):
    n = len(x)
    return sum(x) / n, (n + 1) * EPS * sum(map(abs, x)) / n + TINY


def exact_geometric_mean(x):
    """Logarithms as an exact exponent of two and a fraction's, both to some 30 digits by np.longdouble's and fsum's."""
    n = len(x)
    parts = [math.frexp(float(v)) for v in x]
    ln2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863327")
    logs = [k * ln2 + log_of(Fraction(m)) for m, k in parts]
    mean = sum(logs) / n
    result = exp_of(mean)
    return result, (n + 4) * EPS * (1 + sum(map(abs, logs)) / n) * result + TINY


def log_of(m):
    """ln of a fraction from 1/2 to 1: 2 artanh((m - 1) / (m + 1)), the series to 40 digits."""
    z = (m - 1) / (m + 1)
    z = Fraction(round(z * 2**200), 2**200)
    total, power, k = Fraction(0), z, 1
    while abs(power) > Fraction(1, 10**40):
        total, power, k = total + power / k, Fraction(round(power * z * z * 2**200), 2**200), k + 2
    return 2 * total


def exp_of(x):
    """e^x: by its series for a small part, squared back."""
    halvings = 12
    y = Fraction(round(x * 2**300), 2**300) / 2**halvings
    total, term, k = Fraction(1), Fraction(1), 1
    while abs(term) > Fraction(1, 10**60):
        term = Fraction(round(term * y / k * 2**300), 2**300)
        total, k = total + term, k + 1
    for _ in range(halvings):
        total = total * total
        scale = 300 + max(0, total.denominator.bit_length() - total.numerator.bit_length())
        total = Fraction(round(total * 2**scale), 2**scale)
    return total


def exact_deviation(x, divisor):
    n, mean = len(x), sum(x) / len(x)
    bound = 2 * n * EPS * root(sum(v * v for v in x) / divisor) + Fraction(1, 2**535)
    return root(sum((v - mean) ** 2 for v in x) / divisor), bound


def exact_variance(x, divisor):
    n, mean = len(x), sum(x) / len(x)
    bound = 4 * n * EPS * sum(v * v for v in x) / divisor + Fraction(1, 2**1070)
    return sum((v - mean) ** 2 for v in x) / divisor, bound


BOUNDS = {
    "sum": exact_sum,
    "compensated_sum": exact_compensated,
    "arithmetic_mean": exact_mean,
    "geometric_mean": exact_geometric_mean,
    "sample_stddev": lambda x: exact_deviation(x, len(x) - 1),
    "population_stddev": lambda x: exact_deviation(x, len(x)),
    "sample_variance": lambda x: exact_variance(x, len(x) - 1),
    "population_variance": lambda x: exact_variance(x, len(x)),
}
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
@pytest.mark.parametrize("make", STREAMS)
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
    for make in STREAMS:
        assert worst(name, operator, make) <= 1, make.__name__


@pytest.mark.plain
@pytest.mark.parametrize("operator", BOUNDS)
def test_no_bound_is_far_from_what_happens(operator):
    assert max(worst("recalc", operator, make) for make in STREAMS) > 0.01


@pytest.mark.plain
@pytest.mark.parametrize("name", SUBTRACTING)
def test_what_subtracting_loses(name):
    assert all(INVERTIBLE in operators.make(operator).laws for operator in BOUNDS)
    lost = {operator: worst(name, operator, spikes) for operator in BOUNDS if operator != "geometric_mean"}
    assert lost["sum"] > 1e6 and lost["arithmetic_mean"] > 1e6
    assert lost["sample_stddev"] > 10
    for make in STREAMS:
        values = list(map(Fraction, stream(make, False).tolist()))
        largest = max(sum(map(abs, values[max(0, i - N) : i + 1])) for i in range(ROWS))
        for operator, unit in (("sum", EPS), ("compensated_sum", 4 * N * EPS * EPS)):
            found = answers(name, operator, make)
            for i, (answer, (exact, bound)) in enumerate(zip(found, expected(operator, make), strict=True)):
                assert abs(Fraction(answer) - exact) <= bound + 2 * (i + 2) * unit * largest, (operator, make.__name__)
