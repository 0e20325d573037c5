"""The timing slot: who holds it, who waits for it and what is said. Two whole runs: test_stopped_runs.py."""

import re
import signal
import subprocess
import sys

import pytest

from experiments.harness import remote_runs, timing_lock
from tests import HUNG
from tests.faults.commands import kill, parts, start

pytestmark = pytest.mark.smoke

HOLD = """
import sys
from experiments.harness import timing_lock
with timing_lock.held(sys.argv[1], "the test"):
    print("held", flush=True)
    input()
"""


def holder(place):
    """A process that holds the slot of a place until its input ends."""
    command = [sys.executable, "-c", HOLD, place]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.slow
def test_ctrl_c_ends_the_waiting(tmp_path):
    process = holder("this machine")
    waiting = start(tmp_path)
    holding = (
        rf"waiting for the timing slot of this machine: process {process.pid}, the test, since \d\d:\d\d:\d\d; one"
    )
    assert re.match(holding, waiting.stderr.readline())
    _, said = kill(waiting, signal.SIGINT)
    process.communicate("\n", timeout=HUNG)
    assert waiting.returncode == 130
    assert "interrupted" in said and "Traceback" not in said
    assert not parts(tmp_path)


def test_places_and_names_have_slots_of_their_own(monkeypatch, capfd):
    process = holder("this machine")
    with timing_lock.held("spark://other:7077", "another cluster"), monkeypatch.context() as changed:
        changed.setenv(timing_lock.NAME, "another name")
        with timing_lock.held("this machine", "another slot"):
            pass
    assert capfd.readouterr().err == ""
    process.communicate("\n", timeout=HUNG)
    with timing_lock.held("this machine", "the first"), timing_lock.held("this machine", "within it"):
        pass
    assert capfd.readouterr().err == ""


def test_who_dies_releases_the_slot(capfd):
    process = holder("this machine")
    process.kill()
    process.communicate(timeout=HUNG)
    with timing_lock.held("this machine", "the next"):
        pass
    assert capfd.readouterr().err == ""


def test_the_place_is_where_the_executor_measures():
    assert (
        timing_lock.place_of({"name": "inline"})
        == timing_lock.place_of({"name": "spark", "master": "local[2]"})
        == "this machine"
    )
    assert timing_lock.place_of({"name": "spark", "master": "spark://a:7077"}) == "spark://a:7077"


def test_a_job_of_a_multirun_that_measures_alone_holds_a_slot_of_its_machine(monkeypatch):
    held = []
    file = timing_lock._file(remote_runs.JOBS)
    monkeypatch.setattr(remote_runs, "_measured", lambda *_: held.append(file in timing_lock._held))
    for alone in (True, False):
        remote_runs.measured({**remote_runs.sent([], alone=alone), "runs": [({}, [])]})
    assert held == [True, False] and file not in timing_lock._held
