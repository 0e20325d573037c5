"""What a window says it keeps is what it keeps: every partial aggregate is that of the elements named with it."""

import random

import pytest

from algorithms import operators
from algorithms.operators.registry import make
from algorithms.windows.contract import catalogue
from algorithms.windows.make import window

TELLING = [card.name for card in catalogue().values() if card.kept]
CAPACITY = 16
OPERATORS = {"soe": ("sum",), "slick_deque": ("max", "sum")}


def result_of(op, values):
    """The aggregate of the values, from a window that keeps nothing but them."""
    w = window("recalc", operator=op, capacity=CAPACITY)
    for time, value in enumerate(values):
        w.insert(time, value)
    return w.query()


@pytest.mark.parametrize("name", TELLING)
def test_every_partial_is_that_of_its_elements(name):
    for operator in OPERATORS.get(name, ("concat",)):
        op = make(operator, "int64")
        w, values, chance = window(name, operator=op, capacity=CAPACITY), [], random.Random(name)
        parts = set()
        for time in range(160):
            swelling = time % 50 < 30
            if not values or (len(values) < CAPACITY and chance.random() < (0.8 if swelling else 0.35)):
                values.append("abcdefghijklmnopqrstuvwxyz"[time % 26] if operator == "concat" else time * 37 % 101)
                w.insert(time, values[-1])
            else:
                values.pop(0)
                w.evict()
            w.query()
            for part, first, end, slot in w.card.kept(w._w):
                assert 0 <= first < end <= len(values), (part, first, end)
                shown = operators.present(op, w._w.agg, slot)
                assert shown == result_of(op, values[first:end]), (part, first, end)
                parts.add(part)
            covered = {i for kept in w.card.kept(w._w) for i in range(kept.first, kept.end)}
            assert covered == set(range(len(values)))
        assert parts


def test_an_element_that_was_evicted_out_of_order_is_in_no_partial():
    w, op = window("reactive", operator="concat", capacity=CAPACITY), make("concat", "int64")
    for time, letter in enumerate("abcdef"):
        w.insert(time, letter)
    w.evict_at(2)
    assert w.query() == "abdef"
    texts = {operators.present(op, w._w.agg, kept.slot) for kept in w.card.kept(w._w)}
    assert "abd" in texts and not any("c" in text for text in texts)


def test_only_trees_and_levels_of_pairs_do_not_tell():
    silent = {card.name for card in catalogue().values() if not card.kept}
    assert silent == {"fiba", "b_tree", "fiba_folds", "amta", "log_mta", "kvs_amta", "kvs_log_mta"}
