"""Lift, fold and lower agree with a direct computation of the aggregate from the list of values."""

import functools
import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import operators, window
from algorithms.operators.bloom import code_of
from algorithms.operators.machine import COMBINE, FOLD, LIFT, LOWER, UNDO, UNIT
from algorithms.operators.monoid import value_dtypes
from tests.algorithms.operators.partial_machine import CASES, Machine
from tests.algorithms.windows.oracle import affine
from tests.examples import examples

WHOLE = st.integers(-50, 50) | st.integers(-(10**9), 10**9)
FLOATS = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
VALUES = {
    "int64": WHOLE,
    "int32": st.integers(-50, 50) | st.integers(-(10**8), 10**8),  # sums of a dozen do not wrap around
    "float64": FLOATS,
    "float32": st.floats(-1000, 1000, width=32),
}
ROUNDING = {"float64": {"rel": 1e-9, "abs": 1e-6}, "float32": {"rel": 1e-5, "abs": 0.01}}
"""By what the operator takes, if it is not exact."""


def aggregate(op, values):
    """(number of compiled code, what people see) of the fold of the values; of the identity when there are none."""
    n = len(values)
    if n and isinstance(values[0], tuple):
        columns = tuple(np.array(column, op.takes) for column in zip(*values, strict=True))
    else:
        columns = np.array(values or [0], op.takes)
    machine = Machine(op, n + 2, columns)
    machine.steps([(LIFT, k, k, 0) for k in range(n)] + [(UNIT, n, 0, 0)])
    machine.steps([(FOLD, n + 1, 0, n + 1), (LOWER, 0, n + 1, 0)])
    return machine.out[0].item(), operators.present(op, machine.partials, n + 1)


def nan_for_fewer(least, function):
    return lambda values: function(values) if len(values) >= least else math.nan


ORACLES = {
    "count": len,
    "sum": math.fsum,
    "compensated_sum": math.fsum,
    "max": lambda values: max(values, default=None),
    "min": lambda values: min(values, default=None),
    "arithmetic_mean": nan_for_fewer(1, statistics.fmean),
    "max_count": lambda values: values.count(max(values, default=0)),
    "min_count": lambda values: values.count(min(values, default=0)),
    "sample_stddev": nan_for_fewer(2, lambda values: float(np.std(values, ddof=1, dtype="longdouble"))),
    "population_stddev": nan_for_fewer(1, lambda values: float(np.std(values, dtype="longdouble"))),
    "null_count": lambda values: 0,
    "sample_variance": nan_for_fewer(2, lambda values: float(np.var(values, ddof=1, dtype="longdouble"))),
    "population_variance": nan_for_fewer(1, lambda values: float(np.var(values, dtype="longdouble"))),
    "first": lambda values: values[0] if values else None,
    "last": lambda values: values[-1] if values else None,
    "affine": affine,
}


def nothing_gives(op):
    """`lower` of an empty window where Python has no answer: the identity's value."""
    identity = op.identity[-1] if isinstance(op.identity, tuple) else op.identity
    return pytest.approx(identity, nan_ok=True)


@pytest.mark.parametrize("case", [c for c in CASES if CASES[c].name in ORACLES and c != "affine-101"])
def test_agrees_with_direct_computation(case):
    op = CASES[case]

    @settings(max_examples=examples(40), deadline=None)
    @given(st.lists(VALUES[op.takes], max_size=12))
    def check(values):
        lowered, seen = aggregate(op, values)
        expected = ORACLES[op.name](values)
        if expected is None:
            assert lowered == nothing_gives(op)
        else:
            rounding = {"rel": 0, "abs": 0} if op.exact else ROUNDING[op.takes]
            assert lowered == pytest.approx(expected, nan_ok=True, **rounding)
            assert seen == pytest.approx(lowered, rel=0, abs=0, nan_ok=True)

    check()


@pytest.mark.parametrize("values", [[1.0], [2.0, 8.0], [0.5, 3.0, 1e9, 1e-9], [1e300] * 5], ids=str)
def test_geometric_mean(values):
    assert aggregate(operators.make("geometric_mean"), values)[0] == pytest.approx(statistics.geometric_mean(values))


