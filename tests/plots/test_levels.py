"""The family "levels" on made-up facts: nodes, stack and result pair are drawn; which rows it refuses."""

import json

import pandas as pd
import pytest

from plots import FigureError, figure
from plots.families.levels import CHANGED, nodes_of
from results import empty_row

DESCRIPTION = {"name": "levels", "family": "levels", "metric": "pairs", "title": "Levels", "paper": "MTA, Figure 4"}


def state(**more):
    usual = {"title": "a, b, c have come", "answer": "6", "elements": ["1", "2", "3"], "asked": 0,
             "levels": [{"first": 0, "pairs": [["1", "2"], ["3", None]]}, {"first": 0, "pairs": [["33", None]]}],
             "stack": ["22"], "results": ["44", "55"]}  # fmt: skip
    return usual | more


def rows_of(*several, **columns):
    usual = {"algorithm": "amta", "metric": "pairs", "status": "ok", "value": 3.0, "profile": "smoke",
             "started": pd.Timestamp("2026-01-01", tz="UTC")}  # fmt: skip
    return pd.DataFrame([empty_row() | usual | {"facts": json.dumps(one)} | columns for one in several])


def facts(name="Figure 4", states=None):
    return {"figure": name, "title": "an example", "algorithm": "amta", "states": states or [state()]}


def texts(drawn):
    (axes,) = drawn.axes
    return [text.get_text() for text in axes.texts]


def changed(drawn):
    (axes,) = drawn.axes
    return sum(patch.get_edgecolor()[:3] == pytest.approx((0.82, 0.2, 0.12), abs=0.01) for patch in axes.patches)


def test_nodes_stack_and_results_are_drawn():
    drawn = figure(DESCRIPTION, rows_of(facts()))
    found = texts(drawn)
    assert found[0] == "Figure 4, Mem. AMTA: an example"
    assert {"a, b, c have come: 6", "1", "33", "22", "44", "55", "R", "stack"} <= set(found)
    assert found.count("∅") == 2 and changed(drawn) == 0 and CHANGED == "#d1341f"


def test_what_a_step_changes_is_red():
    after = state(title="evict", answer="5", asked=3, stack=[], results=["22", "55"])
    after["levels"] = [{"first": 0, "pairs": [[None, "2"], ["3", None]]}, {"first": 0, "pairs": [["33", None]]}]
    drawn = figure(DESCRIPTION, rows_of(facts(states=[state(), after])))
    assert changed(drawn) == 2  # the node that went, and R0
    assert "evict: 5; the policy was asked 3 times" in texts(drawn) and "stack empty" in texts(drawn)


def test_nodes_are_known_by_level_and_number():
    moved = state(levels=[{"first": 2, "pairs": [[None, "7"], ["8", None]]}])
    assert nodes_of(moved) == {(0, 5): "7", (0, 6): "8"}


def test_panels_are_the_examples_to_draw():
    rows = rows_of(facts("Figure 1"), facts("Figure 5"))
    found = texts(figure(DESCRIPTION | {"panels": ["Figure 5"]}, rows))
    assert [text for text in found if text.startswith("Figure")] == ["Figure 5, Mem. AMTA: an example"]
    with pytest.raises(FigureError, match="panels has Figure 9; the rows have Figure 1, Figure 5"):
        figure(DESCRIPTION | {"panels": ["Figure 9"]}, rows)


def test_rows_without_states_are_refused():
    with pytest.raises(FigureError, match="the rows hold no states of levels"):
        figure(DESCRIPTION, rows_of({"other": 1}))
