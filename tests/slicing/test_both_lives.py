"""The same programs compiled, as plain Python, and compiled with every index checked."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from slicing_program import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LIVES = {"NUMBA_DISABLE_JIT": "1"}, {"SLOTS_CHECKED": "1"}
EVERY = ("cutty/lazy", "cutty/eager", "pairs/eager", "panes/lazy", "ra/lazy", "ra/eager", "naive/lazy")


@pytest.mark.parametrize(
    ("life", "programs", "choices"),
    [(LIVES[0], "25", EVERY), (LIVES[1], "200", ("cutty/eager",))],
    ids=["plain", "checked"],
)
def test_every_life_gives_the_same(life, programs, choices):
    environment = {name: value for name, value in os.environ.items() if all(name not in other for other in LIVES)}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "slicing_program.py"), "7", programs, *choices],
        env={**environment, "PYTHONPATH": str(ROOT), **life},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == json.loads(json.dumps(main("7", programs, *choices)))
