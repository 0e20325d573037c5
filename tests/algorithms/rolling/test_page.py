"""docs/rolling.md: its examples print what it says, and its links lead somewhere."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "rolling.md"


def test_examples_print_what_the_page_says():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert tried > 8
    assert failed == 0


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (PAGE.parent / link.split("#")[0]).exists()] == []
