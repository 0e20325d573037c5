"""The choice of a window: the fit of the table, the grid, and the statements on made-up rows."""

import json

import numpy as np
import pytest

from experiments.choosing import learn
from experiments.choosing.advise import advise
from experiments.choosing.auto_choice import auto_choice
from experiments.harness.plan import cells_of
from experiments.harness.settings import Settings
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED
from tests.experiments.made_rows import frame, row
from tests.experiments.test_configurations import composed

SEVEN = range(7)


def test_a_fit_finds_the_numbers_that_times_were_made_of_and_none_below_zero():
    costs = np.array([[1, 0.4, 0.05, 0.1], [1, 2.8, 0.2, 0.1], [1, 6.4, 2.9, 0.4], [1, 4.7, 2.2, 0.4], [1, 13, 13, 32]])
    made = np.array([4.0, 1.5, 0.0, 7.0])
    assert learn.fit(costs, costs @ made) == pytest.approx(made, abs=1e-6)
    falling = learn.fit(costs, np.array([30.0, 20.0, 10.0, 10.0, 9.0]))
    assert (falling >= 0).all() and falling[0] > 0


def test_the_table_is_made_of_the_newest_rows_of_each_operator():
    facts = {"laps": {"soe": [2.0, 3.0, 9.0], "fiba min_arity=2": [40.0]}, "operator": [0.4, 0.05, 0.3]}
    slow = {**facts, "laps": {name: [1000.0] for name in facts["laps"]}}
    usual = {"operator": "sum", "window": 16, "distance": 0, "batch": 1, "profile": "laptop", "machine": "one"}
    rows = frame(
        row("fastest", facts=json.dumps(found), code_hash=code, started=started, repetition=r, ns=1.0, **usual)
        for found, code, started, r in ((slow, "old", 1, 0), (facts, "new", 2, 0), (facts, "new", 3, 1))
    )
    (known,) = {
        name for points in learn.times_of(learn.newest(rows)).values() for ops in points.values() for name in ops
    }
    windows, misfit = learn.fitted(learn.times_of(learn.newest(rows)), ["another", known])
    assert windows.keys() == {"soe", "fiba min_arity=2"} and misfit < 1e-9
    (point,) = windows["soe"]
    assert point[:3] == [16, 0, 1] and np.dot(point[3:7], [1, 0.4, 0.3, 0.125]) == pytest.approx(3.0, rel=0.01)
    assert point[7] is None and point[8] == pytest.approx(0, abs=0.01)
    content = {
        "learnt": {"on": "today"},
        "operators": {"sum": [1.0]},
        "known": {known: ["invertible"]},
        "windows": windows,
    }
    assert json.loads(learn.text_of(content)) == content


def test_the_grid_of_the_proof_has_500_cells_and_shares_no_size_with_what_is_learnt():
    """Of its operators some are in the table, some are like those, and some are a user's own."""
    learnt, proof = (
        cells_of(Settings.of(composed(f"experiment={name}", "profile=laptop"))) for name in ("auto_grid", "auto_choice")
    )
    assert len(proof) >= 500
    assert {cell.window for cell in proof}.isdisjoint({cell.window for cell in learnt})
    assert len({cell.operator for cell in proof} - {cell.operator for cell in learnt}) >= 6
    assert {"own_spread", "own_direction"} < {cell.operator for cell in proof}


def choices(over_best):
    """Rows of a cell for each number."""
    return frame(
        row("auto", operator="max", window=n, distance=0, batch=1, cell=str(n), repetition=r, ns=10.0,
            facts=json.dumps({"over_best": over}))
        for n, over in enumerate(over_best, 1)
        for r in SEVEN
    )  # fmt: skip


@pytest.mark.parametrize(
    ("over_best", "words"),
    [
        ([1.0] * 96 + [1.5] * 4, [HOLDS, HOLDS]),
        ([1.0] * 94 + [1.21] * 6, [DOES_NOT_HOLD, HOLDS]),
        ([1.1] * 100, [HOLDS, DOES_NOT_HOLD]),
    ],
)
def test_the_share_of_good_choices_and_what_choosing_costs(over_best, words):
    assert [verdict.word for verdict in auto_choice.verdicts(choices(over_best))] == words
    assert {verdict.word for verdict in auto_choice.verdicts(choices([])[:0])} == {NOT_MEASURED}


def test_the_advice_names_the_fastest_window_and_its_code():
    times = {("recalc", None): 90.0, ("fiba", 4): 40.0, ("fiba", 8): 44.0}
    rows = frame(
        row(name, {"min_arity": arity} if arity else {}, operator="max", window=50, cell=f"{name} {arity}",
            repetition=r, ns=ns, facts=json.dumps({"entries": 77}))
        for (name, arity), ns in times.items()
        for r in SEVEN
    )  # fmt: skip
    (verdict,) = advise.verdicts(rows)
    assert (verdict.word, verdict.text) == (IN_PART, "holds for 2 of 3")
    assert "max, 50 long: 40 ns an item and " in verdict.reason
    assert 'window("fiba", operator="max", capacity=77, min_arity=4)' in verdict.reason
