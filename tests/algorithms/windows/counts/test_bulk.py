"""Combines of bulk evict and bulk insert against the bounds of the 2023 extension, and against a loop."""

import numpy as np
import pytest

from tests.algorithms.windows.counts.measured import batch_and_loop, bulk_evictions, distance_rounds

ARITIES = (2, 4, 8)
every_arity = pytest.mark.parametrize("min_arity", ARITIES)

#     min_arity                                             2     4     8
EVICT_ONE = dict(zip(ARITIES, (7.4, 17.4, 38.0)))  #    6.2  14.5  32.0  counted, m = 1
PER_DOUBLING = dict(zip(ARITIES, (2.8, 4.4, 6.7)))  #   2.4   3.8   5.7  that each doubling of m adds at most
INSERT = dict(zip(ARITIES, (6.0, 6.3, 5.1)))  #         5.1   5.2   4.2  over log2(1 + d) + m (1 + log2(1 + d/m))

BATCHES = [  # distance of the youngest, entries, old entries between two of them
    *((8, 2, 1), (8, 100, 1), (1000, 100, 1), (4000, 100, 0), (4000, 500, 0), (8000, 1000, 1), (8000, 100, 7)),
    *((20_000, 1000, 20), (60_000, 2000, 2), (30_000, 8, 1), (30_000, 64, 500)),
]
AT_THE_YOUNG_END = [(d, m, spread) for d in (0, 1, 2, 3, 5, 8, 13) for m, spread in ((400, 0), (4000, 0), (400, 1))]
"""Where inserts one by one cost next to nothing; a batch need not be cheaper, but stays within its bound."""


@every_arity
def test_bulk_evict_of_fiba_costs_the_logarithm_of_the_number_evicted(min_arity):
    for m in (1, 2, 3, 7, 16, 64, 256, 1024, 4096, 16_384):
        costs = bulk_evictions("fiba", 1 << 16, m, min(2000, max(50, 200_000 // m)), min_arity=min_arity)
        assert costs.mean() <= EVICT_ONE[min_arity] + PER_DOUBLING[min_arity] * np.log2(m), f"m = {m}"


@every_arity
def test_bulk_evict_of_the_classic_tree_costs_the_logarithm_of_the_window(min_arity):
    worst = {}
    for k in (10, 13, 16):
        worst[k] = max(bulk_evictions("b_tree", 1 << k, m, 50, min_arity=min_arity).max() for m in (1, 16, 100, 1000))
        assert worst[k] <= (3.3, 5.5, 8.9)[ARITIES.index(min_arity)] * k
    assert worst[16] > worst[10]


@every_arity
def test_bulk_evict_is_cheaper_than_a_loop(min_arity):
    one = distance_rounds("fiba", 1 << 14, 0, 5000, min_arity=min_arity).evict.mean()
    for m in (8, 64, 1024):
        assert bulk_evictions("fiba", 1 << 14, m, 50, min_arity=min_arity).mean() < 0.95 * m * one, f"m = {m}"


@every_arity
@pytest.mark.parametrize("name", ["fiba", "b_tree"])
@pytest.mark.parametrize(("d", "m", "spread"), BATCHES)
def test_bulk_insert_is_cheaper_than_a_loop(name, min_arity, d, m, spread):
    batch, loop = batch_and_loop(name, 1 << 16, d, m, spread, min_arity=min_arity)
    assert batch < loop * (0.5 if m >= 100 else 0.95)


@every_arity
@pytest.mark.parametrize(("d", "m", "spread"), [*BATCHES, *AT_THE_YOUNG_END])
def test_bulk_insert_of_fiba_stays_within_its_bound(min_arity, d, m, spread):
    batch, _ = batch_and_loop("fiba", 1 << 16, d, m, spread, min_arity=min_arity)
    farthest = max(m, d + spread * m)
    assert batch <= INSERT[min_arity] * (np.log2(1 + d) + m * (1 + np.log2(1 + farthest / m)))
