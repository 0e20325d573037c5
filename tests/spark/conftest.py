"""One Spark for all tests of this folder."""

import contextlib
import os

import pytest

from tests import one_spark


@pytest.fixture(scope="module")
def spark():
    return one_spark.of("spark", executor)


@contextlib.contextmanager
def executor():
    """The executor with a session of its own, which tries a lost task twice (local[cores, tries])."""
    from experiments.harness import executors

    before = dict(os.environ)
    started = executors.start({"name": "spark", "master": "local[1,2]", "options": {}})
    yield started
    started.close()
    os.environ.clear()
    os.environ.update(before)
