"""Bars: where they stand, how high they are, and how parts are stacked."""

import json

import pandas as pd
import pytest

from plots import FigureError, figure

SERIES = (("cutty", {}), ("pairs_plus", {}))
QUERIES = (1, 10, 100)
BARS = {"name": "calls", "family": "bars", "x": "distance", "y": "value", "y_label": "combine calls"}
STACKED = {**BARS, "metric": ["merge", "update"], "stack": "metric", "stack_values": ["update", "merge"]}


@pytest.fixture
def rows(make_rows):
    """Update and merge calls: 10 and 5 times the queries in the first repetition, 2 and 1 more in each that follows."""
    made = []
    for metric, calls, more in (("update", 10, 2), ("merge", 5, 1)):
        rows = make_rows(operators=["sum"], xs=QUERIES, series=SERIES, metric=metric, unit="1")
        made.append(rows.assign(value=calls * rows["distance"] + more * rows["repetition"].astype("float64")))
    return pd.concat(made, ignore_index=True)


def boxes(axes):
    """(left, bottom, top) of each bar."""
    return [(bar.get_x(), bar.get_y(), bar.get_y() + bar.get_height()) for bar in axes.patches]


def test_a_group_for_each_category_a_bar_for_each_series(rows):
    [axes] = figure({**BARS, "metric": "update"}, rows).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "10", "100"]
    found = boxes(axes)
    assert [top for _, _, top in found] == [12, 102, 1002] * 2  # the medians, one series after the other
    lefts = sorted(left for left, _, _ in found)
    assert [round(left) for left in lefts] == [0, 0, 1, 1, 2, 2]
    assert axes.get_ylim()[0] == 0 and axes.get_ylabel() == "combine calls"


def test_bars_that_are_all_0_have_no_logarithm_and_are_drawn_all_the_same(rows):
    nothing = rows.assign(value=0.0)
    [axes] = figure({**BARS, "metric": "update", "y_scale": "log10"}, nothing).axes
    assert [top for line in axes.lines for top in line.get_ydata()] == [0] * 6 and axes.get_yscale() == "linear"


def test_whiskers_run_from_the_smallest_to_the_largest_whole_bar(rows):
    [axes] = figure(STACKED, rows).axes
    ends = sorted(tuple(line[:, 1]) for lines in axes.collections for line in lines.get_segments())
    assert ends == [(15, 21)] * 2 + [(150, 156)] * 2 + [(1500, 1506)] * 2


def test_a_repetition_without_a_part_is_no_whole_bar(rows):
    gone = (rows["metric"] == "merge") & (rows["repetition"] == 2)
    rows.loc[gone, ["status", "reason", "value"]] = ("failed", "lost", None)
    [axes] = figure(STACKED, rows).axes
    ends = sorted(tuple(line[:, 1]) for lines in axes.collections for line in lines.get_segments())
    assert ends[0] == (15, 18)


def test_parts_stand_on_one_another_and_are_named(rows):
    drawn = figure({**STACKED, "titles": {"merge": "merge calls"}}, rows)
    found = boxes(drawn.axes[0])
    first, second = found[:3], found[3:6]
    assert [bottom for _, bottom, _ in first] == [0, 0, 0]
    assert [bottom for _, bottom, _ in second] == [top for _, _, top in first] == [12, 102, 1002]
    assert [top for _, _, top in second] == [18, 153, 1503]
    labels = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert sorted(labels) == ["cutty", "merge calls", "pairs+", "update"]
    assert drawn.axes[0].patches[0].get_hatch() != drawn.axes[0].patches[3].get_hatch()


def test_a_logarithmic_axis_begins_below_the_smallest_part(rows):
    [axes] = figure({**STACKED, "y_scale": "log10"}, rows).axes
    low, high = axes.get_ylim()
    assert axes.get_yscale() == "log" and low == 4 and high > 1503


def test_a_logarithmic_axis_begins_below_the_whiskers(rows):
    rows.loc[rows["repetition"] == 0, "value"] /= 100  # the median stays as it is
    [axes] = figure({**BARS, "metric": "update", "y_scale": "log10"}, rows).axes
    assert axes.get_ylim()[0] < 0.1


def test_bars_below_a_base_are_seen_and_stand_on_it(rows):
    less = {**BARS, "metric": "update", "base": {"distance": 10}, "compared": "difference"}
    [axes] = figure(less, rows).axes
    assert [top for _, _, top in boxes(axes)] == [-90, 900] * 2
    assert list(axes.lines[0].get_ydata()) == [0, 0] and axes.get_ylim()[0] < -90


def test_parts_that_are_not_stacked_are_not_pooled(rows):
    with pytest.raises(FigureError, match=r"different metric \(merge, update\)"):
        figure({**STACKED, "stack": None, "stack_values": None}, rows)


def test_categories_may_be_keys_with_titles_in_an_order(rows):
    rows["workload_parameters"] = [json.dumps({"kind": f"k{d}"}) for d in rows["distance"]]
    keyed = {**STACKED, "x": "workload_parameters.kind", "x_values": ["k10", "k1"], "titles": {"k1": "one query"}}
    [axes] = figure(keyed, rows.assign(distance=None)).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["k10", "one query", "k100"]
    assert axes.get_xlabel() == "kind"


def test_long_names_are_turned_and_overlap_nothing(rows):
    names = {"1": "a category with a long name", "10": "another category", "100": "a third category"}
    drawn = figure({**STACKED, "titles": names, "title": "Calls"}, rows)
    renderer = drawn.canvas.get_renderer()
    found = [text.get_window_extent(renderer) for text in drawn.texts]
    found += [drawn.legends[0].get_window_extent(renderer), drawn.axes[0].get_tightbbox(renderer)]
    assert drawn.axes[0].get_xticklabels()[0].get_rotation() > 0
    for number, box in enumerate(found):
        assert not any(box.overlaps(other) for other in found[number + 1 :])


def test_a_bar_without_a_result_is_told(rows):
    gone = (rows["algorithm"] == "cutty") & (rows["distance"] == 10) & (rows["metric"] == "update")
    rows.loc[gone, ["status", "reason", "value"]] = ("timeout", "too long", None)
    said = " ".join(text.get_text() for text in figure({**BARS, "metric": "update"}, rows).texts)
    assert "Not measured: cutty at distance 10: timeout: too long" in said
    assert "Bars: median of 3 repetitions; whiskers: smallest to largest." in said


def test_bars_stand_over_categories_only(rows):
    with pytest.raises(FigureError, match="x_scale of bars is 'log2'; it must be one of category"):
        figure({**BARS, "x_scale": "log2"}, rows)