def test_geometric_mean_of_nothing_zero_and_negatives():
    op = operators.make("geometric_mean")
    assert math.isnan(aggregate(op, [])[0])
    assert aggregate(op, [0.0, 5.0])[0] == 0
    assert math.isnan(aggregate(op, [-1.0, 5.0])[0])


@pytest.mark.parametrize("name", ["arg_max", "arg_min"])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_arguments_of_the_first_extreme(name, dtype):
    op, choose = operators.make(name, dtype), max if name == "arg_max" else min
    for measures in itertools.product((-3, 0, 5), repeat=4):
        values = [(m, 100 + place) for place, m in enumerate(measures)]
        assert aggregate(op, values)[0] == choose(values, key=lambda value: value[0])[1]
    assert aggregate(op, [4, -7, 9, 2])[0] == choose(4, -7, 9, 2), "a number is measure and argument"
    lowest = [(np.iinfo(np.int64).min if name == "arg_max" else np.iinfo(np.int64).max, 8)]
    assert aggregate(op, lowest)[0] == 8, "the identity wins no tie"


@pytest.mark.parametrize("name", ["max", "min", "max_count", "min_count", "arg_max", "arg_min"])
def test_nan_is_no_value(name):
    op = operators.make(name)
    assert aggregate(op, [math.nan, 3.0, math.nan, -2.0, math.nan])[0] == aggregate(op, [3.0, -2.0])[0]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(-9, 9), max_size=8), st.integers(1, 5))
def test_collect_gives_the_whole_list_or_says_that_it_cannot(values, capacity):
    op = operators.make("collect", "int64", capacity=capacity)
    if len(values) <= capacity:
        assert aggregate(op, values) == (len(values), values)
    else:
        with pytest.raises(operators.CutOffError, match=rf"at most {capacity} values .* \({len(values)} values now\)"):
            aggregate(op, values)


def test_collect_says_that_a_list_was_cut_off_until_nothing_of_it_is_left():
    op = operators.make("collect", "int64", capacity=3)
    machine = Machine(op, 2, np.arange(5))
    machine.steps([(UNIT, 0, 0, 0), *(step for i in range(5) for step in ((LIFT, 1, i, 0), (COMBINE, 0, 0, 1)))])
    for i in range(5):
        with pytest.raises(operators.CutOffError):
            operators.present(op, machine.partials, 0)
        machine.steps([(LIFT, 1, i, 0), (UNDO, 0, 0, 1)])
    assert operators.present(op, machine.partials, 0) == []
    machine.steps([(COMBINE, 0, 0, 1)])
    assert operators.present(op, machine.partials, 0) == [4]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.text("abcß", min_size=1, max_size=7), max_size=5), st.integers(1, 16))
def test_concat_keeps_the_first(texts, capacity):
    op, whole = operators.make("concat", capacity=capacity), "".join(texts)
    lowered, seen = aggregate(op, [operators.encode(op, text) for text in texts])
    assert (lowered, seen) == (len(whole), whole if len(whole) <= capacity else whole[:capacity] + "…")


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_bloom_forgets_nothing_and_invents_little(dtype):
    op = operators.make("bloom", dtype, probe=17)
    values = [k * 64 - 9 for k in range(1000)] + ([] if dtype == "int64" else [0.5, -1e300, math.inf])
    lowered, seen = aggregate(op, values)
    assert lowered == 0 and aggregate(op, [*values, 17])[0] == 1
    assert all(value in seen for value in values)
    strangers = [k for k in range(50_000, 150_000) if (k + 9) % 64]
    wrong = sum(k in seen for k in strangers) / len(strangers)
    expected = (1 - math.exp(-4 * len(values) / 2**14)) ** 4
    assert expected / 3 < wrong < expected * 3
    assert 55 in seen and 55.0 in seen, "equal numbers are the same value"


