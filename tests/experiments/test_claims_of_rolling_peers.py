"""Statements of peers on made-up rows, and its plan."""

import json

import numpy as np
import pytest

from experiments.harness import plan
from experiments.harness.settings import SettingsError
from experiments.peers.measuring.libraries import NAMES, OURS
from experiments.peers.rolling import peers
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED
from tests.experiments.made_rows import frame, row
from tests.experiments.test_configurations import composed

WRONG, SUM, MEAN, STD = "are never wrong", "A rolling sum", "A rolling mean", "A rolling standard deviation"
THREE_NS, SHAPES, PAUSE = "at most 3 ns", "on no shape", "worst single row"
QUICKEST, RIGHT = "than the quickest peer", "the quickest peer that is right there"


def measured(ns=lambda name, task, shape: 1.0 if name in OURS else 2.0, wrong=lambda name, shape: 0, pause=1e5):
    """Seven repetitions of every library at a few tasks and shapes, the share of wrong answers, and single rows."""
    noise, rows = np.random.default_rng(3), []
    for shape in ("random", "decay"):
        for task in ("sum", "mean", "std", "max"):
            for name in ("rolling", "pandas", "bottleneck"):
                at = {"operator": task, "window": 1000, "workload_parameters": json.dumps({"shape": shape})}
                cell = f"{name} {task} {shape}"
                time = ns(name, task, shape)
                rows += [row(name, cell=cell, repetition=r, ns=time * noise.lognormal(0, 0.01), **at) for r in range(7)]
                count = {"metric": "wrong", "counted": True, "value": float(wrong(name, shape)), **at}
                rows.append(row(name, cell=f"{cell} wrong", **count))
    for name, task in (("daba_lite", "max"), ("ordered_window", "median"), ("river", "max")):
        for r in range(14):
            samples = 2e4 * noise.lognormal(0, 0.01, 100)
            samples[50], samples[r] = pause, 1e9
            rows.append(row(name, cell=name, repetition=r, operator=task, metric="latency", samples=samples))
    return frame(rows)


def verdict(words, rows):
    """The verdict on the statement whose claim ends so, or has these words."""
    verdicts = peers.verdicts(rows)
    [found] = [v for v in verdicts if v.claim.endswith(words)] or [v for v in verdicts if words in v.claim]
    return found


def test_all_hold_where_ours_is_quick_and_right():
    assert {v.word for v in peers.verdicts(measured())} == {HOLDS}


@pytest.mark.parametrize("none", [measured()[:0], measured().assign(status="failed")])
def test_without_rows_nothing_is_judged(none):
    assert {v.word for v in peers.verdicts(none)} == {NOT_MEASURED}


def test_a_single_wrong_answer_of_ours_is_one_too_many_and_theirs_are_not_ours():
    assert verdict(WRONG, measured(wrong=lambda name, shape: name == "pandas")).word == HOLDS
    ours = verdict(WRONG, measured(wrong=lambda name, shape: name == "rolling" and shape == "decay"))
    assert (ours.word, ours.fails) == (IN_PART, 4)


def slow(task, times, shapes=("random", "decay")):
    """Ours as slow as that at a task, and half as slow as the others elsewhere."""
    usual = {"rolling": 1.0, "pandas": 2.1}
    return lambda name, t, shape: times if name == "rolling" and t == task and shape in shapes else usual.get(name, 2.0)


def test_slow_tasks_do_not_hold_and_the_reason_names_who_is_quicker():
    assert verdict(SUM, measured(slow("sum", 3.2))).word == DOES_NOT_HOLD
    assert verdict(SUM, measured(slow("sum", 2.8))).word == HOLDS
    for task, words in (("mean", MEAN), ("std", STD)):
        slower = verdict(words, measured(slow(task, 2.2)))
        assert slower.word == DOES_NOT_HOLD
        assert slower.reason == f"quicker somewhere: Bottleneck ({task}); pandas ({task})"
    assert verdict(THREE_NS, measured(slow("max", 3.2))).word == DOES_NOT_HOLD
    assert verdict(SHAPES, measured(slow("max", 5.0, ["decay"]))).word == DOES_NOT_HOLD
    assert verdict(SHAPES, measured(slow("max", 5.0))).word == HOLDS  # as slow on random values


def test_who_is_quick_and_wrong_is_not_in_the_way_of_who_is_right():
    def ns(name, task, shape):
        return {"bottleneck": 1.0, "rolling": 2.0}.get(name, 3.0)

    rows = measured(ns, wrong=lambda name, shape: 5 * (name == "bottleneck"))
    assert verdict(QUICKEST, rows).word == DOES_NOT_HOLD
    assert verdict(RIGHT, rows).word == HOLDS
    assert verdict(RIGHT, measured(ns)).word == DOES_NOT_HOLD


def test_a_pause_is_of_our_windows_alone():
    paused = verdict(PAUSE, measured(pause=2e7))
    assert (paused.word, paused.fails) == (DOES_NOT_HOLD, 2)


def cells(*given):
    return plan.cells_of(plan.Settings.of(composed("experiment=peers", "profile=smoke", *given)))


def test_the_plan_has_what_libraries_have_and_no_more():
    planned = cells()
    points = {(cell.algorithm, cell.operator, cell.stream["shape"], cell.metric) for cell in planned}
    assert len(points) == len(planned)
    assert {cell.algorithm for cell in planned} == {*NAMES, "daba_lite", "ordered_window"}
    assert ("polars", "max", "keys", "time") in points and ("polars", "max", "keys", "wrong") in points
    assert ("numbagg", "max", "random", "time") not in points
    assert ("sliding", "argmax", "random", "time") in points and ("rolling", "argmax", "random", "time") in points
    assert {cell.algorithm for cell in planned if cell.metric == "latency"} == {"river", "daba_lite", "ordered_window"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["window=5"], "leave window, distances, operators out"),
        (["operators=[sum]"], "leave window, distances, operators out"),
        (["executor=spark"], "leave executor at inline"),
        (["+sizes.smoke.fewer.polar={tasks: [sum]}"], "unknown algorithm in fewer 'polar'"),
        (["sizes.smoke.fewer.river.shapes=[randm]"], "unknown shapes 'randm'; did you mean random"),
        (["algorithms=[{name: pandas, engine: numba}]"], "pandas has no parameter 'engine'"),
    ],
)
def test_what_does_not_fit_is_refused(given, words):
    with pytest.raises(SettingsError, match=words):
        cells(*given)
