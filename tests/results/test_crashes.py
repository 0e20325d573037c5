"""Runs killed at any step, leftovers, and damaged files."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from results import Store
from safeguards.files import locked, remove_leftovers, write_atomically

PROJECT = Path(__file__).parents[2]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def store(tmp_path, make_row):
    store = Store(tmp_path / "data")
    for repetition in range(4):
        store.append([make_row(repetition=repetition, value=float(repetition + 1))])
        if repetition == 1:
            store.compact("fiba_ooo")
    return store


def dies_at_call(monkeypatch, owner, name, count):
    """Replace owner.name by a function that works `count` times and then kills the run."""
    real, calls = getattr(owner, name), []

    def maybe(*arguments, **options):
        calls.append(arguments)
        if len(calls) > count:
            raise Killed
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, maybe)


@pytest.mark.parametrize(
    ("owner", "name", "count"),
    [(Path, "write_bytes", 0), (os, "replace", 0), (Path, "unlink", 0), (Path, "unlink", 1), (Path, "unlink", 2)],
    ids=["before writing", "before replacing", "before deleting", "between deletions", "after everything"],
)
def test_a_compaction_killed_at_any_step_loses_and_repeats_nothing(store, monkeypatch, owner, name, count):
    before = store.rows("fiba_ooo")
    with monkeypatch.context() as patch:
        dies_at_call(patch, owner, name, count)
        try:
            store.compact("fiba_ooo")
        except Killed:
            assert count < 2
        else:
            assert count == 2
    again = Store(store.root)
    pd.testing.assert_frame_equal(again.rows("fiba_ooo"), before)
    again.compact("fiba_ooo")
    pd.testing.assert_frame_equal(again.rows("fiba_ooo"), before)
    assert list(again.files("fiba_ooo")) == ["fiba_ooo/rows.parquet"]
    assert again.damaged == []


KILLED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from safeguards.files import write_atomically
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(Path(sys.argv[1]), b"half a row file")
"""


def killed_while_writing(path):
    ended = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, str(path)], cwd=PROJECT)
    assert ended.returncode == -signal.SIGKILL


def test_leftovers_of_a_killed_run_are_ignored_and_cleaned(store):
    parts = store.root / "fiba_ooo" / "parts"
    killed_while_writing(parts / "fedcba9876543210-0-0123.parquet")
    leftovers = list(parts.glob(".*.tmp"))
    assert len(leftovers) == 1
    assert len(store.rows("fiba_ooo")) == 4
    assert store.clean("fiba_ooo") == leftovers
    assert not list(parts.glob(".*"))
    assert store.damaged == []


def test_compaction_cleans_leftovers(store):
    killed_while_writing(store.root / "fiba_ooo" / "rows.parquet")
    store.compact("fiba_ooo")
    assert not list((store.root / "fiba_ooo").glob(".*.tmp"))


def test_a_file_that_is_being_written_is_not_a_leftover(tmp_path, monkeypatch):
    found = []
    real = os.replace

    def look_around(source, target):
        found.append((Path(source).exists(), remove_leftovers(tmp_path)))
        real(source, target)

    monkeypatch.setattr(os, "replace", look_around)
    write_atomically(tmp_path / "a", b"content")
    assert found == [(True, [])]
    assert (tmp_path / "a").read_bytes() == b"content"


def test_leftovers_of_another_host_are_cleaned_when_they_are_old(tmp_path):
    name = f".a.parquet.{'0' * 8}-1-{'0' * 32}.tmp"
    (tmp_path / name).write_bytes(b"half")
    assert remove_leftovers(tmp_path) == []
    os.utime(tmp_path / name, (time.time() - 1e6,) * 2)
    assert remove_leftovers(tmp_path) == [tmp_path / name]
    (tmp_path / ".notes.tmp").write_text("somebody else's")
    assert remove_leftovers(tmp_path) == []


