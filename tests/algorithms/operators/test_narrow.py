"""Operators of 32 bits, the types of the Reactive Aggregator's paper: what they keep, what wraps, what is refused."""

import numpy as np
import pytest

from algorithms import ValueKindError, operators, window
from algorithms.operators.registry import narrow_versions, versions
from tests.algorithms.test_values import THROUGH

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

MOST, LEAST = 2**31 - 1, -(2**31)
TOO_LARGE = "a value must be a whole number of at most 32 bits, not .*2147483648"
TOO_LARGE_FLOAT = "a value must be a number that a float32 holds, not 1e+39"

BYTES = {"sum": 4, "max": 4, "min": 4, "max_count": 16, "min_count": 16, "arg_max": 16, "arg_min": 16}
"""Of a partial: section 6.2 counts 4 bytes for each intermediate result of Max. Numbers of values have 64 bits."""


def values_of(name, dtype, values):
    w = window("reactive", name, capacity=len(values), dtype=dtype)
    w.insert_many(range(len(values)), values)
    return w.query()


@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize("name", BYTES)
def test_partials_have_the_bytes_of_the_paper(name, dtype):
    op = operators.make(name, dtype)
    assert (op.takes, op.dtype.itemsize) == (dtype, BYTES[name])


def test_every_operator_of_numbers_has_versions_of_32_bits():
    narrow = {name for name in operators.names() if narrow_versions(name)}
    assert set(operators.names()) - narrow == {"affine", "bloom", "collect", "concat", "ddsketch", "hyperloglog"}
    assert {versions(name) for name in narrow} == {("float64", "int64")}, "streams choose among these alone"


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("sum", [MOST, 1], LEAST),  # as an int of C++ does
        ("sum", [LEAST, -1], MOST),
        ("sum", [MOST, 1, -1], MOST),
        ("arithmetic_mean", [MOST, MOST, MOST], MOST),  # sums of means have 64 bits
        ("population_stddev", [LEAST, MOST], (MOST - LEAST) / 2),
        ("max", [LEAST, LEAST + 1], LEAST + 1),
        ("min", [MOST, MOST - 1], MOST - 1),
        ("max_count", [LEAST, LEAST], 2),
        ("arg_max", [(LEAST, MOST), (LEAST, 0)], MOST),
        ("first", [LEAST, 1], LEAST),
    ],
)
def test_sums_wrap_around_and_nothing_else_does(name, values, found):
    assert values_of(name, "int32", values) == found


@pytest.mark.parametrize("fold", ["fold", "combine"])
def test_a_fold_wraps_as_single_combines_do(fold):
    w = window("recalc" if fold == "fold" else "two_stacks_lite", "sum", capacity=5, dtype="int32")
    w.insert_many(range(5), [MOST, MOST, 3, LEAST, 7])
    assert w.query() == int(np.array([MOST, MOST, 3, LEAST, 7]).sum().astype(np.int32))


def test_float32_rounds_to_seven_digits_at_every_step():
    assert values_of("sum", "float32", [2.0**24, 1.0]) == 2.0**24
    assert values_of("sum", "float64", [2.0**24, 1.0]) == 2.0**24 + 1


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize(
    "values", [[1, 2**31], np.array([1, 2**31]), np.array([1, 2**31], "u4"), np.array([1.0, 2.0**31])]
)
def test_what_32_bits_do_not_hold_is_refused_by_its_place(through, values):
    with pytest.raises(ValueKindError, match=rf"values\[1\]: sum: {TOO_LARGE}"):
        through(operators.make("sum", "int32"), values, 2)


@pytest.mark.parametrize("values", [[1.0, 1e39], np.array([1.0, 1e39])])
def test_what_a_float32_has_only_infinity_for_is_refused(values):
    with pytest.raises(ValueKindError, match=rf"values\[1\]: sum: {TOO_LARGE_FLOAT}".replace("+", r"\+")):
        values_of("sum", "float32", values)
    assert values_of("max", "float32", [1.0, np.inf]) == np.inf


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "i8", "u8", "f4", "f8"])
def test_columns_of_every_kind_are_taken_where_they_fit(dtype):
    for narrow in ("int32", "float32"):
        assert values_of("sum", narrow, np.array([1, 2, 3], dtype)) == 6


def test_a_product_takes_for_all_its_parts_what_the_narrowest_holds():
    op = operators.product(small=operators.make("sum", "int32"), large=operators.make("sum", "int64"))
    assert op.takes == "int32"
    w = window("reactive", op, capacity=3)
    w.insert_many([1, 2], ([1, 2], [2**40, 1]))
    assert w.query() == (3, 2**40 + 1)
    with pytest.raises(ValueKindError, match=TOO_LARGE):
        w.insert(3, 2**31)
