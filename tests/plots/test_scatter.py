"""Scatter: a point for each row, x and y from keys, nothing pooled."""

import json

import numpy as np
import pytest

from plots import FigureError, figure

SCATTER = {"name": "sampled", "family": "scatter", "x": "workload_parameters.range", "y": "workload_parameters.slide"}


@pytest.fixture
def rows(make_rows):
    made = make_rows(operators=["sum"], xs=range(5), series=[("cutty", {}), ("ra", {})], repetitions=1)
    made["workload_parameters"] = [
        json.dumps({"range": 20_000 + 10 * d, "slide": 1000 + d}) for d in map(int, made["distance"])
    ]
    return made


def test_a_point_for_each_row_in_the_look_of_its_series(rows):
    drawn = figure(SCATTER, rows)
    cutty, ra = drawn.axes[0].lines
    assert list(cutty.get_xdata()) == [20_000, 20_010, 20_020, 20_030, 20_040]
    assert list(cutty.get_ydata()) == list(ra.get_ydata()) == [1000, 1001, 1002, 1003, 1004]
    assert cutty.get_linestyle() == "None" and cutty.get_color() != ra.get_color()
    assert (drawn.axes[0].get_xlabel(), drawn.axes[0].get_ylabel()) == ("range", "workload_parameters.slide")
    assert "A point for each of 10 measurements." in [text.get_text() for text in drawn.texts]


def test_y_may_be_what_was_measured_and_panels_split_the_points(rows):
    axes = figure({**SCATTER, "y": "time_per_item", "panel": "algorithm", "x_scale": "log2"}, rows).axes
    assert [panel.get_title() for panel in axes] == ["cutty", "ra"]
    assert [sum(len(line.get_xdata()) for line in panel.lines) for panel in axes] == [5, 5]
    assert axes[0].get_xscale() == "log"


def test_a_panel_without_points_is_said_to_be_empty_whatever_its_scale(rows):
    scales = {"y": "time_per_item", "x_scale": "log2", "y_scale": "log10"}
    drawn = figure({**SCATTER, **scales, "panel": "operator", "panels": ["max", "sum"]}, rows)
    assert [text.get_text() for text in drawn.axes[0].texts] == ["no results"]
    assert [panel.get_yscale() for panel in drawn.axes] == ["linear", "log"]


def test_the_points_of_rows_without_a_result_are_told(rows):
    rows.loc[rows["algorithm"] == "ra", ["status", "reason", "value"]] = ("skipped", "no such window", None)
    drawn = figure(SCATTER, rows)
    assert len(drawn.axes[0].lines) == 1
    assert "Not measured: RA: skipped: no such window" in [text.get_text() for text in drawn.texts]


def test_texts_are_no_coordinates(rows):
    rows["workload_parameters"] = '{"range":"n/4","slide":3}'
    with pytest.raises(FigureError, match="x is 'workload_parameters.range', which is not a number in some rows"):
        figure(SCATTER, rows)
    with pytest.raises(FigureError, match="x_scale of scatter is 'category'"):
        figure({**SCATTER, "x_scale": "category"}, rows)


@pytest.mark.parametrize("most", [1004, 1900, 2100, 90_000])
def test_a_logarithmic_axis_has_several_plain_numbers_however_little_it_spans(rows, most):
    places = [1000, 1001, 1002, 1003, most]
    rows["workload_parameters"] = [json.dumps({"range": 1, "slide": places[d]}) for d in map(int, rows["distance"])]
    drawn = figure({**SCATTER, "y_scale": "log10"}, rows)
    drawn.canvas.draw()
    low, high = drawn.axes[0].get_ylim()
    shown = [tick for tick in drawn.axes[0].yaxis.get_ticklocs() if low <= tick <= high]
    assert len(shown) >= (2 if most == 2100 else 3)
    assert len({label.get_text() for label in drawn.axes[0].get_yticklabels()}) >= len(shown)


def test_panels_of_one_range_and_a_tick_at_one_where_all_is_near_it(rows):
    rows["workload_parameters"] = [
        json.dumps({"range": d, "slide": 1 + 0.18 * d / 4}) for d in map(int, rows["distance"])
    ]
    rows.loc[rows["algorithm"] == "ra", "workload_parameters"] = '{"range": 2, "slide": 1.01}'
    near = {**SCATTER, "y_scale": "log10", "panel": "algorithm"}
    assert len({panel.get_ylim() for panel in figure(near, rows).axes}) == 2
    drawn = figure({**near, "same_y": True}, rows)
    drawn.canvas.draw()
    assert len({panel.get_ylim() for panel in drawn.axes}) == 1
    for panel in drawn.axes:
        low, high = panel.get_ylim()
        assert "1" in [text.get_text() for text in panel.get_yticklabels()]
        assert len([place for place in panel.get_yticks() if low <= place <= high]) >= 3


def test_an_empty_panel_has_the_range_of_the_others(rows):
    """A warning of matplotlib is an error in tests: a logarithmic axis has no place for the range of an empty one."""
    rows.loc[rows["algorithm"] != "ra", ["status", "value"]] = ["skipped", np.nan]
    drawn = figure({**SCATTER, "y_scale": "log10", "panel": "algorithm", "same_y": True}, rows)
    ranges = {panel.get_ylim() for panel in drawn.axes}
    assert len(drawn.axes) > 1 and len(ranges) == 1 and min(ranges.pop()) > 0
