"""The cells of a table: medians, ratios, check marks or texts, with their spreads, from raw rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from plots.columns import FigureError, check_path, in_order, matches, texts
from plots.description import ColumnPath, Measured, Names, Titles, Where
from plots.points import GRID, check_not_pooled, locate, placed, styles
from plots.printed import PAPER
from plots.scales import separated, three_digits
from plots.style import series
from results.schema import OK

SERIES = "series"
"""Stands for the series as rows or columns of a table: the label of the algorithm with its parameters."""

CHECK, TEXT, DIGITS = "check", "text", "three digits"

# A cell without a result, which is not an empty check mark.
NONE = "–"
MARKS = {1.0: "✓", 0.0: ""}


@dataclass(frozen=True, kw_only=True)
class Options(Measured):
    """A table.

    rows, columns: path, or `SERIES`.  row_values, column_values: their order.
    format: how a cell is written: a format such as "{:.2f}", `DIGITS` for three of them in small and large numbers,
    `CHECK`, or `TEXT`, which allows any path as y. Texts that are different numbers in each repetition are summarised
    as numbers are.
    ratio: {over: where, under: where}: a cell is y of the first selection divided by y of the second.
    titles: {value: text}, written instead of values and names of rows and columns.
    printed: {column: {row: text}}, what the paper prints: a column of its own beside that column.
    """

    rows: ColumnPath
    columns: ColumnPath
    row_values: Names = ()
    column_values: Names = ()
    format: str = "{:.3g}"
    ratio: Mapping[str, Where] = field(default_factory=dict)
    titles: Titles = field(default_factory=dict)
    printed: Mapping[str, Titles] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _formats(self.format):
            raise FigureError(f"format is {self.format!r}; it must be {CHECK}, {TEXT}, {DIGITS} or such as '{{:.2f}}'")
        if self.ratio and (set(self.ratio) != {"over", "under"} or self.format in (CHECK, TEXT)):
            raise FigureError(f"ratio is {dict(self.ratio)!r}; it must be {{over: where, under: where}}, of numbers")
        for key, where in self.ratio.items():
            for path in where:
                check_path(key, path)

    def _check_path(self, key: str, path: str) -> None:
        if path != SERIES:
            super()._check_path(key, path)

    def _check_y(self) -> None:
        check_path("y", self.y) if self.format == TEXT else super()._check_y()


def _formats(form: str) -> bool:
    try:
        return form in (CHECK, TEXT, DIGITS) or form.format(1.0) != form
    except (ValueError, IndexError, KeyError):
        return False


class Entry(NamedTuple):
    """The text of one cell, and its smallest and largest value; no spread if these look the same when written."""

    text: str
    spread: str = ""

    def line(self) -> str:
        """The cell on one line."""
        return f"{self.text} ({self.spread})" if self.spread else self.text


class Grid(NamedTuple):
    """A table: the texts at its left and top, and its cells row by row."""

    rows: list[str]
    columns: list[str]
    entries: list[list[Entry]]
    located: pd.DataFrame
    """The rows behind the table, as `points.locate` returns them; a cell is a panel."""


def grid(spec: Options, rows: pd.DataFrame) -> Grid:
    """Compute every cell. Raises FigureError if one would pool different grid points, or y does not fit the format."""
    located = placed(spec, rows) if spec.format == TEXT else locate(spec, rows)
    located = located.assign(
        row=_keys(spec.rows, located, rows, spec.called), column=_keys(spec.columns, located, rows, spec.called)
    )
    located["panel"] = [", ".join(pair) for pair in zip(located["row"], located["column"], strict=True)]
    row_keys = in_order(located["row"], [*spec.row_values, *_series_order(spec, spec.rows, located)])
    column_keys = in_order(located["column"], [*spec.column_values, *_series_order(spec, spec.columns, located)])
    entry_of = _ratios(spec, located) if spec.ratio else _values(spec, located)
    entries = [[entry_of.get((row, column), Entry(NONE)) for column in column_keys] for row in row_keys]
    names = [_title(spec, key) for key in column_keys]
    for place in range(len(column_keys), 0, -1):
        if printed := spec.printed.get(column_keys[place - 1]):
            names.insert(place, PAPER)
            for key, line in zip(row_keys, entries, strict=True):
                line.insert(place, Entry(printed.get(key, NONE)))
    return Grid([_title(spec, key) for key in row_keys], names, entries, located)


def _keys(path: str, located: pd.DataFrame, rows: pd.DataFrame, called: Mapping[str, str]) -> Any:
    """The key of each row's line or column: the text under the path, or the label of the series."""
    if path != SERIES:
        return texts(rows, path)
    return [series(*pair, called).label for pair in zip(located["algorithm"], located["parameters"], strict=True)]


