"""Which operators aggregate which columns, and batches checked against them."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.errors import ValueKindError
from algorithms.operators.monoid import value_dtypes
from algorithms.operators.registry import VERSIONS
from algorithms.streams.keyed.rows import Batch, Kept
from algorithms.streams.sliding.units import FARTHEST
from algorithms.times import TimeError
from safeguards.wrong_input import is_whole, unknown

DEFAULT = "value"
"""The column of an operator that does not name one."""


class Measure(NamedTuple):
    """An operator, the columns that it takes, and the dtype in which it takes each."""

    op: Any
    columns: tuple[str, ...]
    takes: tuple[str, ...]


class Measures(NamedTuple):
    """Measures by the names of their results; the dtypes of columns; the columns that may have nulls."""

    by_name: dict[str, Measure]
    columns: dict[str, str]
    nullable: tuple[str, ...]

    def must_have_kept(self, kept: Kept) -> None:
        """Raise ValueKindError or TimeError if the state is not one of these columns, or is incomplete. O(K)."""
        for field, table, names in (("values", kept.values, self.columns), ("valid", kept.valid, self.nullable)):
            if set(table) != set(names):
                raise ValueKindError(f"kept.{field} must have {_list(names)}, not {_list(table)}")
        keys, rows = np.size(kept.codes), np.size(kept.positions)
        for field, n in (("codes", keys), ("counts", keys), ("done", keys), ("offsets", keys + 1), ("positions", rows)):
            _must_be_kept(field, getattr(kept, field), "int64", n)
        for name, dtype in self.columns.items():
            _must_be_kept(f"values[{name!r}]", kept.values[name], dtype, rows)
        for name in self.nullable:
            _must_be_kept(f"valid[{name!r}]", kept.valid[name], "bool", rows)
        must_be_watermark("kept.watermark", kept.watermark)
        if (kept.codes[1:] <= kept.codes[:-1]).any():  # compared, because differences of codes may overflow
            raise ValueKindError("kept.codes must ascend")
        first, last = kept.offsets[:-1], kept.offsets[1:]
        if kept.offsets[0] != 0 or (last < first).any() or kept.offsets[-1] != rows:
            raise ValueKindError(f"kept.offsets must ascend from 0 to {rows}, the number of kept.positions")
        wrong = np.flatnonzero((kept.done < 0) | (kept.done > last - first))
        if len(wrong):
            g = wrong[0]
            raise ValueKindError(
                f"kept.done[{g}] must lie within 0 and {last[g] - first[g]}, the rows of that key, not {kept.done[g]}"
            )

    def batch(self, codes: Any, times: Any, values: Mapping, valid: Mapping | None) -> Batch:
        """New rows, checked. Raises ValueKindError or TimeError that names the column."""
        codes, times = _column("codes", codes, "int64"), _column("times", times, "int64")
        if len(times) and not -FARTHEST < times.min() <= times.max() < FARTHEST:
            raise TimeError("times must lie within 2**62 of 0, so that window ends can be computed")
        values, valid = dict(values), dict(valid or {})
        tables = {"values": (values, self.columns), "valid": (valid, self.nullable)}
        for field, (table, names) in tables.items():
            if set(table) != set(names):
                raise ValueKindError(f"{field} must have {_list(names)}, not {_list(table)}")
        batch = Batch(
            codes,
            times,
            {name: _column(name, values[name], dtype) for name, dtype in self.columns.items()},
            {name: _column(f"valid of {name}", valid[name], "bool") for name in self.nullable},
        )
        for name, column in {"times": times, **batch.values, **batch.valid}.items():
            if len(column) != len(codes):
                raise ValueKindError(
                    f"{name} has {len(column)} rows and codes {len(codes)}; there must be as many of each"
                )
        return batch


def must_be_watermark(field: str, watermark: Any) -> None:
    """Raise TimeError that names the field if this is not a watermark."""
    if not is_whole(watermark):
        raise TimeError(f"{field} must be a whole number, as times are, not {watermark!r}")


def _must_be_kept(field: str, array: Any, dtype: str, n: int) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
        kind = f"{array.dtype} of {array.ndim} dimensions" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueKindError(f"kept.{field} must be an array of {dtype} of one dimension, not {kind}")
    if len(array) != n:
        raise ValueKindError(
            f"kept.{field} must have {n} entries, as goes with kept.codes and kept.positions, not {len(array)}"
        )


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "no columns"


def _column(name: str, values: Any, dtype: str) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and not np.can_cast(array.dtype, dtype)):
        raise ValueKindError(f"{name} must be a column of {dtype}, not {array.dtype} of {array.ndim} dimensions")
    return np.ascontiguousarray(array, dtype)


def measures(choice: Any, dtypes: Mapping[str, str] | None, nullable: Iterable[str], entries: int | None) -> Measures:
    """The measures of an operator, or of {result: operator, or (operator, column or columns)}.

    Operators are made for windows of `entries` rows, if that is known. A column is float64 unless `dtypes` says int64
    or an operator takes whole numbers only. Raises ValueError.
    """
    by_result = choice if isinstance(choice, Mapping) else {DEFAULT: choice}
    if not by_result:
        raise ValueError("operators: there must be at least one")
    operators_and_columns = {}
    for name, operator in by_result.items():
        if not operators.is_field(name):
            raise ValueError(f"operators: the name of a result must be {operators.FIELD}, not {name!r}")
        has_columns = type(operator) is tuple and len(operator) == 2
        op, names = operator if has_columns else (operator, DEFAULT)
        if not isinstance(op, str):
            operators.must_be_operator(f"operators: {name}", op)
        operators_and_columns[name] = (op, _names(f"operators: columns of {name}", names))
    if not isinstance(dtypes, Mapping | None):
        raise ValueError(f"dtypes must be a mapping of columns, such as {{{DEFAULT!r}: 'int64'}}, not {dtypes!r}")
    columns = _dtypes(operators_and_columns, dict(dtypes or {}))
    if isinstance(nullable, str) or not isinstance(nullable, Iterable):
        raise ValueError(f"nullable must be a tuple of columns, such as ({DEFAULT!r},), not {nullable!r}")
    for column in (nullable := tuple(nullable)):
        if column not in columns:
            raise ValueError(unknown("column in nullable", column, columns))
    by_name = {}
    for name, (op, names) in operators_and_columns.items():
        op = _operator(op, [columns[column] for column in names], entries)
        by_name[name] = Measure(op, names, _takes(name, op, names))
        _must_take(name, by_name[name], columns)
    return Measures(by_name, columns, nullable)


def _names(field: str, columns: Any) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else columns
    if type(names) is not tuple or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{field} must be a name or a tuple of names, not {columns!r}")
    return names


def _dtypes(operators_and_columns: Mapping[str, tuple], chosen: dict[str, str]) -> dict[str, str]:
    """The dtype of every column: the chosen one, if any."""
    possible: dict[str, list] = {}
    for name, (op, names) in operators_and_columns.items():
        for i, column in enumerate(names):
            dtypes = operators.versions(op) if isinstance(op, str) else (_takes(name, op, names)[i],)
            possible.setdefault(column, []).append(dtypes)
    for column, dtype in chosen.items():
        if column not in possible:
            raise ValueError(unknown("column in dtypes", column, possible))
        if dtype not in VERSIONS:
            raise ValueError(f"dtypes: column {column!r} must be {' or '.join(VERSIONS)}, not {dtype!r}")
    return {c: chosen.get(c, "int64" if ("int64",) in dtypes else "float64") for c, dtypes in possible.items()}


def _operator(op: Any, dtypes: list[str], entries: int | None) -> Any:
    if not isinstance(op, str):
        return op
    common = "float64" if "float64" in dtypes else "int64"
    dtype = common if common in operators.versions(op) else operators.versions(op)[0]
    return operators.make(op, dtype) if entries is None else operators.make_for(op, dtype, entries)


def _takes(name: str, op: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """The dtype in which an operator takes each of these columns. Raises ValueError if it takes no such records."""
    try:
        return value_dtypes(op, len(names))
    except ValueError as error:
        raise ValueError(f"operators: {name} is given {_list(names)}, but {error}") from None


def _must_take(name: str, measure: Measure, dtypes: Mapping[str, str]) -> None:
    op, names, takes = measure
    for column, dtype in zip(names, takes, strict=True):
        if (dtype, dtypes[column]) == ("int64", "float64"):
            raise ValueError(f"operators: {name} ({op.name}) takes whole numbers, and column {column!r} is float64")
