"""Figure descriptions: what is refused, with which words, and which rows are selected."""

import pytest

from plots import FigureError, figure
from plots.description import Description, select


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("family", "line", "family is 'line'; did you mean 'lines'"),
        ("family", None, "has no family"),
        ("x", "distances", "x is 'distances'; did you mean 'distance'"),
        ("y", "speed", "y is 'speed'; it must be one of throughput, time_per_item"),
        ("panel", "operators", "did you mean 'operator'"),
        ("x_scale", "log", "x_scale is 'log'; did you mean 'log2'"),
        ("x_divide", 0, "x_divide is 0"),
        ("name", "../fiba", "name is '../fiba'"),
        ("colour", "red", "a key of the figure is 'colour'"),
        ("where", {"windw": 3}, "where is 'windw'; did you mean 'window'"),
    ],
)
def test_a_wrong_description_is_refused_with_key_value_and_cure(description, make_rows, key, value, words):
    with pytest.raises(FigureError, match=words):
        figure(description | {key: value}, make_rows())


def test_defaults_label_the_axes_with_units(description):
    spec = Description.from_mapping(description)
    assert spec.axis_labels() == ("out-of-order distance d (items)", "throughput (million items/s)")
    assert spec.panel_title("bloom") == "Bloom filter"
    assert spec.panel_title("sum") == "sum"


def test_rows_are_selected_by_metric_and_where(description, make_rows):
    rows = make_rows(xs=(0, 4))
    spec = Description.from_mapping(description | {"where": {"operator": ["sum", "bloom"], "distance": 4}})
    found = select(spec, rows)
    assert set(found["operator"]) == {"sum", "bloom"} and set(found["distance"]) == {4}
    with pytest.raises(FigureError, match="no rows with metric 'latency'"):
        select(Description.from_mapping(description | {"metric": "latency"}), rows)


def test_failures_are_selected_whatever_their_metric(description, make_rows):
    rows = make_rows(operators=["sum"], failures={("fiba", 2, "sum", 4): ("timeout", "slow")})
    rows.loc[rows["status"] == "timeout", "metric"] = "combines"
    assert "timeout" in set(select(Description.from_mapping(description), rows)["status"])


def test_panels_of_numbers_are_titled_with_their_letter(description):
    spec = Description.from_mapping(
        {**description, "panel": "distance", "panels": [], "panel_titles": {"0": "in order"}}
    )
    assert spec.panel_title("131072") == "d = 131,072"
    assert spec.panel_title("0") == "in order"
