"""Record sets: the same bytes whoever makes them, found again, resumed, and damage noticed."""

import dataclasses
import json
import multiprocessing
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests import HUNG
from tests.workloads import counting_up
from tests.workloads.counting_up import CountingUp
from workloads import record_set
from workloads.record_sets import RecordsError, code, find, making, read, stream
from workloads.record_sets import make as make_records

pytestmark = pytest.mark.smoke

TEN = CountingUp(10, seed=3)


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def made_now(record_set, root):
    """The manifest, and the numbers of the chunks that were made for it."""
    numbers = []

    def run(work, wanted):
        numbers.extend(wanted)
        return map(work, wanted)

    return make_records(record_set, root, run), numbers


def test_columns_come_back_in_order(tmp_path):
    manifest = make_records(TEN, tmp_path)
    columns = read(manifest, ["count", "time", "chance"])
    assert columns["count"].tolist() == columns["time"].tolist() == list(range(10))
    assert (
        columns["chance"].tolist() == [chance for number in range(4) for chance in stream(3, number, 1).random(3)][:10]
    )
    assert {name: str(array.dtype) for name, array in columns.items()} == {
        "count": "int64",
        "time": "int64",
        "chance": "float64",
    }


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_bytes_are_the_same_however_the_work_is_shared(tmp_path, workers):
    alone = make_records(TEN, tmp_path / "alone")

    def backwards(work, numbers):
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(work, reversed(numbers)))

    shared = make_records(TEN, tmp_path / "shared", backwards)
    assert bytes_of(shared.folder) == bytes_of(alone.folder)
    assert [chunk.rows for chunk in shared.chunks] == [3, 3, 3, 1]
    assert shared == dataclasses.replace(alone, folder=shared.folder)


def test_a_record_set_is_found_again_by_its_parameters(tmp_path):
    assert find(TEN, tmp_path) is None
    manifest = make_records(TEN, tmp_path)
    assert find(CountingUp(10, seed=3), tmp_path) == manifest
    assert find(CountingUp(10, seed=4), tmp_path) is find(CountingUp(11, seed=3), tmp_path) is None
    assert manifest.folder.parent == tmp_path and manifest.folder.name.startswith("counting-")
    assert (manifest.rows, manifest.bytes) == (10, sum(p.stat().st_size for p in manifest.folder.glob("*.parquet")))
    told = json.loads((manifest.folder / "manifest.json").read_text())
    assert told["parameters"] == {"rows": 10, "seed": 3} and set(told["versions"]) == {"numpy", "pyarrow"}


def test_what_is_there_is_not_made_again(tmp_path):
    first, numbers = made_now(TEN, tmp_path)
    assert numbers == [0, 1, 2, 3]
    before = {path: path.stat().st_mtime_ns for path in first.folder.iterdir()}
    assert made_now(TEN, tmp_path) == (first, [])
    assert {path: path.stat().st_mtime_ns for path in first.folder.iterdir()} == before


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    """The process is killed in its third chunk: two are kept, and nothing says that the set is there."""
    fork = multiprocessing.get_context("spawn")
    process = fork.Process(target=make_records, args=(CountingUp(10, 3, dies_at=2), tmp_path))
    process.start()
    process.join(HUNG)
    assert process.exitcode == 9
    assert find(TEN, tmp_path) is None
    manifest, numbers = made_now(TEN, tmp_path)
    assert numbers == [2, 3]
    assert bytes_of(manifest.folder) == bytes_of(make_records(TEN, tmp_path / "other").folder)


def test_an_error_in_a_chunk_is_raised_and_the_others_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(
        CountingUp, "chunk", lambda self, number, whole=CountingUp.chunk: whole(self, number // (3 - number))
    )
    with pytest.raises(ZeroDivisionError):
        make_records(TEN, tmp_path)
    monkeypatch.undo()
    [folder] = tmp_path.iterdir()
    assert len(list(folder.glob("*.parquet"))) == 3 and not list(folder.glob("*.json")) + list(folder.glob(".*.tmp"))


@pytest.mark.parametrize("damage", ["bit", "cut", "gone", "empty"])
def test_a_damaged_chunk_is_noticed_and_made_anew(tmp_path, damage):
    manifest = make_records(TEN, tmp_path)
    whole = bytes_of(manifest.folder)
    path = manifest.folder / manifest.chunks[1].file
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes({"bit": content, "cut": content[:-1], "empty": b"", "gone": b""}[damage])
    if damage == "gone":
        path.unlink()
    assert (find(TEN, tmp_path) is None) == (damage != "bit")
    with pytest.raises(RecordsError, match=rf"{path.name} (is damaged|cannot be read).*make the record set again"):
        read(manifest, ["count"])
    assert made_now(TEN, tmp_path) == (manifest, [1])
    assert bytes_of(manifest.folder) == whole


@pytest.mark.parametrize("content", ["", "{}", "[1]", "null", "3", '{"chunks": [{}]}', '{"chunks": 3}', "\0"])
def test_a_damaged_manifest_is_written_anew(tmp_path, content):
    manifest = make_records(TEN, tmp_path)
    (manifest.folder / "manifest.json").write_text(content)
    assert find(TEN, tmp_path) is None
    assert made_now(TEN, tmp_path) == (manifest, [])
    assert find(TEN, tmp_path) == manifest


@pytest.mark.parametrize("rows", [9, 11, -1, "10", None])
def test_a_manifest_with_another_number_of_rows_is_written_anew(tmp_path, rows):
    manifest = make_records(TEN, tmp_path)
    path = manifest.folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "rows": rows}))
    assert find(TEN, tmp_path) is None
    assert made_now(TEN, tmp_path) == (manifest, [])


