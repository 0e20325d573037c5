"""Tests that are run in plain Python, where compiling would take most of the time."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def must_pass(scripts: Iterable[Path], least: int) -> None:
    """All tests of these files pass without Numba's compiler, and there are as many as this at least."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, scripts)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= least
