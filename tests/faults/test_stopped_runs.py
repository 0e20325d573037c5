"""Runs that are stopped: by Ctrl-C, by kill -9 at any moment; and two runs at the same time."""

import random
import re
import signal
import time

import pytest

from results import Store
from results.store import IDENTITY
from tests import HUNG, SOON, wait_for
from tests.faults.commands import ROWS, alive, children, finish, kill, parts, start

pytestmark = pytest.mark.slow


def identities(folder):
    rows = Store(folder / "data").rows("fiba_ooo")
    return sorted(map(tuple, rows[list(IDENTITY)].astype(str).to_numpy().tolist()))


def stored(folder):
    rows = Store(folder / "data").rows("fiba_ooo")
    return dict(zip(zip(rows["cell"], rows["repetition"]), rows["started"]))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The rows of a run that nobody stopped."""
    folder = tmp_path_factory.mktemp("whole")
    done = finish(folder)
    assert done.returncode == 0, done.stderr
    assert f"{ROWS} measured now, 0 kept" in done.stdout
    return identities(folder)


def test_a_run_killed_at_any_moment_goes_on_and_ends_with_the_same_rows(tmp_path, whole):
    chance, before = random.Random(5), {}
    for least in (0, 1, 3, 6):
        process = start(tmp_path)
        wait_for(lambda least=least: parts(tmp_path) >= least)
        time.sleep(chance.uniform(0, 0.1))
        below = children(process.pid)
        kill(process)
        now = stored(tmp_path)
        assert {run: now.get(run) for run in before} == before  # nothing that was stored is measured again
        assert len(now) >= least
        wait_for(lambda below=below: not alive(below), SOON)
        before = now
    done = finish(tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{ROWS - len(before)} measured now, {len(before)} kept" in done.stdout
    assert identities(tmp_path) == whole
    assert {run: stored(tmp_path)[run] for run in before} == before


def test_ctrl_c_keeps_what_was_measured_and_leaves_no_process(tmp_path, whole):
    process = start(tmp_path)
    wait_for(lambda: parts(tmp_path) >= 2)
    below = children(process.pid)
    assert below
    _, said = kill(process, signal.SIGINT)
    assert process.returncode == 130
    assert "Traceback" not in said and "interrupted; what was measured is kept" in said
    assert len([line for line in said.splitlines() if line]) == 2  # how many measurements, and the sentence
    wait_for(lambda: not alive(below), SOON)
    kept = len(stored(tmp_path))
    assert kept >= 2
    done = finish(tmp_path)
    assert f"{ROWS - kept} measured now, {kept} kept" in done.stdout
    assert identities(tmp_path) == whole


def test_two_runs_at_the_same_time_measure_nothing_twice(tmp_path, whole):
    both = [start(tmp_path), start(tmp_path)]
    said = [process.communicate(timeout=HUNG) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    counts = sorted(re.search(r"(\d+) measured now, (\d+) kept", out).groups() for out, _ in said)
    assert counts == [("0", str(ROWS)), (str(ROWS), "0")]
    assert sum("waiting for the timing slot of this machine: process " in err for _, err in said) <= 1
    assert identities(tmp_path) == whole


def test_a_cell_that_runs_out_of_time_is_said_and_the_exit_code_is_1(tmp_path):
    done = finish(tmp_path, "profile.minimum_ms=1e9", "profile.timeout=4", "algorithms=[fiba]", "distances=[0]")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    said = " ".join(done.stdout.split())
    assert "timeout (1): bfinger2: stopped after 4 s of processor time (profile.timeout)" in said
    assert "timeout (1): bfinger2: not tried: another repetition ran out of time" in said
    assert parts(tmp_path) == 0  # compacted


@pytest.mark.thorough  # that it is set aside tests/results/test_store.py shows, too
def test_a_damaged_row_file_is_named_set_aside_and_measured_again(tmp_path, whole):
    finish(tmp_path)
    rows = tmp_path / "data" / "fiba_ooo" / "rows.parquet"
    rows.write_bytes(rows.read_bytes()[:1000])
    done = finish(tmp_path)
    assert done.returncode == 0
    said = " ".join(done.stderr.split())
    assert str(rows) in said and "damaged" in said and "Traceback" not in said
    assert (rows.parent / "damaged" / "rows.parquet").stat().st_size == 1000
    assert f"{ROWS} measured now" in done.stdout
    assert identities(tmp_path) == whole
