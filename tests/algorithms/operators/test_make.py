"""Operators by name: what is there, what is refused and in which words, and values as people write them."""

import math

import numpy as np
import pandas as pd
import pytest

from algorithms import SlidingAggregate, operators
from algorithms.operators.machine import WHOLE
from algorithms.operators.monoid import LAWS
from tests.algorithms.operators.partial_machine import CASES, Machine

pytestmark = pytest.mark.smoke

TABLE_1 = ("count", "sum", "max", "min", "arithmetic_mean", "geometric_mean", "max_count", "min_count")
TABLE_1 += ("sample_stddev", "population_stddev", "arg_max", "arg_min", "collect")


def test_names():
    others = {"bloom", "compensated_sum", "first", "last", "concat", "affine", "lis", "ddsketch", "hyperloglog"}
    others |= {"sample_variance", "population_variance", "null_count"}
    assert set(TABLE_1) | others == set(operators.names())
    assert operators.names() == tuple(sorted(operators.names()))


@pytest.mark.parametrize("op", CASES.values(), ids=CASES.keys())
def test_every_operator_says_what_it_is(op):
    assert type(op).__doc__ and "Partial: " in type(op).__doc__
    assert set(op.laws) <= set(LAWS)
    assert isinstance(op.exact, bool) and op.takes in ("int64", "float64", "int32", "float32")
    assert operators.partials(op, 3).dtype == op.dtype


def test_dtype_float64_unless_there_is_none():
    assert operators.make("max").dtype == "float64"
    assert operators.make("max", "int64").dtype == "int64"
    assert operators.make("affine").takes == "int64"
    assert operators.make("bloom").dtype.itemsize == 2048


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("maks", {}, "unknown operator 'maks'; did you mean max"),
        ("???", {}, "unknown operator '???'; there are: affine, "),
        ("affine", {"dtype": "float64"}, "affine: no version for dtype 'float64'; there is int64"),
        (
            "sum",
            {"dtype": "int16"},
            "sum: no version for dtype 'int16'; there is float64 and int64",
        ),
        ("collect", {"dtype": "int32"}, "collect: no version for dtype 'int32'; there is float64 and int64"),
        ("affine", {"dtype": "int32"}, "affine: no version for dtype 'int32'; there is int64"),
        ("sum", {"capacity": 3}, "sum: unknown parameter 'capacity'; it has none"),
        ("bloom", {"hashs": 3}, "bloom: unknown parameter 'hashs'; did you mean hashes"),
        ("bloom", {"bits": 1000}, "bloom: bits must be a power of two from 256 to 2**32, not 1000"),
        ("bloom", {"bits": 128}, "bloom: bits must be a power of two from 256 to 2**32, not 128"),
        ("bloom", {"hashes": 0}, "bloom: hashes must be a whole number from 1 to 64, not 0"),
        (
            "bloom",
            {"dtype": "int64", "probe": 2.5},
            "bloom: a value must be a whole number of at most 64 bits, not 2.5",
        ),
        ("collect", {"capacity": 0}, "collect: capacity must be a whole number of at least 1, not 0"),
        ("concat", {"capacity": "9"}, "concat: capacity must be a whole number of at least 1, not '9'"),
        ("concat", {"capacity": True}, "concat: capacity must be a whole number of at least 1, not True"),
        ("collect", {"capacity": 2**30}, "collect: capacity must be at most 268,435,448, for a partial of 2 GiB, not"),
        ("concat", {"capacity": 2**31}, "concat: capacity must be at most 2,147,483,584, for a partial of 2 GiB, not"),
        ("affine", {"modulus": 2}, "affine: modulus must be a prime from 3 to 3037000499, not 2"),
        ("affine", {"modulus": 2**32 + 15}, "affine: modulus must be a prime from 3 to 3037000499, not 4294967311"),
        ("affine", {"modulus": 91}, "affine: modulus must be a prime, not 91 = 7 x 13"),
    ],
)
def test_refusals(name, arguments, message):
    with pytest.raises(ValueError) as refusal:
        operators.make(name, **arguments)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(("entries", "room"), [(1, 1), (2, 2), (3, 4), (64, 64), (65, 128)])
def test_collect_gets_room_for_a_window(entries, room):
    assert operators.make_for("collect", "int64", entries).capacity == room
    assert operators.make_for("sum", "int64", entries) == operators.make("sum", "int64")
    assert operators.make_for("concat", None, entries) == operators.make("concat")


