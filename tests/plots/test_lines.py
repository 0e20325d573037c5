"""The figure of lines: what is drawn where, and what is said about the rest."""

import numpy as np
import pandas as pd
import pytest

from plots import FigureError, figure
from plots.families import described
from plots.points import locate, missing, panels, points
from plots.scales import scale
from plots.style import series

pytestmark = pytest.mark.smoke


def text_of(drawn):
    return "\n".join(text.get_text() for text in drawn.texts)


def lines_of(axes, label):
    color = {f"b{kind}{k}": series(name, {"min_arity": k}).color
             for kind, name in (("classic", "b_tree"), ("finger", "fiba")) for k in (2, 4, 8)}[label]  # fmt: skip
    return [line for line in axes.lines if line.get_color() == color]


def test_throughput_is_millions_of_items_per_second(description, make_rows):
    rows = make_rows(operators=["sum"], xs=[4], series=[("fiba", {"min_arity": 4})], repetitions=3)
    spec = described(description)
    point = points(locate(spec, rows)).iloc[0]
    rates = sorted(rows["operations"] / (rows["value"] * 1e-9) / 1e6)
    assert [point["low"], point["middle"], point["high"]] == pytest.approx(rates)
    assert point["repetitions"] == 3
    slow = points(locate(described(description | {"y": "time_per_item"}), rows)).iloc[0]
    assert slow["middle"] == pytest.approx(1e3 / point["middle"])


def test_a_line_that_another_hides_is_seen_around_it(description, make_rows):
    two = [("fiba", {"min_arity": 2}), ("fiba", {"min_arity": 4})]
    rows = make_rows(operators=["sum"], series=two, repetitions=1)
    apart, alike = rows.copy(), rows.copy()
    apart["value"] = np.where(rows["parameters"].str.contains("2"), 1e6, 3e6)
    alike["value"] = 1e6
    for changed, wider in ((apart, False), (alike, True)):
        drawn = figure(description, changed).axes[0]
        lower, upper = lines_of(drawn, "bfinger2")[-1], lines_of(drawn, "bfinger4")[-1]
        assert (lower.get_linewidth() > upper.get_linewidth()) == wider
        assert (lower.get_markersize() > upper.get_markersize()) == wider


@pytest.mark.parametrize(("slowest", "wider"), [(1e6, False), (1e11, True)])
def test_lines_are_alike_where_no_eye_tells_them_apart_on_their_axis(description, make_rows, slowest, wider):
    three = [("recalc", {}), ("fiba", {"min_arity": 2}), ("fiba", {"min_arity": 4})]
    rows = make_rows(operators=["sum"], series=three, repetitions=1)
    rows["value"] = np.where(rows["algorithm"] == "recalc", slowest, 1e6)
    rows.loc[rows["parameters"].str.contains("2"), "value"] *= 1.1
    drawn = figure({**description, "y_scale": "log10"}, rows).axes[0]
    lower, upper = lines_of(drawn, "bfinger2")[-1], lines_of(drawn, "bfinger4")[-1]
    assert (lower.get_linewidth() > upper.get_linewidth()) == wider


@pytest.mark.parametrize(("many", "widths"), [(4, 4), (5, 1)])
def test_more_lines_than_widths_tell_apart_are_a_bundle(description, make_rows, many, widths):
    rows = make_rows(operators=["sum"], series=[("fiba", {"min_arity": 2 + i}) for i in range(many)], repetitions=1)
    rows["value"] = 1e6
    drawn = figure(description, rows)
    assert len({line.get_linewidth() for line in drawn.axes[0].lines}) == widths
    assert ("More than 4 lines that no eye tells apart are drawn as one" in text_of(drawn)) == (widths == 1)


@pytest.mark.parametrize("y_scale", ["linear", "log10"])
def test_every_point_is_within_its_panel(description, make_rows, y_scale):
    drawn = figure(description | {"y": "value", "y_scale": y_scale}, make_rows())
    for panel in drawn.axes:
        inside = [panel.viewLim.contains(*point) for line in panel.lines for point in line.get_xydata()]
        assert all(inside) and inside


def test_panels_are_in_the_given_order_and_none_is_dropped(description, make_rows):
    rows = make_rows(operators=["max", "bloom", "sum"])
    spec = described(description)
    assert panels(spec, locate(spec, rows)) == ["sum", "geomean", "bloom", "max"]
    drawn = figure(description, rows)
    assert [axes.get_title() for axes in drawn.axes] == ["sum", "geometric mean", "Bloom filter", "max"]
    assert [text.get_text() for text in drawn.axes[1].texts] == ["no results", "//"]


