"""Figures that do not depend on the user's settings: theme and fonts, the width of texts, files of equal bytes."""

import functools
import io
import textwrap

import matplotlib
import seaborn
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from plots.compact_svg import compact

PNG_DPI = 150
TITLE_SIZE, PANEL_TITLE_SIZE, KEY_SIZE, LABEL_SIZE, TICK_SIZE, NOTE_SIZE = 11.5, 10, 9, 9, 8.5, 7.5
FONT = "DejaVu Sans"
THEME = {
    "font.family": [FONT],
    "axes.titlesize": PANEL_TITLE_SIZE,
    "axes.labelsize": LABEL_SIZE,
    "xtick.labelsize": TICK_SIZE,
    "ytick.labelsize": TICK_SIZE,
    "legend.fontsize": KEY_SIZE,
    "grid.color": "#e4e4e4",
    "axes.edgecolor": "#666666",
    "svg.fonttype": "none",  # text as text: letters as paths were three quarters of a file, and cannot be searched
    "axes.formatter.limits": (-4, 5),  # longer numbers would not fit left of the axis
}


def theme() -> matplotlib.rc_context:
    """Return the context for drawing figures, which does not depend on the user's own matplotlib settings."""
    defaults = {name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"}
    return matplotlib.rc_context({**defaults, **seaborn.axes_style("whitegrid"), **THEME})


def render(figure: Figure, kind: str) -> bytes:
    """Return the figure as a png or svg file; equal figures give equal bytes."""
    metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}[kind]
    buffer = io.BytesIO()
    with theme(), matplotlib.rc_context({"svg.hashsalt": "plots"}):
        figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata=metadata)
    if kind == "png":
        return _in_few_colours(buffer)
    other_fonts = f"'{FONT}', Verdana, sans-serif"  # for readers without the font, one of the same widths
    return compact(buffer.getvalue().decode().replace(f"'{FONT}'", other_fonts)).encode()


def _in_few_colours(drawn: io.BytesIO) -> bytes:
    """The PNG with a table of 256 colours, which figures do with: about a third of the bytes."""
    from PIL import Image

    buffer = io.BytesIO()
    with Image.open(drawn) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(buffer, "PNG", optimize=True, dpi=(PNG_DPI, PNG_DPI))
    return buffer.getvalue()


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """The width of a line of text in inches: in PNG, where a character takes whole pixels, or in SVG if wider."""
    font = FontProperties(family=FONT, size=size, weight=weight)
    pixels, points = (how.get_text_width_height_descent(text, font, False)[0] for how in (_renderer(), text_to_path))
    return max(pixels / PNG_DPI, points / 72)


@functools.cache
def _renderer() -> RendererAgg:
    return RendererAgg(1, 1, PNG_DPI)


def wrapped(text: str, width: float, size: float, weight: str = "normal", characters: int = 0) -> list[str]:
    """Return the text as at least one line, none of them wider than `width` inches or longer than `characters`."""
    characters = max(characters or len(text), 1)
    while True:
        lines = textwrap.wrap(text, characters) or [""]
        widest = max(text_width(line, size, weight) for line in lines)
        if widest <= width or characters == 1:
            return lines
        characters = max(1, min(characters - 1, int(characters * width / widest)))
