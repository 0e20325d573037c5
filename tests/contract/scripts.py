"""Run the scripts beside the tests, two at a time: plain Python, checked mode and new caches need their own process."""

import functools
import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
PLAIN, CHECKED = {"NUMBA_DISABLE_JIT": "1"}, {"SLOTS_CHECKED": "1"}
SECONDS = 300


def run(command: list[str], environment: dict[str, str], root: Path = ROOT) -> Any:
    """What a Python command prints as JSON, in an environment without the variables that change how kernels run."""
    inherited = {name: value for name, value in os.environ.items() if name not in {*PLAIN, *CHECKED}}
    done = subprocess.run(
        [sys.executable, *command],
        env={**inherited, "PYTHONPATH": str(root), **environment},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@functools.cache
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2)


def start(script: str, *arguments: str, **environment: str) -> Future:
    """Begin to run a script of this folder; its result is what it prints."""
    return pool().submit(run, [str(FOLDER / script), *arguments], environment)