def test_y_starts_at_zero_and_the_axes_have_units(description, make_rows):
    drawn = figure(description, make_rows())
    for axes in drawn.axes:
        assert axes.get_ylim()[0] == 0
        assert axes.get_xlabel() == "out-of-order distance d (items)"
    assert drawn.axes[0].get_ylabel() == "throughput (million items/s)"
    four = figure(description | {"panels": []}, make_rows(operators="abcd", xs=[4]))
    assert [bool(axes.get_ylabel()) for axes in four.axes] == [True, False, False, True]


def test_one_legend_in_the_order_of_the_table(description, make_rows):
    drawn = figure(description, make_rows(series=[("fiba", {"min_arity": 2}), ("b_tree", {"min_arity": 8})]))
    assert [text.get_text() for legend in drawn.legends for text in legend.get_texts()] == [
        "bclassic8 (b_tree 8)",
        "bfinger2 (fiba 2)",
    ]
    assert all(axes.get_legend() is None for axes in drawn.axes)


def test_zero_has_its_own_place_left_of_one(description, make_rows):
    drawn = figure(description, make_rows(operators=["sum"]) )  # fmt: skip
    ticks = [text.get_text() for text in drawn.axes[0].get_xticklabels()]
    assert ticks[:3] == ["0", "$2^{0}$", "$2^{2}$"]
    at_zero, beyond = lines_of(drawn.axes[0], "bfinger4")
    assert len(at_zero.get_xdata()) == 1 and at_zero.get_xdata()[0] < 0
    assert list(beyond.get_xdata()) == [0, 2, 4, 6, 8, 10, 12, 14, 16]


def test_values_at_zero_stand_side_by_side_within_their_slot(description, make_rows):
    drawn = figure(description, make_rows(operators=["sum"]))
    places = [line.get_xdata()[0] for line in drawn.axes[0].lines if len(line.get_xdata()) == 1]
    assert len(places) == len(set(places)) == 6
    layout = scale("log2", np.array([0, *(2.0**k for k in range(0, 17, 2))]))
    assert drawn.axes[0].get_xlim()[0] < min(places) and max(places) < layout.gap < 0
    assert np.mean(places) == pytest.approx(layout.places[0])


def test_a_line_is_broken_where_a_point_is_missing(description, make_rows):
    drawn = figure(description, make_rows(operators=["sum"], failures={("fiba", 4, "sum", 64): ("failed", "x")}))
    pieces = [list(line.get_xdata()) for line in lines_of(drawn.axes[0], "bfinger4")][1:]
    assert pieces == [[0, 2, 4], [8, 10, 12, 14, 16]]


def test_what_only_another_panel_has_is_not_missing(description, make_rows):
    few, all_ = make_rows(operators=["sum"], xs=[1, 64]), make_rows(operators=["bloom"], xs=[1, 8, 64])
    drawn = figure(description, pd.concat([few, all_]))
    assert [list(line.get_xdata()) for line in lines_of(drawn.axes[0], "bfinger4")] == [[0, 6]]
    assert [list(line.get_xdata()) for line in lines_of(drawn.axes[2], "bfinger4")] == [[0, 3, 6]]


def test_what_only_another_line_has_is_not_missing(description, make_rows):
    failed = {("fiba", 4, "sum", 4096): ("failed", "x")}
    coarse = make_rows(["sum"], series=[("fiba", {"min_arity": 4})], xs=[4, 64, 256, 4096, 4**8], failures=failed)
    others = make_rows(operators=["sum"], series=[("b_tree", {"min_arity": 4})])
    drawn = figure(description, pd.concat([others, coarse]))
    assert [list(line.get_xdata()) for line in lines_of(drawn.axes[0], "bfinger4")] == [[2, 6, 8], [16]]


def test_a_value_that_a_logarithmic_axis_has_no_place_for_breaks_the_line(description, make_rows):
    rows = make_rows(["sum"], series=[("fiba", {"min_arity": 4})], xs=[1, 4, 16, 64, 256])
    rows.loc[rows["distance"] == 16, "value"] = 0.0
    drawn = figure(description | {"y": "value", "y_scale": "log10"}, rows)
    assert [list(line.get_xdata()) for line in lines_of(drawn.axes[0], "bfinger4")] == [[0, 2], [6, 8]]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([1, 2, 4, 8], ["$2^{0}$", "$2^{1}$", "$2^{2}$", "$2^{3}$"]),
        ([0, 1024, 4096], ["0", "$2^{10}$", "$2^{12}$"]),
        ([1, 16, 256, 511], ["$2^{0}$", "$2^{4}$", "$2^{9} - 1$"]),
        ([1, 16, 100, 256], ["$2^{0}$", "$2^{4}$", "$2^{8}$"]),
        ([1, 16, 256, 700], ["$2^{0}$", "$2^{4}$", "$2^{8}$", "700"]),
        ([15, 60, 1440], ["15", "60", "1,440"]),
        ([0], ["0"]),
        ([7], ["7"]),
        ([0.25, 0.5], ["$2^{-2}$", "$2^{-1}$"]),
    ],
)
def test_ticks_are_powers_of_two_or_the_values(values, labels):
    assert [text for _, text in scale("log2", np.array(values, float)).ticks] == labels


