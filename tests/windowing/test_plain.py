"""plain_*.py, in plain Python: with many windows and operators most of the time would go into compiling."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(("scripts", "least"), [("plain_streams.py", 24), ("plain_keyed*.py", 50)])
def test_in_plain_python(scripts, least):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, Path(__file__).parent.glob(scripts))],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= least
