"""plain_aggregate.py and plain_page.py, in plain Python: compiling would take most of the time."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_aggregates_in_plain_python():
    scripts = [str(Path(__file__).with_name(name)) for name in ("plain_aggregate.py", "plain_page.py")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *scripts],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 35
