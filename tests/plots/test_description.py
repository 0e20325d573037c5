"""Figure descriptions: what is refused, with which words, and which rows are selected."""

import sys

import pytest

from plots import FigureError, families, figure
from plots.description import select
from plots.families import described

pytestmark = pytest.mark.smoke


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("family", "line", "family is 'line'; did you mean 'lines'"),
        ("family", None, "has no family"),
        ("x", "distances", "x is 'distances'; did you mean 'distance'"),
        ("y", "speed", "y is 'speed'; it must be one of throughput, time_per_item"),
        ("y", "fact.k", "y is 'fact'; did you mean 'facts'"),
        ("y_scale", "log", "y_scale of lines is 'log'; did you mean 'log10'"),
        ("y_divide", -1, "y_divide is -1; it must be a positive number"),
        ("fit", "quadratic", "fit of lines is 'quadratic'; it must be one of log2, linear"),
        ("stack", "metric", "stack is 'metric'; only family bars has it"),
        ("rows", "series", "rows is 'series'; only family table has it"),
        ("base", {"workload_parameter.D": 1}, "base is 'workload_parameter'; did you mean 'workload_parameters'"),
        ("panel", "operators", "did you mean 'operator'"),
        ("x_scale", "log", "x_scale of lines is 'log'; did you mean 'log"),
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
    spec = described(description)
    assert spec.axis_labels() == ("out-of-order distance d (items)", "throughput (million items/s)")
    assert spec.panel_title("bloom") == "Bloom filter"
    assert spec.panel_title("sum") == "sum"


def test_rows_are_selected_by_metric_and_where(description, make_rows):
    rows = make_rows(xs=(0, 4))
    spec = described(description | {"where": {"operator": ["sum", "bloom"], "distance": 4}})
    found = select(spec, rows)
    assert set(found["operator"]) == {"sum", "bloom"} and set(found["distance"]) == {4}
    with pytest.raises(FigureError, match="no rows with metric 'latency'"):
        select(described(description | {"metric": "latency"}), rows)


def test_failures_are_selected_whatever_their_metric(description, make_rows):
    rows = make_rows(operators=["sum"], failures={("fiba", 2, "sum", 4): ("timeout", "slow")})
    rows.loc[rows["status"] == "timeout", "metric"] = "combines"
    assert "timeout" in set(select(described(description), rows)["status"])


def test_panels_of_numbers_are_titled_with_their_letter(description):
    spec = described({**description, "panel": "distance", "panels": [], "panel_titles": {"0": "in order"}})
    assert spec.panel_title("131072") == "d = 131,072"
    assert spec.panel_title("0") == "in order"


FAMILY = """
from dataclasses import dataclass
from matplotlib.figure import Figure
from plots.description import Description

@dataclass(frozen=True, kw_only=True)
class Options(Description):
    radius: float

def figure(spec, rows):
    return Figure(figsize=(spec.radius, spec.radius))
"""


def test_a_family_is_a_module_and_nothing_else(make_rows, tmp_path, monkeypatch):
    (tmp_path / "rings.py").write_text(FAMILY)
    monkeypatch.setattr(families, "__path__", [*families.__path__, str(tmp_path)])
    rings = {"name": "r", "family": "rings", "radius": 3}
    try:
        assert figure(rings, make_rows(xs=[4])).get_figwidth() == 3
        with pytest.raises(FigureError, match="a key of the figure is 'radios'; did you mean 'radius'"):
            figure({**rings, "radios": 3}, make_rows(xs=[4]))
        with pytest.raises(FigureError, match="the figure has no radius; family rings needs it"):
            figure({**rings, "radius": None}, make_rows(xs=[4]))
        with pytest.raises(FigureError, match="radius is 3; only family rings has it"):
            figure({**rings, "family": "trees"}, make_rows(xs=[4]))
    finally:
        sys.modules.pop("plots.families.rings", None)


TABLE = {"name": "t", "family": "table", "rows": "operator", "columns": "window", "y": "time_per_item"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"columns": None}, "the figure has no columns; family table needs it"),
        ({"rows": "serie"}, "rows is 'serie'; did you mean"),
        ({"format": "2f"}, "format is '2f'; it must be check, text, three digits or such as '{:.2f}'"),
        ({"format": "{:d}"}, "format is '{:d}'"),
        ({"ratio": {"over": {"algorithm": "b_int"}}}, "it must be {over: where, under: where}, of numbers"),
        ({"ratio": {"over": {"algorithms": "b_int"}, "under": {}}}, "over is 'algorithms'; did you mean 'algorithm'"),
        ({"y": "operator"}, "y is 'operator'; did you mean 'per_operation'"),
        ({"fit": "log2"}, "only family lines has it"),
    ],
)
def test_a_wrong_table_is_refused(changes, words):
    assert described(TABLE)
    with pytest.raises(FigureError, match=words):
        described(TABLE | changes)


def test_categories_have_no_fit(description):
    with pytest.raises(FigureError, match="a line is fitted over numbers"):
        described(description | {"x_scale": "category", "fit": "log2"})


def test_several_metrics_may_be_selected_and_failures_of_others_are_not(description, make_rows):
    rows = make_rows(operators=["sum"], xs=(4, 16), failures={("fiba", 2, "sum", 4): ("timeout", "slow")})
    rows.loc[rows["algorithm"] == "fiba", "metric"] = "merge"
    spec = described(description | {"metric": ["merge", "time"]})
    assert len(select(spec, rows)) == len(rows)
    assert set(select(described(description), rows)["status"]) == {"ok"}
    assert set(select(described(description | {"metric": "merge"}), rows)["status"]) == {"ok", "timeout"}
