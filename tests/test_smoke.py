"""make check runs some tests of every part: of every folder of tests."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.smoke

HERE = Path(__file__).parent


def test_every_folder_has_tests_in_make_check():
    files = list(HERE.glob("*/**/test_*.py"))
    smoke = {path.parent for path in files if "mark.smoke" in path.read_text()}
    assert smoke and {path.parent for path in files} - smoke == set()
