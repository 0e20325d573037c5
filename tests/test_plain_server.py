"""The process that forks for programs in plain Python: how they end, and what they print, is what `python -m` gives."""

import os
import subprocess
import sys

import pytest

from tests import SOON, plain_server

ENVIRONMENT = {**os.environ, **plain_server.PLAIN}


@pytest.mark.parametrize(
    ("module", "arguments", "code"),
    [
        ("json.tool", ["--help"], 0),
        ("json.tool", ["--nonsense"], 2),
        ("json.tool", ["/nowhere/at/all"], None),
        ("tests.algorithms.windows.program", ["two_stacks", "50:2"], 0),
        ("tests.algorithms.windows.program", ["no_such_window", "50:2"], 1),
    ],
)
def test_it_does_what_a_process_of_its_own_does(module, arguments, code):
    command = [sys.executable, "-m", module, *arguments]
    alone = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=SOON)
    served = plain_server.run(module, arguments, ENVIRONMENT, SOON)
    assert (served.returncode, served.stdout) == (alone.returncode, alone.stdout)
    assert code is None or served.returncode == code
    assert served.stderr.splitlines()[-1:] == alone.stderr.splitlines()[-1:]


def test_a_program_that_is_killed_is_no_answer():
    done = plain_server.run("tests.killing_itself", [], ENVIRONMENT, SOON)
    assert done.returncode is None and "killed" in done.stderr
