"""The family "slices" on made-up facts: what is drawn, in which lanes, and which rows it refuses."""

import json

import pandas as pd
import pytest

from plots import FigureError, figure
from plots.families.slices import lanes
from plots.style import contrast, series
from results import empty_row

DESCRIPTION = {"name": "cuts", "family": "slices", "metric": "slices", "title": "Cuts", "paper": "Cutty, Figure 7"}


def facts(technique="cutty", name="Figure 7", **more):
    usual = {
        "figure": name, "title": "an example", "letters": "abcdef", "first": 0, "columns": {"km": [0, 2, 3, 5, 7, 11]},
        "queries": [{"title": "range 4, slide 2"}, {"title": "range 3"}], "technique": technique,
        "slices": [[0, 2, "ab"], [2, 4, "cd"], [4, 6, "ef"]], "windows": [[0, 0, 4, "abcd"], [1, 0, 3, "abc"]],
    }  # fmt: skip
    return usual | more


def rows_of(*several, **columns):
    usual = {"algorithm": "cutty", "metric": "slices", "status": "ok", "value": 3.0, "profile": "smoke",
             "started": pd.Timestamp("2026-01-01", tz="UTC")}  # fmt: skip
    return pd.DataFrame([empty_row() | usual | {"facts": json.dumps(one)} | columns for one in several])


def texts(drawn):
    (axes,) = drawn.axes
    return [text.get_text() for text in axes.texts]


def test_windows_records_columns_and_slices_are_drawn():
    found = texts(figure(DESCRIPTION, rows_of(facts())))
    assert found[0] == "Figure 7: an example"
    for text in (
        "range 4, slide 2",
        "abcd",
        "range 3",
        "abc",
        "records",
        "f",
        "km",
        "11",
        "slices of cutty",
        "ab",
        "ef",
    ):
        assert text in found, text


def test_techniques_of_one_stream_share_its_drawing():
    both = rows_of(facts("pairs", slices=[[0, 1, "a"], [1, 6, "bcdef"]]), facts())
    found = texts(figure(DESCRIPTION, both))
    assert found.count("Figure 7: an example") == 1 and found.count("abcd") == 1
    assert found.index("slices of pairs") < found.index("bcdef") < found.index("slices of cutty")


@pytest.mark.parametrize("technique", ["cutty", "pairs", "panes", "naive"])
def test_letters_of_slices_are_read_on_their_colour(technique):
    (axes,) = figure(DESCRIPTION, rows_of(facts(technique))).axes
    (ink,) = {text.get_color() for text in axes.texts if text.get_text() == "ef"}
    assert contrast(ink, series(technique, {}).color) >= 4.5


def test_streams_are_in_the_order_asked_for():
    both = rows_of(facts(name="Figure 5"), facts(name="Figure 4"))
    named = [text for text in texts(figure(DESCRIPTION, both)) if text.startswith("Figure")]
    assert named == ["Figure 4: an example", "Figure 5: an example"]
    asked = figure({**DESCRIPTION, "panels": ["Figure 5"]}, both)
    assert [text for text in texts(asked) if text.startswith("Figure")] == ["Figure 5: an example"]


def test_no_box_lies_on_another_or_beside_the_figure():
    drawn = figure(DESCRIPTION, rows_of(facts(name="Figure 4"), facts(), facts("panes")))
    (axes,) = drawn.axes
    boxes = [patch.get_bbox() for patch in axes.patches]
    assert len(boxes) == 3 * (2 + 6 + 6 + 3) - (2 + 6 + 6), "two streams, of which one is cut twice"
    for number, one in enumerate(boxes):
        assert one.x0 >= 0 and one.x1 <= axes.get_xlim()[1] and one.y0 >= 0 and one.y1 <= axes.get_ylim()[1]
        for other in boxes[number + 1 :]:
            apart = one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0
            assert apart, (one, other)


def test_windows_that_overlap_get_a_lane_each_and_queries_lanes_of_their_own():
    windows = [[0, 0, 4], [0, 2, 6], [0, 4, 8], [1, 8, 9]]
    assert lanes(windows) == [[[0, 0, 4], [0, 4, 8]], [[0, 2, 6]], [[1, 8, 9]]]


def test_a_row_without_a_result_is_a_note():
    rows = pd.concat([rows_of(facts()), rows_of({}, status="failed", reason="it broke", value=None)])
    assert any("failed: it broke" in text.get_text() for text in figure(DESCRIPTION, rows).texts)


def test_rows_without_slices_are_refused():
    with pytest.raises(FigureError, match="the rows hold no slices"):
        figure(DESCRIPTION, rows_of({}))
    with pytest.raises(FigureError, match="panels has Figure 9; the rows have Figure 7"):
        figure({**DESCRIPTION, "panels": ["Figure 9"]}, rows_of(facts()))
