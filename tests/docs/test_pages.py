"""The pages of docs with examples that are tests: they print what they say, links lead somewhere, all are listed."""

import doctest
import re
from pathlib import Path

import pytest

from algorithms import catalogue

DOCS = Path(__file__).parents[2] / "docs"
NAMES = ("README", "library", "choosing", "sliding", "order_statistics", "coming_from")
ALONE = [DOCS / f"{name}.md" for name in NAMES]
PAGES = {path.stem: path for path in [*sorted((DOCS / "algorithms").glob("*.md")), *ALONE]}
EXAMPLES = [name if path in ALONE else pytest.param(name, marks=pytest.mark.plain) for name, path in PAGES.items()]
"""A window's example says the same in both lives, as the window does; compiling all takes eight times as long."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_print_what_the_page_says(name):
    blocks = re.findall(r"```python\n(.*?)```", PAGES[name].read_text(), re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, str(PAGES[name]), 0)
    said = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.attempted > 3
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files(name):
    links = re.findall(r"\]\(([^)]+)\)", PAGES[name].read_text())
    broken = [link for link in links if not (PAGES[name].parent / link.split("#")[0]).exists()]
    assert links
    assert broken == []


@pytest.mark.parametrize("name", catalogue())
def test_a_page_says_what_for_and_shows_a_drawing(name):
    assert name in PAGES, f"write docs/algorithms/{name}.md"
    text = PAGES[name].read_text()
    for heading in ("## The idea", "## When to use it", "## When not", "## Complexity", "## Example", "## References"):
        assert f"\n{heading}\n" in text, heading
    assert re.search(r"!\[[^]]+\]\((\.\./)?images/\w+\.svg\)", text)


def test_the_index_lists_every_page_once():
    listed = re.findall(r"^- \[[^]]+\]\(algorithms/(\w+)\.md\): \S", PAGES["README"].read_text(), re.MULTILINE)
    assert sorted(listed) == list(catalogue())
