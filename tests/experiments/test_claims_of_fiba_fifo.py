"""Every judge of fiba_fifo on made-up rows: the claim holds, does not hold, was not measured."""

import math

import pytest

from experiments.fiba.fifo import COUNT, fiba_fifo
from experiments.harness import judgement
from experiments.harness.settings import Profile, Settings, SettingsError
from tests.experiments.made_rows import frame, row, verdict

WINDOWS = (1, 16, 256, 1024, 4096, 16384)
OPERATORS = ("sum", "geometric_mean", "bloom")
SERIES = [("two_stacks", 0), ("daba", 0), ("reactive", 0), ("b_tree", 4), ("fiba", 2), ("fiba", 4)]


def as_published(algorithm, arity, operator, n):
    """ns per item such that every claim holds."""
    logarithmic = 20 * math.log2(1 + n)
    tree = 40 if operator == "bloom" else 30
    return {"two_stacks": 8, "daba": 10, "reactive": 18 + n / 1e6, "fiba": tree + arity, "b_tree": 60 + logarithmic}[
        algorithm
    ]


def combines(algorithm, arity, n):
    return 10 + arity if algorithm == "fiba" else 5 * math.log2(1 + n)


def rows_of(ns=as_published, count=combines, windows=WINDOWS):
    timed = [
        row(algorithm, {"min_arity": arity} if arity else {}, operator=operator, window=n, distance=0,
            ns=ns(algorithm, arity, operator, n) * (1 + repetition / 100), repetition=repetition)
        for algorithm, arity in SERIES for operator in OPERATORS for n in windows for repetition in (0, 1)
    ]  # fmt: skip
    counted = [
        row(algorithm, {"min_arity": arity}, window=n, metric="combines", value=1000 * count(algorithm, arity, n))
        for algorithm, arity in SERIES if arity for n in windows
    ]  # fmt: skip
    return frame(timed + counted)


BEST, SECOND, CONSTANT, NEAR = "Two-stacks has", "second best", "throughput is constant", "small factor of DABA"
COUNTED, LOG, COUNTED_LOG, REACTIVE = "are constant in n", "falls like 1 / log n", "grow like log n", "Reactive"
CLAIMS = (BEST, SECOND, CONSTANT, NEAR, COUNTED, LOG, COUNTED_LOG, REACTIVE)


def test_rows_as_published_reproduce_every_claim():
    assert len(fiba_fifo.claims) == len(CLAIMS)
    for words in CLAIMS:
        assert verdict(fiba_fifo, words, rows_of())["verdict"] == judgement.REPRODUCED, words


def with_time_of(name, change):
    def ns(algorithm, arity, operator, n):
        usual = as_published(algorithm, arity, operator, n)
        return change(usual, n) if algorithm == name else usual

    return rows_of(ns)


CONTRARY = {
    BEST: lambda: with_time_of("two_stacks", lambda usual, n: 11),
    SECOND: lambda: with_time_of("daba", lambda usual, n: 7),
    CONSTANT: lambda: with_time_of("fiba", lambda usual, n: 5 * math.log2(1 + n)),
    NEAR: lambda: with_time_of("daba", lambda usual, n: 1),
    LOG: lambda: with_time_of("b_tree", lambda usual, n: 1000 - 20 * math.log2(1 + n)),
    REACTIVE: lambda: with_time_of("reactive", lambda usual, n: 500),
    COUNTED: lambda: rows_of(count=lambda algorithm, arity, n: math.log2(1 + n)),
    COUNTED_LOG: lambda: rows_of(count=lambda algorithm, arity, n: 17),
}


@pytest.mark.parametrize("words", CLAIMS)
def test_rows_that_contradict_a_claim_do_not_reproduce_it(words):
    found = verdict(fiba_fifo, words, CONTRARY[words]())
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"], found


@pytest.mark.parametrize("words", CLAIMS)
def test_without_rows_no_claim_is_judged(words):
    for rows in (rows_of()[:0], rows_of().assign(status="failed")):
        assert verdict(fiba_fifo, words, rows)["verdict"] == judgement.NOT_MEASURED


@pytest.mark.parametrize("words", [CONSTANT, COUNTED, LOG, COUNTED_LOG])
def test_claims_on_shape_need_windows_of_several_levels(words):
    found = verdict(fiba_fifo, words, rows_of(windows=(1, 4, 16, 64, 256, 1024)))
    assert found["verdict"] == judgement.NOT_MEASURED and "at least 256" in found["reason"]


@pytest.mark.parametrize(
    "given",
    [{"distances": (3,)}, {"distances": (0, 3)}, {"workload": {"name": "flights"}}, {"workload": {"name": "file"}}],
)
def test_what_is_not_in_order_is_refused(given):
    profile = Profile("smoke", 1, 1, 60)
    usual = {"name": "fiba_fifo", "paper": "fiba", "workload": {"name": "distance"}, "profile": profile, "executor": {},
             "operators": ("bloom", "sum"), "algorithms": ({"name": "daba"}, {"name": "fiba"}),
             "sizes": {"windows": [1, 16]}}  # fmt: skip
    cells = fiba_fifo.plan(Settings(**usual))
    assert [(cell.algorithm, cell.window) for cell in cells if cell.measurement == COUNT] == [("fiba", 1), ("fiba", 16)]
    with pytest.raises(SettingsError, match="fiba_fifo is"):
        fiba_fifo.plan(Settings(**(usual | given)))