@pytest.mark.parametrize("outside", ["../other/{}", "{folder}/{}", "./{}"])
def test_a_manifest_that_leads_out_of_its_folder_is_written_anew(tmp_path, outside):
    manifest = make_records(TEN, tmp_path)
    shutil.copytree(manifest.folder, tmp_path / "other")
    path = manifest.folder / "manifest.json"
    fields = json.loads(path.read_text())
    fields["chunks"][0]["file"] = outside.format(fields["chunks"][0]["file"], folder=tmp_path / "other")
    path.write_text(json.dumps(fields))
    assert find(TEN, tmp_path) is None
    assert made_now(TEN, tmp_path) == (manifest, [])


def test_chunks_of_other_code_are_made_anew(tmp_path, monkeypatch):
    old = make_records(TEN, tmp_path)
    monkeypatch.setattr(making, "code_of", lambda record_set: "0" * 16)
    assert find(TEN, tmp_path) is None
    new, numbers = made_now(TEN, tmp_path)
    assert numbers == [0, 1, 2, 3] and new.code == "0" * 16 and new.folder == old.folder
    assert len(list(new.folder.glob("*.parquet"))) == 4


def test_what_a_stopped_run_left_is_deleted(tmp_path):
    folder = make_records(TEN, tmp_path).folder
    whole = bytes_of(folder)
    (folder / ".000001-0123456789abcdef.parquet.0.tmp").write_bytes(b"half")
    (folder / "000001-0123456789abcdef.parquet").write_bytes(b"other")
    (folder / "notes.parquet").write_bytes(b"")
    make_records(TEN, tmp_path)
    assert bytes_of(folder) == whole


def test_a_second_maker_waits_and_finds_it_made(tmp_path):
    begun, results = threading.Event(), []

    def slowly(work, numbers):
        begun.set()
        time.sleep(0.2)
        return map(work, numbers)

    first = threading.Thread(target=lambda: results.append(make_records(TEN, tmp_path, slowly)))
    first.start()
    begun.wait(HUNG)
    assert made_now(TEN, tmp_path)[1] == []
    first.join(HUNG)
    assert results == [find(TEN, tmp_path)]


def test_an_unknown_column_is_named(tmp_path):
    with pytest.raises(RecordsError, match="has no column 'value'; there are time, count, chance"):
        read(make_records(TEN, tmp_path), ["count", "value"])


def test_streams_of_random_numbers_differ_in_seed_chunk_and_purpose():
    draws = [stream(*key).random(4).tolist() for key in np.ndindex(3, 3, 3)]
    assert len({tuple(draw) for draw in draws}) == 27
    assert stream(1, 2, 0).random(4).tolist() == draws[9 + 6]


def test_the_code_of_a_record_set_is_what_its_chunks_depend_on(tmp_path, write):
    def sources(settings):
        found = {path.relative_to(code.ROOT).as_posix() for path in code.sources_of(record_set(settings)[0])}
        assert "safeguards/files.py" in found
        return {name.removeprefix("workloads/") for name in found}

    always = {"record_sets/chunks.py", "record_sets/code.py", "record_sets/making.py", "record_sets/record_set.py"}
    equipment = sources({"name": "debs12"})
    assert always | {"debs12/generator.py", "debs12/layout.py"} <= equipment
    others = {"memory_usage/generator.py", "file/parameters.py", "debs12/parameters.py", "reading/parsed.py"}
    assert not others & equipment
    file = sources({"name": "file", "path": str(write(tmp_path, "t\n1\n")), "time": "t"})
    assert always | {"file/parameters.py", "reading/ingested.py", "reading/parsed.py", "traces/ties.py"} <= file
    assert {"delay/parameters.py", "delay/generator.py", "traces/values.py"} <= sources({"name": "delay"})


def test_edited_sources_are_other_code(tmp_path, monkeypatch):
    first = code.code_of(TEN)
    copy = tmp_path / "counting_up.py"
    copy.write_bytes(Path(counting_up.__file__).read_bytes())
    monkeypatch.setattr(code.inspect, "getfile", lambda kind: str(copy))
    assert code.code_of(TEN) == first  # wherever it is
    copy.write_bytes(copy.read_bytes() + b"# edited\n")
    code._hash_of.cache_clear()
    assert code.code_of(TEN) != first
