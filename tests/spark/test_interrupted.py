"""Ctrl-C in the middle of a run on Spark: what was measured is kept, and neither the JVM nor a worker stays."""

import os
import signal

import pytest

from results import Store
from tests import HUNG, SOON, wait_for
from tests.faults.commands import alive, children, kill, parts, start

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("whole_group", [False, True], ids=["this process", "the terminal's group"])
def test_ctrl_c_on_spark(tmp_path, whole_group):
    process = start(tmp_path, "executor=spark", "algorithms=[fiba]", "profile.repetitions=40")
    wait_for(lambda: parts(tmp_path) >= 2)
    below = children(process.pid)
    assert below
    if whole_group:  # what a terminal does
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=HUNG)
    else:
        _, said = kill(process, signal.SIGINT)
    assert process.returncode == 130, said
    assert said.startswith("starting Spark\n") and "Traceback" not in said, said
    assert "interrupted; what was measured is kept" in said
    wait_for(lambda: not alive(below), SOON)
    rows = Store(tmp_path / "data").rows("fiba_ooo")
    assert len(rows) == parts(tmp_path) >= 2 and set(rows["status"]) == {"ok"}


def test_kill_9_leaves_no_process(tmp_path):
    process = start(tmp_path, "executor=spark", "algorithms=[fiba]", "profile.repetitions=40")
    wait_for(lambda: parts(tmp_path) >= 1)
    below = children(process.pid)
    kill(process)
    wait_for(lambda: not alive(below), SOON)
