"""Linear Road tuples as the benchmark's text: what is written, where, and what is said."""

import gzip
import os
import sys

import numpy as np
import pytest

from workloads import make
from workloads.linear_road import export

GENERATED = {"name": "linear_road", "records": 3_000, "expressways": 2, "seconds": 1_300, "folder": "none"}


@pytest.fixture
def run(monkeypatch, capsys):
    """run(*arguments): exit code, and what the export said."""

    def done(*arguments):
        monkeypatch.setattr(sys, "argv", ["export", *map(str, arguments)])
        code = export.main()
        answer = capsys.readouterr()
        return code, answer.out + answer.err

    return done


@pytest.mark.parametrize("name", ["cars.txt", "cars.txt.gz"])
@pytest.mark.parametrize("columns", [15, 9])
def test_what_is_written_reads_back_as_it_was(run, tmp_path, name, columns):
    settings = [f"{key}={value}" for key, value in GENERATED.items() if key != "name"]
    code, said = run(tmp_path / name, *settings, "--columns", columns)
    assert code == 0 and f"{name}: 3,000 tuples, {(tmp_path / name).stat().st_size:,} bytes\n" in said
    read = make({"name": "linear_road", "path": str(tmp_path / name)})
    assert read.hash == make(GENERATED).hash
    code, _ = run(tmp_path / "again.txt", f"path={tmp_path / name}")
    content = (tmp_path / name).read_bytes()
    content = gzip.decompress(content) if name.endswith("gz") else content
    assert code == 0 and (tmp_path / "again.txt").read_bytes() == content
    assert content.count(b"\n") == 3_000 and content.split(b"\n")[0].count(b",") == columns - 1


def test_a_file_is_written_whole_or_not_at_all(run, tmp_path, monkeypatch):
    def dies(self, names):
        yield {"Type": np.zeros(3, np.int8)}
        raise OSError("the disk is full")

    (tmp_path / "cars.txt").write_text("before")
    monkeypatch.setattr("workloads.linear_road.parameters.LinearRoad.tuples", dies)
    code, said = run(tmp_path / "cars.txt")
    assert (code, said) == (2, "error: the disk is full\n")
    assert [path.name for path in tmp_path.iterdir()] == ["cars.txt"]
    assert (tmp_path / "cars.txt").read_text() == "before"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["recods=4"], "unknown parameter of workload linear_road 'recods'; did you mean records"),
        (["4"], "'4' is not a setting; they are written as records=1000"),
        (["records=4", "seed=1", "records=5"], "records is given twice, as 4 and as 5; give it once"),
        (["name=flights"], "'name=flights' is not a setting"),
        (["records=many"], "records is 'many'; it must be a whole number"),
        (["path=nowhere.txt"], "nowhere.txt does not exist"),
    ],
)
def test_what_cannot_be_written_is_said(run, tmp_path, arguments, message):
    code, said = run(tmp_path / "cars.txt", *arguments)
    assert code == 2 and message in said and said.startswith("error: ")
    assert not list(tmp_path.iterdir())
    code, said = run(tmp_path / "no" / "cars.txt")
    assert code == 2 and "no is not a folder; cars.txt is written into one that is there" in said


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_only_a_regular_file_is_replaced(run, tmp_path, kind):
    path = tmp_path / "cars.txt"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
    there = {one: one.lstat().st_mode for one in tmp_path.iterdir()}
    said = "is not a regular file; give the name of a text file to write"
    code, answer = run(path, "records=4")
    assert code == 2 and f"cars.txt {said}" in answer
    with pytest.raises(ValueError, match=said):
        export.write(path, [])
    assert {one: one.lstat().st_mode for one in tmp_path.iterdir()} == there
