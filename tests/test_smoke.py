"""make check runs some tests of every part: of every folder of tests."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.smoke

HERE = Path(__file__).parent


def test_every_folder_has_tests_in_make_check():
    folders = [path.parent for path in HERE.glob("*/__init__.py")]
    marked = {path.parent for path in HERE.glob("*/test_*.py") if "mark.smoke" in path.read_text()}
    assert folders and [folder.name for folder in folders if folder not in marked] == []
