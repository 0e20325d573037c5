"""The sheet that panels are drawn on: title and legend above, notes and origin below, laid out in inches.

Everything is placed by its size in inches, so that no text overlaps another whatever the number of panels and notes.
"""

import io
import math
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import matplotlib
import numpy as np
import seaborn
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from plots.description import Description
from plots.notes import DRAFT

PNG_DPI = 150
COLUMNS = 3
PANEL_WIDTH, PANEL_HEIGHT = 3.5, 2.6
SINGLE_WIDTH = 5.6
LEFT, RIGHT, BETWEEN, TITLE_SPACE, AXIS_SPACE = 0.75, 0.2, 0.6, 0.34, 0.55
LEGEND_LINE, NOTE_LINE = 0.23, 0.15
LEAST_KEY, KEY_HANDLE, KEY_CHARACTER = 1.5, 0.65, 0.078
TICK_CHARACTER, TURN = 0.072, 25
FEW_DECADES = 1e4
NOTE_SIZE = 7.5
CHARACTERS_PER_INCH = 17.5

THEME = {
    "font.family": ["DejaVu Sans"],
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 9,
    "grid.color": "#e4e4e4",
    "axes.edgecolor": "#666666",
    "svg.fonttype": "path",
    "axes.formatter.limits": (-4, 5),  # longer numbers would not fit left of the axis
}


class Texts(NamedTuple):
    """The texts around the panels."""

    title: str
    panel_titles: Sequence[str]
    notes: Sequence[str]
    footer: str
    draft: bool


def theme() -> matplotlib.rc_context:
    """Return the context in which figures are made: fixed, whatever the user's own matplotlib settings are."""
    defaults = {name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"}
    return matplotlib.rc_context({**defaults, **seaborn.axes_style("whitegrid"), **THEME})


def render(figure: Figure, kind: str) -> bytes:
    """Return the figure as a png or svg file; equal figures give equal bytes."""
    metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}[kind]
    buffer = io.BytesIO()
    with theme(), matplotlib.rc_context({"svg.hashsalt": "plots"}):
        figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata=metadata)
    return buffer.getvalue()


class Sizes(NamedTuple):
    """Inches: the height of a panel, the room left of the first and between panels for the labels of y, below for x."""

    height: float = PANEL_HEIGHT
    left: float = LEFT
    between: float = BETWEEN
    below: float = AXIS_SPACE


USUAL = Sizes()


def sheet(handles: Sequence[Artist], texts: Texts, sizes: Sizes = USUAL) -> tuple[Figure, list[Axes]]:
    """Make a figure with empty panels, one for each panel title, and everything around them. Call it inside `theme`.

    `handles` become the one legend above the panels, in their order. Returns the figure and its axes in reading order.
    """
    panels = len(texts.panel_titles)
    columns = min(panels, COLUMNS)
    rows = math.ceil(panels / columns)
    panel_width = PANEL_WIDTH if panels > 1 else SINGLE_WIDTH
    width = sizes.left + columns * panel_width + (columns - 1) * sizes.between + RIGHT
    key = max([LEAST_KEY, *(KEY_HANDLE + KEY_CHARACTER * len(handle.get_label()) for handle in handles)])
    legend_lines = math.ceil(len(handles) / max(1, int(width / key)))
    heading = 0.1 + (0.28 if texts.title else 0)
    above = heading + LEGEND_LINE * legend_lines + 0.05 + TITLE_SPACE * any(texts.panel_titles)
    lines, origin = wrapped(texts, width)
    below = sizes.below + NOTE_LINE * (len(lines) + len(origin)) + 0.2
    height = above + rows * sizes.height + (rows - 1) * (sizes.below + TITLE_SPACE) + below

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = []
    for number in range(panels):
        row, column = divmod(number, columns)
        left = sizes.left + column * (panel_width + sizes.between)
        bottom = height - above - sizes.height - row * (sizes.height + sizes.below + TITLE_SPACE)
        axes.append(figure.add_axes((left / width, bottom / height, panel_width / width, sizes.height / height)))
        axes[-1].set_title(texts.panel_titles[number], parse_math=False)
    write_around(figure, texts, lines, origin)
    if handles:
        ncols = math.ceil(len(handles) / legend_lines)
        # matplotlib fills a legend column by column; read row by row, families stay together.
        by_column = [handle for column in range(ncols) for handle in handles[column::ncols]]
        figure.legend(handles=by_column, loc="upper center", bbox_to_anchor=(0.5, 1 - heading / height), ncols=ncols,
                      frameon=False, borderpad=0, borderaxespad=0, handlelength=2.6, columnspacing=1.6)  # fmt: skip
    return figure, axes


