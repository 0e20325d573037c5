"""The command line called within the test's process, which is fast, and what it said."""

import sys
from typing import NamedTuple

import pytest

import run as entry
from experiments.harness.cli import command_line


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run_py(tmp_path, monkeypatch, capfd):
    """A function that calls run.py with arguments; results and figures go to the test's folder, which is the cwd."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRACEBACK", raising=False)

    def call(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["run.py", *arguments])
        capfd.readouterr()
        try:
            code = command_line.main(entry.regenerate, entry.codes, entry.runs)
        except SystemExit as error:
            code = error.code or 0
        return Said(code, *capfd.readouterr())

    return call
