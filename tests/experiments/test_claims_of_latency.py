"""Every judge of fiba_latency on made-up rows, and single rounds measured."""

import numpy as np
import pytest

from experiments.fiba.latency import fiba_latency
from experiments.harness import judgement
from experiments.harness.cell import Cell
from experiments.harness.measuring import single_rounds
from tests.experiments.made_rows import frame, row, verdict

N, FAR = 1024, 256
WITH_BLOOM, CHEAP, WORST, SIMILAR, FAR_BLOOM = (
    "with bloom, the finger trees'",
    "median and minimum are clearly below",
    "worst cases are similar",
    "medians are similar",
    "best finger tree is far below",
)


def cycles(typical, worst, disturbed):
    """A thousand rounds of which one is costly by itself, and another is disturbed."""
    samples = np.full(1000, float(typical))
    samples[500], samples[disturbed] = worst, 1e7
    return samples


def trees(median):
    """Rows of two repetitions; `median` of (algorithm, operator, distance)."""
    return frame(
        row(algorithm, {"min_arity": arity}, operator=operator, window=N, distance=d, metric="latency", unit="cycles",
            samples=cycles(median(algorithm, operator, d), 2000, repetition), repetition=repetition)
        for algorithm in ("b_tree", "fiba") for arity in (2, 4) for operator in ("sum", "geometric_mean", "bloom")
        for d in (0, FAR) for repetition in (0, 1)
    )  # fmt: skip


def as_published(algorithm, operator, d):
    if algorithm == "fiba" and (operator == "bloom" or d == 0):
        return 100
    return 1500 if operator == "bloom" else 200


@pytest.mark.parametrize("words", [WITH_BLOOM, CHEAP, WORST, SIMILAR, FAR_BLOOM])
def test_latencies_as_published_reproduce_every_claim(words):
    rows = trees(as_published)
    assert verdict(fiba_latency, words, rows)["verdict"] == judgement.REPRODUCED, words
    for none in (rows[:0], rows[rows["algorithm"] == "fiba"]):
        assert verdict(fiba_latency, words, none)["verdict"] == judgement.NOT_MEASURED


@pytest.mark.parametrize("words", [WITH_BLOOM, CHEAP, FAR_BLOOM])
def test_equal_latencies_do_not_reproduce_that_one_is_below(words):
    found = verdict(fiba_latency, words, trees(lambda *of: 300))
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"]


def test_different_latencies_do_not_reproduce_that_they_are_similar():
    apart = trees(lambda algorithm, *of: 300 if algorithm == "fiba" else 30000)
    for words in (WORST, SIMILAR):
        assert verdict(fiba_latency, words, apart)["verdict"] == judgement.NOT_REPRODUCED


def test_a_round_is_taken_in_its_quietest_repetition_and_no_shorter_than_the_counters_step():
    rows = frame(
        row("daba", metric="latency", distance=0, samples=np.array(samples, float), repetition=repetition)
        for repetition, samples in enumerate([[0, 26, 9e6, 52], [26, 1, 52, 8e6]])
    )
    (quiet,) = judgement.quietest(rows)
    assert quiet.tolist() == [26, 26, 52, 52]


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
