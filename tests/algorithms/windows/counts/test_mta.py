"""Combines and questions of the Monoid Tree Aggregators against the bounds of their paper (IEEE TPDS 2018, Table 1)."""

import numpy as np
import pytest

from algorithms import operators, policies
from algorithms.kernel import driver
from algorithms.windows.contract import card, size
from algorithms.windows.slider import arrive, slider
from tests.algorithms.windows.counts.measured import bulk_evictions, table
from tests.algorithms.windows.counts.test_in_order import PATTERNS, SIZES, operator_for, run
from tests.algorithms.windows.program import (
    BULK_EVICT,
    BULK_INSERT,
    EVICT,
    INSERT,
    QUERY,
    columns_of,
    counted_maps,
    execute,
)

MTA = ("amta", "log_mta")
AMORTISED = 5
"""Combines of AMTA for an insert and an evict: on R1, in the forest, on the stack, and at most 2 for new results."""


def log2(n):
    return np.ceil(np.log2(np.maximum(n, 1)))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("n", SIZES)
def test_amta_is_amortised_constant(pattern, n):
    done = run("amta", pattern, n)
    changes = (done.codes == INSERT).sum() + (done.codes == EVICT).sum()
    assert done.costs.sum() - (done.codes == QUERY).sum() <= AMORTISED / 2 * changes + 4
    assert (done.at(QUERY)[1] <= 1).all()


def test_a_round_of_amta_costs_the_same_at_every_size():
    """R1, forest, stack and query: 4 combines, and a share of the results that are made anew."""
    for n in (64, 1000, 4096, 20_000):
        steps = np.concatenate(
            (table(INSERT, np.arange(n)), np.tile([(EVICT, 0, 0), (INSERT, n, 1), (QUERY, 0, 0)], (4 * n, 1)))
        )
        _, costs = execute(card("amta"), card("amta").new(operator_for("amta"), n), steps)
        assert 3.9 < costs[n:].sum() / (4 * n) < 4.6, n


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("n", SIZES)
def test_no_single_operation_is_more_than_logarithmic(pattern, n):
    for name, insert, evict in (("amta", (1, 2), (3, 3)), ("log_mta", (1, 2), (1, 0))):
        done = run(name, pattern, n)
        for code, (each, more) in ((INSERT, insert), (EVICT, evict), (QUERY, (0, 1))):
            sizes, costs = done.at(code)
            assert (costs <= each * log2(sizes + 1) + more).all(), (name, code)


@pytest.mark.parametrize("name", MTA)
@pytest.mark.parametrize("m", [1, 2, 11, 100, 1000, 4095, 4096])
def test_a_bulk_eviction_of_any_size_is_logarithmic(name, m):
    n = 4096
    costs = bulk_evictions(name, n, m, max(4, 3 * n // m))
    assert costs.max() <= (3 * log2(n) + 3 if name == "amta" else log2(n))
    if name == "log_mta" and m < n // 2:
        assert costs.max() >= log2(n) // 3, "a bound that is never near says too little"


@pytest.mark.parametrize("name", MTA)
@pytest.mark.parametrize("m", [1, 7, 500, 3000])
def test_a_bulk_insert_is_linear_in_the_batch(name, m):
    known, n = card(name), 1000
    w = known.new(counted_maps(), n + m)
    execute(known, w, table(INSERT, np.arange(n)))
    _, costs = execute(known, w, [(BULK_INSERT, 0, m)], columns_of(n + np.arange(m), np.ones(m)))
    assert costs[0] <= (2 * m + log2(n + m) if name == "amta" else m + 2 * log2(n + m) + 2)
    execute(known, w, [(BULK_EVICT, n // 2, 0)])
    known.check(w)


@driver
def arrive_in_turn(w, s, values, asked, samples, count):
    """samples[i] = how often the policy was asked by arrival i; gives the entries left."""
    for i in range(count):
        before = asked[0]
        arrive(w, s, i, values[i])
        samples[i] = asked[0] - before
    return size(w)


@pytest.mark.parametrize("name", MTA)
def test_a_policy_is_asked_a_logarithmic_number_of_times(name):
    """The youngest value says how many elements stay: the window of 4096 is cut to every size in turn."""
    op = operators.product(count="count", max_size="last")
    policy = policies.counting(policies.max_size())
    cuts = [0, 1, 2, 3, 50, 1000, 2047, 2048, 2049, 4000, 4095]
    values = np.concatenate([[5000] * 4095 + [cut] for cut in cuts]).astype(np.int64)
    columns = columns_of(values, np.zeros(len(values)))
    w, s = card(name).new(op, 4 * 4096), slider(card(name), op, 4 * 4096, policy)
    left = arrive_in_turn(w, s, columns.times, policy.calls, columns.values, len(values))
    asked = np.asarray(columns.values)
    assert left == cuts[-1]
    assert asked.max() <= (2 * 13 + 4 if name == "amta" else 13 + 2)
    assert asked.max() >= 10, "it was asked about parts of every size"
