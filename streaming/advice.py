"""What to take instead of a column of a type that cannot be a value, a time or a key: the cast, or the expression."""

from collections.abc import Callable
from typing import Any

from streaming.columns import quoted

DIGITS = 18
"""Decimal digits that fit into 64 bits, whatever they are."""

CASTS = {
    "boolean": "cast it to int",
    "date": "take unix_date of it",
    "timestamp": "take unix_micros of it",
    "string": "cast it to a number",
}

NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


def as_value(name: str, kind: Any) -> str:
    """For a column that is no number."""
    shown = kind.simpleString()
    if shown.startswith("decimal"):
        return _of_decimal(name, kind.precision, kind.scale)
    if nested := _of_nested(name, kind, lambda field: field.simpleString() in NUMBERS):
        return nested
    return next((advice for start, advice in CASTS.items() if shown.startswith(start)), "take numbers out of it")


def as_time(name: str, kind: Any) -> str:
    """For a column that is no time; empty where nothing would help."""
    shown = kind.simpleString()
    if shown in NUMBERS[:4]:
        return "; of whole numbers take timestamp_micros"
    if shown in ("string", "date"):
        return ": cast it to timestamp"
    nested = _of_nested(name, kind, lambda field: field.simpleString().startswith("timestamp"))
    return f": {nested}" if nested else ""


def as_key(name: str, kind: Any) -> str:
    """For a column that is no key; empty where nothing would help."""
    if kind.typeName() == "array":
        return f": take F.to_json({name!r})"
    nested = _of_nested(name, kind, lambda field: field.typeName() not in ("struct", "array", "map"))
    return f": {nested}" if nested else ""


def _of_decimal(name: str, precision: int, scale: int) -> str:
    """Whole numbers of the last digit are exact, and the user knows how far longs reach."""
    if precision > DIGITS:
        return f"cast it to double, or first to decimal({DIGITS}, ...) if all values have at most {DIGITS} digits"
    if scale == 0:
        return "cast it to bigint, which is exact, or cast it to double"
    unit = 10**scale
    column = name if name.isidentifier() else quoted(name)
    whole = f'F.expr("cast({column} * {unit} AS bigint)").alias("whole")'
    return f"take {whole}, which is exact, and divide results by {unit}; or cast it to double"


def _of_nested(name: str, kind: Any, suits: Callable[[Any], bool]) -> str:
    """The field, element or entry to take; empty for a type that has none."""
    if kind.typeName() == "struct" and kind.fields:
        field = next((field for field in kind.fields if suits(field.dataType)), kind.fields[0])
        return f"take a field of it, such as '{name}.{field.name}'"
    if kind.typeName() == "array":
        return f"take F.array_max({name!r}) or F.size({name!r}), or make a row of each element with F.explode({name!r})"
    if kind.typeName() == "map":
        return f"take an entry of it, such as F.col({name!r})['a key']"
    return ""
