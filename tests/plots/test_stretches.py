"""The family "stretches" on made-up facts: what is drawn, what is new in a state, and its states one by one."""

import json

import pandas as pd
import pytest

from plots import FigureError, figure
from plots.exploring import frames
from plots.families.stretches import CHANGED, lanes, made
from results import empty_row

DESCRIPTION = {"name": "stacks", "family": "stretches", "metric": "kept", "title": "Stacks"}


def state(title, elements, parts, evicted=0):
    answer = "".join(value for _, value in elements)
    return {"title": title, "answer": answer, "evicted": evicted, "elements": elements, "parts": parts}


FACTS = {
    "figure": "two_stacks",
    "title": "three steps",
    "algorithm": "two_stacks",
    "states": [
        state("insert 1 a", [[1, "a"]], [["back stack", [[0, 1, "a"]]]]),
        state("insert 2 b", [[1, "a"], [2, "b"]], [["back stack", [[0, 1, "a"], [0, 2, "ab"]]]]),
        state("evict", [[2, "b"]], [["front stack", [[0, 1, "b"]]]], evicted=1),
    ],
}


def rows_of(*several):
    usual = {"algorithm": "two_stacks", "metric": "kept", "status": "ok", "profile": "smoke",
             "started": pd.Timestamp("2026-01-01", tz="UTC")}  # fmt: skip
    return pd.DataFrame([empty_row() | usual | {"facts": json.dumps(one)} for one in several])


def test_elements_and_aggregates_are_drawn_and_new_ones_are_red():
    (axes,) = figure(DESCRIPTION, rows_of(FACTS)).axes
    texts = [text.get_text() for text in axes.texts]
    assert {"two_stacks: three steps", "insert 2 b: ab", "1:a", "2:b", "ab", "back stack", "front stack"} <= set(texts)
    red = [
        patch for patch in axes.patches if patch.get_edgecolor()[:3] == pytest.approx((0.82, 0.204, 0.122), abs=0.01)
    ]
    assert CHANGED == "#d1341f" and len(red) == 2


def test_what_a_step_makes():
    assert made(FACTS, 0) == set()
    assert made(FACTS, 1) == {("back stack", 0, 2)}
    assert made(FACTS, 2) == {("front stack", 1, 2)}


def test_stretches_that_overlap_have_lanes_of_their_own():
    assert lanes([[0, 1, "a"], [0, 3, "abc"], [1, 2, "b"], [3, 4, "d"]]) == [
        [[0, 3, "abc"], [3, 4, "d"]],
        [[0, 1, "a"], [1, 2, "b"]],
    ]


def test_each_state_is_drawn_alone():
    drawn = list(frames(DESCRIPTION, rows_of(FACTS)))
    assert [name for name, _ in drawn] == [f"two_stacks, {text}" for text in ("insert 1 a", "insert 2 b", "evict")]
    assert b">1:a<" in drawn[1][1] and b">1:a<" not in drawn[2][1]


def test_rows_without_states_are_refused():
    with pytest.raises(FigureError, match="hold no states of windows"):
        figure(DESCRIPTION, rows_of({}))
