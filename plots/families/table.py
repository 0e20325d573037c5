"""The family "table": medians, ratios or texts in rows and columns, as a drawing with rules and as Markdown."""

import re
import textwrap
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.axes import LINE, write_down
from plots.cells import CHECK, SERIES, TEXT, Grid, Options, grid
from plots.claims import markdown_cell
from plots.description import X_LABELS
from plots.layout import canvas
from plots.notes import around, notes, pooled_line, repetitions
from plots.points import points
from plots.style import series
from plots.theme import text_width, wrapped

EDGE, GAP, CHARACTER, COLUMN_GAP = 0.2, 0.09, 0.073, 0.3
"""Inches: margin, the space between rows, the width of a character, the space between columns."""

LONGEST = 38
"""The most characters of a line in a cell; longer texts are wrapped."""

LEAST_WIDTH, SIZE = 5.0, 9
INK, QUIET, FAINT = "#222222", "#707070", "#dddddd"


def markdown(spec: Options, rows: pd.DataFrame) -> str:
    """Return the table as Markdown: a heading line, a line per row, and what cells show. Raises as `grid` does."""
    table = grid(spec, rows)
    heading = [_named(spec, spec.rows), *table.columns]
    lines = [heading, *([row, *(entry.line() for entry in line)] for row, line in zip(table.rows, table.entries))]
    texts = [f"| {' | '.join(map(markdown_cell, line))} |" for line in lines]
    texts.insert(1, f"|{' --- |' * len(heading)}")
    return "\n".join([*texts, "", *(f"{markdown_cell(line)}  " for line in _notes(spec, table)), ""])


def figure(spec: Options, rows: pd.DataFrame) -> Figure:
    """Draw the table; below the median in a cell are the smallest and the largest value."""
    table = grid(spec, rows)
    columns = _columns(spec, table)
    widths = [max(map(_width, column)) + COLUMN_GAP for column in columns]
    heights = [LINE * max(_lines(column[number]) for column in columns) + GAP for number in range(len(table.rows) + 1)]
    width = max(sum(widths) + 2 * EDGE, LEAST_WIDTH)
    # What is left of the least width goes to the columns.
    spare = (width - 2 * EDGE - sum(widths)) / len(widths)
    widths = [width + spare for width in widths]
    name = _named(spec, spec.columns)
    group = wrapped(name, width - 2 * EDGE - widths[0], SIZE) if name else []
    body = (LINE * len(group) + GAP) * bool(group), sum(heights)
    figure, axes, top = canvas(width, body, around(spec, rows, _notes(spec, table)), free=0.45)
    _draw(axes, spec, columns, widths, heights, group, top)
    return figure


Cell = tuple[list[str], str]
"""The lines of a cell and its spread."""


def _columns(spec: Options, table: Grid) -> list[list[Cell]]:
    """The columns from left to right, each from its heading down."""
    first = [(_wrapped(text), "") for text in (_named(spec, spec.rows), *table.rows)]
    rest = [
        [
            (_wrapped(_separated(name)), ""),
            *((_wrapped(line[number].text), line[number].spread) for line in table.entries),
        ]
        for number, name in enumerate(table.columns)
    ]
    return [first, *rest]


def _separated(name: str) -> str:
    """A heading of numbers, such as 80000 / 1000, with thousands separators."""
    return re.sub(r"\d{4,}", lambda found: f"{int(found[0]):,}", name) if re.fullmatch(r"[\d /]+", name) else name


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, LONGEST) or [""]


def _width(cell: Cell) -> float:
    """Inches of the longest line of a cell; the spread is written smaller."""
    widest = max(text_width(line, SIZE, "bold") for line in cell[0])
    return max(CHARACTER * max(0.8 * len(cell[1]), *map(len, cell[0])), widest - 2 * COLUMN_GAP / 3)


def _lines(cell: Cell) -> float:
    return len(cell[0]) + 0.85 * bool(cell[1])


def _draw(
    axes: Axes,
    spec: Options,
    columns: list[list[Cell]],
    widths: list[float],
    heights: list[float],
    group: list[str],
    top: float,
) -> None:
    right = EDGE + sum(widths)
    axes.hlines(top, EDGE, right, color=INK, linewidth=1.3)
    if group:
        look = {"ha": "center", "va": "center", "size": SIZE, "color": INK}
        write_down(axes, (EDGE + widths[0] + right) / 2, top - (LINE + GAP) / 2, group, **look)
        top -= LINE * len(group) + GAP
        axes.hlines(top, EDGE + widths[0], right, color=QUIET, linewidth=0.5)
    tops = [top - sum(heights[:place]) for place in range(len(heights) + 1)]
    axes.hlines(tops[2:-1], EDGE, right, color=FAINT, linewidth=0.5)
    axes.hlines(tops[1], EDGE, right, color=INK, linewidth=0.8)
    axes.hlines(tops[-1], EDGE, right, color=INK, linewidth=1.3)
    left = EDGE
    for number, (column, column_width) in enumerate(zip(columns, widths, strict=True)):
        # The first column and columns of texts are read from their left, numbers and marks stand in the middle.
        x, side = (left + 0.05, "left") if number == 0 or spec.format == TEXT else (left + column_width / 2, "center")
        for place, (cell, height) in enumerate(zip(column, heights, strict=True)):
            upper = tops[place] - (height - LINE * _lines(cell)) / 2
            _write(axes, cell, x, side, upper, "bold" if place == 0 else "normal")
        left += column_width


def _write(axes: Axes, cell: Cell, x: float, side: str, upper: float, weight: str) -> None:
    """Write a cell downwards from `upper`, its spread below."""
    lines, spread = cell
    write_down(axes, x, upper - LINE / 2, lines, size=SIZE, weight=weight, color=INK, ha=side, va="center")
    write_down(axes, x, upper - LINE * (len(lines) + 0.35), [spread], size=7, color=QUIET, ha=side, va="center")


def _named(spec: Options, path: str | None) -> str:
    """The name of the rows or columns: from the description, or the column's, in words if it has them. Metrics and
    series need no name."""
    name = str(path)
    return spec.titles.get(name, "" if name in ("metric", SERIES) else X_LABELS.get(name, name.rpartition(".")[2]))


def _side(spec: Options, where: Mapping[str, Any]) -> str:
    """A side of the ratio in words; algorithms by their label."""
    names = (series(str(value), {}, spec.called).label if key == "algorithm" else value for key, value in where.items())
    return ", ".join(map(str, names))


def _notes(spec: Options, table: Grid) -> list[str]:
    if spec.format in (CHECK, TEXT):
        return notes(spec, table.located, pooled_line(table.located))
    cells = spec.y_text()
    if spec.ratio:
        over, under = (_side(spec, spec.ratio[side]) for side in ("over", "under"))
        cells = f"{cells.partition(' (')[0]} of {over} divided by that of {under}"
    spread = repetitions(points(table.located), "Cells", "below or in brackets: smallest to largest")
    kinds = [] if "metric" in (spec.rows, spec.columns) else [f"Values: {cells}."]  # else the table's heads say it
    return [*kinds, *notes(spec, table.located, [*spread, *pooled_line(table.located)])]
