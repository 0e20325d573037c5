"""Dots: a line for each grid point, and what is said of those without a result."""

import pytest

from plots import figure

DOTS = {"name": "rounds", "family": "dots", "x": "window", "y": "time_per_item", "panel": "operator"}
PLACES = "bfinger4, n = 2¹⁶, d = 4; bfinger4, n = 2¹⁶, d = 2⁶"


@pytest.fixture
def rows(make_rows):
    return make_rows(operators=["sum", "bloom"], xs=[4, 64], series=[("fiba", {"min_arity": 4})])


def said(drawn):
    return [text.get_text() for text in drawn.texts]


def test_a_line_for_each_grid_point(rows):
    for panel in figure(DOTS, rows).axes:
        names = [label.get_text() for label in panel.get_yticklabels()]
        assert names == [f"bfinger4, n = 2¹⁶, d = {distance}" for distance in ("4", "2⁶")]


def test_what_has_no_result_is_said_and_its_panel_is_marked(rows):
    rows.loc[rows["operator"] == "bloom", ["status", "reason", "value"]] = ("failed", "no room", None)
    drawn = figure({**DOTS, "panels": ["sum", "bloom"]}, rows)
    assert [[text.get_text() for text in panel.texts] for panel in drawn.axes] == [[], ["no results"]]
    assert f"Not measured (6): {PLACES}: failed: no room" in said(drawn)


def test_a_figure_without_any_result_says_why(rows):
    drawn = figure(DOTS, rows.assign(status="failed", reason="no room", value=None))
    assert len(drawn.axes) == 2 and f"Not measured (12): {PLACES}: failed: no room" in said(drawn)
