"""The heads of the pages in docs/algorithms are what the cards say."""

import pytest

from algorithms import catalogue
from docs import cards

pytestmark = pytest.mark.smoke


def test_no_page_is_missing_or_stale():
    assert cards.stale() == [], "run python -m docs.cards"


def test_there_is_no_page_without_a_window():
    assert sorted(page.stem for page in cards.PAGES.glob("[!R]*.md")) == list(catalogue())


def test_a_head_has_everything_on_the_card():
    for name, card in catalogue().items():
        head = cards.head(card)
        facts = (f"# {card.title}", f"`{name}`", card.paper, card.space, card.rounding)
        for fact in (*facts, *card.time.values(), *card.parameters):
            assert fact in head, (name, fact)
        assert head.count("\n| `") == len(card.operations) + len(card.parameters)


def test_writing_replaces_the_head_and_keeps_the_text(tmp_path):
    assert cards.write(tmp_path) == list(catalogue())
    page = tmp_path / "soe.md"
    fresh = page.read_text()
    page.write_text(fresh.replace("1 undo", "2 undos") + "\nWritten by hand.\n")
    assert cards.stale(tmp_path) == ["soe"]
    assert cards.write(tmp_path) == ["soe"]
    assert page.read_text() == fresh + "\nWritten by hand.\n"
    assert cards.write(tmp_path) == []


@pytest.mark.parametrize("page", ["no marks", f"text before\n{cards.BEGIN}\n{cards.END}", cards.BEGIN])
def test_a_page_without_its_marks_is_refused(page):
    with pytest.raises(ValueError, match="soe.md must begin with"):
        cards.with_head(page, catalogue()["soe"])
