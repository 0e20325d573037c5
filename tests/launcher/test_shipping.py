"""The project as workers get it: the same zip for the same sources, unpacked once, imported from there."""

import os
import subprocess
import sys
import zipfile

import pytest

from experiments.harness.executors import shipping


@pytest.fixture
def archive(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shipping.zipped.cache_clear()
    yield shipping.zipped()
    shipping.zipped.cache_clear()


def test_the_same_sources_make_the_same_zip_under_the_hash_of_what_is_in_it(archive):
    content = archive.read_bytes()
    names = zipfile.ZipFile(archive).namelist()
    assert {"experiments/harness/engine.py", "algorithms/kernel/memory.py", "results/store.py"} < set(names)
    assert all(name.endswith((".py", ".json", "/")) for name in names)
    archive.unlink()
    shipping.zipped.cache_clear()
    assert shipping.zipped() == archive and archive.read_bytes() == content


def test_what_is_unpacked_is_kept_and_shared(archive, tmp_path):
    folder = shipping.unpacked(archive, tmp_path)
    kernel = folder / "algorithms" / "kernel" / "memory.py"
    before = kernel.stat()
    assert kernel.read_bytes() == (shipping.ROOT / "algorithms" / "kernel" / "memory.py").read_bytes()
    assert shipping.unpacked(archive, tmp_path) == folder
    assert (kernel.stat().st_mtime_ns, kernel.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_damaged_zip_leaves_nothing_behind(tmp_path):
    broken = tmp_path / "project-0.zip"
    broken.write_bytes(b"no zip")
    with pytest.raises(zipfile.BadZipFile):
        shipping.unpacked(broken, tmp_path)
    assert os.listdir(tmp_path) == ["project-0.zip"]


def test_a_worker_imports_the_project_from_where_it_unpacked_it(archive, tmp_path):
    """As Spark does it: the zip is on the path under a folder that changes, and a first import is from the zip."""
    moved = tmp_path / "elsewhere" / archive.name
    moved.parent.mkdir()
    moved.write_bytes(archive.read_bytes())
    program = f"""
import sys
sys.path.insert(1, {str(moved)!r})
from experiments.harness.executors import shipping
shipping.settle({archive.name!r})
shipping.settle({archive.name!r})
import algorithms, experiments.harness.cell, results
print(algorithms.__file__, experiments.harness.cell.__file__, results.__file__, sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    folder = str(tmp_path / "sliding-windows" / archive.stem)
    assert len(done.stdout.splitlines()) == 3
    assert all(line.startswith(folder) for line in done.stdout.splitlines())
