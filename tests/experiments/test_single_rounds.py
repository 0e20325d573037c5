"""Rounds that are timed one by one, and the costliest of them by counted combines."""

import pytest

from experiments.harness.cell import Cell
from experiments.harness.measuring import single_rounds

N = 1024


def in_order_cell(algorithm, n, count):
    protocol = {"window": n, "distance": 0, "items": n + count}
    return Cell("none", "in_order_latency", algorithm, {}, "sum", "distance", protocol, n, "single_rounds.latency", 0)


@pytest.mark.parametrize(("algorithm", "least", "most"), [("daba", 1, 8), ("two_stacks", 63, 65), ("recalc", 63, 63)])
def test_the_costliest_round_is_counted(algorithm, least, most):
    found = single_rounds.combines(in_order_cell(algorithm, 64, 200), {})
    assert least <= found["facts"]["costliest_round"] <= most
    assert found["value"] <= 200 * found["facts"]["costliest_round"]


def test_as_many_rounds_are_timed_as_the_workload_has():
    found = single_rounds.latency(in_order_cell("daba", 64, 200), {"operations": None, "minimum_ns": 10**6})
    assert len(found["samples"]) == found["operations"] == 200
