"""docs/statements.md is what the data of the papers say, and leaves nothing open."""

import re

import pytest

from docs import statements
from experiments.harness.statements import in_folder

pytestmark = pytest.mark.smoke


def test_the_page_is_not_stale(tmp_path):
    assert not statements.stale(), "run python -m docs.statements"
    changed = tmp_path / "statements.md"
    assert statements.stale(changed)
    changed.write_text(statements.page() + "more\n")
    assert statements.stale(changed)


def test_every_statement_is_on_a_line_without_an_empty_cell():
    lines = [line for line in statements.page().splitlines() if line.startswith("| ")]
    for line in lines:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        assert len(cells) in (3, 6) and all(cells), line
    said = sum(len(in_folder(folder).statements) for folder in statements.folders())
    headings = 2 * len(statements.folders())
    assert sum(line.count(" | ") == 5 for line in lines) == said + headings


def test_what_is_ours_comes_last():
    names = [folder.name for folder in statements.folders()]
    assert "fiba" in names and names[-2:] == ["peers", "spark"]
