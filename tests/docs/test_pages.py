"""The pages of docs: examples print what they say, links lead somewhere, every page is listed."""

import doctest
import re
from pathlib import Path

import pytest

from algorithms import catalogue, operators

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = ("algorithms", "operators")
PAGES = {str(path.relative_to(DOCS).with_suffix("")): path for path in sorted(DOCS.rglob("*.md"))}
WITH_EXAMPLES = [name for name, path in PAGES.items() if ">>> " in path.read_text(encoding="utf-8")]
ELSEWHERE = ("compressed", "fiba", "rolling", "slicing")
"""Pages whose examples run beside the tests of what they are about."""
COMPILED = ("algorithms/README", "choosing", "sliding", "order_statistics")
EXAMPLES = [
    pytest.param(name, marks=() if name in COMPILED else pytest.mark.plain)
    for name in WITH_EXAMPLES
    if name not in ELSEWHERE
]
"""A window's example says the same in both lives, as the window does; compiling all takes eight times as long."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_print_what_the_page_says(name):
    blocks = re.findall(r"```python\n(.*?)```", PAGES[name].read_text(), re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, str(PAGES[name]), 0)
    said = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.attempted > 1
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files(name):
    links = re.findall(r"\]\(([^)]+)\)", PAGES[name].read_text(encoding="utf-8"))
    assert [link for link in links if not (PAGES[name].parent / link.split("#")[0]).exists()] == []


@pytest.mark.parametrize("name", catalogue())
def test_a_page_says_what_for_and_shows_a_drawing(name):
    assert f"algorithms/{name}" in PAGES, f"write docs/algorithms/{name}.md"
    text = PAGES[f"algorithms/{name}"].read_text()
    for heading in ("## The idea", "## When to use it", "## When not", "## Complexity", "## Example", "## References"):
        assert f"\n{heading}\n" in text, heading
    assert re.search(r"!\[[^]]+\]\((\.\./)?images/\w+\.svg\)", text)


@pytest.mark.parametrize("name", operators.names())
def test_a_page_says_when_to_use_an_operator_and_shows_an_example(name):
    assert f"operators/{name}" in WITH_EXAMPLES, f"write docs/operators/{name}.md"
    text = PAGES[f"operators/{name}"].read_text(encoding="utf-8")
    for heading in ("## When to use it", "## Example", "## Good to know"):
        assert f"\n{heading}\n" in text, heading


@pytest.mark.parametrize(
    ("folder", "names"), [("algorithms", list(catalogue())), ("operators", list(operators.names()))]
)
def test_an_index_lists_every_page_once(folder, names):
    listing = "\n".join(re.findall(r"^- .*", PAGES[f"{folder}/README"].read_text(encoding="utf-8"), re.MULTILINE))
    listed = re.findall(r"\[[^]]+\]\((\w+)\.md\)", listing)
    assert sorted(listed) == sorted(names)


def test_the_front_page_leads_to_every_page_but_those_of_an_index():
    linked = set(re.findall(r"\]\(([\w/]+)\.md", PAGES["README"].read_text(encoding="utf-8")))
    assert {name for name in PAGES if "/" not in name} - {"README"} <= linked
    assert {f"{folder}/README" for folder in (*FOLDERS, "api")} <= linked
