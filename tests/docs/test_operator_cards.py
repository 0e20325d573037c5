"""The heads of the pages in docs/operators are what the operators say."""

import numpy as np
import pytest

from algorithms import operators, window
from docs import operator_cards as cards

pytestmark = [pytest.mark.plain, pytest.mark.smoke]


def test_no_page_is_missing_or_stale():
    assert cards.stale() == [], "run python -m docs.operator_cards"


def test_there_is_no_page_without_an_operator():
    assert sorted(page.stem for page in cards.PAGES.glob("[!R]*.md")) == list(operators.names())


@pytest.mark.parametrize("name", operators.names())
def test_a_head_has_what_the_operator_declares(name):
    head, op = cards.head(name), operators.make(name)
    aliases = [alias for alias, own in operators.ALIASES.items() if own == name]
    for fact in (f"# {name}", *(f"`{alias}`" for alias in aliases), *op.laws, *cards.parameters(type(op))):
        assert fact in head, fact
    assert f"| {np.dtype(op.dtype).itemsize:,} bytes" in head
    refused = {algorithm for algorithm in ("soe", "slick_deque", "fiba") if f"[{algorithm}]" in head}
    for algorithm in ("soe", "slick_deque", "fiba"):
        if algorithm in refused:
            with pytest.raises(ValueError, match=f"{algorithm} needs an operator"):
                window(algorithm, name, capacity=8)
        else:
            empty = window(algorithm, name, capacity=8).query()
            assert f"| of an empty window | `{empty!r}` |" in head


def test_writing_replaces_the_head_and_keeps_the_text(tmp_path):
    assert cards.write(tmp_path) == list(operators.names())
    page = tmp_path / "sum.md"
    fresh = page.read_text()
    page.write_text(fresh.replace("8 bytes", "9 bytes") + "\nWritten by hand.\n")
    assert cards.stale(tmp_path) == ["sum"]
    assert cards.write(tmp_path) == ["sum"]
    assert page.read_text() == fresh + "\nWritten by hand.\n"


@pytest.mark.parametrize("page", ["no marks", f"text before\n{cards.BEGIN}\n{cards.END}", cards.BEGIN])
def test_a_page_without_its_marks_is_refused(page):
    with pytest.raises(ValueError, match="sum.md must begin with"):
        cards.with_head(page, "sum")
