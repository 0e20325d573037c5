"""Make the modules beside the tests importable, whatever pytest's import mode; begin the long scripts early."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def _scripts_in_the_background(request):
    """If test_scripts.py is among the tests, its processes run beside the others; the rest is dropped at the end."""
    for module in {item.module for item in request.session.items if item.module.__name__.endswith("test_scripts")}:
        module.begin()
    yield
    import scripts

    scripts.pool().shutdown(cancel_futures=True)
