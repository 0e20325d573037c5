"""What tests/algorithms/windows/test_scripts.py does in processes of its own, smaller and where changes reach it.

Not collected by itself: targets.yaml names it. A window's own module, and what it is made of, are searched with it.
"""

import numpy as np
import pytest

from algorithms import catalogue
from algorithms.operators.counting import Counting
from algorithms.windows.contract import IN_ORDER
from tests.algorithms.windows import exhaustive, program, slid
from tests.fuzz import naive

CARDS = catalogue()

TREES = ("fiba", "fiba_folds", "b_tree")

SEARCHES = [
    *[("basic", name, 6) for name, card in CARDS.items() if card.order == IN_ORDER],
    *[("sequences", name, 3, 4) for name, card in CARDS.items() if len(card.operations) > 3],
    *[("shapes", name, 2, most) for name, most in zip(TREES, (6, 5, 5), strict=True)],
    ("slides", "flat_fat", 4, 1, 1),
    ("slides", "reactive", 4, 2, 1),
    ("slides", "reactive", 4, 1, 0),
]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: " ".join(map(str, search)))
def test_short_histories_agree_with_the_naive_window(search):
    kind, name, *numbers = search
    assert getattr(exhaustive, kind)(CARDS[name], *numbers)["steps"]


@pytest.mark.parametrize("name", ["recalc", "amta", "log_mta"])
def test_short_streams_leave_what_the_policy_keeps(name):
    """The windows that keep lifted values themselves, and one for which the slider does."""
    assert slid.search(CARDS[name], 2)


@pytest.mark.parametrize("name", TREES)
def test_a_deep_tree_finds_every_place_between_its_entries(name):
    """Entries at even times make spines of six nodes; odd times come in an order that climbs them to every height."""
    card, entries = CARDS[name], 150
    steps = [(program.INSERT, 2 * n, n % 7) for n in range(entries)]
    for n in range(entries):
        time = 2 * (89 * n % entries) + 1
        steps += [(program.INSERT, time, n % 5), (program.QUERY, 0, 0)]
        steps += [(program.RANGE, time, 2 * entries), (program.RANGE, 0, time)] * ("range_query" in card.operations)
    w = card.new(program.counted_maps(), entries * 2, min_arity=2)
    found, _ = program.execute(card, w, steps)
    nothing = np.zeros(1, np.int64)
    assert np.array_equal(found, naive.answers(np.array(steps, np.int64), nothing, nothing, True))
    card.check(w)


@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize("seed", [2, 5])
def test_random_histories_agree_with_folds(name, seed):
    card = CARDS[name]
    steps, columns = program.random_program(card, 2_000, seed)
    batch = np.asarray(columns.times), np.asarray(columns.values)
    expected = naive.answers(np.array(steps, np.int64), *batch, card.order != IN_ORDER)
    fitting = {"min_arity": seed} if "min_arity" in card.parameters else {}
    operator = program.counted_maps()
    assert isinstance(operator, Counting)
    w = card.new(operator, program.MOST, **fitting)
    found, _ = program.execute(card, w, steps, columns)
    assert np.array_equal(found, expected)
    card.check(w)
