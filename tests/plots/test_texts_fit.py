"""Whatever is written on a figure of any family: nothing leaves the figure, and no text lies on another."""

import io
import itertools
import json

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_svg import RendererSVG

from plots import families, figure
from plots.theme import PNG_DPI, theme

LONG = "a text that goes on and on without ever coming to the point " * 5 + "W" * 150
NAME = "an algorithm of that name, which wants to be told from others by all of it"
LONG_NAME = f"{NAME} {NAME} {'W' * 90}"
PANELS = {"panel": "operator", "panel_titles": {"sum": LONG}, "y_label": LONG}
AXES = {**PANELS, "x_label": LONG}

LEVELS = [{"first": 0, "pairs": [["1", "2"], ["3", None]]}, {"first": 0, "pairs": [["33", None]]}]
STATE = {"title": LONG, "answer": "6", "asked": 3, "levels": LEVELS, "stack": ["22"], "results": ["4", "5"]}
KEPT = {"title": NAME, "answer": LONG, "evicted": 0, "elements": [[1, "a"], [2, "b"]]}
KEPT |= {"parts": [[NAME, [[0, 1, "a"], [0, 2, "ab"]]]]}
CUTS = {"figure": "Figure 7", "title": LONG, "letters": "abcdef", "first": 0, "columns": {"km": [0, 2, 3, 5, 7, 11]},
        "queries": [{"title": f"range 4, slide 2, {NAME}"}], "technique": NAME, "windows": [[0, 0, 4, "abcd"]],
        "slices": [[0, 2, "ab"], [2, 4, "cd"], [4, 6, "ef"]]}  # fmt: skip
NODE = {"id": 0, "parent": None, "level": 0, "kind": "inner", "finger": "left right", "coins": 1}
NODE |= {"times": [1, 2], "values": ["a", "b"], "aggregate": "ab"}
TREE = {"figure": "Figure 3", "state": "A", "step": None, "answer": LONG, "nodes": [NODE]}
COURSE = {"times": [0, 60, 120], "ages": [None, 600, 0], "bounded": "memories", "bound": 100}

# For each family: its own options, and what its rows have in their facts.
FAMILIES = {
    "lines": ({"x": "distance", "y": "time_per_item", "x_scale": "log2", **AXES}, {}),
    "bars": ({"x": "distance", "y": "time_per_item", "titles": {"1": LONG, "4": NAME, "16": "short"}, **AXES}, {}),
    "scatter": ({"x": "distance", "y": "time_per_item", **AXES}, {}),
    "dots": ({"x": "window", "y": "time_per_item", **PANELS}, {}),
    "steps": ({"x": "facts.times", "y": "facts.ages", "y_scale": "log10", **AXES}, COURSE),
    "violins": (PANELS, {}),
    "table": ({"rows": "series", "columns": "operator", "y": "time_per_item", "where": {"distance": 4},
               "titles": {"operator": LONG, "sum": LONG, "series": LONG}}, {}),
    "levels": ({}, {"figure": "Figure 4", "title": LONG, "algorithm": NAME, "states": [STATE, STATE]}),
    "slices": ({}, CUTS),
    "stretches": ({}, {"figure": NAME, "title": LONG, "algorithm": NAME, "states": [KEPT, KEPT]}),
    "trees": ({}, {"states": [TREE, {**TREE, "state": "B"}]}),
}  # fmt: skip


def test_every_family_is_tried():
    assert sorted(FAMILIES) == sorted(families.names())


def texts_of(made, renderer):
    """Every text that is drawn, with what it says, and its place as the renderer has it."""
    made.draw_without_rendering()
    found = [*made.texts, *(text for legend in made.legends for text in legend.get_texts())]
    for panel in made.axes:
        found += [*panel.texts, panel.title]
        for axis in (panel.xaxis, panel.yaxis) if panel.axison else ():
            low, high = sorted(axis.get_view_interval())
            ticks = [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            found += [axis.label, *ticks]
    shown = [text for text in found if text.get_visible() and text.get_text().strip()]
    return [(text, text.get_window_extent(renderer)) for text in shown]


def overlap(one, other):
    """Whether two texts lie on one another; turned ones, whose boxes are mostly empty, only on others."""
    turned = [text.get_rotation() not in (0, 90) for text, _ in (one, other)]
    return one[1].overlaps(other[1]) and not all(turned)


@pytest.mark.parametrize("panels", [1, 4])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_text_leaves_the_figure_or_lies_on_another(make_rows, family, panels):
    options, facts = FAMILIES[family]
    series = [(NAME, {}), (LONG_NAME, {}), ("fiba", {"min_arity": 4})]
    operators = ["sum", "max", "min", "bloom"][:panels]
    failures = {("fiba", 4, "sum", 16): ("failed", LONG)}
    rows = make_rows(operators, (1, 4, 16), series=series, failures=failures, git_dirty=True, facts=json.dumps(facts))
    if family == "violins":
        rows = rows.assign(samples=[np.geomspace(30, 4000, 99)] * len(rows))
    made = figure({"name": "long", "family": family, "title": LONG, "paper": LONG, "caption": LONG, **options}, rows)
    for kind, dpi in (("png", PNG_DPI), ("svg", 72)):
        made.set_dpi(dpi)
        page = made.bbox
        renderer = RendererAgg(1, 1, dpi) if kind == "png" else RendererSVG(page.width, page.height, io.StringIO())
        with theme():
            found = texts_of(made, renderer)
        for text, box in found:
            assert page.x0 <= box.x0 and box.x1 <= page.x1, text
            assert page.y0 <= box.y0 and box.y1 <= page.y1, text
        for one, other in itertools.combinations(found, 2):
            assert not overlap(one, other), (one, other)
        said = " ".join(text.get_text() for text, _ in found).replace("\n", " ")
        assert "without ever coming to the point" in said and said.count("W") >= 2 * 150
