"""The store: identity of rows, resume, and what can be asked of it."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results import SCHEMA, ResultsError, RowError, Store
from results.schema import ADDED
from tests.examples import examples

pytestmark = pytest.mark.smoke

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "data")


def test_no_rows_is_an_empty_frame_with_all_columns(store):
    frame = store.rows("fiba_ooo")
    assert list(frame.columns) == SCHEMA.names
    assert len(frame) == 0
    assert store.done("fiba_ooo") == set()
    assert store.experiments() == []


def test_rows_come_back_as_they_were(store, make_row):
    store.append([make_row(distance=None, samples=[1.0, 2.0], window=2**62 + 1, checksum=7)])
    row = store.rows("fiba_ooo").iloc[0]
    assert (row["window"], row["checksum"], list(row["samples"])) == (2**62 + 1, 7.0, [1.0, 2.0])
    assert pd.isna(row["distance"])
    assert row["started"].isoformat() == "2025-03-01T12:00:00+00:00"
    assert store.experiments() == ["fiba_ooo"]


def test_an_append_is_one_file_named_by_cell_repetition_and_content(store, make_row):
    rows = [make_row(repetition=3), make_row(repetition=3, metric="combines", unit="1")]
    path = store.append(rows)
    assert path.name.startswith("0123456789abcdef-3-")
    assert path == store.append(rows)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert len(store.rows("fiba_ooo")) == 2


def test_an_append_takes_rows_of_one_experiment(store, make_row):
    with pytest.raises(RowError, match=r"\['a', 'b'\]"):
        store.append([make_row(experiment="a"), make_row(experiment="b")])
    with pytest.raises(RowError, match="exactly one experiment"):
        store.append([])
    assert store.experiments() == []


@pytest.mark.parametrize("compacted", [False, True])
def test_the_newest_row_wins_in_any_order(store, make_row, compacted):
    for minute in (1, 2, 0):
        store.append([make_row(minute, value=float(minute))])
        if compacted:
            store.compact("fiba_ooo")
    assert store.rows("fiba_ooo")["value"].tolist() == [2.0]


@pytest.mark.parametrize("status", ["failed", "timeout", "skipped", "disagrees"])
def test_a_row_without_result_never_replaces_a_result(store, make_row, status):
    store.append([make_row(0, value=5.0)])
    store.append([make_row(9, status=status)])
    assert store.rows("fiba_ooo")["value"].tolist() == [5.0]
    store.compact("fiba_ooo")
    store.append([make_row(10, status=status)])
    assert store.rows("fiba_ooo")["status"].tolist() == ["ok"]


def test_a_result_replaces_a_newer_failure(store, make_row):
    store.append([make_row(9, status="failed")])
    store.append([make_row(0)])
    assert store.rows("fiba_ooo")["status"].tolist() == ["ok"]


@pytest.mark.parametrize("column", ["cell", "repetition", "metric", "code_hash", "trace_hash", "profile", "machine"])
def test_every_part_of_the_identity_keeps_rows_apart(store, make_row, column):
    other = {"cell": "f" * 16, "repetition": 1}.get(column, "other")
    store.append([make_row(0), make_row(1, **{column: other})])
    assert len(store.rows("fiba_ooo")) == 2


def test_done_holds_settled_runs_only(store, make_row):
    statuses = ["ok", "skipped", "failed", "timeout", "disagrees"]
    store.append([make_row(repetition=k, status=status) for k, status in enumerate(statuses)])
    assert {run[1] for run in store.done("fiba_ooo")} == {0, 1}
    assert ("0123456789abcdef", 0, "c0de", "7race", "smoke", "m1") in store.done("fiba_ooo")


def test_done_selects_by_hashes_profile_and_machine(store, make_row):
    store.append([make_row(), make_row(code_hash="new"), make_row(machine="m2")])
    assert {run[2] for run in store.done("fiba_ooo", machine="m1")} == {"c0de", "new"}
    assert len(store.done("fiba_ooo", code_hash="c0de", profile="smoke", trace_hash="7race")) == 2
    assert store.done("fiba_ooo", profile="paper") == set()
    with pytest.raises(TypeError, match="colour"):
        store.done("fiba_ooo", colour="red")


def test_one_disagreeing_metric_keeps_a_run_open_until_it_is_run_again(store, make_row):
    store.append([make_row(0), make_row(0, metric="combines", status="disagrees")])
    assert store.done("fiba_ooo") == set()
    store.append([make_row(1), make_row(1, metric="combines")])
    assert len(store.done("fiba_ooo")) == 1


def test_an_old_failure_under_another_metric_does_not_keep_a_run_open(store, make_row):
    store.append([make_row(0, status="timeout")])
    store.append([make_row(1, metric="latency")])
    assert len(store.done("fiba_ooo")) == 1


def test_of_equally_old_rows_the_last_one_stays(store, make_row):
    store.append([make_row(value=1.0)])
    store.compact("fiba_ooo")
    store.append([make_row(value=2.0)])
    assert store.rows("fiba_ooo")["value"].tolist() == [2.0]


attempts = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 5), st.sampled_from(["ok", "failed", "skipped"]), st.booleans()),
    max_size=12,
)


@settings(max_examples=examples(12), deadline=None)
@given(attempts=attempts)
def test_compaction_changes_nothing_that_can_be_asked(tmp_path_factory, make_row, attempts):
    store = Store(tmp_path_factory.mktemp("store"))
    expected = {}
    for number, (repetition, minute, status, compact) in enumerate(attempts):
        store.append([make_row(minute, repetition=repetition, status=status, operations=number, attempt=number)])
        rank = (status == "ok", minute, number)
        expected[repetition] = max(expected.get(repetition, rank), rank)
        if compact:
            before, done = store.rows("fiba_ooo"), store.done("fiba_ooo")
            store.compact("fiba_ooo")
            pd.testing.assert_frame_equal(before, store.rows("fiba_ooo"))
            assert done == store.done("fiba_ooo")
    found = store.rows("fiba_ooo")
    assert dict(zip(found["repetition"], found["operations"], strict=True)) == {
        repetition: number for repetition, (_, _, number) in expected.items()
    }


def test_compaction_leaves_one_file_and_the_hashes_name_it(store, make_row):
    for repetition in range(5):
        store.append([make_row(repetition=repetition)])
    assert len(store.files("fiba_ooo")) == 5
    store.compact("fiba_ooo")
    content = (store.root / "fiba_ooo" / "rows.parquet").read_bytes()
    assert store.files("fiba_ooo") == {"fiba_ooo/rows.parquet": hashlib.sha256(content).hexdigest()}
    assert len(store.rows("fiba_ooo")) == 5


def test_a_part_that_is_compacted_meanwhile_has_no_hash(store, make_row, monkeypatch):
    path = store.append([make_row()])

    def gone(self):
        path.unlink(missing_ok=True)
        raise FileNotFoundError(2, "No such file or directory", str(self))

    monkeypatch.setattr(Path, "read_bytes", gone)
    assert store.files("fiba_ooo") == {}


def test_compacting_an_experiment_without_rows_makes_nothing(store):
    store.compact("fiba_ooo")
    assert store.experiments() == []


@pytest.mark.parametrize("where", ["", "below"])
def test_a_root_that_cannot_be_made_is_named_with_a_cure(tmp_path, where):
    (tmp_path / "file").write_text("in the way")
    root = tmp_path / "file" / where
    with pytest.raises(ResultsError, match=f"{root}.*choose another results folder"):
        Store(root).must_be_writable()


def test_a_root_without_permission_is_refused_at_once(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(ResultsError, match="cannot be written .Permission denied.*make it writable"):
        Store(tmp_path).must_be_writable()


def test_a_full_disk_is_reported_with_the_file(store, make_row, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(ResultsError, match="0123456789abcdef-0-.*No space left.*free some space"):
        store.append([make_row()])


WRITER = """
import json, sys
from datetime import datetime
from results import Store
store = Store(sys.argv[1])
row = json.loads(sys.argv[2])
row["started"] = datetime.fromisoformat(row["started"])
for repetition in range(30):
    store.append([row | {"repetition": repetition}])
    if repetition % 7 == 3:
        store.compact("fiba_ooo")
