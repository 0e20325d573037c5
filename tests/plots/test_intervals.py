"""Confidence intervals of means: quantiles against printed tables, what is drawn and said of them, what a row lacks."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plots import FigureError, figure
from plots.families import described
from plots.intervals import half_width, quantile, within
from plots.points import locate, points

TABLE = [
    # two-sided per cent, degrees of freedom, t as in printed tables
    *((0.99, 1, 63.657), (0.99, 2, 9.925), (0.99, 3, 5.841), (0.99, 4, 4.604), (0.99, 9, 3.250), (0.99, 30, 2.750)),
    *((0.95, 1, 12.706), (0.95, 2, 4.303), (0.95, 5, 2.571), (0.95, 10, 2.228), (0.50, 1, 1.000), (0.50, 7, 0.711)),
]

LINES = {"name": "rates", "family": "lines", "x": "distance", "x_scale": "log2", "y": "value", "confidence": 99}


@pytest.mark.parametrize(("share", "degrees", "t"), TABLE)
def test_quantiles_are_those_of_printed_tables(share, degrees, t):
    assert quantile(share, degrees) == pytest.approx(t, abs=6e-4)


@given(st.floats(0.01, 50), st.integers(1, 40))
def test_the_probability_is_the_integral_of_the_density(t, degrees):
    x = np.linspace(0, t, 20_001)
    density = (1 + x**2 / degrees) ** (-(degrees + 1) / 2)
    constant = math.gamma((degrees + 1) / 2) / math.sqrt(degrees * math.pi) / math.gamma(degrees / 2)
    assert within(t, degrees) == pytest.approx(2 * constant * float(np.trapezoid(density, x)), abs=1e-5)


def test_half_a_width_is_the_quantile_times_the_error_of_the_mean():
    assert half_width(pd.Series([1.0, 2.0, 3.0]), 99) == pytest.approx(9.925 / math.sqrt(3), rel=1e-4)
    assert half_width(pd.Series([1.0, 2.0, 3.0, math.nan]), 99) == half_width(pd.Series([1.0, 2.0, 3.0]), 99)
    assert half_width(pd.Series([5.0, 5.0, 5.0]), 99) == 0
    assert half_width(pd.Series([1.0, 9.0]), 99) == half_width(pd.Series([1.0]), 99) == 0


def test_lines_are_means_with_their_intervals_and_say_so(make_rows):
    rows = make_rows(operators=["sum"], xs=[4, 8], series=[("fiba", {"min_arity": 4})], repetitions=3)
    point = points(locate(described(LINES), rows), 99).iloc[0]
    values = rows.loc[rows["distance"] == 4, "value"].astype(float)
    assert point["middle"] == pytest.approx(values.mean())
    around = half_width(values, 99)
    assert (point["high"] - point["middle"], point["middle"] - point["low"]) == pytest.approx((around, around))
    said = [text.get_text() for text in figure(LINES, rows).texts]
    assert "Lines: mean of 3 repetitions; bands: 99 % confidence interval of the mean." in said
    two = [text.get_text() for text in figure(LINES, rows[rows["repetition"] < 2]).texts]
    assert "Lines: mean of 2 repetitions; too few for a confidence interval, which takes 3." in two
    lost = (rows["distance"] == 4) & (rows["repetition"] == 2)
    rows.loc[lost, ["status", "reason", "value"]] = ("failed", "no", None)
    some = [text.get_text() for text in figure(LINES, rows).texts]
    band = "bands: 99 % confidence interval of the mean; points of fewer than 3 repetitions have no band"
    assert f"Lines: mean of 2 to 3 repetitions; {band}." in " ".join(reversed(some))


@pytest.mark.parametrize("confidence", [0, 100, -1])
def test_a_confidence_is_per_cent(confidence):
    with pytest.raises(FigureError, match=f"confidence is {confidence}; it must be per cent between 0 and 100"):
        described({**LINES, "confidence": confidence})
    with pytest.raises(FigureError, match="confidence is 99; only family lines has it"):
        described({**LINES, "family": "bars"})


def test_a_number_that_a_row_lacks_is_not_zero_and_the_row_says_why(make_rows):
    rows = make_rows(operators=["sum"], xs=[4, 8], series=[("fiba", {"min_arity": 4})], repetitions=2)
    facts = [{"latency": 3.0} if x == 4 else {"lacking": {"latency": "no window closes"}} for x in rows["distance"]]
    rows["facts"] = [json.dumps(one) for one in facts]
    drawn = figure({**LINES, "y": "facts.latency"}, rows)
    assert [list(line.get_ydata()) for line in drawn.axes[0].lines] == [[3.0]]
    said = "\n".join(text.get_text() for text in drawn.texts)
    assert "Not measured: bfinger4 (fiba 4) at distance 8: skipped: no window closes" in said
    drawn = figure({**LINES, "y": "facts.latency"}, rows.assign(facts="{}"))
    assert not drawn.axes[0].lines and drawn.axes[0].texts[0].get_text() == "no results"
    said = "\n".join(text.get_text() for text in drawn.texts)
    assert "Not measured: bfinger4 (fiba 4): skipped: the row's facts have no latency" in said


def test_a_base_may_be_a_value_of_x_itself(make_rows):
    series = [("a_c", {"D": age}) for age in ("inf", 60, 0)]
    rows = make_rows(operators=["sum"], xs=[4], series=series, repetitions=2)
    rows["value"] = [{"inf": 10.0, 60: 5.0, 0: 1.0}[json.loads(text)["D"]] for text in rows["parameters"]]
    spec = {**LINES, "x": "parameters.D", "x_scale": "category", "x_values": ["inf", 60, 0]}
    [line] = figure({**spec, "base": {"parameters.D": "inf"}}, rows).axes[0].lines[:1]
    assert list(line.get_ydata()) == [0.5, 0.1]
