"""What tests of all folders share: modules beside this one, and a timing slot of their own.

With that slot, runs of the tests neither wait for what is measured beside, nor delay it.
"""

import os
import sys
from pathlib import Path

import pytest

pytest_plugins = ["tests.plain_python"]

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="session")
def _own_timing_slot():
    before = os.environ.get("TIMING_SLOT")
    os.environ["TIMING_SLOT"] = f"tests-{os.getpid()}"
    yield
    if before is None:
        del os.environ["TIMING_SLOT"]
    else:
        os.environ["TIMING_SLOT"] = before
