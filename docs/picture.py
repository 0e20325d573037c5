"""Pictures of queues and of trees in arrays, as small SVG: boxes, letters and arrows at positions computed here.

A picture is data, and everything drawn is in this data, so a test can compare data instead of pixels; it is kept in the
file's <metadata>. Texts stay texts, in the reader's own fonts; boxes are sized for the widest usual fonts.
"""

import json
from dataclasses import asdict, dataclass, field
from html import escape

CHARACTER, LINE = 7.4, 14
"""Pixels: the width of a 12-pixel character in monospaced type, and the height of a line."""
CAPTION_CHARACTER = 6.9
BOX, MARGIN, GAP = 22, 12, 18

TONES = {
    "plain": ("#ffffff", "#555555"),
    "gone": ("#f1f1f1", "#c8c8c8"),
    "green": ("#d5ecd9", "#2b7a3d"),
    "blue": ("#d9e8f7", "#2566a8"),
    "violet": ("#e6def4", "#6a4c9c"),
    "gold": ("#fbeec2", "#a67c00"),
    "red": ("#fbdcd8", "#c0392b"),
}
"""Fill and outline of a box."""


@dataclass(frozen=True)
class Cell:
    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Queue:
    """Rows of cells, one column per entry. `marks` name boundaries by the number of the column right of each."""

    caption: str
    rows: dict[str, list[Cell]]
    marks: dict[str, int] = field(default_factory=dict)
    arrows: list[tuple[int, int]] = field(default_factory=list)
    """From one column to another, or to the end, the column after the last."""
    beside: dict[str, Cell] = field(default_factory=dict)
    """Single partial aggregates that belong to no column."""


@dataclass(frozen=True)
class Tree:
    """A complete binary tree in an array: node 1 is the root, node i has the children 2 i and 2 i + 1."""

    caption: str
    nodes: list[Cell]
    marks: dict[str, int] = field(default_factory=dict)
    """Names of leaves, counted from 0."""


@dataclass(frozen=True)
class Picture:
    title: str
    panels: list[Queue | Tree]
    legend: dict[str, str]
    """What each tone means."""

    def column(self) -> float:
        """The width of a column, the same in all queues."""
        queues = [panel for panel in self.panels if isinstance(panel, Queue)]
        texts = [cell.text for panel in queues for cells in panel.rows.values() for cell in cells]
        return max(map(room, texts), default=0) + 4

    def data(self) -> dict:
        """Everything that is drawn, as JSON values."""
        return json.loads(json.dumps(asdict(self)))


class Drawing:
    """SVG elements, and the width that they need."""

    def __init__(self) -> None:
        self.elements: list[str] = []
        self.width = 0.0

    def text(self, x: float, y: float, text: str, kind: str = "mono", anchor: str = "start") -> None:
        width = len(text) * (CAPTION_CHARACTER if kind == "caption" else CHARACTER)
        self.width = max(self.width, x + {"start": width, "middle": width / 2, "end": 0}[anchor])
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.elements.append(f'<text x="{x:g}" y="{y:g}" class="{kind}"{place}>{escape(text)}</text>')

    def box(self, x: float, y: float, width: float, cell: Cell) -> None:
        fill, outline = TONES[cell.tone]
        self.width = max(self.width, x + width)
        self.elements.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{BOX}" rx="3" fill="{fill}" stroke="{outline}"/>'
        )
        if cell.text:
            kind = "faint" if cell.tone == "gone" else "mono"
            self.text(x + width / 2, y + BOX - 7, cell.text, kind, "middle")

    def path(self, data: str, arrow: bool = False) -> None:
        self.elements.append(f'<path d="{data}"{" marker-end=" + chr(34) + "url(#tip)" + chr(34) if arrow else ""}/>')


def room(text: str, least: float = 30) -> float:
    """Pixels that a box needs for a text."""
    return max(len(text) * CHARACTER + 10, least)


