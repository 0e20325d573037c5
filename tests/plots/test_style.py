"""The style table: one look per algorithm, stable, and told apart by everyone."""

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plots.style import _USES, CALLED, OTHER_MARKERS, TABLE, contrast, series
from results.schema import USES

pytestmark = pytest.mark.smoke

PROJECT = Path(__file__).parents[2]

# Linear RGB as seen without the long- or the medium-wavelength cones (Vienot, Brettel and Mollon, 1999).
DEFICIENCIES = {
    "protanopia": np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
    "deuteranopia": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
}


def linear(color):
    parts = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def test_the_papers_names_are_the_labels():
    for arity in (2, 4, 8):
        assert series("b_tree", json.dumps({"min_arity": arity})).label == f"bclassic{arity}"
        assert series("fiba", json.dumps({"min_arity": arity})).label == f"bfinger{arity}"


@pytest.mark.parametrize(
    ("paper", "algorithm", "parameters", "label"),
    [
        ("reactive_aggregator", "reactive", {}, "RA (reactive)"),
        ("reactive_aggregator", "reactive", {"fifo": 1, "root": 0}, "RA (reactive)"),
        ("reactive_aggregator", "reactive", {"fifo": 0, "root": 0}, "RA (reactive fifo=0)"),
        ("reactive_aggregator", "reactive", {"slide": "n/16"}, "RA (reactive), slide n/16"),
        ("reactive_aggregator", "b_int", {}, "AW (b_int)"),
        ("fiba", "fiba", {"min_arity": 4}, "bfinger4 (fiba 4)"),
        ("fiba", "fiba", {"min_arity": 3}, "bfinger3 (fiba 3)"),
        ("fiba", "fiba", {"min_arity": 4, "sharing": "range"}, "bfinger4_range (fiba 4)"),
        ("fiba", "fiba", {"min_arity": 4, "fold": "row"}, "bfinger4 (fiba 4 fold=row)"),
        ("fiba", "fiba", {}, series("fiba", {}).label),  # a name without its parameter is none
        ("fiba", "two_stacks", {}, "Two-Stacks"),  # the same letters: one name is enough
        ("fiba", "two_stacks_lite", {}, "two_stacks_lite"),
        ("mta", "kvs_amta", {"cache": 512}, "KVS AMTA"),
        ("mta", "kvs_amta", {"cache": 64}, "KVS AMTA (kvs_amta cache=64)"),
        ("cutty", "cutty", {"store": "eager"}, "Cutty eager (cutty), eager"),
        ("mta", "kvs_log_mta", {"cache": 512, "store": "lmdb"}, "KVS LMTA (kvs_log_mta, LMDB)"),
        ("mta", "kvs_amta", {"cache": 512, "store": "lmdb"}, "KVS AMTA (LMDB)"),
    ],
)
def test_a_series_is_called_as_in_the_paper_and_looks_as_everywhere(paper, algorithm, parameters, label):
    style = series(algorithm, parameters, CALLED[paper])
    assert style.label == label
    assert style._replace(label="") == series(algorithm, parameters)._replace(label="")


def test_every_algorithm_of_the_papers_has_an_entry():
    assert {algorithm for algorithm, _ in TABLE} >= {
        *("b_tree", "fiba", "two_stacks", "two_stacks_lite", "daba", "daba_lite", "soe", "recalc", "flat_fat"),
        *(
            "reactive",
            "flatfit",
            "slick_deque",
            "b_int",
            "naive",
            "panes",
            "pairs",
            "pairs_plus",
            "cutty",
            "cutty_lazy",
        ),
        *("ra", "log_mta", "amta", "kvs_log_mta", "kvs_amta", "a_c"),
    }


def test_no_two_entries_look_alike():
    for one, other in combinations(TABLE.values(), 2):
        assert one.color != other.color
        assert (
            np.linalg.norm(linear(one.color) ** 0.45 - linear(other.color) ** 0.45) > 0.1 or one.marker != other.marker
        )
        assert one.label != other.label and one.order != other.order


@pytest.mark.parametrize("matrix", DEFICIENCIES.values(), ids=DEFICIENCIES)
def test_the_tree_families_stay_apart_for_colour_blind_readers(matrix):
    trees = [style for (algorithm, _), style in TABLE.items() if algorithm in ("b_tree", "fiba")]
    for one, other in combinations(trees, 2):
        seen = [np.clip(matrix @ linear(style.color), 0, 1) ** (1 / 2.2) for style in (one, other)]
        assert np.linalg.norm(seen[0] - seen[1]) > 0.12, (one.label, other.label)


