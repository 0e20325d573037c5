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
    """The executor as experiments have it, in a session of its own. A lost task is tried twice: local[cores, tries]."""
    from experiments.harness import executors
    from experiments.harness.executors import shared

    before = dict(os.environ)
    settings = {"name": "spark", "master": "local[1,2]", "options": {}}
    started = executors.start(shared.with_short_jobs(settings))
    yield started
    started.close()
    os.environ.clear()
    os.environ.update(before)
