"""Columns by path: a column of the row schema, or a key of one of its JSON columns, such as ``parameters.slide``."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from results.schema import JSON_COLUMNS, SCHEMA
from safeguards.wrong_input import nearest


class FigureError(ValueError):
    """A figure that cannot be drawn; the message names the key, its value and the expected value."""


def check_known(key: str, value: Any, known: Iterable[str]) -> None:
    """Raise FigureError, suggesting the nearest known value, unless the value is known."""
    if value not in (known := list(known)):
        suggestions = nearest(value, known)
        hint = f"did you mean {suggestions[0]!r}?" if suggestions else f"it must be one of {', '.join(known)}"
        raise FigureError(f"{key} is {value!r}; {hint}")


def check_path(key: str, path: str) -> None:
    """Raise FigureError unless the path is a column of the row schema, or COLUMN.KEY of a JSON column."""
    column, dot, name = str(path).partition(".")
    if dot and column in SCHEMA.names and (column not in JSON_COLUMNS or not name):
        raise FigureError(f"{key} is {path!r}; only {', '.join(JSON_COLUMNS)} have keys, written COLUMN.KEY")
    check_known(key, column if dot else path, JSON_COLUMNS if dot else SCHEMA.names)


def column(rows: pd.DataFrame, path: str) -> pd.Series:
    """Return the values under a path that `check_path` accepts; None where a JSON object lacks the key.

    O(rows + distinct JSON texts).
    """
    name, dot, key = path.partition(".")
    if not dot:
        return rows[name]
    values = {text: json.loads(text).get(key) for text in rows[name].unique()}
    return pd.Series([values[text] for text in rows[name]], index=rows.index, dtype=object)


def texts(rows: pd.DataFrame, path: str) -> pd.Series:
    """Return the values under a path as `text` writes them."""
    return column(rows, path).map(text).astype(object)


def text(value: Any) -> str:
    """Return a value as configuration writes it: 4 for 4.0, true, inf; an empty text for a missing value."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def listed(column: pd.Series) -> str:
    """The distinct texts of a column, sorted, in a line; empty ones have nothing to say."""
    return ", ".join(sorted(set(column) - {""}))


def matches(rows: pd.DataFrame, where: Mapping[str, Any]) -> pd.Series:
    """Return which rows match: under every path of `where` they have its value, or one of its values."""
    matching = pd.Series(True, index=rows.index)
    for path, value in where.items():
        values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
        matching &= texts(rows, path).isin([text(entry) for entry in values])
    return matching


def in_order(values: Iterable[str], first: Iterable[str] = ()) -> list[str]:
    """Return the distinct values: those of `first` in its order, then any others, numbers by size before texts.

    Numbers within texts are ordered by size, too.
    """
    first = list(dict.fromkeys(first))
    return [*first, *sorted(set(values) - set(first), key=_by_size)]


def is_number(text: str) -> bool:
    """Whether a text is a number, such as 64, 0.5 or inf."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _by_size(value: str) -> tuple[bool, float, list[str | float]]:
    pieces = re.split(r"(\d+(?:\.\d+)?)", value)
    sizes_within: list[str | float] = [float(piece) if k % 2 else piece for k, piece in enumerate(pieces)]
    return (False, float(value), sizes_within) if is_number(value) else (True, 0.0, sizes_within)
