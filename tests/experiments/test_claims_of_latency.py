"""Every judge of in_order_latency on made-up rows, and single rounds measured."""

import json

import numpy as np
import pytest

from experiments.harness import judgement
from experiments.harness.cell import Cell
from experiments.harness.measuring import single_rounds
from experiments.peers.in_order_latency import in_order_latency
from tests.experiments.made_rows import frame, row, verdict

N = 1024


def cycles(typical, worst, disturbed):
    """A thousand rounds of which one is costly by itself, and another is disturbed."""
    samples = np.full(1000, float(typical))
    samples[500], samples[disturbed] = worst, 1e7
    return samples


def in_order(worst, counted):
    """`worst` cycles and `counted` combines of the costliest round by algorithm."""
    names = ("two_stacks", "two_stacks_lite", "daba", "daba_lite")
    timed = [
        row(name, metric="latency", window=N, distance=0, samples=cycles(26, worst(name), r), repetition=r)
        for name in names
        for r in (0, 1)
    ]
    facts = [json.dumps({"costliest_round": counted(name)}) for name in names]
    return frame(
        timed + [row(name, metric="combines", window=N, value=1.0, facts=text) for name, text in zip(names, facts)]
    )


def test_bursts():
    cycles_claim, count_claim = "worst round is orders", "constant number of combines"
    even = in_order(lambda name: 5e5 if "stacks" in name else 400, lambda name: N if "stacks" in name else 6)
    alike = in_order(lambda name: 400, lambda name: N)
    for words in (cycles_claim, count_claim):
        assert verdict(in_order_latency, words, even)["verdict"] == judgement.REPRODUCED
        assert verdict(in_order_latency, words, alike)["verdict"] == judgement.NOT_REPRODUCED
        assert verdict(in_order_latency, words, even[:0])["verdict"] == judgement.NOT_MEASURED


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
