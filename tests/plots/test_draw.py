"""Drawing to files: which files, what the sidecar says, and that equal rows give equal figures."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from plots import FigureError, draw, publish
from plots.sidecar import rows_hash
from results import SCHEMA, Store
from results.verdicts import of_data
from tests.plots.test_claims import verdict

PROJECT = Path(__file__).parents[2]
XS = (0, 1, 16)


def test_exactly_three_files_are_written(description, make_rows, tmp_path):
    paths = draw(description, make_rows(xs=XS), tmp_path / "figures", {})
    assert [path.name for path in paths] == ["fiba_ooo.png", "fiba_ooo.svg", "fiba_ooo.json"]
    assert sorted((tmp_path / "figures").iterdir()) == sorted(paths)
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(paths[1]).getroot().tag.endswith("svg")


def test_nothing_is_written_for_a_wrong_description(description, make_rows, tmp_path):
    with pytest.raises(FigureError):
        draw(description | {"y": "speed"}, make_rows(xs=XS), tmp_path, {})
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def run(description, make_rows):
    """A run with two figures and a table, which has rows for the first and the table only."""
    table = {"name": "fiba_t1", "family": "table", "rows": "series", "columns": "operator", "y": "time_per_item",
             "where": {"distance": 1}}  # fmt: skip
    return SimpleNamespace(
        name="fiba_ooo-window_8",
        figures=[description, {**description, "name": "latencies", "metric": "latency"}, table],
        rows=make_rows(xs=XS),
        verdicts=[],
        config={},
        row_files={},
        code={},
    )


def test_the_first_figure_that_is_drawn_keeps_the_verdicts_and_the_code(run, tmp_path):
    run.figures, run.verdicts = run.figures[1:] + run.figures[:1], [verdict()]
    run.code = {"revision": "0123456789ab", "dirty": False, "rows": 3, "rows_of_it": 2}
    publish(run, tmp_path)
    codes = [json.loads((tmp_path / f"{name}.json").read_text())["code"] for name in ("fiba_t1", "fiba_ooo")]
    assert codes == [run.code, {}]
    kept = {name: json.loads((tmp_path / f"{name}.json").read_text())["verdicts"] for name in ("fiba_t1", "fiba_ooo")}
    assert kept["fiba_ooo"] == [] and [of_data(data) for data in kept["fiba_t1"]] == [
        verdict(experiment="fiba_ooo-window_8")
    ]


def test_a_run_has_one_page_with_all_its_figures(run, tmp_path):
    begun = []
    paths, undrawn, failed = publish(run, tmp_path, begun.append)
    assert failed == [] and begun == ["fiba_ooo", "latencies", "fiba_t1"]
    assert [path.name for path in paths] == [
        *(f"fiba_ooo.{kind}" for kind in ("png", "svg", "json")),
        *(f"fiba_t1.{kind}" for kind in ("png", "svg", "json")),
        "fiba_ooo-window_8.md",
    ]
    page = paths[-1].read_text()
    assert page.startswith("# fiba_ooo-window_8\n\n![fiba_ooo](fiba_ooo.png)\n")
    assert "- Workload: synthetic, the distance protocol.\n" in page
    assert "![fiba_t1](fiba_t1.png)\n\n|  | bloom | geomean | sum |\n" in page
    assert "| bfinger8 (fiba 8) | " in page and page.endswith("|\n") and "latencies.png" not in page
    reason = "there are no rows with metric 'latency'; run the experiment first"
    assert undrawn == {"latencies": reason} and f"latencies is not drawn: {reason}" in page


@pytest.mark.parametrize("broken", ["lines", "table"])
def test_a_figure_that_cannot_be_drawn_costs_nothing_but_itself(run, tmp_path, monkeypatch, broken):
    def fails(spec, rows):
        raise ZeroDivisionError("no limits")

    monkeypatch.delenv("TRACEBACK", raising=False)
    monkeypatch.setattr(f"plots.families.{broken}.figure", fails)
    paths, undrawn, failed = publish(run, tmp_path)
    lost, other = ("fiba_ooo", "fiba_t1") if broken == "lines" else ("fiba_t1", "fiba_ooo")
    assert failed == [lost] and undrawn[lost] == "ZeroDivisionError: no limits"
    assert [path.name for path in paths] == [*(f"{other}.{kind}" for kind in ("png", "svg", "json")), paths[-1].name]
    page = paths[-1].read_text()
    assert f"{lost} is not drawn: ZeroDivisionError: no limits" in page and f"![{other}]({other}.png)" in page
    monkeypatch.setenv("TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        publish(run, tmp_path)


def test_a_run_without_a_figure_that_has_rows_is_an_error(run, tmp_path):
    run.rows = run.rows.assign(metric="combines")
    with pytest.raises(FigureError, match="no rows with metric 'time'; run the experiment first"):
        publish(run, tmp_path)
    run.figures = []
    with pytest.raises(FigureError, match="fiba_ooo-window_8 has no figures"):
        publish(run, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_figure_is_refused_before_any_is_drawn(run, tmp_path):
    run.figures[2] = {**run.figures[2], "colums": "window"}
    with pytest.raises(FigureError, match="a key of the figure is 'colums'; did you mean 'columns'"):
        publish(run, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_dollars_and_backslashes_are_text_not_formulas(description, make_rows, tmp_path):
    formula = "costs $\\oops{$ a_b"
    rows = make_rows(xs=[4], failures={("fiba", 4, "sum", 4): ("failed", formula)}, git_revision=formula)
    described = description | {"title": formula, "panel_titles": {"sum": formula}, "paper": formula}
    assert len(draw(described, rows, tmp_path, {})) == 3


def test_the_sidecar_says_where_the_figure_comes_from(description, make_rows, tmp_path):
    rows = make_rows(xs=XS, git_dirty=True)
    config = {"seed": 7, "out": Path("somewhere"), "grid": (1, 2)}
    files = {"fiba_ooo/rows.parquet": "ab" * 32}
    sidecar = json.loads(draw(description, rows, tmp_path, config, files)[2].read_text())
    assert sidecar["figure"] == description
    assert sidecar["config"] == {"seed": 7, "out": "somewhere", "grid": [1, 2]}
    assert sidecar["rows"] == {"count": len(rows), "sha256": rows_hash(rows), "files": files}
    assert sidecar["git"] == {"revisions": ["0123456789abcdef0123"], "dirty": True}
    assert sidecar["code_hashes"] == ["code-b_tree", "code-fiba"]
    assert sidecar["profiles"] == ["laptop"]
    assert sidecar["machines"] == {"7f3a2c": {"processor": "Made-up 9000", "cores": 2}}
    assert sidecar["versions"]["measured_with"] == [{"numba": "0.68.0", "python": "3.11.9"}]
    assert set(sidecar["versions"]["drawn_with"]) >= {"matplotlib", "pandas"}
    assert sidecar["measured"]["first"] == "2025-03-01T12:00:00+00:00"
    assert sidecar["drawn"].startswith("20")


def test_a_sidecar_stays_if_nothing_but_the_time_would_change(description, make_rows, tmp_path):
    rows = make_rows(xs=XS)
    path = draw(description, rows, tmp_path, {"seed": 7})[2]
    earlier = re.sub('"drawn": "20', '"drawn": "19', path.read_text())
    path.write_text(earlier)
    draw(description, rows, tmp_path, {"seed": 7})
    assert path.read_text() == earlier
    draw(description, rows, tmp_path, {"seed": 8})
    sidecar = json.loads(path.read_text())
    assert sidecar["config"] == {"seed": 8} and sidecar["drawn"].startswith("20")


def test_rows_of_other_metrics_are_not_counted(description, make_rows, tmp_path):
    rows = make_rows(xs=XS)
    rows.loc[rows["repetition"] == 0, "metric"] = "combines"
    sidecar = json.loads(draw(description, rows, tmp_path, {})[2].read_text())
    assert sidecar["rows"]["count"] == (rows["metric"] == "time").sum()


def test_equal_rows_give_equal_images(description, make_rows, tmp_path):
    rows = make_rows(xs=XS)
    shuffled = rows.sample(frac=1, random_state=3).reset_index(drop=True)
    first, second = draw(description, rows, tmp_path / "a", {}), draw(description, shuffled, tmp_path / "b", {})
    assert first[0].read_bytes() == second[0].read_bytes()
    assert first[1].read_bytes() == second[1].read_bytes()
    assert rows_hash(rows) == rows_hash(shuffled)


def test_the_users_own_matplotlib_settings_change_nothing(description, make_rows, tmp_path):
    import matplotlib

    plain = draw(description, make_rows(xs=XS), tmp_path / "a", {})
    with matplotlib.rc_context({"axes.facecolor": "black", "lines.linewidth": 9, "savefig.bbox": "tight"}):
        styled = draw(description, make_rows(xs=XS), tmp_path / "b", {})
    assert plain[0].read_bytes() == styled[0].read_bytes()


@pytest.mark.parametrize("column", SCHEMA.names)
def test_the_hash_of_the_rows_depends_on_every_column(make_rows, column):
    rows = make_rows(operators=["sum"], xs=[4], batch=3)
    changed = rows.copy()
    value = rows[column].iloc[0]
    if column == "samples":
        changed[column] = [[1.0, 2.0]] * len(rows)
    elif isinstance(value, str):
        changed[column] = "changed"
    elif column == "started":
        changed[column] = value.replace(year=2026)
    elif column == "git_dirty":
        changed[column] = True
    else:
        changed[column] = 5
    assert rows_hash(rows) != rows_hash(changed)


def test_the_hash_survives_storage(make_rows, tmp_path):
    rows = make_rows(operators=["sum"], xs=[4])
    store = Store(tmp_path)
    for record in rows.to_dict("records"):
        record = {name: None if value is rows["batch"].iloc[0] else value for name, value in record.items()}
        store.append([record | {"started": record["started"].to_pydatetime(), "checksum": None, "samples": None}])
    assert rows_hash(store.rows("fiba_ooo")) == rows_hash(rows)
    store.compact("fiba_ooo")
    assert rows_hash(store.rows("fiba_ooo")) == rows_hash(rows)


def test_rows_are_not_changed_by_drawing(description, make_rows, tmp_path):
    rows = make_rows(xs=XS)
    before = rows.copy(deep=True)
    draw(description, rows, tmp_path, {})
    pd.testing.assert_frame_equal(rows, before)


def test_importing_plots_does_not_import_matplotlib_or_jinja():
    code = "import sys, plots, plots.claims, plots.report; print({'matplotlib', 'jinja2', 'rich'} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "set()"