def test_families_differ_in_line_and_shades_differ_in_lightness():
    for family, line in (("b_tree", "dashed"), ("fiba", "solid")):
        shades = [style for (algorithm, _), style in TABLE.items() if algorithm == family]
        assert {style.line for style in shades} == {line}
        lightness = [linear(style.color) @ (0.2126, 0.7152, 0.0722) for style in shades]
        assert all(light > 1.8 * dark for light, dark in zip(lightness, lightness[1:], strict=False))


def test_the_form_of_the_parameters_does_not_matter():
    assert series("fiba", ' {"min_arity" : 4}') is series("fiba", {"min_arity": 4})
    assert series("mine", '{"b":1,"a":2}') == series("mine", {"a": 2, "b": 1})
    with pytest.raises(ValueError):
        series("fiba", "min_arity=4")


names = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=12)


@given(name=names, k=st.integers(0, 99))
def test_an_algorithm_outside_the_table_cannot_be_mistaken_for_an_entry(name, k):
    style = series(name, {"k": k})
    assert style.marker in OTHER_MARKERS
    assert style.marker not in {entry.marker for entry in TABLE.values()}
    assert style == series(name, {"k": k})
    assert contrast(style.color, "#ffffff") >= 3
    assert style.label == f"{name} k={k}"


def test_contrast_is_that_of_known_pairs():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#767676") == contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_unlisted_styles_are_spread_out():
    looks = {series(f"algorithm{number}", "{}")[1:4] for number in range(100)}
    assert len(looks) > 90


def test_a_style_is_the_same_in_another_process_and_needs_no_matplotlib():
    code = (
        "import sys; from plots.style import series; print(series('mine', '{\"k\":3}'));"
        "assert 'matplotlib' not in sys.modules"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == str(series("mine", {"k": 3}))


def test_other_min_arities_keep_the_papers_names():
    assert series("fiba", {"min_arity": 16}).label == "bfinger16"
    assert series("b_tree", {"min_arity": 3}).label == "bclassic3"
    assert series("fiba", {"min_arity": 16}).order > max(style.order for style in TABLE.values())


def test_how_a_window_is_used_changes_line_and_label_and_keeps_the_colour():
    uses = [
        {"sharing": "range"}, {"sharing": "twin"}, {"evict": "bulk", "insert": "bulk"},
        {"evict": "bulk", "insert": "loop"}, {"evict": "loop", "insert": "loop"},
    ]  # fmt: skip
    own = series("fiba", {"min_arity": 4})
    styles = [series("fiba", {"min_arity": 4} | use) for use in uses]
    assert [style.label for style in styles] == [
        f"bfinger4_{suffix}" for suffix in ("range", "twin", "bulk", "bulk_evict", "loop")
    ]
    assert {style.color for style in styles} == {own.color}
    assert len({(style.marker, style.line) for style in styles}) == 4  # range and bulk are the window's own way
    assert all(own.order < style.order < own.order + 1 for style in styles)


def test_the_uses_of_the_style_table_are_those_of_the_rows():
    of_spark = {"buckets"}  # ways to aggregate in Spark are no windows: no cell has its window's parameters from them
    assert {name for use, *_ in _USES for name in use} == set(USES) | of_spark
    assert series("sliding_sink", {"window": "fiba", "buckets": 4}).label == "SlidingAggregateSink"
    assert series("sliding_sink", {"window": "fiba", "buckets": 2}).label == "SlidingAggregateSink, 2 buckets"


def test_uses_add_up_in_the_label():
    both = series("reactive", {"capacity": "oscillating", "framework": "sliding_aggregate"})
    assert both.label == "reactive in SlidingAggregate, oscillating"
    assert series("pairs", {"store": "lazy"}).label == "pairs, lazy"
    assert both.color == series("reactive", "{}").color


def test_slides_are_named_told_apart_and_in_order():
    styles = [series("reactive", {"slide": slide}) for slide in ("1", "4", "64", "n/16", "n/4", "n")]
    assert [style.label for style in styles][2:4] == ["reactive, slide 64", "reactive, slide n/16"]
    assert len({(style.marker, style.line) for style in styles}) == 6 and len({style.color for style in styles}) == 1
    assert sorted(styles, key=lambda style: style.order) == styles
    assert series("reactive", {"slide": 4}) == styles[1]
    assert series("reactive", {"slide": 7}).label == "reactive, slide 7"