def test_ticks_never_crowd():
    for values in (2.0 ** np.arange(30), np.arange(1.0, 200)):
        ticks = scale("log2", values).ticks
        places = [place for place, _ in ticks]
        assert 2 <= len(ticks) <= 10
        assert min(np.diff(places)) >= (places[-1] - places[0]) / 10


def test_a_negative_value_has_no_logarithm():
    with pytest.raises(FigureError, match="takes the value -2"):
        scale("log2", np.array([-2.0, 1.0]))


def test_every_run_without_result_is_told(description, make_rows):
    rows = make_rows(
        failures={
            ("b_tree", 2, "bloom", None): ("timeout", "longer than 60 s, $5"),
            ("fiba", 4, "sum", 16): ("skipped", "no"),
            ("fiba", 4, "sum", 64): ("skipped", "no"),
        },
        repetition_failures={("fiba", 8, "geomean", 1024): ("disagrees", "12 is not 13")},
    )
    text = text_of(figure(description, rows))
    assert "Not measured: bclassic2 (b_tree 2) / Bloom filter: timeout: longer than 60 s, $5" in text
    assert "Not measured: bfinger4 (fiba 4) / sum at distance 16, 64: skipped: no" in text
    assert "Repetitions missing: bfinger8 (fiba 8) / geometric mean at distance 1,024: disagrees: 12 is not 13" in text


def test_cells_that_need_as_much_memory_share_a_line(description, make_rows):
    needs, has = "needs up to 27.5 GiB", "this machine has 23.5 GiB"
    failures = {
        ("fiba", 4, "sum", d): ("skipped", f"fiba(min_arity=4) sum n=4194304 d={d} {needs} for {n:,} entries; {has}")
        for d, n in ((16, 4_194_305), (64, 4_194_368))
    }
    text = text_of(figure(description, make_rows(failures=failures)))
    assert f"Not measured: bfinger4 (fiba 4) / sum at distance 16, 64: skipped: {needs}; {has}" in text


def test_a_panel_without_results_has_no_numbers_along_its_side(description, make_rows):
    failures = {(a, k, "bloom", None): ("failed", "no") for a in ("b_tree", "fiba") for k in (2, 4, 8)}
    drawn = figure(description, make_rows(failures=failures))
    empty = [panel for panel in drawn.axes if any(text.get_text() == "no results" for text in panel.texts)]
    assert len(empty) == 1
    for panel in drawn.axes:
        shown = [tick for tick in panel.yaxis.get_major_ticks() if tick.label1.get_visible()]
        assert bool(shown) == (panel not in empty)


def test_many_failures_are_counted_rather_than_dropped(description, make_rows):
    failures = {("fiba", 4, "sum", 4**k): ("failed", f"reason {k}") for k in range(9)}
    rows = make_rows(failures=failures, repetition_failures={("fiba", 2, "sum", 4): ("failed", "z")})
    spec = described(description)
    entries = list(missing(locate(spec, rows)))
    assert len(entries) == 10
    text = text_of(figure(description, rows))
    told = text.count("Not measured") + text.count("Repetitions missing")
    assert f"and {10 - told} more entries" in text and told > 0


def test_places_that_lack_a_result_for_one_reason_do_not_fill_the_figure(description, make_rows):
    series_ = [("fiba", {"min_arity": k}) for k in range(2, 32)]
    failures = {("fiba", k, "sum", None): ("failed", "no compiler") for k in range(2, 32)}
    text = text_of(figure(description, make_rows(operators=["sum"], series=series_, failures=failures)))
    assert "; and 18 more: failed: no compiler" in text.replace("\n", " ")


def test_a_figure_of_failures_only_is_drawn(description, make_rows):
    rows = make_rows(operators=["sum"], failures={(a, k, "sum", None): ("failed", "no compiler")
                                                  for a in ("b_tree", "fiba") for k in (2, 4, 8)})  # fmt: skip
    drawn = figure(description, rows)
    (told,) = [line for line in text_of(drawn).split("Not measured")[1:] if "no compiler" in line]
    assert told.count(" / sum") == 6  # what has the same reason is told together
    assert drawn.legends == []