def _series_order(spec: Options, path: str, located: pd.DataFrame) -> list[str]:
    return [style.label for _, _, style in styles(located, spec.called)] if path == SERIES else []


def _title(spec: Options, value: str) -> str:
    return spec.titles.get(value, separated(value))


def _values(spec: Options, located: pd.DataFrame) -> dict[tuple[str, str], Entry]:
    entries = {}
    for key, group in _groups(located):
        if spec.format == TEXT:
            entries[key] = _told(texts(group, spec.y))
        elif spec.format == CHECK:
            entries[key] = Entry(_mark(group["y"].min()))
        else:
            entries[key] = _entry(spec.format, group["y"].median(), group["y"])
    return entries


def _told(told: pd.Series) -> Entry:
    """The text of all repetitions; if some are different numbers, their median and range, and how many are not."""
    numbers = pd.to_numeric(told.str.replace(",", ""), errors="coerce").dropna()
    if numbers.empty or told.nunique() == 1:
        return Entry(", ".join(in_order(told)))
    others = told.drop(numbers.index).value_counts()
    entry = _entry("{:,.0f}", numbers.median(), numbers)
    return entry._replace(
        text="; ".join([entry.text, *(f"{count} of {len(told)} {text}" for text, count in others.items())])
    )


def _mark(value: float) -> str:
    if value not in MARKS:
        raise FigureError(f"format is {CHECK!r}, but y takes the value {value:g}; it must be 1 or 0")
    return MARKS[value]


def _ratios(spec: Options, located: pd.DataFrame) -> dict[tuple[str, str], Entry]:
    """Cells where both selections have a result; the spread is that of the ratios of equal repetitions."""
    dividends, divisors = (_selected(located, name, spec.ratio[name]) for name in ("over", "under"))
    entries = {}
    for key in dividends.keys() & divisors.keys():
        ratios = dividends[key].groupby("repetition")["y"].median() / divisors[key].groupby("repetition")["y"].median()
        ratio = dividends[key]["y"].median() / divisors[key]["y"].median()
        entries[key] = _entry(spec.format, ratio, ratios.dropna())
    return entries


def _selected(located: pd.DataFrame, name: str, where: Mapping[str, Any]) -> dict[tuple[str, str], pd.DataFrame]:
    selected = located[matches(located, where)]
    if selected.empty:
        raise FigureError(f"{name} is {dict(where)!r}, which no row is; the ratio has nothing there")
    return dict(iter(_groups(selected)))


def _groups(located: pd.DataFrame) -> Any:
    measured = located[located["status"] == OK]
    check_not_pooled(measured, ["row", "column"], ("algorithm", "parameters", *GRID))
    return measured.groupby(["row", "column"])


def _entry(form: str, value: float, spread: pd.Series) -> Entry:
    low, high = (_written(form, bound) for bound in (spread.min(), spread.max()))
    return Entry(_written(form, value), f"{low} to {high}" if len(spread) and low != high else "")


def _written(form: str, value: float) -> str:
    return three_digits(value) if form == DIGITS else form.format(value)
