"""docs/slicing.md: its examples print what it says, its links lead somewhere, its drawings are what the code draws."""

import doctest
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from docs import draw_slicing

DOCS = Path(__file__).parents[4] / "docs"
PAGE = DOCS / "slicing.md"


@pytest.mark.plain
def test_examples_print_what_the_page_says():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried > 8
    assert failed == 0


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(links) >= 4
    assert [link for link in links if not (DOCS / link).exists()] == []


@pytest.mark.plain
def test_drawings_show_what_the_library_does_now():
    for name, picture in draw_slicing.pictures().items():
        kept = ElementTree.parse(DOCS / "images" / f"{name}.svg").findtext("{http://www.w3.org/2000/svg}metadata")
        assert json.loads(kept) == picture.data(), f"{name}: run python -m docs.draw_slicing"
