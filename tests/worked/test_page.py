"""docs/fiba.md: its examples print what it says, its drawings are what the code draws now."""

import doctest
import re
from pathlib import Path

from docs import draw

PAGE = Path(__file__).parents[2] / "docs" / "fiba.md"


def test_examples_print_what_the_page_says():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "fiba.md", str(PAGE), 0)
    said = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.attempted > 10
    assert result.failed == 0, "".join(said)


def test_drawings_on_the_page_are_those_of_the_code():
    shown = re.findall(r"\]\(images/([a-z_]+)\.svg\)", PAGE.read_text())
    assert sorted(shown) == sorted(draw.IMAGES)


def test_drawings_are_up_to_date(tmp_path):
    for path in draw.draw(tmp_path):
        kept = PAGE.parent / "images" / path.name
        assert kept.read_bytes() == path.read_bytes(), (
            f"{path.name} is not what the code draws: run python -m docs.draw"
        )
