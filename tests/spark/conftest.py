"""One Spark for all tests of this folder; what other folders of tests have is importable, here and in the workers."""

import contextlib
import os
import sys
from pathlib import Path

import pytest

BESIDE = Path(__file__).parent.parent
sys.path[:0] = [str(BESIDE / "experiments"), str(BESIDE / "faults"), str(BESIDE)]


@pytest.fixture(scope="module")
def spark():
    import one_spark

    return one_spark.of("spark", executor)


@contextlib.contextmanager
def executor():
    """The executor with a session of its own, which tries a lost task twice (local[cores, tries])."""
    from experiments.harness import executors

    before = dict(os.environ)
    path = [str(BESIDE / "experiments"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    started = executors.start({"name": "spark", "master": "local[1,2]", "options": {}})
    yield started
    started.close()
    os.environ.clear()
    os.environ.update(before)
