"""Long columns made to lose digits, against exact rational numbers: the error bounds that docs/rolling.md states."""

import math
from fractions import Fraction

import numpy as np
import pytest

from algorithms import rolling

ROWS, EPSILON = 6000, 2.0**-52


def hostile(name):
    random = np.random.default_rng(7)
    values = random.normal(size=ROWS)
    if name == "spikes":
        values[::97] *= 1e16
    elif name == "all magnitudes":
        values *= 10.0 ** random.integers(-150, 150, ROWS)
    elif name == "cancelling":
        values = np.where(np.arange(ROWS) % 2, -1.0, 1.0) * 1e16 + values
    elif name == "far from 0":
        values += 1e9
    elif name == "decreasing":
        values = 2.0 ** -(np.arange(ROWS) % 1000)
    elif name == "gaps":
        values[random.random(ROWS) < 0.3] = np.nan
        values[::13] *= 1e12
    elif name == "whole":
        values = random.integers(-(2**62), 2**62, ROWS)
    return values


COLUMNS = ["spikes", "all magnitudes", "cancelling", "far from 0", "decreasing", "gaps", "whole"]
IN_TIME = {"times": np.arange(ROWS), "min_count": 2}
LATE = {"times": np.arange(ROWS) ^ 1, "lateness": 1, "min_count": 2}
"""Every other pair of rows comes the wrong way round."""


def windows(values, length, arguments):
    """Some rows, and the values of their windows."""
    for i in range(length, ROWS, 389):
        rows = range(i - length + 1, i + 1)
        if arguments is LATE:
            rows = [j for j in range(i - length - 1, i + 1) if (i ^ 1) - length < j ^ 1 <= i ^ 1]
        yield i, [values[j].item() for j in rows if values[j] == values[j]]


@pytest.mark.parametrize("arguments", [{"min_count": 2}, IN_TIME, LATE], ids=["rows", "time", "late"])
@pytest.mark.parametrize("length", [3, 64, 1000])
@pytest.mark.parametrize("name", COLUMNS)
def test_errors_are_within_their_bounds(name, length, arguments):
    values = hostile(name)
    got = rolling(values.astype(float), length, ["sum", "mean", "std"], **arguments)
    for i, known in windows(values, length, arguments):
        if len(known) < 2:
            assert math.isnan(got["sum"][i])
            continue
        n, exact = len(known), [Fraction(float(x)) for x in known]
        bound = n * EPSILON * math.fsum(map(abs, known))
        assert abs(Fraction(got["sum"][i]) - sum(exact)) <= bound, i
        mean = sum(exact) / n
        assert abs(Fraction(got["mean"][i]) - mean) <= bound / n + EPSILON * abs(mean), i
        squares = sum((x - mean) ** 2 for x in exact)
        deviation = math.sqrt(squares / (n - 1))
        # Chan, Golub, LeVeque 1983: n epsilon times the condition number of the variance
        condition = math.sqrt(1 + n * mean**2 / squares) if squares else 1.0
        assert abs(got["std"][i] - deviation) <= 4 * n * EPSILON * condition * deviation, i


@pytest.mark.parametrize("arguments", [{}, IN_TIME, LATE], ids=["rows", "time", "late"])
def test_whole_numbers_are_exact_modulo_2_to_64(arguments):
    values = hostile("whole")
    got = rolling(values, 64, ["sum", "max", "min"], **arguments | {"min_count": 1})
    for i, known in windows(values, 64, arguments):
        assert (got["sum"][i].item() - sum(known)) % 2**64 == 0
        assert (got["max"][i], got["min"][i]) == (max(known), min(known))


def test_a_constant_has_no_deviation():
    for length in (2, 3, 49, 1000):
        column = np.full(ROWS, 0.1)
        assert np.all(rolling(column, length, "std")[length:] == 0.0)
        assert np.all(rolling(column, length, "var", times=np.arange(ROWS), min_count=2)[1:] == 0.0)


@pytest.mark.parametrize("length", [1, 2, 10, 999, 5000])
@pytest.mark.parametrize("shape", ["random", "constant", "up", "down", "saw"])
def test_extremes_of_long_columns(shape, length):
    values = {
        "random": np.random.default_rng(3).normal(size=ROWS),
        "constant": np.full(ROWS, -0.5),
        "up": np.arange(ROWS) * 0.5,
        "down": np.arange(ROWS) * -0.5,
        "saw": np.arange(ROWS) % length - 7.0,
    }[shape]
    view = np.lib.stride_tricks.sliding_window_view(values, length)
    for operator in ("max", "min"):
        wanted = getattr(view, operator)(axis=1)
        assert np.array_equal(rolling(values, length, operator)[length - 1 :], wanted)
        got = rolling(values, length, operator, times=np.arange(ROWS), min_count=length)
        assert np.array_equal(got[length - 1 :], wanted)
