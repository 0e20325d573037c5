"""Runs of the tests keep to a timing slot of their own: they neither wait for what is measured beside, nor delay it."""

import os

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_timing_slot():
    before = os.environ.get("TIMING_SLOT")
    os.environ["TIMING_SLOT"] = f"tests-{os.getpid()}"
    yield
    if before is None:
        del os.environ["TIMING_SLOT"]
    else:
        os.environ["TIMING_SLOT"] = before