"""


def test_two_writers_that_append_and_compact_lose_nothing(store, make_row):
    def start(machine):
        row = make_row(machine=machine)
        text = json.dumps(row | {"started": row["started"].isoformat()})
        return subprocess.Popen([sys.executable, "-c", WRITER, str(store.root), text], cwd=PROJECT)

    writers = [start("m1"), start("m2")]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        found = len(store.rows("fiba_ooo"))
        assert found >= seen, "rows vanished while a writer compacted"
        seen = found
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len(store.rows("fiba_ooo")) == 60
    assert store.damaged == []


def test_row_files_from_before_a_column_was_added_are_read_with_its_neutral_value(store, make_row):
    path = store.append([make_row()])
    now = pq.read_table(path)
    for since in range(len(ADDED)):
        pq.write_table(now.drop_columns(list(ADDED[since:])), path)
        row = store.rows(make_row()["experiment"]).iloc[0]
        assert (row["counted"], row["process"], row["surroundings"]) == (False, "", "{}") and not store.damaged
        assert row["page_faults"] is pd.NA


def test_a_folder_that_is_only_read_is_not_made(tmp_path):
    store = Store(tmp_path / "mistyped")
    assert store.experiments() == [] and store.rows("fiba_ooo").empty and store.files("fiba_ooo") == {}
    assert list(tmp_path.iterdir()) == []
