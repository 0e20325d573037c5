"""experiment=fiba_walkthrough: its cells, its claims on good and on tampered rows, and its drawing."""

import dataclasses
import json

import pytest

from docs.draw import IMAGES
from experiments.fiba.measuring.snapshots import bills, nodes_of, stored_coins
from experiments.fiba.walkthrough import fiba_walkthrough
from experiments.harness.settings import SettingsError
from plots import FigureError, figure
from plots.tree_layout import BOX, lay_out
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED

pytestmark = pytest.mark.plain

FIGURE = {"name": "trees", "family": "trees", "metric": "coins", "where": {"workload": "script"}}


def verdicts(rows):
    return [one.word for one in fiba_walkthrough.verdicts(rows)]


def tampered(rows, change):
    """The rows with `change` applied to the facts of every state."""

    def facts(text):
        known = json.loads(text)
        for state in known.get("states", ()):
            change(state)
        return json.dumps(known)

    return rows.assign(facts=rows["facts"].map(facts))


def test_claims_hold(rows):
    assert verdicts(rows) == [HOLDS] * 4


def test_a_wrong_aggregate_is_seen(rows):
    def spoil(state):
        if state["state"] == "A":
            state["nodes"][0]["aggregate"] = "onmlkjihg"

    assert verdicts(tampered(rows, spoil)) == [IN_PART, HOLDS, HOLDS, HOLDS]


def test_wrong_steps_and_reach_are_seen(rows):
    def spoil(state):
        if state["state"] == "B":
            state["step"] = {
                **state["step"],
                "merges": 1,
                "changed": state["step"]["changed"] + [state["nodes"][0]["id"]],
            }

    assert verdicts(tampered(rows, spoil)) == [HOLDS, IN_PART, IN_PART, HOLDS]


def test_a_bill_of_three_is_seen(rows):
    assert verdicts(rows.assign(value=3.0))[3] == DOES_NOT_HOLD


def test_without_rows_nothing_is_said(rows):
    assert verdicts(rows[:0]) == [NOT_MEASURED] * 4


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("window", 64, "window is 64"),
        ("distances", (1,), "takes no distances"),
        ("operators", ("sum",), r"leave operators at \[concat\]"),
        ("workload", {"name": "flights"}, "workload out"),
        ("algorithms", ({"name": "recalc"},), "'recalc'.*fiba or b_tree"),
    ],
)
def test_settings_that_the_example_does_not_have_are_refused(settings, field, value, words):
    with pytest.raises(SettingsError, match=words):
        fiba_walkthrough.plan(dataclasses.replace(settings, **{field: value}))


def test_random_operations_rebalance_in_every_way():
    from algorithms import window

    w = window("fiba", operator="concat", capacity=64, min_arity=2)
    billed = bills(w, 1500, seed=1)
    assert bills(window("fiba", operator="concat", capacity=64, min_arity=2), 1500, seed=1) == billed
    header = w._w.tree[0]
    assert min(int(header.splits), int(header.merges), int(header.moves)) > 20
    assert max(billed) == 2
    assert stored_coins(w) == sum(node["coins"] for node in nodes_of(w))


def texts(drawn):
    return [text.get_text() for text in drawn.axes[0].texts]


def test_every_entry_and_aggregate_is_drawn(rows, states):
    shown = texts(figure(FIGURE, rows))
    for state in states.values():
        for node in state["nodes"]:
            assert node["aggregate"] in shown
            assert all(f"{time}:{value}" in shown for time, value in zip(node["times"], node["values"]))
    assert "Step BC, out-of-order insert 18:r. Spent 0, billed 2." in shown
    assert "Step IJ, in-order evict 4:d, merge, move. Spent 2, billed 1." in shown
    assert "Step KL, out-of-order evict 15:o, 2 merges, height decrease. Spent 2, refunded 2." in shown


def test_coins_and_changed_nodes_are_drawn(rows, states):
    drawn = figure({**FIGURE, "panels": ["C"]}, rows)
    circles = [patch for patch in drawn.axes[0].patches if type(patch).__name__ == "Circle"]
    assert len(circles) == sum(node["coins"] for node in states["C"]["nodes"])
    thick = [
        patch for patch in drawn.axes[0].patches if type(patch).__name__ == "Rectangle" and patch.get_linewidth() > 1
    ]
    assert len(thick) == len(states["C"]["step"]["changed"]) == 3


def test_only_the_panels_asked_for_are_drawn(rows):
    shown = texts(figure({**FIGURE, "panels": ["H", "A"]}, rows))
    assert [text for text in shown if text.startswith("Figure")] == ["Figure 4, state H", "Figure 3, state A"]
    with pytest.raises(FigureError, match="panels has Z; the rows have states A, B,"):
        figure({**FIGURE, "panels": ["A", "Z"]}, rows)


def test_rows_without_trees_are_refused(rows):
    with pytest.raises(FigureError, match="no states of trees"):
        figure({**FIGURE, "where": {}}, rows[rows["facts"].str.contains("most_billed")])


def test_nothing_overlaps(states):
    """No box touches another of its level, and every text fits into its box and column."""
    for letter, state in states.items():
        tree = lay_out(state["nodes"])
        levels = {}
        for box in tree.boxes.values():
            levels.setdefault(box.bottom, []).append(box)
        for boxes in levels.values():
            boxes.sort()
            assert all(a.left + a.width < b.left for a, b in zip(boxes, boxes[1:])), letter
        assert all(box.left >= 0 and box.left + box.width <= tree.width for box in tree.boxes.values())
        assert max(levels) + BOX == tree.height


def test_captions_stay_on_the_page(rows):
    for panels in IMAGES.values():
        drawn = figure({**FIGURE, "panels": panels}, rows)
        drawn.draw_without_rendering()
        page = drawn.bbox
        for text in drawn.axes[0].texts:
            extent = text.get_window_extent()
            assert extent.x0 >= page.x0, text.get_text()
            assert extent.x1 <= page.x1, text.get_text()
        captions = [text for text in drawn.axes[0].texts if text.get_text().startswith(("Step", "the whole"))]
        for one, other in zip(captions, captions[1:]):
            assert one.get_window_extent().x1 < other.get_window_extent().x0
