"""Rows that are published: those of one profile, with the samples of single operations in one order for a cell."""

import numpy as np
import pytest

from results.publishing import main
from results.store import Store

SINGLE, AGAIN, LAPS = [3.0, 1.0, 9.0], [2.0, 8.0, 2.5], [5.0, 4.0]


@pytest.fixture
def measured(tmp_path, make_row):
    """A folder with two repetitions in laps, two of single operations, one at another profile."""
    store = Store(tmp_path / "data")
    store.append([make_row(repetition=0, samples=LAPS, laps=2), make_row(repetition=1)])
    for repetition, samples in enumerate((SINGLE, AGAIN)):
        store.append([make_row(metric="latency", value=None, samples=samples, unit="cycles", repetition=repetition)])
    store.append([make_row(profile="laptop", samples=SINGLE)])
    return store


def published(folder, store):
    return main([str(store.root), str(folder), "fiba_ooo", "--profile", "smoke"])


def test_what_is_published_is_what_counts_at_the_profile(tmp_path, measured, capsys):
    assert published(tmp_path / "out", measured) == 0
    before, after = measured.rows("fiba_ooo"), Store(tmp_path / "out").rows("fiba_ooo")
    before = before[before["profile"] == "smoke"].reset_index(drop=True)
    assert before.drop(columns="samples").equals(after.drop(columns="samples"))
    by_metric = after.set_index(["metric", "repetition"])["samples"]
    assert list(by_metric["latency", 0]) == [1.0, 3.0, 9.0] and list(by_metric["latency", 1]) == [8.0, 2.0, 2.5]
    assert list(by_metric["time", 0]) == LAPS and by_metric["time", 1] is None
    size = (tmp_path / "out/fiba_ooo/rows.parquet").stat().st_size
    assert f"fiba_ooo: 4 rows, {size:,} bytes" in capsys.readouterr().out


def test_all_experiments_with_rows_at_the_profile_are_published_unless_some_are_named(tmp_path, make_row, capsys):
    store = Store(tmp_path / "data")
    for experiment, profile in [("fiba_ooo", "laptop"), ("fiba_fifo", "smoke"), ("ra_cost", "laptop")]:
        store.append([make_row(experiment=experiment, profile=profile)])
    assert main([str(store.root), str(tmp_path / "out"), "--profile", "laptop"]) == 0
    assert Store(tmp_path / "out").experiments() == ["fiba_ooo", "ra_cost"]
    assert main([str(store.root), str(tmp_path / "one"), "--profile", "laptop", "ra_cost"]) == 0
    assert Store(tmp_path / "one").experiments() == ["ra_cost"]
    assert main([str(store.root), str(tmp_path / "none"), "--profile", "paper"]) == 2
    assert "has no rows at profile paper" in capsys.readouterr().err


def test_operations_that_were_as_quick_are_in_the_order_of_the_repetitions(tmp_path, make_row):
    store = Store(tmp_path / "data")
    for repetition, samples in enumerate(([4.0, 2, 2, 4, 2], [2.0, 7, 6, 2, 6], [3.0, 5, 8, 2, 7])):
        store.append([make_row(metric="latency", value=None, samples=samples, unit="cycles", repetition=repetition)])
    assert published(tmp_path / "out", store) == 0
    rows = Store(tmp_path / "out").rows("fiba_ooo").set_index("repetition")["samples"]
    assert [list(rows[k]) for k in range(3)] == [[2, 2, 2, 4, 4], [6, 6, 7, 2, 2], [7, 8, 5, 2, 3]]


def test_sorted_samples_take_a_fraction_of_the_bytes(tmp_path, make_row):
    store = Store(tmp_path / "data")
    readings = np.random.default_rng(1).geometric(0.05, 200_000).astype(float)
    store.append([make_row(metric="latency", value=None, samples=readings, unit="cycles")])
    assert published(tmp_path / "out", store) == 0
    before, after = (
        sum(path.stat().st_size for path in root.rglob("*.parquet")) for root in (store.root, tmp_path / "out")
    )
    assert after < before / 5


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"machine": "m2"}, "several values of machine: m1, m2"),
        ({"git_revision": "abc"}, "several values of git_revision"),
        ({"git_dirty": True, "repetition": 0}, "of code that was not committed"),
        ({"profile": "paper", "repetition": 0}, "has no rows of fiba_ooo at profile smoke"),
    ],
)
def test_rows_that_are_no_evidence_are_refused(tmp_path, make_row, capsys, columns, message):
    store = Store(tmp_path / "data")
    rows = [make_row(repetition=0), make_row(repetition=1) | columns]
    store.append(rows[1:] if "repetition" in columns else rows)
    assert published(tmp_path / "out", store) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
