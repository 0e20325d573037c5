"""What is published: every experiment, from rows that are there, in figures that anyone can draw again."""

import hashlib
import json
import re
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pyarrow.parquet as pq
import pytest

from experiments.harness import provenance
from experiments.harness.cli import help_text
from experiments.harness.outcome import recall
from plots import publish
from results.store import Store
from tests.plots.test_report import page_of

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "results" / "published"
SIDECARS = sorted(PUBLISHED.glob("*.json"))
PAPER_SIZES = ROOT / "results" / "paper_sizes"
OF_BOTH = [*SIDECARS, *sorted(PAPER_SIZES.glob("*.json"))]
ROWS = [path for folder in (PUBLISHED, PAPER_SIZES) for path in sorted(folder.glob("*/rows.parquet"))]

NOT_YET = {
    "auto_grid": "the table that is learnt from it is published instead, in the package",
}
"""Experiments without published rows, and why."""

PEERS = dict(re.findall(r"(?m)^(\S+)==(\S+)$", (ROOT / "requirements-peers.txt").read_text().lower()))
"""The libraries that experiment=peers compares with ours, and their versions: they need not be installed here."""

QUICK = ("fiba_walkthrough", "mta_walkthrough", "cutty_walkthrough", "cutty_complexity", "ra_breakeven")
"""Experiments whose figures are drawn again here; `action=draw` does it for any."""


@pytest.mark.smoke
@pytest.mark.plain
def test_every_experiment_is_published_or_says_why_not():
    published = {json.loads(path.read_text())["config"]["name"] for path in SIDECARS}
    assert published | set(NOT_YET) == set(help_text.measured())
    assert not published & set(NOT_YET)


@pytest.mark.plain
@pytest.mark.parametrize("path", OF_BOTH, ids=[path.stem for path in OF_BOTH])
def test_a_figure_was_drawn_from_the_rows_that_are_there(path):
    sidecar = json.loads(path.read_text())
    assert not sidecar["git"]["dirty"] and sidecar["rows"]["count"] > 0
    assert "smoke" not in sidecar["profiles"]
    for name, digest in sidecar["rows"]["files"].items():
        assert hashlib.sha256((path.parent / name).read_bytes()).hexdigest() == digest, name
    assert path.with_suffix(".png").is_file() and path.with_suffix(".svg").is_file()


@pytest.mark.plain
def test_one_revision_drew_everything_and_would_keep_every_row():
    codes = [json.loads(path.read_text()).get("code") for path in SIDECARS]
    codes = [code for code in codes if code]  # a run has it once, in the sidecar of its first figure
    assert len(codes) == len(set(help_text.measured()) - set(NOT_YET))
    assert len({code["revision"] for code in codes}) == 1 and not any(code["dirty"] for code in codes)
    assert all(code["rows_of_it"] == code["rows"] > 0 for code in codes)


@pytest.mark.parametrize("name", sorted(set(help_text.measured()) - set(NOT_YET)))
def test_the_code_of_today_would_keep_every_row(monkeypatch, name):
    """Of the code itself: what the sidecars say was true when the figures were drawn.

    The versions of the libraries that peers compares belong to its code: those that are asked for, where none is
    installed.
    """
    monkeypatch.chdir(ROOT)
    installed = provenance.version_of
    monkeypatch.setattr(provenance, "version_of", lambda package: installed(package) or PEERS.get(package.lower(), ""))
    config = next(config for path in SIDECARS if (config := json.loads(path.read_text())["config"])["name"] == name)
    code = recall(config).code
    assert code["rows_of_it"] == code["rows"] > 0


def origins(folder: Path) -> pd.DataFrame:
    """Where the rows of a published folder are from: a line for each origin of each experiment."""
    paths = sorted(folder.glob("*/rows.parquet"))
    names = {json.loads(path.read_text())["config"]["name"] for path in folder.glob("*.json")}
    assert {path.parent.name for path in paths} == names
    columns = ["experiment", "git_dirty", "git_revision", "machine", "profile"]
    return pd.concat([pq.read_table(path, columns=columns).to_pandas().drop_duplicates() for path in paths])


@pytest.mark.plain
@pytest.mark.parametrize(
    ("folder", "profile", "at_least", "machines", "revisions"),
    [(PUBLISHED, "laptop", 44, 1, 1), (PAPER_SIZES, "paper", 26, 4, 5)],
)
def test_each_experiment_is_of_one_clean_revision_and_one_machine(folder, profile, at_least, machines, revisions):
    """Revisions may differ if the code that measures does not; that all rows are as the code of one would have measured
    them is tested above."""
    found = origins(folder)
    assert len(found) >= at_least and found["experiment"].is_unique
    assert (found["machine"].nunique(), found["git_revision"].nunique()) == (machines, revisions)
    assert not found["git_dirty"].any() and set(found["profile"]) == {profile}


@pytest.mark.plain
@pytest.mark.parametrize("path", ROWS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_no_lap_is_so_short_that_its_call_counts(path):
    """A call takes some microseconds; half a millisecond is a quarter of the lap that is asked for.

    Beside other libraries a lap is one call for a whole column, which is what is compared: 0.4 ms for a million rows.
    """
    least = 250_000 if path.parent.name == "peers" else 500_000
    rows = pq.read_table(path, columns=["unit", "laps", "samples"]).to_pandas()
    timed = rows[(rows["unit"] == "ns") & (rows["laps"] > 0)].dropna(subset="samples")
    assert all(pd.Series(laps).median() >= least for laps in timed["samples"])


@pytest.mark.parametrize("name", QUICK)
def test_figures_are_drawn_again_byte_for_byte(tmp_path, monkeypatch, name):
    monkeypatch.chdir(ROOT)
    configs = (json.loads(path.read_text())["config"] for path in SIDECARS)
    config = next(config for config in configs if config["name"] == name)
    for drawn in publish(recall(config), tmp_path).paths:
        if drawn.suffix in (".png", ".svg", ".md"):
            assert drawn.read_bytes() == (PUBLISHED / drawn.name).read_bytes(), drawn.name


@pytest.mark.plain
def test_rows_are_whole_and_small():
    for place in (PUBLISHED, PAPER_SIZES):
        folders, store = [folder for folder in place.iterdir() if folder.is_dir()], Store(place)
        assert folders and all(len(store.rows(folder.name)) for folder in folders) and not store.damaged
    assert sum(path.stat().st_size for place in (PUBLISHED, PAPER_SIZES) for path in place.rglob("*")) < 60e6


def test_the_page_is_one_file_of_at_most_six_megabytes():
    page = PUBLISHED / "report.html"
    assert 100_000 < page.stat().st_size <= 6 * 2**20
    text = page.read_text(encoding="utf-8")
    names = {json.loads(path.read_text())["figure"]["name"] for path in SIDECARS}
    assert all(f'id="figure-{name}"' in text for name in names)


@pytest.mark.plain
@pytest.mark.parametrize("place", [PUBLISHED, PAPER_SIZES], ids=lambda place: place.name)
def test_every_link_of_a_page_leads_somewhere(place):
    page = page_of(place / "report.html")
    inside = {unquote(link[1:]) for link in page.links if link.startswith("#")}
    assert inside <= set(page.ids)
    outside = {link for link in page.links if not link.startswith("#")}
    assert outside and [link for link in sorted(outside) if not (place / link).is_file()] == []
