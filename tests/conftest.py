"""What tests of all folders share: their order, a timing slot of their own, the scripts that the chosen ones wait for.

With that slot, runs of the tests neither wait for what is measured beside, nor delay it.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests import java_archive, scripts
from tests.examples import examples

pytest_plugins = ["tests.plain_python"]

settings.register_profile(
    "busy", max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")  # a machine that is busy is no mistake of what is tested


def pytest_collection_modifyitems(items):
    """Files with slow tests first: a long one that is begun last keeps a single core busy, and the others idle."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True, scope="session")
def _own_timing_slot():
    before = os.environ.get("TIMING_SLOT")
    os.environ["TIMING_SLOT"] = f"tests-{os.getpid()}"
    yield
    if before is None:
        del os.environ["TIMING_SLOT"]
    else:
        os.environ["TIMING_SLOT"] = before


@pytest.fixture(autouse=True, scope="session")
def _javas_start_quickly(request):
    with java_archive.used({item.path.parent.name for item in request.session.items}):
        yield


@pytest.fixture(autouse=True, scope="module")
def _scripts_of_the_chosen_tests(request):
    for item in request.session.items:
        if item.path == request.path:
            for mark in item.iter_markers("script"):
                scripts.begun(*mark.args, **mark.kwargs)


@pytest.fixture(autouse=True, scope="session")
def _no_script_goes_on():
    yield
    scripts.POOL.shutdown(cancel_futures=True)