def draw_queue(drawing: Drawing, panel: Queue, y: float, width: float) -> float:
    """Draw from y downwards, and return where it ends. Marks are above, arrows below, single cells at the right."""
    label = max((len(name) for name in panel.rows), default=0) * CHARACTER + 14 + MARGIN
    stacked: dict[int, list[str]] = {}
    for name, at in panel.marks.items():
        stacked.setdefault(at, []).append(name)
    top = y + LINE * max((len(names) for names in stacked.values()), default=0) + (8 if stacked else 0)
    for at, names in stacked.items():
        x = label + at * width
        for n, name in enumerate(reversed(names)):
            drawing.text(x, top - 9 - n * LINE, name, "mono", "middle")
        drawing.path(f"M{x:g} {top - 6:g}V{top + len(panel.rows) * (BOX + 4):g}")
    y = top
    for name, cells in panel.rows.items():
        drawing.text(MARGIN, y + BOX - 7, name)
        for column, cell in enumerate(cells):
            drawing.box(label + column * width + 2, y, width - 4, cell)
        y += BOX + 4
    columns, deepest = max(len(cells) for cells in panel.rows.values()), 0.0
    for start, end in panel.arrows:
        a, b, depth = label + (start + 0.5) * width, label + (end + 0.5) * width, 12 + 7 * (end - start)
        deepest = max(deepest, depth * 0.75)
        drawing.path(f"M{a:g} {y:g}C{a:g} {y + depth:g} {b:g} {y + depth:g} {b:g} {y + 3:g}", arrow=True)
    if panel.arrows:
        drawing.text(label + (columns + 0.5) * width, y - 11, "end", "mono", "middle")
    x = label + columns * width + 24
    for name, cell in panel.beside.items():
        drawing.text(x, top + BOX - 7, name)
        x += len(name) * CHARACTER + 8
        drawing.box(x, top, room(cell.text), cell)
        x += room(cell.text) + 16
    return y + deepest


def draw_tree(drawing: Drawing, panel: Tree, y: float) -> float:
    """Draw from y downwards, and return where it ends."""
    leaves, level, pitch = len(panel.nodes) // 2, 38, 34
    height = leaves.bit_length() - 1
    centre = {leaves + i: MARGIN + (i + 0.5) * pitch for i in range(leaves)}
    for i in range(leaves - 1, 0, -1):
        centre[i] = (centre[2 * i] + centre[2 * i + 1]) / 2
    for i in range(1, leaves):
        top = y + (i.bit_length() - 1) * level + BOX
        for child in (2 * i, 2 * i + 1):
            drawing.path(f"M{centre[i]:g} {top:g}L{centre[child]:g} {top + level - BOX:g}")
    for i in range(1, 2 * leaves):
        width = room(panel.nodes[i].text, 26)
        drawing.box(centre[i] - width / 2, y + (i.bit_length() - 1) * level, width, panel.nodes[i])
    y += height * level + BOX
    lines: dict[int, int] = {}
    for name, leaf in panel.marks.items():
        lines[leaf] = lines.get(leaf, 0) + 1
        drawing.text(centre[leaves + leaf], y + lines[leaf] * LINE, name, "mono", "middle")
    return y + max(lines.values(), default=0) * LINE


STYLE = (
    "text{fill:#222}.mono,.faint{font:12px monospace}.caption{font:12.5px sans-serif}.faint{fill:#aaa}"
    "path{fill:none;stroke:#888}"
)
TIP = '<marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto">'


def svg(picture: Picture) -> str:
    """The picture as an SVG document, on white."""
    drawing, y, column = Drawing(), MARGIN, picture.column()
    for panel in picture.panels:
        drawing.text(MARGIN, y + LINE - 3, panel.caption, "caption")
        y += LINE + 6
        y = draw_queue(drawing, panel, y, column) if isinstance(panel, Queue) else draw_tree(drawing, panel, y)
        y += GAP
    x = float(MARGIN)
    for tone, meaning in picture.legend.items():
        drawing.box(x, y, 18, Cell("", tone))
        drawing.text(x + 24, y + BOX - 7, meaning, "caption")
        x += 24 + len(meaning) * CAPTION_CHARACTER + 18
    width, height = round(drawing.width + MARGIN), round(y + (BOX if picture.legend else 0) + MARGIN - 4)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<title>{escape(picture.title)}</title>",
        f"<metadata>{escape(json.dumps(picture.data(), ensure_ascii=False), quote=False)}</metadata>",
        f"<style>{STYLE}</style>",
        f'<defs>{TIP}<path d="M0 0L6 3L0 6" style="fill:#888"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *drawing.elements,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
