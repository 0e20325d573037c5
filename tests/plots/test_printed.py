"""The numbers that a paper prints: crosses in lines and bars, a column in tables."""

import pytest

from plots import FigureError, figure
from plots.cells import grid
from plots.families import described
from plots.printed import LOOK, PAPER


def crosses(axes):
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in axes.lines if line.get_color() == "black"
    ]


def legend_of(drawn):
    return [text.get_text() for legend in drawn.legends for text in legend.get_texts()]


def test_lines_have_crosses_at_the_printed_points_of_their_panel(description, make_rows):
    points = [{"x": 64, "y": 9.5, "panel": "sum"}, {"x": 4, "y": 0.1}, {"x": 2**30, "y": 5}]
    drawn = figure({**description, "printed": points}, make_rows(xs=(4, 64, 256)))
    first, second, _ = drawn.axes
    assert crosses(first) == [(6.0, 9.5), (2.0, 0.1)]
    assert crosses(second) == [(2.0, 0.1)]  # 2^30 is beyond what was measured
    assert first.get_ylim()[1] > 9.5
    assert legend_of(drawn).count(PAPER) == 1


@pytest.mark.parametrize(("kind", "ends"), [("log10", (1000, 100_000)), ("log2", (4, 2**29))])
def test_what_is_printed_at_an_end_of_the_axis_is_on_it(description, make_rows, kind, ends):
    points = [{"x": x, "y": 5} for x in ends]
    drawn = figure({**description, "x_scale": kind, "printed": points}, make_rows(xs=ends))
    assert len(crosses(drawn.axes[0])) == 2


def test_nothing_printed_within_what_was_measured_adds_nothing(description, make_rows):
    drawn = figure({**description, "printed": [{"x": 2**30, "y": 5}]}, make_rows(xs=(4, 64)))
    assert PAPER not in legend_of(drawn) and not crosses(drawn.axes[0])


def test_bars_have_crosses_on_the_bar_of_the_series(make_rows):
    rows = make_rows(operators=["sum"], xs=(4, 64), series=[("fiba", {}), ("recalc", {})])
    bars = {"name": "b", "family": "bars", "x": "distance", "y": "throughput"}
    drawn = figure({**bars, "printed": [{"x": 64, "y": 2, "series": "fiba"}, {"x": 64, "y": 3}]}, rows)
    on_series, between = crosses(drawn.axes[0])
    assert between == (1.0, 3.0) and on_series[1] == 2.0 and abs(on_series[0] - 1.0) == pytest.approx(0.2)


def test_a_table_has_the_papers_column_beside_its_own(make_rows):
    table = {"name": "t", "family": "table", "rows": "operator", "columns": "distance", "y": "time_per_item"}
    rows = make_rows(operators=["sum", "bloom"], xs=(4, 64), series=[("fiba", {})])
    found = grid(described({**table, "printed": {"64": {"sum": "1.25"}}}), rows)
    assert found.columns == ["4", "64", PAPER]
    assert {row: line[-1].text for row, line in zip(found.rows, found.entries)} == {"sum": "1.25", "bloom": "–"}
    assert all(len(line) == 3 for line in found.entries)
    assert figure({**table, "printed": {"64": {"sum": "1.25"}}}, rows)


@pytest.mark.parametrize("wrong", [{"x": 3}, {"x": 3, "y": "much"}, {"x": 3, "y": 4, "colour": "red"}, 5])
def test_a_point_that_is_none_is_refused(description, make_rows, wrong):
    with pytest.raises(FigureError, match="printed has .*; a point is {x, y}"):
        figure({**description, "printed": [wrong]}, make_rows(xs=(4,)))


def test_crosses_are_small_and_black():
    assert (LOOK["color"], LOOK["marker"], LOOK["linestyle"]) == ("black", "x", "none")