def finish_y(panel: Axes, spec: Description, highest: float, leftmost: bool) -> None:
    """Label y if the panel is the leftmost of its row, and give the axis its scale: from 0 if it is linear.

    `highest` is the largest y drawn, NaN if there is none.
    """
    if leftmost:
        panel.set_ylabel(spec.axis_labels()[1])
    if spec.y_scale == "log10":
        log_ticks(panel, "y")
    else:
        highest = max(highest, 1) if spec.base else highest
        panel.set_ylim(0, 1.06 * highest if np.isfinite(highest) and highest > 0 else 1)


def log_ticks(panel: Axes, axis: str, base: int = 10) -> None:
    """Make an axis ("x" or "y") logarithmic: plain numbers at 1, 2 and 5 where it spans few decades, else powers.

    Where all that is drawn is 0 it stays linear.
    """
    ticks = getattr(panel, f"{axis}axis")
    low, high = ticks.get_data_interval()
    if low <= high <= 0:
        return
    getattr(panel, f"set_{axis}scale")("log", base=base)
    if base == 10 and 0 < low <= high < FEW_DECADES * low:
        ticks.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ticks.set_major_formatter(StrMethodFormatter("{x:,g}"))
    ticks.set_minor_formatter(NullFormatter())


def room_for(names: Sequence[str], panels: int) -> Sizes:
    """Return the sizes of a sheet whose panels have these texts below their x axis: turned ones take more room."""
    if not _crowded(names, panels):
        return USUAL
    return Sizes(below=AXIS_SPACE + math.sin(math.radians(TURN)) * TICK_CHARACTER * max(map(len, names)))


def category_ticks(panel: Axes, names: Sequence[str], panels: int) -> None:
    """Write the names at 0, 1, 2 ..., turned if they do not fit side by side."""
    turned = {"rotation": TURN, "ha": "right", "rotation_mode": "anchor"} if _crowded(names, panels) else {}
    panel.set_xticks(range(len(names)), names, **turned, parse_math=False)
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.grid(axis="x", visible=False)


def _crowded(names: Sequence[str], panels: int) -> bool:
    width = PANEL_WIDTH if panels > 1 else SINGLE_WIDTH
    return TICK_CHARACTER * (max(map(len, names), default=0) + 1) * len(names) > width


def wrapped(texts: Texts, width: float) -> tuple[list[str], list[str]]:
    """Return the lines of the notes and of the footer on a figure that is `width` inches wide."""
    characters = int((width - 0.3) * CHARACTERS_PER_INCH)
    lines = [line for note in texts.notes for line in textwrap.wrap(note, characters)]
    return lines, textwrap.wrap(texts.footer, characters - 2 * len(DRAFT) * texts.draft) or [""]


def write_around(figure: Figure, texts: Texts, lines: Sequence[str], origin: Sequence[str]) -> None:
    """Write title, notes and footer; parse_math is off, for a reason may hold any character."""
    width, height = figure.get_size_inches()
    if texts.title:
        look = {"size": 11.5, "weight": "bold", "ha": "center", "va": "top"}
        figure.text(0.5, 1 - 0.1 / height, texts.title, parse_math=False, **look)
    coloured = [(line, "#333333") for line in lines] + [(line, "#777777") for line in origin]
    for number, (line, color) in enumerate(reversed(coloured)):
        # The footer stands a little apart from the notes.
        bottom = 0.12 + number * NOTE_LINE + 0.05 * (number >= len(origin))
        figure.text(0.15 / width, bottom / height, line, size=NOTE_SIZE, color=color, parse_math=False)
    if texts.draft:
        figure.text(1 - 0.15 / width, 0.12 / height, DRAFT, ha="right", size=NOTE_SIZE, weight="bold", color="#b00020")
