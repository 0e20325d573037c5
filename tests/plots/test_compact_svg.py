"""A compact SVG draws what Matplotlib wrote: the same shapes and texts in the same order, in the same styles."""

import io
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest

from plots.compact_svg import compact
from plots.theme import theme

SVG, HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
DRAWN = {f"{SVG}{name}" for name in ("path", "use", "text", "tspan", "rect")}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture
def written():
    """A figure with markers, a clipped line, hatches, powers, turned and plain texts, and what XML must escape."""
    buffer = io.StringIO()
    with theme():
        figure, axes = plt.subplots(figsize=(4, 3))
        axes.plot([1, 10, 1000], [0.123456, 2.5, 3.75], "o--", label='a < b & "c"\'s')
        axes.bar([1, 100], [1, 2], hatch="//", alpha=0.5)
        axes.set(xscale="log", ylabel="time (ns)", xlabel="size <n>")
        axes.legend()
        figure.savefig(buffer, format="svg")
        plt.close(figure)
    return buffer.getvalue()


def drawn(svg):
    """Each shape and text with its style, the turns and styles of the groups around it, and what it refers to.

    Returns what must be equal, and all numbers, which are rounded.
    """
    root = ElementTree.fromstring(svg)
    rules = dict(re.findall(r"\.(c\d+)\{([^}]*)\}", "".join(node.text for node in root.iter(f"{SVG}style"))))
    by_id = {node.get("id"): node for node in root.iter() if node.get("id")}
    shapes, numbers = [], []

    def style(node):
        text = (node.get("style") or rules.get(node.get("class"), "")).replace("'", "")
        return re.sub(r"#\w+\)", "#)", text)

    def split(text):
        numbers.extend(float(number) for number in NUMBER.findall(text or ""))
        return re.sub(r"[^A-Za-z]", "", text or "")

    def walk(node, around):
        if node.tag in DRAWN:
            target = by_id.get((node.get(HREF) or "").lstrip("#"))
            clip = by_id.get((node.get("clip-path") or "").removeprefix("url(#").rstrip(")"))
            shape = "" if target is None else split(target.get("d"))
            clipped = None if clip is None else (clip[0].tag, split(clip[0].get("x")))
            own = [split(node.get(name)) for name in ("d", "x", "y")]
            shapes.append((node.tag, (node.text or "").strip(), style(node), around, shape, clipped, own))
        turn = node.get("transform") or ""
        inner = around if turn.startswith("rotate(-0 ") else (*around, split(turn))
        inner = (*inner, style(node) if node.tag == f"{SVG}g" else "")
        for child in node:
            walk(child, tuple(filter(None, inner)))

    walk(root, ())
    return shapes, numbers


def test_what_is_drawn_stays(written):
    short = compact(written)
    (shapes, numbers), (before, exact) = drawn(short), drawn(written)
    assert len(shapes) > 40 and shapes == before
    assert numbers == pytest.approx(exact, abs=0.051)
    assert len(short) < 0.6 * len(written)


def test_it_is_one_line_whose_ids_are_all_used(written):
    short = compact(written)
    assert "\n" not in short and "<!--" not in short and "metadata" not in short and "<g>" not in short
    ids = set(re.findall(r" id='([^']*)'", short))
    assert ids and all(f"#{name}" in short for name in ids)
