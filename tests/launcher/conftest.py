"""One cluster for all tests of this folder, and run.py as a process that knows of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.spark.measuring import standalone
from tests import HUNG

ROOT = Path(__file__).parent.parent.parent
PLAIN = {"NUMBA_DISABLE_JIT": "1", "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""What every process gets: nothing here runs for long enough to be worth compiling."""

SMALL = (
    "experiment=fiba_fifo",
    "profile=smoke",
    "profile.repetitions=1",
    "operators=[sum]",
    "algorithms=[fiba,recalc]",
)


@pytest.fixture(scope="session")
def caches(tmp_path_factory):
    """Where workers unpack the project."""
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory, caches):
    with standalone.started(tmp_path_factory.mktemp("cluster"), **PLAIN, XDG_CACHE_HOME=str(caches)) as made:
        yield made


@pytest.fixture
def begin(tmp_path, caches):
    """A function that starts run.py on a small experiment; rows go to the folder "data" of the test."""

    def start(*arguments: str, data: str = "data") -> subprocess.Popen:
        where = (f"results={tmp_path / data}", f"figure_folder={tmp_path / 'figures'}")
        kept = {k: v for k, v in os.environ.items() if k not in ("HYDRA_FULL_ERROR", "TRACEBACK", "PYTHONPATH")}
        return subprocess.Popen(
            [sys.executable, str(ROOT / "run.py"), *arguments, *SMALL, *where],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**kept, **PLAIN, "XDG_CACHE_HOME": str(caches), "TIMING_SLOT": "tests"},
        )

    return start


@pytest.fixture
def finish(begin):
    """The same, waited for: its exit code, what it printed and what it said on standard error."""

    def done(*arguments: str, **options: str) -> tuple[int, str, str]:
        with begin(*arguments, **options) as process:
            try:
                out, err = process.communicate(timeout=HUNG)
            finally:
                process.kill()
        return process.returncode, out, err

    return done
