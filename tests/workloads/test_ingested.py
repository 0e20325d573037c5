"""Record sets of files: the trace in chunks, known by the file's content, and read instead of the file."""

import dataclasses
import os
import pickle
import shutil

import numpy as np
import pyarrow as pa
import pytest

from workloads import make, record_set, record_sets, workload
from workloads.reading import ingested
from workloads.record_sets import making

TRIPS = "t,v,who,seen\n3,1.5,anna,4\n1,2,otto,2\n2,7,anna,5\nx,1,ida,1\n1,4,ida,3\n"


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(ingested, "ROWS", 3)


def of_file(folder, path, **more):
    given = {"time": "t", "value": "v", "key": "who", "arrival": "seen", "on_error": "skip", **more}
    return {"name": "file", "path": str(path), **given, "folder": str(folder / "sets")}


def made(settings):
    return record_sets.make(*record_set(settings))


def same(one, other):
    for field in ("name", "parameters", "time_unit", "ticks_per_unit", "skipped", "notes", "hash"):
        assert getattr(one, field) == getattr(other, field)


@pytest.mark.parametrize(
    "more", [{}, {"ties": "sequence"}, {"key": None}, {"value": None}, {"arrival": None, "key": "t"}], ids=str
)
def test_the_trace_of_a_record_set_is_that_of_the_file(tmp_path, write, monkeypatch, more):
    settings = of_file(tmp_path, write(tmp_path, TRIPS), **more)
    trace = make(settings)
    manifest = made(settings)
    assert (manifest.rows, len(manifest.chunks)) == (4, 2)
    monkeypatch.setattr(type(workload(settings)), "parsed", lambda self: pytest.fail("parsed"))
    same(make(settings), trace)


def test_timestamps_and_floats_of_parquet(tmp_path, table, monkeypatch):
    times = pa.array([5, 3, 4, 9], pa.timestamp("ms"))
    path = table(tmp_path, t=times, v=[0.5, 1.0, -2.0, 1e300], who=[7, 7, -1, 2], seen=[1, 2, 3, 4])
    settings = of_file(tmp_path, path, time_unit="ms")
    trace = make(settings)
    made(settings)
    monkeypatch.setattr(type(workload(settings)), "parsed", lambda self: pytest.fail("parsed"))
    same(make(settings), trace)
    assert trace.time_unit == "ms" and trace.values.dtype == np.float64 and trace.keys.tolist() == [7, 7, -1, 2]


def test_the_content_counts_and_not_the_name(tmp_path, write):
    path = write(tmp_path, TRIPS)
    manifest = made(of_file(tmp_path, path))
    copy = shutil.copy(path, tmp_path / "copy.csv")
    found = record_sets.find(record_set(of_file(tmp_path, copy))[0], tmp_path / "sets")
    assert found == manifest and make(of_file(tmp_path, copy)).parameters["path"] == str(copy)
    assert set(manifest.parameters) == {f.name for f in dataclasses.fields(workload(of_file(tmp_path, path)))} - {
        "path", "folder"} | {"content"}  # fmt: skip
    for other in (of_file(tmp_path, path, on_error="fail"), of_file(tmp_path, write(tmp_path, TRIPS + "9,9,bo,9\n"))):
        assert record_sets.find(record_set(other)[0], tmp_path / "sets") is None
    assert len(make(other)) == 5


def test_a_bad_file_leaves_nothing(tmp_path, write):
    with pytest.raises(ValueError, match="line 5: field 't' is 'x'"):
        made(of_file(tmp_path, write(tmp_path, TRIPS), on_error="fail"))
    with pytest.raises(FileNotFoundError, match=r"none\.csv does not exist"):
        record_set(of_file(tmp_path, "none.csv"))
    assert not (tmp_path / "sets").exists()


def test_what_is_there_is_found_without_reading_the_records(tmp_path, write, monkeypatch):
    settings = of_file(tmp_path, write(tmp_path, TRIPS))
    manifest = made(settings)
    ingested._parsed.cache_clear()
    monkeypatch.setattr(type(workload(settings)), "parsed", lambda self: pytest.fail("parsed"))
    assert made(settings) == manifest


def test_a_lost_chunk_is_made_anew(tmp_path, write):
    settings = of_file(tmp_path, write(tmp_path, TRIPS))
    manifest = made(settings)
    (manifest.folder / manifest.chunks[1].file).unlink()
    ingested._parsed.cache_clear()
    assert made(settings) == manifest


def test_workers_do_not_read_the_file_again(tmp_path, write):
    settings = of_file(tmp_path, write(tmp_path, TRIPS))
    of_file_set, root = record_set(settings)
    seen = []

    def run(work, numbers):
        shared = pickle.loads(pickle.dumps(work))  # as a worker gets it
        ingested._parsed.cache_clear()
        patch = pytest.MonkeyPatch()
        patch.setattr(type(workload(settings)), "parsed", lambda self: pytest.fail("parsed"))
        for number in numbers:
            yield shared(number)
        patch.undo()
        seen.extend(path.name for path in (tmp_path / "sets").rglob("*.npy"))

    manifest = record_sets.make(of_file_set, root, run)
    assert len(seen) == 3 and not list((tmp_path / "sets").rglob("*.npy"))
    shutil.rmtree(manifest.folder)
    assert made(settings) == manifest


def test_a_killed_run_leaves_nothing_in_the_way(tmp_path, write):
    settings = of_file(tmp_path, write(tmp_path, TRIPS))
    manifest = made(settings)
    left = manifest.folder / making.SHARED
    left.mkdir()
    (left / "999-other.npy").write_bytes(b"half")
    assert made(settings) == manifest and not left.exists()
    (manifest.folder / manifest.chunks[0].file).unlink()
    left.mkdir()
    (left / "999-other.npy").write_bytes(b"half")
    assert made(settings) == manifest and not left.exists()


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path, write):
    path = write(tmp_path, TRIPS)
    of_before, _ = record_set(of_file(tmp_path, path))
    path.write_text(TRIPS + "9,9,bo,9\n")
    os.utime(path, ns=(0, 0))
    with pytest.raises(ValueError, match=rf"{path} has changed while it was being read"):
        record_sets.make(of_before, tmp_path / "sets")
    assert not (tmp_path / "sets").exists()


def test_damage_is_not_taken_for_records(tmp_path, write):
    settings = of_file(tmp_path, write(tmp_path, TRIPS))
    manifest = made(settings)
    path = manifest.folder / manifest.chunks[0].file
    content = bytearray(path.read_bytes())
    content[60] ^= 1
    path.write_bytes(content)
    with pytest.raises(record_sets.RecordsError, match="is damaged: its bytes are not those that were written"):
        make(settings)


@pytest.mark.parametrize("order", ["departure", "arrival"])
def test_flights(tmp_path, monkeypatch, order):
    monkeypatch.setattr(ingested, "ROWS", 100_000)
    settings = {"name": "flights", "order": order, "ties": "sequence", "folder": str(tmp_path)}
    trace = make(settings)
    manifest = made(settings)
    assert (manifest.rows, len(manifest.chunks)) == (len(trace), 4)
    monkeypatch.setattr(type(workload(settings)), "parsed", lambda self: pytest.fail("parsed"))
    same(make(settings), trace)
