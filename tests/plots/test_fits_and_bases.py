"""Fitted lines, y relative to a base, other scales of the axes, and what y is computed from."""

import json

import numpy as np
import pandas as pd
import pytest

from plots import FigureError, figure
from plots.bases import relative
from plots.description import select
from plots.families import described
from plots.fits import fitted
from plots.points import locate, points

XS = (1, 2, 4, 8, 16)
LINES = {"name": "cost", "family": "lines", "x": "window", "x_scale": "log2", "y": "per_operation"}


@pytest.fixture
def rows(make_rows):
    """Time per operation of 3 log2 n + 5, without noise."""
    made = make_rows(operators=["sum"], xs=XS, x="window", distance=0, series=[("reactive", {})])
    return made.assign(value=1e5 * (3 * np.log2(made["window"].astype("float64")) + 5))


def fits(description, rows):
    spec = described(description)
    return fitted(spec.fit, points(locate(spec, select(spec, rows))))


def test_a_logarithm_is_found_and_fits_wholly(rows):
    [fit] = fits({**LINES, "fit": "log2"}, rows)
    assert (fit.slope, fit.intercept, fit.r2) == pytest.approx((3, 5, 1))
    assert fit(np.array([64.0])) == pytest.approx([23])


def test_r2_is_the_share_of_the_variance_that_the_line_explains(rows):
    [fit] = fits({**LINES, "fit": "linear"}, rows)
    x, y = np.array(XS, float), 3 * np.log2(XS) + 5
    assert fit.r2 == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2) and fit.r2 < 0.9


def test_points_at_zero_are_no_part_of_a_fit_over_logarithms(rows):
    zero = rows[rows["window"] == 1].assign(window=0, value=1e9)
    [fit] = fits({**LINES, "fit": "log2"}, pd.concat([rows, zero]))
    assert fit.r2 == pytest.approx(1)


def test_two_points_have_no_fit(rows):
    assert fits({**LINES, "fit": "log2"}, rows[rows["window"] < 4]) == []


def test_a_fit_is_drawn_thin_and_said(rows):
    drawn = figure({**LINES, "fit": "log2"}, rows)
    [fit] = [line for line in drawn.axes[0].lines if line.get_linewidth() < 1]
    assert (fit.get_xdata()[0], fit.get_xdata()[-1]) == pytest.approx((0, 4))
    assert (fit.get_ydata()[0], fit.get_ydata()[-1]) == pytest.approx((5, 17))
    assert np.diff(fit.get_ydata()) / np.diff(fit.get_xdata()) == pytest.approx(3)  # straight, between points as well
    assert drawn.legends[0].get_texts()[0].get_text() == "Reactive (R² 1.000)"
    assert any("least squares of the medians over log2 x" in text.get_text() for text in drawn.texts)


def compressed(make_rows, slower=2.0):
    """D = inf, 60 and 15 s; compression makes everything slower, but not in the one cell that has no base."""
    parts = []
    for D in (float("inf"), 60, 15):
        text = json.dumps({"D": "inf" if D > 1e9 else D})
        part = make_rows(operators=["sum"], xs=XS, series=[("a_c", {})], workload_parameters=text)
        parts.append(part.assign(value=part["value"] * (1 if D > 1e9 else slower)))
    return pd.concat(parts, ignore_index=True)


BASE = {
    "name": "overhead", "family": "lines", "x": "distance", "x_scale": "log2", "y": "throughput",
    "panel": "workload_parameters.D", "base": {"workload_parameters.D": float("inf")},
}  # fmt: skip


def test_y_relative_to_a_base_is_the_ratio_to_the_own_median(make_rows):
    drawn = figure(BASE, compressed(make_rows))
    assert [panel.get_title() for panel in drawn.axes] == ["D = 15", "D = 60"]
    [line] = [
        line for line in drawn.axes[0].lines if line.get_label().startswith("_child") and len(line.get_xdata()) == 5
    ]
    assert list(line.get_ydata()) == pytest.approx([0.5] * 5)
    assert drawn.axes[0].get_ylabel() == "throughput, relative to D = inf"
    assert drawn.axes[0].get_ylim()[1] > 1


def test_a_base_in_the_parameters_divides_each_series_by_its_plain_self(make_rows):
    series = [(name, used) for name in ("reactive", "b_int") for used in ({}, {"framework": "sliding_aggregate"})]
    rows = make_rows(operators=["sum"], xs=XS, series=series)
    rows["value"] = np.where(rows["parameters"] == "{}", 1e6, 3e6) * np.where(rows["algorithm"] == "b_int", 7, 1)
    spec = described({**BASE, "panel": None, "y": "time_per_item", "base": {"parameters.framework": None}})
    located = relative(spec, rows)
    assert set(located["algorithm"]) == {"reactive", "b_int"} and located["y"].to_numpy() == pytest.approx(3)


