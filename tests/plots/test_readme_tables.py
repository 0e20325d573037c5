"""The README's tables are written into it, and nothing else of it changes."""

from pathlib import Path

import pytest

from plots.readme import replaced, tables

ROOT = Path(__file__).resolve().parents[2]
OLD = (
    "Before.\n\n| | holds |\n| --- | --- |\n| FiBA | 3 |\n\nBetween.\n\n| ns a row | ours |\n| --- | --- |\n\nAfter.\n"
)


def test_the_readme_has_the_tables_of_what_is_published():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for table in tables(ROOT / "results" / "published"):
        assert replaced(text, table) == text, "python -m plots.readme writes them"


def test_a_table_takes_the_place_of_the_one_with_its_title():
    new = "| | holds |\n| --- | --- |\n| FiBA | 4 |\n| Cutty | 5 |"
    assert replaced(OLD, new) == OLD.replace("| FiBA | 3 |", "| FiBA | 4 |\n| Cutty | 5 |")


def test_a_table_that_has_no_place_is_refused():
    with pytest.raises(ValueError, match="0 tables begin with 'rows/s'; one is needed"):
        replaced(OLD, "| rows/s | ours |\n| --- | --- |")
    with pytest.raises(ValueError, match="2 tables begin with 'holds'"):
        replaced(OLD + "\n" + OLD, "| | holds |")