@pytest.mark.parametrize("number", [-(2.0**63), 2.0**63, -(2.0**64), 1e300, math.inf])
def test_codes_of_large_numbers_have_64_bits(number):
    assert -(2**63) <= code_of(number) < 2**63
    if abs(number) == 2.0**63:  # as a whole number, or the nearest to it
        assert code_of(number) == code_of(np.int64(max(-(2**63), min(int(number), 2**63 - 1))))


def test_bloom_zero_has_no_sign():
    for value in (0.0, -0.0):
        seen = aggregate(operators.make("bloom"), [value])[1]
        assert 0.0 in seen and -0.0 in seen


def test_bloom_answer_is_a_copy():
    op = operators.make("bloom")
    machine = Machine(op, 1, np.array([5.0, 6.0]))
    machine.steps([(LIFT, 0, 0, 0)])
    seen = operators.present(op, machine.partials, 0)
    machine.steps([(LIFT, 0, 1, 0)])
    assert 5.0 in seen and 6.0 not in seen
    assert repr(seen) == "<Bloom filter, 4 of 16384 bits set>"


@pytest.mark.parametrize("name", ["sample_stddev", "population_stddev"])
@pytest.mark.parametrize("offset", [0.0, 1e9, 1e12])
def test_deviation_keeps_its_digits_on_large_values(name, offset):
    small = [4.0, 7.0, 13.0, 16.0]
    values = [offset + x for x in small]
    expected = statistics.stdev(small) if name == "sample_stddev" else statistics.pstdev(small)
    assert aggregate(operators.make(name), values)[0] == pytest.approx(expected, rel=1e-6)
    n, total, squares = len(values), sum(values), functools.reduce(lambda s, x: s + x * x, values, 0.0)
    ddof = 1 if name == "sample_stddev" else 0
    textbook = math.sqrt(max(squares - total * total / n, 0) / (n - ddof))
    assert (textbook == pytest.approx(expected, rel=1e-6)) == (offset == 0.0), "sums of squares lose the digits"


def test_deviation_survives_a_long_slide_of_undos():
    rng = np.random.default_rng(3)
    values = 1e9 + rng.normal(size=600)
    machine = Machine(operators.make("sample_stddev"), 602, values)
    state, width = 600, 50
    machine.steps([(LIFT, k, k, 0) for k in range(600)] + [(FOLD, state, 0, width)])
    for k in range(600 - width):
        machine.steps([(COMBINE, state, state, k + width), (UNDO, state, state, k)])
    machine.steps([(LOWER, 0, state, 0)])
    assert machine.out[0] == pytest.approx(np.std(values[-width:], ddof=1), rel=1e-4)


def test_a_compensated_sum_gives_back_what_rounding_took():
    """Also when what had lost by it leaves; an infinite sum has lost nothing that can be known."""
    op = operators.make("compensated_sum")
    machine = Machine(op, 4, np.array([1e16, 1.0, 2.0, math.inf]))
    machine.steps([(LIFT, 0, 0, 0), (LIFT, 1, 1, 0), (COMBINE, 0, 0, 1), (LIFT, 2, 2, 0), (COMBINE, 2, 0, 2)])
    machine.steps([(UNDO, 2, 2, 0), (LOWER, 0, 2, 0), (LIFT, 3, 3, 0), (COMBINE, 3, 3, 0)])
    assert machine.out[0] == 2.0
    assert tuple(machine.partials[3].item()) == (math.inf, 0.0)


@pytest.mark.plain
@pytest.mark.parametrize("name", ["arg_max", "arg_min"])
def test_a_value_with_an_argument_is_a_number_or_a_pair(name):
    op = operators.make(name, "int64")
    assert [value_dtypes(op, width) for width in (1, 2)] == [("int64",), ("int64", "int64")]
    with pytest.raises(ValueError, match=f"{name}.*pair"):
        value_dtypes(op, 3)
    w = window("recalc", op, capacity=4)
    w.insert_many([1, 2, 3], ([5, 7, 5], [10, 20, 30]))
    assert w.query() == {"arg_max": 20, "arg_min": 10}[name]
