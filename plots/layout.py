"""The layout of a figure: title and legend above, panels or a drawing, notes and origin below.

Everything is placed by its size in inches, and a text that is too long for its place is wrapped, so that no text
overlaps another or leaves the figure, whatever the number of panels, notes and characters.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from plots.axes import LINE
from plots.theme import KEY_SIZE, LABEL_SIZE, NOTE_SIZE, PANEL_TITLE_SIZE, TICK_SIZE, TITLE_SIZE, text_width, wrapped

COLUMNS = 3
PANEL_WIDTH, PANEL_HEIGHT = 3.5, 2.6
SINGLE_WIDTH = 5.6
LEFT, RIGHT, BETWEEN, TITLE_SPACE, AXIS_SPACE = 0.75, 0.2, 0.6, 0.34, 0.55
BESIDE_CATEGORIES = 0.6
"""From the first and the last category to the ends of the axis; they are 1 apart."""

MARGIN = 0.15
LEGEND_LINE, NOTE_LINE, TITLE_LINE = 0.23, 0.15, 0.2
LEAST_KEY, KEY_HANDLE, KEY_CHARACTER = 1.5, 0.65, 0.078
TICK_CHARACTER, TURN, NAME_SPACE = 0.072, 25, 0.15
CHARACTERS_PER_INCH = 17.5
DRAFT = "draft: uncommitted code"


class Texts(NamedTuple):
    """The texts around the panels or the drawing."""

    title: str = ""
    notes: Sequence[str] = ()
    footer: str = ""
    draft: bool = False


class Legend(NamedTuple):
    """The one legend above the panels: its handles in order, and the least width of a key in inches."""

    handles: Sequence[Artist]
    key: float = LEAST_KEY
    character: float = KEY_CHARACTER
    by_row: bool = True
    look: Mapping[str, Any] = {"handlelength": 2.6, "columnspacing": 1.6}


NO_LEGEND = Legend(())


class Heading(NamedTuple):
    """Inches above what follows the title, usually the legend, and the inches that the title adds."""

    plain: float = 0.2
    title: float = 0.3


USUAL_HEADING = Heading()


class Sizes(NamedTuple):
    """Inches: height of a panel, room left of the first and between panels for the labels of y, and below for x."""

    height: float = PANEL_HEIGHT
    left: float = LEFT
    between: float = BETWEEN
    below: float = AXIS_SPACE


USUAL = Sizes()


def page(
    width: float,
    body: Sequence[float],
    texts: Texts,
    legend: Legend = NO_LEGEND,
    heading: Heading = USUAL_HEADING,
    free: float = 0.35,
    below: float = 0.0,
) -> tuple[Figure, float]:
    """Make a figure with title, legend and small print around a body. Call it inside `theme`.

    In inches, `body` is the heights of the body's parts, `below` that of the labels below it, `free` the space around
    the small print. Returns the figure and the inches from its upper edge to the body.
    """
    title = wrapped(texts.title, width - 2 * MARGIN, TITLE_SIZE, "bold") if texts.title else []
    top = heading.plain + heading.title * bool(title) + TITLE_LINE * max(len(title) - 1, 0)
    handles, columns, lines = _keys(legend, width)
    small = _small_print(texts, width)
    above = top + LEGEND_LINE * lines
    height = sum(body, above) + (below + NOTE_LINE * len(small) + free)
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    if title:
        look = {"size": TITLE_SIZE, "weight": "bold", "ha": "center", "va": "top"}
        figure.text(0.5, 1 - 0.1 / height, "\n".join(title), parse_math=False, **look)
    for number, (line, color, raised) in enumerate(reversed(small)):
        place = (MARGIN / width, (0.12 + number * NOTE_LINE + raised) / height)
        figure.text(*place, line, size=NOTE_SIZE, color=color, parse_math=False)
    if texts.draft:
        look = {"ha": "right", "size": NOTE_SIZE, "weight": "bold", "color": "#b00020"}
        figure.text(1 - MARGIN / width, 0.12 / height, DRAFT, **look)
    if handles:
        figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 1 - top / height), ncols=columns,
                      frameon=False, borderpad=0, borderaxespad=0, **legend.look)  # fmt: skip
    return figure, above


def _keys(legend: Legend, width: float) -> tuple[list[Artist], int, int]:
    """The handles in the order that matplotlib expects, with wrapped labels; columns and lines of the legend."""
    if not legend.handles:
        return [], 0, 0
    room, size = width - 2 * MARGIN - KEY_HANDLE, legend.look.get("fontsize", KEY_SIZE)
    tallest, widest = 1, 0.0
    for handle in legend.handles:
        label = handle.get_label()
        lines = wrapped(label, room, size)
        if len(lines) > 1:
            handle.set_label("\n".join(lines))
        tallest = max(tallest, len(lines))
        widest = max(widest, legend.character * len(lines[0]), *(text_width(line, size) for line in lines))
    key = max(legend.key, KEY_HANDLE + widest)
    rows = len(legend.handles) if tallest > 1 else math.ceil(len(legend.handles) / max(1, int(width / key)))
    columns = math.ceil(len(legend.handles) / rows)
    # matplotlib fills a legend column by column; read row by row, families stay together.
    by_column = [handle for column in range(columns) for handle in legend.handles[column::columns]]
    lines = sum(handle.get_label().count("\n") + 1 for handle in legend.handles) if tallest > 1 else rows
    return by_column if legend.by_row else list(legend.handles), columns, lines


def _small_print(texts: Texts, width: float) -> list[tuple[str, str, float]]:
    """The lines of notes and footer with their colour and how far they are raised, which separates the notes."""
    characters, room = int((width - 2 * MARGIN) * CHARACTERS_PER_INCH), width - 2 * MARGIN
    notes = [line for note in texts.notes for line in wrapped(note, room, NOTE_SIZE, characters=characters)]
    draft_width = text_width(DRAFT, NOTE_SIZE, "bold") + MARGIN if texts.draft else 0
    footer_characters = max(characters - 2 * len(DRAFT) * texts.draft, len(DRAFT))
    origin = wrapped(texts.footer, room - draft_width, NOTE_SIZE, characters=footer_characters)
    return [*((line, "#333333", 0.05) for line in notes), *((line, "#777777", 0.0) for line in origin)]


def canvas(width: float, body: Sequence[float], texts: Texts, **around: Any) -> tuple[Figure, Axes, float]:
    """Make a `page` to draw on in inches from its lower left corner. Returns the figure, its axes, the body's top."""
    figure, above = page(width, body, texts, **around)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, figure.get_figheight()))
    axes.axis("off")
    return figure, axes, figure.get_figheight() - above


