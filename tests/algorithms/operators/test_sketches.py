"""Sketches keep to the errors that they state, and the same partial comes of every order of merging."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import catalogue, operators, window
from algorithms.operators.ddsketch import bucket_of, value_of
from algorithms.operators.machine import COMBINE, LIFT, UNDO, UNIT
from tests.algorithms.operators.partial_machine import Machine
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.smoke]


def adding(n):
    """The steps that add n values to slot 0."""
    return [step for i in range(n) for step in ((LIFT, 1, i, 0), (COMBINE, 0, 0, 1))]


def partial(op, values):
    """A machine whose slot 0 has the sketch of the values."""
    machine = Machine(op, 2, np.asarray(values, op.takes))
    machine.steps([(UNIT, 0, 0, 0), *adding(len(values))])
    return machine


def presented(op, values):
    return operators.present(op, partial(op, values).partials, 0)


# ------------------------------------------------------------------------------------------------------------ quantiles

SIZES = st.floats(1e-6, 1e9) | st.sampled_from([1e-6, 1e9, 1.0])
NUMBERS = st.builds(lambda size, sign: size * sign, SIZES, st.sampled_from([-1, 1]))


@settings(max_examples=examples(200))
@given(st.lists(NUMBERS, min_size=1, max_size=12), st.floats(0, 1), st.sampled_from([0.3, 0.02]))
def test_a_quantile_is_within_its_accuracy(values, quantile, accuracy):
    found = presented(operators.make("ddsketch", quantile=quantile, accuracy=accuracy), values)
    exact = np.quantile(values, quantile, method="lower")
    assert abs(found - exact) <= accuracy * abs(exact) * (1 + 1e-9)


@pytest.mark.parametrize("accuracy", [0.5, 0.02, 0.001])
def test_every_bucket_is_as_wide_as_its_accuracy(accuracy):
    op = operators.make("ddsketch", accuracy=accuracy)
    sizes = np.geomspace(op.least, op.most, 2000).clip(op.least, op.most)
    errors = [abs(value_of(op, bucket_of(op, s * x)) / (s * x) - 1) for x in sizes.tolist() for s in (-1, 1)]
    assert accuracy / 2 < max(errors) <= accuracy * (1 + 1e-9)
    buckets = [bucket_of(op, x) for x in sizes.tolist()]
    assert buckets == sorted(buckets)


def test_what_is_out_of_range_is_zero_or_infinite_and_never_wrong():
    for value, expected in [(1e-7, 0.0), (-1e-7, 0.0), (0.0, 0.0), (2e9, math.inf), (-math.inf, -math.inf)]:
        assert presented(operators.make("ddsketch"), [value]) == expected
    assert math.isnan(presented(operators.make("ddsketch"), []))
    assert math.isnan(presented(operators.make("ddsketch"), [math.nan]))


def test_subtracting_is_exact():
    op = operators.make("ddsketch", quantile=0.75)
    values = np.random.default_rng(1).lognormal(3, 2, 60)
    machine = partial(op, values)
    machine.steps(step for i in range(40) for step in ((LIFT, 1, i, 0), (UNDO, 0, 0, 1)))
    assert machine.states()[0] == partial(op, values[40:]).states()[0]


def lower_median(values):
    return float(np.quantile(values, 0.5, method="lower"))


@pytest.mark.parametrize("name", ["soe", "two_stacks_lite", "fiba"])
def test_sketches_slide(name):
    values = np.random.default_rng(2).lognormal(2, 1, 40).round(1)
    for operator, exact in [("ddsketch", lower_median), ("hyperloglog", lambda x: len(set(x)))]:
        if catalogue()[name].refusal(operators.make(operator)):
            assert (name, operator) == ("soe", "hyperloglog")
            continue
        w = window(name, operator, capacity=10)
        for i, value in enumerate(values.tolist()):
            if len(w) == 10:
                w.evict()
            w.insert(i, value)
            assert w.query() == pytest.approx(exact(values[max(0, i - 9) : i + 1].tolist()), rel=0.0201)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"quantile": 1.5}, "ddsketch: quantile must be a number between 0 and 1, not 1.5"),
        ({"quantile": math.nan}, "quantile must be"),
        ({"accuracy": 0}, "accuracy must be a number between 0 and 1, not 0"),
        ({"least": 0}, "least must be a number between 0 and inf, not 0"),
        ({"least": 10, "most": 1}, "most must be a number between 10 and inf, not 1"),
        ({"accuracy": 1e-7}, "accuracy 1e-07 takes .* buckets"),
    ],
)
def test_impossible_settings(settings, said):
    with pytest.raises(ValueError, match=said):
        operators.make("ddsketch", **settings)


# ------------------------------------------------------------------------------------------------------ distinct values


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_estimates_deviate_as_much_as_they_say(dtype):
    """The root mean square of 30 relative errors: near what is stated, for few and for many values."""
    op, rng = operators.make("hyperloglog", dtype, precision=6), np.random.default_rng(3)
    stated = 1.04 / 2**3
    for distinct in (200, 1000):
        errors = []
        for _ in range(30):
            values = rng.integers(-(2**62), 2**62, distinct) if dtype == "int64" else rng.normal(size=distinct)
            errors.append(presented(op, values) / distinct - 1)
        assert 0.5 * stated < math.sqrt(np.mean(np.square(errors))) < 1.4 * stated
        assert abs(np.mean(errors)) < 0.5 * stated, "no bias"


@pytest.mark.parametrize("first", [0, 10**6, 2**40, -(2**62)])
def test_values_in_a_row_are_as_good_as_random_ones(first):
    op = operators.make("hyperloglog", "int64", precision=10)
    assert presented(op, np.arange(first, first + 3000)) == pytest.approx(3000, rel=3 * 1.04 / 2**5)


def test_few_values_are_counted_almost_exactly():
    op = operators.make("hyperloglog")
    assert [presented(op, list(range(n))) for n in (0, 1, 2, 3)] == [0, 1, 2, 3]
    assert presented(op, [1.0, math.nan, -0.0, 0.0, 1.0]) == 2
    assert presented(op, range(100)) == pytest.approx(100, abs=2)


def test_repeated_values_and_the_order_of_merging_change_nothing():
    op, values = operators.make("hyperloglog", "int64", precision=4), [5, 7, 7, -3, 900]
    states = {str(partial(op, order).states()[0]) for order in itertools.permutations(values)}
    assert len(states) == 1
    assert str(partial(op, values * 3).states()[0]) in states


def test_full_registers():
    """Every register at its longest run: more values than there are hashes."""
    op = operators.make("hyperloglog", precision=4)
    machine = partial(op, [1.0])
    machine.partials[0].registers[:] = 61
    assert operators.present(op, machine.partials, 0) > 2**60


def test_precision_out_of_range():
    with pytest.raises(ValueError, match="hyperloglog: precision must be a whole number from 4 to 16, not 3"):
        operators.make("hyperloglog", precision=3)
