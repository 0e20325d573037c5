"""The launcher as Hydra finds it, addresses that nobody answers at, and what is told of errors: without Spark."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.harness.executors import ExecutorError, session

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).parent.parent.parent


def test_hydra_finds_the_launcher_from_any_folder(tmp_path):
    asked = [sys.executable, str(ROOT / "run.py"), "hydra/launcher=spark", "--cfg", "hydra", "-p", "hydra.launcher"]
    shown = subprocess.run(asked, capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    for line in ("master: local[1]", "n_jobs: -1", "cores_per_job: 1", "timeout: null", "retries: 1", "archive: null"):
        assert line in shown.splitlines()


def test_an_address_is_tried_before_spark_is_started():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        session.reachable(f"spark://127.0.0.1:1,127.0.0.1:{port}")
        session.reachable(f"sc://127.0.0.1:{port}/;user_id=me")
    for address in (f"spark://127.0.0.1:{port}", "sc://127.0.0.1", "spark://127.0.0.1:x"):
        with pytest.raises(ExecutorError, match="nobody answers at executor.master="):
            session.reachable(address)
    session.reachable("local[2]")


def test_no_secret_is_told(capsys):
    from hydra_plugins.spark_launcher import _launch

    _launch.say("2 jobs on sc://host:15002/;token=hunter2")
    assert "sc://host:15002" in (told := capsys.readouterr().err) and "hunter2" not in told


def test_what_a_worker_raised_is_told_without_the_stacks():
    raised = f"{session.IN_PYTHON}:\nTraceback (most recent call last):\n  File x\nOSError: full\n"
    assert session.first_line(RuntimeError(raised)) == "OSError: full"
    called = "An error occurred while calling o1.collect.\n: the reason\n\tat x"
    assert session.first_line(RuntimeError(called)) == "the reason"
