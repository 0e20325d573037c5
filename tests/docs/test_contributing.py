"""CONTRIBUTING.md: its files, written into a copy of the project, and its commands, run there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.harness.provenance import ROOT
from tests.faults.commands import environment

PAGE = (ROOT / "CONTRIBUTING.md").read_text()
FILES = re.findall(r"^`([\w/.]+)`\n\n```(?:python|yaml)\n(.*?)```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)```$", PAGE, re.DOTALL | re.MULTILINE) for line in block.splitlines()
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The project with all files of the page, and the path of each."""
    folder = tmp_path_factory.mktemp("copy") / "project"
    ignored = shutil.ignore_patterns("__pycache__", ".*", "results", "build", "*.egg-info")
    shutil.copytree(ROOT, folder, ignore=ignored)
    measured = shutil.ignore_patterns("__pycache__", "data", "published", "paper_sizes")
    shutil.copytree(ROOT / "results", folder / "results", ignore=measured)
    for path, text in FILES:
        assert not (folder / path).exists(), f"{path} is there already: choose another name for the example"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_the_page_has_files_and_commands():
    assert len(FILES) == 9 and len(COMMANDS) == 9


def tried(command):
    """All tests of a new window take half a minute in plain Python; other commands show that the window is found."""
    return pytest.param(command, marks=[pytest.mark.thorough] if "-k ring_recalc" in command else [])


@pytest.mark.slow
@pytest.mark.parametrize("command", [tried(command) for command in COMMANDS])
def test_its_commands_do_what_they_say(copy, command):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-ec", command], cwd=copy, env=environment(PATH=path, PYTHONPATH=""), capture_output=True, text=True
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    if "pytest" in command:
        assert "[100%]" in said and "no tests ran" not in said
    elif "experiment=" in command:
        assert "failed" not in said and "wrote " in said
