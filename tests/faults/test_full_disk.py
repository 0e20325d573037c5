"""A disk that is full, or no folder at all, while rows, figures and record sets are written: named, and nothing lost.

The system refuses to let a file grow beyond a limit of the process (RLIMIT_FSIZE), as it does when a disk is full.
"""

import resource
import subprocess
import sys

import pytest

from results import Store
from tests import HUNG
from tests.faults.commands import ROOT, ROWS, command, environment, finish, parts

pytestmark = pytest.mark.slow


def limited(folder, most, words=()):
    """The run, or these words of a command, whose files may have so many bytes."""
    return subprocess.run(
        words or command(folder),
        capture_output=True,
        text=True,
        env=environment(),
        cwd=folder,
        timeout=HUNG,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )


def leftovers(folder):
    return [path for path in folder.rglob("*") if path.name.endswith(".tmp")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a run with room for everything."""
    folder = tmp_path_factory.mktemp("whole")
    assert finish(folder).returncode == 0
    return folder


def test_no_room_for_rows(tmp_path):
    done = limited(tmp_path, 1000)
    assert done.returncode == 2 and parts(tmp_path) == 0 and not leftovers(tmp_path)
    assert (
        "error: the row file " in done.stderr and "cannot be written (File too large); free some space" in done.stderr
    )
    assert "Traceback" not in done.stderr
    done = finish(tmp_path)
    assert (done.returncode, f"{ROWS} measured now, 0 kept" in done.stdout) == (0, True)


@pytest.mark.thorough  # a folder that cannot be made is refused in the same words
def test_no_room_for_figures(tmp_path, whole):
    rows = max(path.stat().st_size for path in (whole / "data").rglob("*.parquet"))
    figures = max(path.stat().st_size for path in (whole / "figures").iterdir())
    assert rows < figures  # half-way, since what is drawn is of other numbers each time and its size varies
    done = limited(tmp_path, (rows + figures) // 2)
    folder = tmp_path / "figures"
    assert done.returncode == 2 and not leftovers(tmp_path)
    assert f"error: the figures cannot be written to {folder} (File too large); free some space" in done.stderr
    assert len(Store(tmp_path / "data").rows("fiba_ooo")) == ROWS
    done = finish(tmp_path)
    assert (done.returncode, f"0 measured now, {ROWS} kept" in done.stdout) == (0, True)
    assert {path.name for path in folder.iterdir()} == {path.name for path in (whole / "figures").iterdir()}


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("results", "the results folder /proc/nothing cannot be written"),
        ("figure_folder", "the figures cannot be written to /proc/nothing (No such file or directory)"),
    ],
)
def test_a_folder_that_cannot_be(tmp_path, setting, words):
    done = finish(tmp_path, f"{setting}=/proc/nothing")
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_no_room_for_a_record_set(tmp_path):
    made = [sys.executable, str(ROOT / "run.py"), "experiment=make_workload", "executor=inline", "workload=delay",
            "workload.items=250000", f"workload.folder={tmp_path}/records"]  # fmt: skip
    made += [f"results={tmp_path}/data", f"figure_folder={tmp_path}/figures"]
    done = limited(tmp_path, 100_000, made)
    assert done.returncode != 0 and not leftovers(tmp_path)
    said = " ".join((done.stdout + done.stderr).split())
    assert "File too large" in said and str(tmp_path / "records") in said and "Traceback" not in said
    assert limited(tmp_path, 1 << 30, made).returncode == 0
