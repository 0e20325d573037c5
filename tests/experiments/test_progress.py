"""Progress: a bar with the time left on a terminal, lines where there is none."""

import os
import pty
import subprocess
import sys

from experiments.harness import progress

SHOW = """
import time
from experiments.harness import progress
with progress.display(5) as tell:
    for number in range(5):
        tell(f"cell [bold] {number}")
        time.sleep(0.3)
"""


def test_lines_say_how_far_it_is_and_how_long_it_takes(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.display(10) as tell:
        for number in range(10):
            tell(f"cell {number}")
            now[0] += 6
    assert capsys.readouterr().err.splitlines() == [
        "10 measurements",
        "3 of 10, about 42 s left: cell 3",
        "6 of 10, about 24 s left: cell 6",
        "9 of 10, about 6 s left: cell 9",
    ]


def test_starting_spark_counts_for_no_step(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.display(10) as tell:
        now[0] += 60
        for number in range(5):
            tell(f"cell {number}")
            now[0] += 6
    assert capsys.readouterr().err.splitlines() == ["10 measurements", "3 of 10, about 42 s left: cell 3"]


def test_compiling_counts_for_no_later_step(capsys, monkeypatch):
    """Three steps compile for 30 s each, and 27 take a second; loading what is compiled is part of a step's time."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.display(30) as tell:
        compiled = 0.0
        for number in range(30):
            tell(f"cell {number}", compiled)
            compiled = 30.0 if number < 3 else 0.25
            now[0] += 1.0 + (30.0 if number < 3 else 0.0)
    assert capsys.readouterr().err.splitlines() == [
        "30 measurements",
        "1 of 30, about 29 s left when all is compiled (30 s so far): cell 1",
        "2 of 30, about 28 s left when all is compiled (60 s so far): cell 2",
        "3 of 30, about 27 s left when all is compiled (90 s so far): cell 3",
        "19 of 30, about 11 s left: cell 19",
    ]


def test_a_terminal_gets_a_bar_which_goes_away(tmp_path):
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen([sys.executable, "-c", SHOW], stderr=theirs, env=environment, cwd=progress_root()) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            said += piece
        assert process.wait() == 0
    os.close(ours)
    text = said.decode()
    assert "4/5" in text and "s left: cell [bold] 4" in text
    assert text.rstrip().endswith("\x1b[2K")  # the last line is wiped


def progress_root():
    from experiments.harness.provenance import ROOT

    return ROOT
