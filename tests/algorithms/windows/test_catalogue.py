"""Cards: complete, true about memory, and refusing what their law excludes, with the reason."""

import dataclasses
import importlib.util
import pkgutil

import pytest

from algorithms import catalogue, operators, window
from algorithms.windows.contract import (
    ANY_ORDER,
    GROUP,
    IN_ORDER,
    ONE_OF,
    OPERATIONS,
    PACKAGES,
    SELECTIVE_OR_GROUP,
    Card,
    card,
)

pytestmark = pytest.mark.smoke

CARDS = catalogue()
every_card = pytest.mark.parametrize("known", CARDS.values(), ids=CARDS.keys())


@every_card
def test_a_card_says_everything(known):
    assert known.name.isidentifier()
    assert known.name == known.name.lower()
    assert known.title
    assert any(character.isdigit() for character in known.paper), "the paper's year"
    assert known.order in (IN_ORDER, ANY_ORDER)
    assert known.law in ONE_OF
    assert known.space
    assert known.operations[:3] == ("insert", "evict", "query")
    assert set(known.operations) <= set(OPERATIONS)
    assert tuple(known.time) == known.operations, "a cost for each operation, in the same order"
    assert all(known.time.values())


@every_card
def test_every_parameter_is_documented_and_its_default_allowed(known):
    for parameter in known.parameters.values():
        assert len(parameter.meaning.split()) >= 3
        assert parameter.default >= parameter.least
    assert known.complete({}) == {name: parameter.default for name, parameter in known.parameters.items()}


@every_card
def test_a_parameter_below_its_least_is_refused(known):
    for name, parameter in known.parameters.items():
        with pytest.raises(ValueError, match=f"{name} must be a whole number of at least {parameter.least}"):
            known.complete({name: parameter.least - 1})
    with pytest.raises(ValueError, match="unknown parameter of"):
        known.complete({"no_such_parameter": 1})


@every_card
@pytest.mark.parametrize("capacity", [1, 2, 1000, 4097])
def test_bytes_are_what_a_new_window_takes(known, capacity):
    for op in map(operators.make, ("sum", "max", "sample_stddev", "bloom")):
        if not known.refusal(op):
            w = known.new(op, capacity)
            assert known.bytes(op, capacity) == sum(field.nbytes for name, field in zip(w._fields, w) if name != "op")


@every_card
def test_every_window_has_an_operator_and_partials_of_it(known):
    w = known.new(operators.make("sum"), 5)
    assert w.op.name == "sum"
    assert w.agg.dtype == w.op.dtype
    known.check(w)


def test_every_module_of_the_packages_is_in_the_catalogue_or_has_no_card():
    with_card = 0
    for package in PACKAGES:
        found = importlib.util.find_spec(f"algorithms.windows.{package}")
        for info in pkgutil.iter_modules(found.submodule_search_locations if found else []):
            module = importlib.import_module(f"algorithms.windows.{package}.{info.name}")
            if hasattr(module, "CARD"):
                with_card += 1
                assert CARDS[info.name] is module.CARD, "the card's name is the module's name"
    assert with_card == len(CARDS)


def synthetic(law: str) -> Card:
    return dataclasses.replace(CARDS["recalc"], name="synthetic", law=law)


@pytest.mark.parametrize("operator", operators.names())
@pytest.mark.parametrize(
    ("law", "one_of"), [(GROUP, {"invertible"}), (SELECTIVE_OR_GROUP, {"invertible", "selective"})]
)
def test_a_card_refuses_exactly_the_operators_without_its_law(operator, law, one_of):
    op, demanding = operators.make(operator), synthetic(law)
    reason = demanding.refusal(op)
    assert bool(reason) == (not one_of & set(op.laws))
    if reason:
        assert "synthetic" in reason
        assert operator in reason
        assert all(wanted in reason for wanted in one_of)
        with pytest.raises(ValueError, match="needs an operator that is"):
            demanding.new(op, 5)
    else:
        demanding.new(op, 5)


@every_card
@pytest.mark.parametrize("operator", operators.names())
def test_the_facade_refuses_what_the_card_refuses(known, operator):
    op = operators.make(operator)
    if reason := known.refusal(op):
        with pytest.raises(ValueError, match=reason):
            window(known.name, operator, capacity=5)
    else:
        assert len(window(known.name, op, capacity=5).card.operations) >= 3


def test_an_unknown_window_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="unknown algorithm 'two_stack_lite'; did you mean two_stacks_lite"):
        card("two_stack_lite")
