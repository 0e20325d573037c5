"""docs/tutorial.md: its commands, run in a copy of the project as they are written. Its examples: test_pages."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import HUNG
from tests.faults.commands import environment

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```sh\n(.*?)```$", (ROOT / "docs" / "tutorial.md").read_text(), re.DOTALL | re.MULTILINE)
INSTALLING, MEASURING = BLOCKS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The project as somebody has it who has just fetched it."""
    folder = tmp_path_factory.mktemp("tutorial") / "project"
    ignored = "__pycache__", ".*", "published", "paper_sizes", "data", "build", "tests"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*ignored))
    return folder


def run(commands, folder, **variables):
    done = subprocess.run(
        ["bash", "-ec", commands],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_installs(copy):
    """What the library needs is taken from this environment, so that the test needs no network."""
    installed_here = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    path = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    printed = run(INSTALLING, copy, PYTHONPATH=str(Path(np.__file__).parents[1]), **installed_here, **path)
    assert printed.splitlines()[-1] == "0.1.0"
    assert list((copy / ".venv-tutorial").rglob("site-packages/sliding_windows/__init__.py"))


@pytest.mark.thorough
def test_the_experiment_is_measured_drawn_and_judged(copy):
    compiled = {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": ""}
    printed = run(MEASURING.replace(".venv/bin/python", sys.executable), copy, **compiled)
    assert "statements" in printed and re.search(r"\d+ measured now, 0 kept", printed)
    assert list((copy / "results" / "figures").glob("fiba_ooo*.png"))