def subplots(
    titles: Sequence[str],
    texts: Texts,
    handles: Sequence[Artist] = (),
    labels: tuple[str, str] = ("", ""),
    sizes: Sizes = USUAL,
    categories: Sequence[str] = (),
    turned: bool = False,
    columns: int = COLUMNS,
) -> tuple[Figure, list[Axes]]:
    """Make a figure with empty panels, one for each title, and everything around them. Call it inside `theme`.

    `labels` are those of x, below each panel, and of y, left of the first panel in each row. `categories` are written
    below each panel at 0, 1, 2 ..., rotated if they do not fit side by side, or always. There are so many `columns`
    of panels at most. Returns the figure and its axes in reading order.
    """
    columns = min(len(titles), columns)
    rows = math.ceil(len(titles) / columns)
    panel_width = PANEL_WIDTH if len(titles) > 1 else SINGLE_WIDTH
    x_label = wrapped(labels[0], panel_width + 2 * RIGHT, LABEL_SIZE)
    y_label = wrapped(labels[1], sizes.height + RIGHT, LABEL_SIZE)
    names = _names(categories, panel_width, sizes.left, turned)
    left = max(sizes.left + LINE * (len(y_label) - 1), names.left)
    below = sizes.below + LINE * (len(x_label) - 1)
    below = below + names.below if labels[0] else max(below, names.below + NAME_SPACE)
    width = left + columns * panel_width + (columns - 1) * sizes.between + RIGHT
    panel_titles = [wrapped(title, panel_width, PANEL_TITLE_SIZE) for title in titles]
    title_lines = [max(map(len, panel_titles[row * columns : (row + 1) * columns])) for row in range(rows)]
    spaces = [TITLE_SPACE + LINE * (lines - 1) for lines in title_lines]
    spaces[0] *= any(titles)
    body = 0.05, spaces[0], rows * sizes.height, sum(spaces[1:]) + (rows - 1) * below
    figure, above = page(width, body, texts, Legend(handles), Heading(0.1, 0.28), 0.2, below)
    first_top, height, axes = above + 0.05 + spaces[0], figure.get_figheight(), []
    for row in range(rows):
        bottom = height - first_top - sizes.height - (row * (sizes.height + below) + sum(spaces[1 : row + 1]))
        for column in range(min(columns, len(titles) - row * columns)):
            corner = (left + column * (panel_width + sizes.between)) / width, bottom / height
            panel = figure.add_axes((*corner, panel_width / width, sizes.height / height))
            panel.set_title("\n".join(panel_titles[len(axes)]), parse_math=False)
            panel.set_xlabel("\n".join(x_label))
            panel.set_ylabel("" if column else "\n".join(y_label))
            if categories:
                panel.set_xticks(range(len(categories)), names.texts, **names.look, parse_math=False)
                panel.set_xlim(-BESIDE_CATEGORIES, len(categories) - 1 + BESIDE_CATEGORIES)
                panel.grid(axis="x", visible=False)
            axes.append(panel)
    return figure, axes


class _Names(NamedTuple):
    """The names of categories, how they are written, and the inches that they need: below an axis beyond what numbers
    take, and left of the first panel."""

    texts: Sequence[str]
    look: Mapping[str, Any]
    below: float
    left: float = 0.0


def _names(names: Sequence[str], panel_width: float, left: float, turned: bool) -> _Names:
    """Names side by side below a panel of that width, or rotated; wrapped instead if the first needed half an inch more
    than there is on its left."""
    longest, widest = max(names, key=len, default=""), max((text_width(name, TICK_SIZE) for name in names), default=0.0)
    slot, turn = panel_width / (len(names) + 0.2), math.radians(TURN)
    if not turned and TICK_CHARACTER * (len(longest) + 1) * len(names) <= panel_width and widest < slot:
        return _Names(names, {}, 0.0)
    beside = widest * math.cos(turn) - 0.6 * slot + MARGIN  # of the first name, left of the panel
    if beside <= left + 0.5:
        look = {"rotation": TURN, "ha": "right"} | ({} if turned else {"rotation_mode": "anchor"})
        # What texts usually take, unless these characters are much wider.
        length = widest if turned else max(TICK_CHARACTER * len(longest), widest - 0.2)
        return _Names(names, look, math.sin(turn) * length, beside)
    lines = [wrapped(name, 0.95 * slot, TICK_SIZE) for name in names]
    return _Names(["\n".join(name) for name in lines], {}, LINE * (max(map(len, lines)) - 1))
