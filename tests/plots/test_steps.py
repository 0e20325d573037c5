"""Courses of runs: a line of steps for each row, with places for 0 and infinity, and the bound where it belongs."""

import json

import pytest

from plots import FigureError, figure

STEPS = {"name": "course", "family": "steps", "x": "facts.times", "y": "facts.ages", "y_scale": "log10"}
AGES = {"times": [0, 60, 120], "ages": [None, 600, 0], "memories": [10, 90, 50], "bounded": "memories", "bound": 100}


@pytest.fixture
def rows(make_rows):
    made = make_rows(operators=["sum"], xs=[1, 2], series=[("a_c_controlled", {"codec": "snappy"})], repetitions=2)
    return made.assign(facts=json.dumps(AGES))


def test_a_line_of_steps_for_each_row_with_infinity_above_and_zero_below(rows):
    [panel] = figure({**STEPS, "x_divide": 60}, rows).axes
    assert len(panel.lines) == 4
    (x, y), ticks = panel.lines[0].get_data(), dict(zip(panel.get_yticks(), panel.get_yticklabels()))
    assert list(x) == [0, 1, 2] and panel.lines[0].get_drawstyle() == "steps-post"
    assert [ticks[place].get_text() for place in y] == ["∞", "600", "0"]
    assert y[0] > y[1] > y[2]
    assert "A line for each of 4 measurements." in [text.get_text() for text in panel.figure.texts]


def test_panels_split_the_lines_and_linear_axes_have_the_bound_of_what_they_show(rows):
    drawn = figure({**STEPS, "y": "facts.memories", "y_scale": "linear", "y_divide": 10, "panel": "distance"}, rows)
    assert len(drawn.axes) == 2
    for panel in drawn.axes:
        *courses, bound = panel.lines
        assert [list(line.get_ydata()) for line in courses] == [[1, 9, 5]] * 2
        assert list(bound.get_ydata()) == [10, 10] and bound.get_linestyle() == "--"
        assert panel.get_ylim()[0] == 0 and panel.get_ylim()[1] > 10
    assert "bound" in [text.get_text() for text in drawn.legends[0].get_texts()]
    plain = figure(STEPS, rows)
    assert "bound" not in [text.get_text() for text in plain.legends[0].get_texts()]


def test_panels_of_one_range_have_the_same_ages_at_the_same_height(rows):
    rows.loc[rows["distance"] == 2, "facts"] = json.dumps({**AGES, "ages": [600, 600, 0]})  # which never is infinite
    several = {**STEPS, "panel": "distance"}
    assert len({panel.get_ylim() for panel in figure(several, rows).axes}) == 2
    assert len({panel.get_ylim() for panel in figure({**several, "same_y": True}, rows).axes}) == 1


def test_rows_without_a_result_are_told(rows):
    rows.loc[rows["distance"] == 2, ["status", "reason", "value"]] = ("failed", "no room", None)
    drawn = figure(STEPS, rows)
    assert len(drawn.axes[0].lines) == 2
    assert any("no room" in text.get_text() for text in drawn.texts)
    apart = figure({**STEPS, "panel": "distance"}, rows)
    assert [[text.get_text() for text in panel.texts] for panel in apart.axes] == [[], ["no results"]]


@pytest.mark.parametrize("y_scale", ["linear", "log10"])
def test_without_any_result_the_figure_says_why(rows, y_scale):
    lost = rows.assign(status="failed", reason="no room", value=None, facts="{}")
    drawn = figure({**STEPS, "y_scale": y_scale}, lost)
    assert [text.get_text() for text in drawn.axes[0].texts] == ["no results"] and not drawn.axes[0].lines
    assert any("no room" in text.get_text() for text in drawn.texts)


@pytest.mark.parametrize("facts", [{}, {"times": [0], "ages": [1, 2]}, {"times": [0], "ages": 3}])
def test_what_is_no_course_is_refused(rows, facts):
    with pytest.raises(
        FigureError, match="x is 'facts.times' and y is 'facts.ages'; they must be lists of equal length"
    ):
        figure(STEPS, rows.assign(facts=json.dumps(facts)))
