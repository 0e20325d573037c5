"""Exact answers of the operators that round, and the bound of the error that each states on its card, as fractions.

Nothing is taken from the operators: each answer is computed from its definition, each bound is its card's in symbols.
The arguments are the values of a window, as fractions; at least two of them where a deviation is asked for.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

EPS = Fraction(1, 2**53)
TINY = Fraction(1, 2**1074)

Exact = Callable[[Sequence[Fraction]], tuple[Fraction, Fraction]]

LN2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863327")


def root(x: Fraction) -> Fraction:
    """The square root of a fraction, to more digits than anything here needs."""
    bits = 1400
    return Fraction(math.isqrt((x.numerator << 2 * bits) // x.denominator), 1 << bits)


def log(x: Fraction) -> Fraction:
    """ln x of a float, to some forty digits: its exponent times ln 2, and for its fraction m from 1/2 to 1 the series
    of 2 artanh((m - 1) / (m + 1))."""
    m, exponent = math.frexp(float(x))
    z = (Fraction(m) - 1) / (Fraction(m) + 1)
    z = Fraction(round(z * 2**200), 2**200)
    total, power, k = Fraction(0), z, 1
    while abs(power) > Fraction(1, 10**40):
        total, power, k = total + power / k, Fraction(round(power * z * z * 2**200), 2**200), k + 2
    return exponent * LN2 + 2 * total


def exp(x: Fraction) -> Fraction:
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


def exact_sum(x: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    return sum(x, Fraction()), len(x) * EPS * sum(map(abs, x))


def exact_compensated(x: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    n, total = len(x), sum(x, Fraction())
    return total, EPS * abs(total) + 2 * (n * EPS) ** 2 * sum(map(abs, x))


def exact_mean(x: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    n = len(x)
    return sum(x, Fraction()) / n, (n + 1) * EPS * sum(map(abs, x)) / n + TINY


def exact_geometric_mean(x: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    n, logs = len(x), [log(v) for v in x]
    result = exp(sum(logs, Fraction()) / n)
    return result, (n + 4) * EPS * (1 + sum(map(abs, logs)) / n) * result + TINY


def exact_deviation(x: Sequence[Fraction], divisor: int) -> tuple[Fraction, Fraction]:
    bound = 2 * len(x) * EPS * root(sum((v * v for v in x), Fraction()) / divisor) + Fraction(1, 2**535)
    return root(squares(x) / divisor), bound


def exact_variance(x: Sequence[Fraction], divisor: int) -> tuple[Fraction, Fraction]:
    bound = 4 * len(x) * EPS * sum((v * v for v in x), Fraction()) / divisor + Fraction(1, 2**1070)
    return squares(x) / divisor, bound


def squares(x: Sequence[Fraction]) -> Fraction:
    """The sum of squared differences from the mean."""
    mean = sum(x, Fraction()) / len(x)
    return sum(((v - mean) ** 2 for v in x), Fraction())


BOUNDS: dict[str, Exact] = {
    "sum": exact_sum,
    "compensated_sum": exact_compensated,
    "arithmetic_mean": exact_mean,
    "geometric_mean": exact_geometric_mean,
    "sample_stddev": lambda x: exact_deviation(x, len(x) - 1),
    "population_stddev": lambda x: exact_deviation(x, len(x)),
    "sample_variance": lambda x: exact_variance(x, len(x) - 1),
    "population_variance": lambda x: exact_variance(x, len(x)),
}
"""For each operator that rounds: the exact answer of a window, and the largest error that its card allows."""
