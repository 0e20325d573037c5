"""The longest increasing run against a search over every run, for every cut of short sequences into partials."""

import itertools

import numpy as np
import pytest

from algorithms import operators
from tests.algorithms.operators.partial_machine import COMBINE, FOLD, LIFT, LOWER, UNIT, Machine

pytestmark = pytest.mark.plain

VARIANTS = [
    pytest.param(strict, latest, id=f"{'strict' if strict else 'equal goes on'}, {'latest' if latest else 'earliest'}")
    for strict in (True, False)
    for latest in (False, True)
]
TIMES = 10 + 3 * np.arange(8)


def longest(values, strict, latest):
    """Length, first and last place, by trying every stretch."""
    found = (0, 0, -1)
    for first, last in itertools.combinations_with_replacement(range(len(values)), 2):
        pairs = itertools.pairwise(values[first : last + 1])
        length = last - first + 1
        if all(a < b or (a == b and not strict) for a, b in pairs) and length >= found[0] + (not latest):
            found = (length, first, last)
    return found


@pytest.mark.parametrize(("strict", "latest"), VARIANTS)
def test_every_short_sequence_however_it_is_put_together(strict, latest):
    op = operators.make("lis", "int64", strict=strict, latest=latest)
    for n in range(1, 7):
        for values in itertools.product(range(3), repeat=n):
            machine = Machine(op, 10, (np.array(values), TIMES[:n]))
            cut = sum(values) % n  # partials of both halves, and those combined
            machine.steps(
                [(LIFT, i, i, 0) for i in range(n)]
                + [(FOLD, 8, 0, cut) if cut else (UNIT, 8, 0, 0), (FOLD, 9, cut, n), (COMBINE, 9, 8, 9)]
                + [(LOWER, 0, 9, 0)]
            )
            length, first, last = longest(values, strict, latest)
            assert machine.out[0] == length, values
            assert operators.present(op, machine.partials, 9) == (length, TIMES[first], TIMES[last]), values
            assert machine.partials[9].before == first, values


def test_nothing_and_nan_are_no_run():
    op = operators.make("lis")
    machine = Machine(op, 4, np.array([1.0, np.nan, 2.0]))
    machine.steps([(LIFT, i, i, 0) for i in range(3)] + [(FOLD, 3, 0, 3)])
    assert operators.present(op, machine.partials, 3) == (2, 1.0, 2.0)
    machine.steps([(UNIT, 0, 0, 0)])
    assert operators.present(op, machine.partials, 0).length == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [((1, 2, 3), "lis: a value must be a number or a pair"), (("x", 1), "lis: a value must be a number, not 'x'")],
)
def test_what_is_no_value_is_refused(value, message):
    with pytest.raises(ValueError, match=message):
        operators.encode(operators.make("lis"), value)


@pytest.mark.parametrize("name", ["strict", "latest"])
def test_an_option_is_true_or_false(name):
    with pytest.raises(ValueError, match=f"lis: {name} must be True or False, not 1"):
        operators.make("lis", **{name: 1})
