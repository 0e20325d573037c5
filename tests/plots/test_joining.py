"""Runs of a multirun in one figure, over what they differ in."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from plots import FigureError, Published, figure, joining
from plots.description import NoRowsError
from plots.joining import joined, with_joined

pytestmark = pytest.mark.smoke


@pytest.fixture
def run(description, make_rows):
    """A function that makes a run of a window: rows at some distances, two figures, one of them no lines."""

    def make(window, distances=(0, 16, 64), **columns):
        variant = f"-profile_smoke-window_{window}"
        figures = [{**description, "name": f"fiba_ooo{variant}"}, {"name": "a_table", "family": "table"}]
        rows = make_rows(xs=distances, window=window, **columns)
        settings = SimpleNamespace(name="fiba_ooo")
        settled = {"config": {}, "row_files": {}, "code": {}}
        return SimpleNamespace(settings=settings, variant=variant, figures=figures, rows=rows, **settled)

    return make


def test_windows_are_on_the_x_axis_and_the_old_x_has_its_ends(run):
    found = list(joined([run(1024), run(4096, (0, 16, 4096)), run(256)]))
    assert [described["name"] for described, _ in found] == [
        "fiba_ooo-profile_smoke-over_window-distance_0",
        "fiba_ooo-profile_smoke-over_window-distance_16",
    ]
    for described, rows in found:
        assert (described["x"], described["x_scale"], described["panel"]) == ("window", "log2", "operator")
        assert described["title"].endswith(f"; here over the window, distance {described['where']['distance']}")
        assert "x_label" not in described and set(rows["window"]) == {256, 1024, 4096}
        ticks = [text.get_text() for text in figure(described, rows).axes[0].get_xticklabels()]
        assert ticks == ["$2^{8}$", "$2^{10}$", "$2^{12}$"]


def test_a_figure_over_the_window_stays_as_it_is_with_the_rows_of_all(run, description):
    runs = [run(1024), run(4096)]
    for one in runs:
        one.figures = [{**description, "name": f"fiba_fifo{one.variant}", "x": "window", "where": {"distance": 0}}]
    [(described, rows)] = joined(runs)
    assert described == {**runs[0].figures[0], "name": "fiba_fifo-profile_smoke-over_window"}
    assert set(rows["window"]) == {1024, 4096}


def test_a_parameter_of_the_workload_counts_as_well(run):
    runs = [run(1024, workload_parameters=json.dumps({"queries": n, "kind": "even"})) for n in (1, 100)]
    assert [described["x"] for described, _ in joined(runs)] == ["workload_parameters.queries"] * 2


@pytest.mark.parametrize(
    "parameters", [["{}", "{}"], ['{"a": 1, "b": 1}', '{"a": 2, "b": 2}'], ['{"a": "x"}', '{"a": "y"}']]
)
def test_runs_that_differ_in_nothing_in_two_or_in_no_number_are_not_joined(run, parameters):
    assert not list(joined([run(1024, workload_parameters=text) for text in parameters]))
    assert not list(joined([run(1024)]))


def test_joined_figures_have_a_folder_of_their_own(run, tmp_path):
    other = run(8)
    other.settings = SimpleNamespace(name="another")
    before = Published([tmp_path / "a.png"], {"b": "why not"}, [])
    published = with_joined(before, [run(1024), other, run(4096)], str(tmp_path))
    assert len(published.paths) == 1 + 6 and published.undrawn == {"b": "why not"}
    assert {path.parent for path in published.paths[1:]} == {tmp_path / "joined"}
    assert with_joined(before, [run(1024), other], str(tmp_path)) == before


def test_rows_of_another_metric_do_not_count(run, make_rows):
    """Combines are counted at more distances than times are measured at."""
    runs = [run(1024, (0, 16)), run(4096, (0, 16))]
    for one in runs:
        counted = make_rows(xs=(0, 16, 64), window=int(one.rows["window"].iloc[0]), metric="combines")
        one.rows = pd.concat([one.rows, counted], ignore_index=True)
    assert [described["where"]["distance"] for described, _ in joined(runs)] == ["0", "16"]


@pytest.mark.parametrize(
    ("error", "reason", "fails"),
    [
        (FigureError("it would pool"), "it would pool", True),
        (ZeroDivisionError("no limits"), "ZeroDivisionError: no limits", True),
        (NoRowsError("there are none"), "there are none", False),
    ],
)
def test_what_cannot_be_drawn_is_said(run, tmp_path, monkeypatch, error, reason, fails):
    def refuse(*arguments):
        raise error

    monkeypatch.delenv("TRACEBACK", raising=False)
    monkeypatch.setattr(joining, "draw", refuse)
    published = with_joined(Published([], {}, []), [run(1024), run(4096)], str(tmp_path))
    assert published.paths == [] and set(published.undrawn.values()) == {reason}
    assert published.failed == [*published.undrawn] * fails
