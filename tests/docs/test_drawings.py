"""The drawings of docs/algorithms show what the windows hold now, and no text lies on another or outside."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from docs import draw_windows
from docs.panels import path_pieces
from docs.picture import CHARACTER, Cell, Picture, Queue, Tree, svg

pytestmark = pytest.mark.plain

IMAGES = Path(__file__).parents[2] / "docs" / "algorithms" / "images"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pictures() -> dict[str, Picture]:
    return draw_windows.pictures()


def test_drawings_show_what_the_windows_hold_now(pictures):
    kept = {path.stem: json.loads(ElementTree.parse(path).findtext(f"{SVG}metadata")) for path in IMAGES.glob("*.svg")}
    assert kept == {name: picture.data() for name, picture in pictures.items()}, "run python -m docs.draw_windows"


def test_drawings_are_files_of_a_few_kilobytes():
    assert max(path.stat().st_size for path in IMAGES.glob("*.svg")) < 30_000


def test_an_aggregate_in_a_drawing_is_what_lies_below_it(pictures):
    for name in ("flat_fat", "reactive"):
        for tree in pictures[name].panels:
            texts = [cell.text for cell in tree.nodes]
            assert all(texts[i] == texts[2 * i] + texts[2 * i + 1] for i in range(1, len(texts) // 2)), tree.caption


def test_suffix_and_prefix_of_a_wrapped_ring():
    letters = "ijkabcde"  # a ring of 8 whose oldest leaf is number 3
    nodes = [""] * 8 + list(letters)
    for i in range(7, 0, -1):
        nodes[i] = nodes[2 * i] + nodes[2 * i + 1]
    suffix, prefix = path_pieces(8, 3, 2)
    assert "".join(nodes[i] for i in suffix) == "abcde"
    assert "".join(nodes[i] for i in prefix) == "ijk"


def test_the_pieces_of_the_query_in_the_drawing_spell_the_window(pictures):
    nodes = pictures["flat_fat"].panels[-1].nodes
    ring, green, blue = len(nodes) // 2, [], []
    for i, cell in enumerate(nodes):
        first_leaf = i << (ring.bit_length() - max(i, 1).bit_length())
        (green if cell.tone == "green" else blue if cell.tone == "blue" else []).append((first_leaf, cell.text))
    assert "".join(text for _, text in sorted(green) + sorted(blue)) == "defghij"


def boxes(document: ElementTree.Element) -> list[tuple[float, float, float, float, str]]:
    """Left, top, right and bottom of every text."""
    found = []
    for text in document.iter(f"{SVG}text"):
        wide = len(text.text) * (CHARACTER - 0.4)
        left = float(text.get("x")) - {None: 0, "middle": wide / 2}[text.get("text-anchor")]
        bottom = float(text.get("y"))
        found.append((left, bottom - 10, left + wide, bottom + 2, text.text))
    return found


def faults(document: str) -> list[tuple[str, ...]]:
    """Pairs of texts that overlap, and texts that leave the sheet."""
    root = ElementTree.fromstring(document)
    width, height = float(root.get("width")), float(root.get("height"))
    texts = boxes(root)
    outside = [(e,) for a, b, c, d, e in texts if a < 0 or b < 0 or c > width or d > height]
    return outside + [
        (one[4], other[4])
        for n, one in enumerate(texts)
        for other in texts[:n]
        if one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    ]


def test_no_text_overlaps_another_or_leaves_the_sheet(pictures):
    for name, picture in pictures.items():
        assert faults(svg(picture)) == [], name


def test_a_name_too_long_for_its_place_would_be_seen():
    crowded = Tree("t", [Cell("")] * 4, {"a long name": 0, "another name": 1})
    assert ("another name", "a long name") in faults(svg(Picture("", [crowded], {})))


def test_text_is_escaped():
    picture = Picture("<&>", [Queue("a < b", {"r&d": [Cell("<")]})], {"plain": ">"})
    root = ElementTree.fromstring(svg(picture))
    assert {"a < b", "r&d", "<", ">"} <= {text.text for text in root.iter(f"{SVG}text")}
    assert json.loads(root.findtext(f"{SVG}metadata")) == picture.data()