def test_a_failed_write_leaves_the_old_file_and_no_temporary(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"old")
    dies_at_call(monkeypatch, os, "replace", 0)
    with pytest.raises(Killed):
        write_atomically(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def truncated(path):
    path.write_bytes(path.read_bytes()[:-20])


def not_parquet(path):
    path.write_text("cell,value\n1,2\n")


def emptied(path):
    path.write_bytes(b"")


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 3 : len(content) // 2] = bytes(len(content) // 2 - len(content) // 3)
    path.write_bytes(content)


def without_column(path):
    pq.write_table(pq.read_table(path).drop_columns(["seed"]), path)


def with_column(path):
    table = pq.read_table(path)
    pq.write_table(table.append_column("speed", pa.nulls(len(table), pa.int64())), path)


def with_text_for_numbers(path):
    table = pq.read_table(path)
    index = table.schema.get_field_index("window")
    pq.write_table(table.set_column(index, "window", pa.array(["x"] * len(table))), path)


def with_nulls(path):
    table = pq.read_table(path)
    index = table.schema.get_field_index("profile")
    pq.write_table(table.set_column(index, "profile", pa.nulls(len(table), pa.string())), path)


DAMAGES = {
    truncated: "",
    not_parquet: "Parquet",
    emptied: "",
    flipped: "",
    without_column: "column seed is missing",
    with_column: "unknown column speed",
    with_text_for_numbers: "column window is string instead of int64",
    with_nulls: "profile",
}


@pytest.mark.parametrize("which", ["parts", "rows.parquet"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_named_set_aside_and_survived(store, caplog, which, damage):
    folder = store.root / "fiba_ooo"
    path = folder / which if which != "parts" else min((folder / which).glob("*-2-*.parquet"))
    damage(path)
    damaged_content = path.read_bytes()
    with caplog.at_level(logging.WARNING, "results.store"):
        kept = store.rows("fiba_ooo")
    assert kept["repetition"].tolist() == ([0, 1, 3] if which == "parts" else [2, 3])
    [(target, reason)] = store.damaged
    assert target == folder / "damaged" / path.name
    assert target.read_bytes() == damaged_content
    assert DAMAGES[damage] in reason and reason
    assert str(path) in caplog.text and reason in caplog.text
    store.compact("fiba_ooo")
    pd.testing.assert_frame_equal(store.rows("fiba_ooo"), kept)
    assert len(store.damaged) == 1


def test_a_file_that_there_was_no_memory_for_is_not_damaged(store, monkeypatch):
    def fails(*arguments):
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr(pq.ParquetFile, "read", fails)
    with pytest.raises(MemoryError, match="malloc of size 64 failed"):
        store.rows("fiba_ooo")
    assert store.damaged == [] and not (store.root / "fiba_ooo" / "damaged").exists()


def test_files_damaged_later_do_not_overwrite_those_set_aside_before(store, make_row):
    for content in ("first", "second", "third"):
        (store.root / "fiba_ooo" / "rows.parquet").write_text(content)
        store.rows("fiba_ooo")
    kept = {path.name: path.read_text() for path in (store.root / "fiba_ooo" / "damaged").iterdir()}
    assert kept == {"rows.parquet": "first", "rows.parquet.2": "second", "rows.parquet.3": "third"}


def test_compacting_over_a_damaged_file_keeps_the_good_rows(store):
    not_parquet(store.root / "fiba_ooo" / "rows.parquet")
    store.compact("fiba_ooo")
    assert store.rows("fiba_ooo")["repetition"].tolist() == [2, 3]
    assert len(store.damaged) == 1


@contextmanager
def started_under_lock(folder, action):
    """Start action in a thread while this one holds the lock, give whether it waits, release and wait for its end."""
    thread = threading.Thread(target=action)
    with locked(folder):
        thread.start()
        thread.join(0.2)
        yield thread.is_alive()
    thread.join()


def test_compaction_waits_for_another_compaction(store):
    with started_under_lock(store.root / "fiba_ooo", lambda: store.compact("fiba_ooo")) as waited:
        assert waited
        assert len(store.files("fiba_ooo")) == 3
    assert len(store.files("fiba_ooo")) == 1


def test_a_file_repaired_while_waiting_for_the_lock_is_used(store):
    path = store.root / "fiba_ooo" / "rows.parquet"
    good = path.read_bytes()
    not_parquet(path)
    found = []
    with started_under_lock(path.parent, lambda: found.append(store.rows("fiba_ooo"))) as waited:
        assert waited
        write_atomically(path, good)
    assert len(found[0]) == 4
    assert store.damaged == []
