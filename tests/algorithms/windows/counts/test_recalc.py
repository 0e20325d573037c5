"""Combines of recalculation, and of two-stacks lite in the rounds that experiments measure."""

import pytest

from tests.algorithms.windows.counts.measured import distance_rounds

every_size = pytest.mark.parametrize("n", [1, 2, 3, 10, 64, 1000, 1024])


@every_size
def test_recalculation_combines_everything_for_every_query(n):
    rounds = distance_rounds("recalc", n, 0, 50)
    assert (rounds.query == n - 1).all()
    assert not rounds.evict.any()
    assert not rounds.insert.any()


@every_size
def test_a_round_of_two_stacks_lite_costs_three(n):
    """One to insert, one to query, and one evict in n pays n - 1 for all of them."""
    rounds = distance_rounds("two_stacks_lite", n, 0, 20 * n)
    assert rounds.insert.max() <= 1
    assert rounds.query.max() <= 1
    assert rounds.evict.max() == n - 1
    total = rounds.evict.sum() + rounds.insert.sum() + rounds.query.sum()
    assert total <= 3 * len(rounds.evict)
    assert n < 100 or total >= 2.9 * len(rounds.evict)
