"""docs/compressed.md: its examples print what they say, and its links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[4] / "docs/compressed.md"


@pytest.mark.plain
def test_examples_print_what_the_page_says():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried >= 12
    assert failed == 0


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text())
    assert links
    assert [link for link in links if not (PAGE.parent / link).exists()] == []
