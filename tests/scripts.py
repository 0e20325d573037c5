"""Modules of the tests that run as programs: plain Python, checked mode and new caches need their own process."""

import functools
import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import HUNG, plain_server

ROOT = Path(__file__).parents[1]
PLAIN, CHECKED = plain_server.PLAIN, {"SLOTS_CHECKED": "1"}
POOL = ThreadPoolExecutor(max_workers=2)


def environment(root: Path = ROOT, **more: str) -> dict[str, str]:
    """The variables of a process that imports this project, without those that change how kernels run."""
    inherited = {name: value for name, value in os.environ.items() if name not in {*PLAIN, *CHECKED}}
    return {**inherited, "PYTHONPATH": str(root), **more}


def run(command: list[str], variables: dict[str, str], root: Path = ROOT) -> Any:
    """What a Python command prints as JSON."""
    if command[0] == "-m" and variables == PLAIN and root == ROOT:
        told = plain_server.run(command[1], command[2:], environment(), HUNG)
        assert told.returncode == 0, told.stderr[-3000:]
        return json.loads(told.stdout)
    done = subprocess.run(
        [sys.executable, *command],
        env=environment(root, **variables),
        cwd=root,
        capture_output=True,
        text=True,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def script(module: str, *arguments: str, **variables: str) -> pytest.MarkDecorator:
    """A module of the tests run as a program. It is begun when the first test of the file of the marked one is."""
    return pytest.mark.script(f"tests.{module}", *arguments, **variables)


@functools.cache
def begun(*command: str, **variables: str) -> Future:
    return POOL.submit(run, ["-m", *command], variables)


def printed(asked: pytest.MarkDecorator) -> Any:
    """What the script prints, run now unless it was begun before."""
    return begun(*asked.args, **asked.kwargs).result()