def test_the_small_print(description, make_rows):
    facts = '{"distances":"59 % out of order; d: mean 10, max 770"}'
    rows = make_rows(xs=[4], facts=facts)
    text = text_of(figure(description, rows))
    assert "Order of arrival: 59 % out of order; d: mean 10, max 770" in text
    assert "median of 3 repetitions; bands: smallest to largest" in text
    assert "FiBA, Figure 11 · profile laptop · machine 7f3a2c · measured 2025-03-01 · revision 0123456789" in text
    assert "draft" not in text
    assert "draft: uncommitted code" in text_of(figure(description, make_rows(xs=[4], git_dirty=True)))
    assert "One repetition: the spread is not known." in text_of(figure(description, make_rows(xs=[4], repetitions=1)))
    counted = make_rows(xs=[4], repetitions=1).assign(counted=True)
    assert "Counted, not timed: the same in every repetition." in text_of(figure(description, counted))


def test_pooled_origins_are_told(description, make_rows):
    rows = make_rows(xs=[4])
    rows.loc[rows["repetition"] == 1, "machine"] = "other"
    assert "Some points pool 2 machines." in text_of(figure(description, rows))
    assert "pool" not in text_of(figure(description, make_rows()))


def test_different_grid_points_are_never_pooled(description, make_rows):
    rows = make_rows(xs=[4])
    rows.loc[rows["repetition"] == 1, "window"] = 77
    with pytest.raises(FigureError, match=r"different window \(65536, 77\)"):
        figure(description, rows)
    assert figure(description | {"where": {"window": 77}}, rows)


def test_other_units_are_not_taken_for_nanoseconds(description, make_rows):
    with pytest.raises(FigureError, match="the rows are in cycles"):
        figure(description, make_rows(xs=[4], unit="cycles"))


def test_x_may_be_empty_nowhere(description, make_rows):
    rows = make_rows(xs=[4])
    with pytest.raises(FigureError, match="x is 'batch'"):
        figure(description | {"x": "batch"}, rows)


def test_x_can_be_given_in_a_larger_unit(description, make_rows):
    rows = make_rows(operators=["max"], xs=[15 * 2**20, 60 * 2**20], x="window")
    described = description | {"x": "window", "panel": None, "x_divide": 2**20, "x_label": "window (minutes)"}
    [axes] = figure(described, rows).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["15", "60"]
    assert axes.get_title() == "" and axes.get_xlabel() == "window (minutes)"


@pytest.mark.parametrize("operators", [["sum"], ["sum", "geomean", "bloom"], ["a", "b", "c", "d"]])
def test_no_two_texts_overlap(description, make_rows, operators):
    failures = {("fiba", 4, operators[0], 4**k): ("failed", f"reason {k} " * 20) for k in range(9)}
    described = description | {"panels": operators}
    drawn = figure(described, make_rows(operators=operators, failures=failures, git_dirty=True))
    renderer = drawn.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in drawn.texts]
    boxes += [legend.get_window_extent(renderer) for legend in drawn.legends]
    boxes += [axes.get_tightbbox(renderer) for axes in drawn.axes]
    page = drawn.bbox
    for number, box in enumerate(boxes):
        assert box.x0 >= page.x0 and box.x1 <= page.x1 and box.y0 >= page.y0 and box.y1 <= page.y1
        assert not any(box.overlaps(other) for other in boxes[number + 1 :])


def test_panels_of_one_range_have_the_same_ticks_whatever_they_show(description, make_rows):
    rows = make_rows(operators=("sum", "geomean"), xs=[4, 64], series=[("fiba", {"min_arity": 4})])
    rows.loc[(rows["operator"] == "geomean") & (rows["distance"] == 64), "value"] *= 40
    several = {**description, "panels": ["sum", "geomean"], "y_scale": "log10", "same_y": True}
    drawn = figure(several, rows)
    drawn.canvas.draw()
    first, second = ([text.get_text() for text in axes.get_yticklabels()] for axes in drawn.axes[:2])
    assert drawn.axes[0].get_ylim() == drawn.axes[1].get_ylim() and first == second and len(first) >= 4


def test_what_is_zero_has_no_place_on_a_logarithmic_axis(description, make_rows):
    rows = make_rows(operators=["sum"], xs=[1, 4, 16], series=[("fiba", {"min_arity": 2})], repetitions=1)
    rows["value"] = np.where(rows["distance"] == 1, 0.0, 1e6)
    for y_scale, points_drawn, told in (("linear", 3, False), ("log10", 2, True)):
        drawn = figure(description | {"y": "value", "y_scale": y_scale}, rows)
        line = lines_of(drawn.axes[0], "bfinger2")[-1]
        assert len(line.get_xdata()) == points_drawn
        assert ("Points at 0 are left out" in text_of(drawn)) == told