def test_affine_with_the_largest_prime_stays_within_int64():
    modulus = next(p for p in range(3_037_000_499, 3, -2) if all(p % d for d in range(3, int(p**0.5) + 1, 2)))
    machine = Machine(operators.make("affine", modulus=modulus), 3, np.array([modulus - 3, -2, *WHOLE]))
    machine.steps([(0, 0, 0, 0), (0, 1, 1, 0), (2, 2, 0, 1), (4, 0, 2, 0)])
    x = 1
    for v in (modulus - 3, -2):
        x = ((1 + v % (modulus - 1)) * x + v * v) % modulus
    assert machine.out[0] == x


@pytest.mark.parametrize(
    ("name", "dtype", "written", "value"),
    [
        ("sum", "float64", 3, 3),
        ("sum", "float64", np.float32(2.5), 2.5),
        ("sum", "int64", 4.0, 4),
        ("sum", "int64", True, 1),
        ("count", None, math.nan, math.nan),
        ("arg_max", "int64", (5, np.int32(7)), (5, 7)),
        ("arg_max", "float64", [5, 7.5], (5, 7.5)),
        ("arg_min", "float64", 5, 5),
        ("sum", "int32", 2**31 - 1, 2**31 - 1),
        ("max", "int32", -(2.0**31), -(2**31)),
        ("sum", "float32", 0.1, float(np.float32(0.1))),
        ("max", "float32", math.inf, math.inf),
        ("concat", None, "a", 97),
        ("concat", None, "ab", 97 + 256 * 98),
        ("concat", None, 97, 97),
    ],
)
def test_encode(name, dtype, written, value):
    assert operators.encode(operators.make(name, dtype), written) == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "dtype", "written", "message"),
    [
        ("sum", "int64", 2.5, "sum: a value must be a whole number of at most 64 bits, not 2.5"),
        ("sum", "int64", 2**63, "sum: a value must be a whole number of at most 64 bits, not 9223372036854775808"),
        ("sum", "int32", 2**31, "sum: a value must be a whole number of at most 32 bits, not 2147483648"),
        ("max", "int32", -(2**31) - 1, "max: a value must be a whole number of at most 32 bits, not -2147483649"),
        ("arg_max", "int32", (1, 2**31), "arg_max: a value must be a whole number of at most 32 bits, not 2147483648"),
        ("min", "int32", 0.5, "min: a value must be a whole number of at most 32 bits, not 0.5"),
        ("sum", "float32", 1e39, "sum: a value must be a number that a float32 holds, not 1e+39"),
        ("max", "float64", "7", "max: a value must be a number, not '7'"),
        (
            "arg_max",
            "float64",
            (1, 2, 3),
            "arg_max: a value must be a number or a pair (measure, argument), not (1, 2, 3)",
        ),
        ("arg_max", "float64", (1, "who"), "arg_max: a value must be a number, not 'who'"),
        ("concat", None, "", "concat: a value must be a string of 1 to 7 Latin-1 characters or a code from 1 to 255"),
        ("concat", None, "eightchr", "concat: a value must be a string of 1 to 7"),
        ("concat", None, "€", "concat: a value must be a string of 1 to 7"),
        ("concat", None, chr(256), "concat: a value must be a string of 1 to 7"),
        ("concat", None, 256, "concat: a value must be a string of 1 to 7"),
        ("concat", None, 0, "concat: a value must be a string of 1 to 7"),
    ],
)
def test_encode_refuses(name, dtype, written, message):
    with pytest.raises(ValueError) as refusal:
        operators.encode(operators.make(name, dtype), written)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize("alias", operators.ALIASES)
def test_names_of_pandas_and_sql(alias):
    own = operators.ALIASES[alias]
    assert operators.make(alias) == operators.make(own) and operators.own_name(alias) == own
    assert operators.make(alias).name == own and operators.versions(alias) == operators.versions(own)
    assert alias not in operators.names()


def test_a_deviation_is_that_of_pandas():
    values = pd.Series([1e9, 1e9 + 1, 1e9 + 4, 3.0, 1e9 + 2])
    for name, expected in (("mean", "mean"), ("std", "std"), ("var", "var")):
        s = SlidingAggregate(size=3, slide="row", by="count", partial=False, operator=name)
        wanted = getattr(values.rolling(3), expected)().dropna().tolist()
        assert s.batch(None, values)["value"].tolist() == pytest.approx(wanted, rel=1e-6)


def test_nothing_that_has_left_is_left_over():
    """A deviation after a value of 1e16 is as exact as before it: nothing is subtracted."""
    values = [1.0, 2.0, 1e16, 4.0, 5.0, 6.0]
    s = SlidingAggregate(
        size=2, slide="row", by="count", partial=False, operator={"s": "std", "v": "variance", "m": "mean"}
    )
    last = {name: column[-1] for name, column in s.batch(None, values).items()}
    assert (last["s"], last["v"], last["m"]) == (0.5**0.5, 0.5, 5.5)