def test_y_may_be_the_difference_from_the_base_and_negative(make_rows):
    rows = compressed(make_rows)
    spec = described({**BASE, "compared": "difference"})
    plain, compared = relative(described({**BASE, "base": {}}), rows), relative(spec, rows)
    base = plain[rows["workload_parameters"].str.contains("inf")].groupby("x")["y"].median()
    expected = plain["y"].loc[compared.index].to_numpy() - base.loc[compared["x"]].to_numpy()
    assert compared["y"].to_numpy() == pytest.approx(expected) and (expected < 0).any()
    panel = figure({**BASE, "compared": "difference"}, rows).axes[0]
    assert panel.get_ylim()[0] < 0
    assert panel.get_ylabel().replace("\n", " ") == "throughput, relative to D = inf (million items/s)"
    with pytest.raises(FigureError, match="compared is 'difference', which may be negative; it needs y_scale: linear"):
        figure({**BASE, "compared": "difference", "y_scale": "log10"}, rows)


def test_a_point_whose_base_has_no_result_is_told(make_rows):
    rows = compressed(make_rows)
    lost = (rows["distance"] == 4) & rows["workload_parameters"].str.contains("inf")
    rows.loc[lost, ["status", "reason", "value"]] = ("failed", "lost", None)
    said = " ".join(text.get_text() for text in figure(BASE, rows).texts)
    assert "Not measured: A_C / D = 15 at distance 4; " in said
    assert said.count(" at distance 4: skipped: there is no result to compare with") == 1
    with pytest.raises(FigureError, match="base is .* which no row has; there is nothing to compare with"):
        figure({**BASE, "base": {"workload_parameters.D": 7}}, rows)


def test_categories_are_equally_far_apart_in_lines_too(make_rows):
    slides = [("reactive", {"slide": slide}) for slide in ("n/4", "64", "4")]
    described = {**LINES, "x": "parameters.slide", "x_scale": "category", "x_values": ["n/4"], "y": "time_per_item"}
    drawn = figure(described, make_rows(operators=["sum"], xs=[1], series=slides))
    [line] = drawn.axes[0].lines
    assert list(line.get_xdata()) == [0, 1, 2]
    assert [tick.get_text() for tick in drawn.axes[0].get_xticklabels()] == ["n/4", "4", "64"]
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["Reactive"]


def test_no_line_joins_texts_without_an_order(make_rows):
    goals = ("4", "n/4", "10", "latency<=2ms", "memory<=1MB")
    described = {**LINES, "x": "parameters.slide", "x_scale": "category", "x_values": ["n/4"], "y": "time_per_item"}
    drawn = figure(
        described, make_rows(operators=["sum"], xs=[1], series=[("reactive", {"slide": goal}) for goal in goals])
    )
    assert [list(line.get_xdata()) for line in drawn.axes[0].lines] == [[0, 1, 2], [3], [4]]


def test_decades_are_powers_of_ten(rows):
    tens = rows[rows["window"].isin([1, 2, 4])].assign(window=lambda found: 10 ** found["window"])
    axes = figure({**LINES, "x_scale": "log10", "y_scale": "log10"}, tens).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["$10^{1}$", "$10^{2}$", "$10^{4}$"]
    assert axes.get_yscale() == "log"


@pytest.mark.parametrize(
    ("y", "expected"),
    [("value", 2e6), ("per_operation", 20), ("time_per_item", 20), ("throughput", 50), ("facts.k", 7)],
)
def test_what_y_is(make_rows, y, expected):
    rows = make_rows(operators=["sum"], xs=[4], series=[("reactive", {})]).assign(value=2e6, facts='{"k":7}')
    spec = described({**LINES, "y": y, "y_divide": 10})
    assert locate(spec, rows)["y"].to_numpy() == pytest.approx(expected / 10)


def test_counts_have_no_nanoseconds_and_samples_no_value(rows):
    bytes_ = rows.assign(metric="bytes", unit="bytes")
    assert figure({**LINES, "metric": "bytes", "y": "value"}, bytes_).axes[0].get_ylabel() == "bytes"
    with pytest.raises(FigureError, match="the rows are in bytes"):
        figure({**LINES, "metric": "bytes", "y": "throughput"}, bytes_)
    with pytest.raises(FigureError, match="hold samples; family violins draws them"):
        figure({**LINES, "y": "value"}, rows.assign(value=None))


def test_a_base_that_is_lost_everywhere_leaves_an_empty_figure_that_says_so(make_rows):
    rows = compressed(make_rows)
    base = rows["workload_parameters"].str.contains("inf")
    rows.loc[base, ["status", "reason", "value"]] = ("failed", "lost", None)
    drawn = figure(BASE, rows)
    assert not [line for panel in drawn.axes for line in panel.lines if len(line.get_xdata()) == 5]
    assert "there is no result to compare with" in " ".join(text.get_text() for text in drawn.texts)
