"""Combines of the in-order windows, and of recalculation: amortised for each round, and in the worst operation."""

from typing import NamedTuple

import numpy as np
import pytest
from measured import counted_window, distance_rounds, table
from program import INSERT, QUERY, execute

from algorithms import catalogue

SIZES = (1, 2, 3, 10, 64, 1000, 1024)


class Bound(NamedTuple):
    """For windows of n entries: combines of a round on average, and of the worst evict, insert and query."""

    round: float
    evict: float
    insert: float
    query: float


ALL = float("inf")
"""Stands for n - 1: now and then everything is combined anew."""

BOUNDS = {
    "two_stacks_lite": Bound(3, ALL, 1, 1),
    "two_stacks": Bound(3, ALL, 1, 1),
    "daba": Bound(5, 3, 4, 1),
    "daba_lite": Bound(4, 2, 3, 1),
    "soe": Bound(1, 0, 1, 0),
    "slick_deque": Bound(1, 0, 1, 0),
    "flatfit": Bound(3, 0, 0, ALL),
}


@pytest.mark.parametrize("name", [name for name in BOUNDS if name in catalogue()])
@pytest.mark.parametrize("n", SIZES)
def test_rounds_of_an_in_order_window(name, n):
    rounds, bound = distance_rounds(name, n, 0, 20 * n + 200), BOUNDS[name]
    n_to_all = {ALL: n - 1}
    assert rounds.evict.max() <= n_to_all.get(bound.evict, bound.evict)
    assert rounds.insert.max() <= n_to_all.get(bound.insert, bound.insert)
    assert rounds.query.max() <= n_to_all.get(bound.query, bound.query)
    total = rounds.evict.sum() + rounds.insert.sum() + rounds.query.sum()
    assert total <= bound.round * len(rounds.evict) + n  # n: the price of what was filled in before


@pytest.mark.parametrize("name", [name for name in BOUNDS if name in catalogue()])
def test_the_bound_of_a_round_is_reached(name):
    """It is no looser than what a long window costs."""
    rounds = distance_rounds(name, 1000, 0, 20_000)
    total = rounds.evict.sum() + rounds.insert.sum() + rounds.query.sum()
    assert total >= 0.95 * BOUNDS[name].round * len(rounds.evict)


@pytest.mark.parametrize("n", SIZES)
def test_recalculation_combines_everything_for_every_query(n):
    rounds = distance_rounds("recalc", n, 0, 50)
    assert (rounds.query == n - 1).all()
    assert not rounds.evict.any()
    assert not rounds.insert.any()


def test_a_query_of_an_empty_window_combines_nothing():
    for name in catalogue():
        known, w = counted_window(name, 4)
        _, costs = execute(known, w, np.array([(QUERY, 0, 0)]))
        assert costs.sum() <= 1, name
        execute(known, w, table(INSERT, [1]))
