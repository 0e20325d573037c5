"""What is aggregated of which columns: operators as people name them, and batches checked against them."""

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

ONLY = "value"
"""The column of an operator that names none."""


class Measure(NamedTuple):
    """An operator, the columns that it takes, and the dtype in which it takes each."""

    op: Any
    columns: tuple[str, ...]
    takes: tuple[str, ...]


class Measures(NamedTuple):
    """Measures by the names of their results; columns and their dtypes; the columns that may have nulls."""

    by_name: dict[str, Measure]
    columns: dict[str, str]
    nullable: tuple[str, ...]

    def must_have_kept(self, kept: Kept) -> None:
        """Raise ValueKindError or TimeError where the state is not one of these columns, or is not whole. O(K)."""
        for field, there, names in (("values", kept.values, self.columns), ("valid", kept.valid, self.nullable)):
            if set(there) != set(names):
                raise ValueKindError(f"kept.{field} must have {_list(names)}, not {_list(there)}")
        keys, rows = np.size(kept.codes), np.size(kept.positions)
        for field, n in (("codes", keys), ("counts", keys), ("done", keys), ("offsets", keys + 1), ("positions", rows)):
            _must_be_kept(field, getattr(kept, field), "int64", n)
        for name, dtype in self.columns.items():
            _must_be_kept(f"values[{name!r}]", kept.values[name], dtype, rows)
        for name in self.nullable:
            _must_be_kept(f"valid[{name!r}]", kept.valid[name], "bool", rows)
        must_be_watermark("kept.watermark", kept.watermark)
        if (kept.codes[1:] <= kept.codes[:-1]).any():  # not by differences: those of codes may be too large
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
        """New rows, checked. Raises ValueKindError or TimeError naming the column."""
        codes, times = _column("codes", codes, "int64"), _column("times", times, "int64")
        if len(times) and not -FARTHEST < times.min() <= times.max() < FARTHEST:
            raise TimeError("times must lie within 2**62 of 0, so that window ends can be computed")
        given, valid = dict(values), dict(valid or {})
        wanted = {"values": (given, self.columns), "valid": (valid, self.nullable)}
        for field, (there, names) in wanted.items():
            if set(there) != set(names):
                raise ValueKindError(f"{field} must have {_list(names)}, not {_list(there)}")
        made = Batch(
            codes,
            times,
            {name: _column(name, given[name], dtype) for name, dtype in self.columns.items()},
            {name: _column(f"valid of {name}", valid[name], "bool") for name in self.nullable},
        )
        for name, one in {"times": times, **made.values, **made.valid}.items():
            if len(one) != len(codes):
                raise ValueKindError(
                    f"{name} has {len(one)} rows and codes {len(codes)}; there must be as many of each"
                )
        return made


def must_be_watermark(field: str, watermark: Any) -> None:
    """Raise TimeError naming the field if that is no watermark."""
    if not is_whole(watermark):
        raise TimeError(f"{field} must be a whole number, as times are, not {watermark!r}")


def _must_be_kept(field: str, there: Any, dtype: str, n: int) -> None:
    if not isinstance(there, np.ndarray) or there.ndim != 1 or there.dtype != dtype:
        kind = f"{there.dtype} of {there.ndim} dimensions" if isinstance(there, np.ndarray) else type(there).__name__
        raise ValueKindError(f"kept.{field} must be an array of {dtype} of one dimension, not {kind}")
    if len(there) != n:
        raise ValueKindError(
            f"kept.{field} must have {n} entries, as goes with kept.codes and kept.positions, not {len(there)}"
        )


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "no columns"


def _column(name: str, given: Any, dtype: str) -> np.ndarray:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and not np.can_cast(array.dtype, dtype)):
        raise ValueKindError(f"{name} must be a column of {dtype}, not {array.dtype} of {array.ndim} dimensions")
    return np.ascontiguousarray(array, dtype)


def measures(given: Any, dtypes: Mapping[str, str] | None, nullable: Iterable[str], entries: int | None) -> Measures:
    """Operators: one, or {result: one, or (one, column or columns)}; made for windows of `entries` rows, if known.

    A column is float64 unless `dtypes` says int64, or an operator takes whole numbers only. Raises ValueError.
    """
    by_result = given if isinstance(given, Mapping) else {ONLY: given}
    if not by_result:
        raise ValueError("operators: there must be at least one")
    named = {}
    for name, one in by_result.items():
        if not operators.is_field(name):
            raise ValueError(f"operators: the name of a result must be {operators.FIELD}, not {name!r}")
        op, taken = one if type(one) is tuple and len(one) == 2 else (one, ONLY)
        if not isinstance(op, str):
            operators.must_be_operator(f"operators: {name}", op)
        named[name] = (op, _names(f"operators: columns of {name}", taken))
    if not isinstance(dtypes, Mapping | None):
        raise ValueError(f"dtypes must be a mapping of columns, such as {{{ONLY!r}: 'int64'}}, not {dtypes!r}")
    columns = _dtypes(named, dict(dtypes or {}))
    if isinstance(nullable, str) or not isinstance(nullable, Iterable):
        raise ValueError(f"nullable must be a tuple of columns, such as ({ONLY!r},), not {nullable!r}")
    for column in (nullable := tuple(nullable)):
        if column not in columns:
            raise ValueError(unknown("column in nullable", column, columns))
    made = {}
    for name, (op, taken) in named.items():
        op = _made(op, [columns[c] for c in taken], entries)
        made[name] = Measure(op, taken, _takes(name, op, taken))
        _must_take(name, made[name], columns)
    return Measures(made, columns, nullable)


def _names(field: str, taken: Any) -> tuple[str, ...]:
    names = (taken,) if isinstance(taken, str) else taken
    if type(names) is not tuple or not names or not all(isinstance(one, str) for one in names):
        raise ValueError(f"{field} must be a name or a tuple of names, not {taken!r}")
    return names


def _dtypes(named: Mapping[str, tuple], given: dict[str, str]) -> dict[str, str]:
    """The dtype of every column."""
    takes: dict[str, list] = {}
    for name, (op, taken) in named.items():
        for i, column in enumerate(taken):
            dtypes = operators.versions(op) if isinstance(op, str) else (_takes(name, op, taken)[i],)
            takes.setdefault(column, []).append(dtypes)
    for column, dtype in given.items():
        if column not in takes:
            raise ValueError(unknown("column in dtypes", column, takes))
        if dtype not in VERSIONS:
            raise ValueError(f"dtypes: column {column!r} must be {' or '.join(VERSIONS)}, not {dtype!r}")
    whole = ("int64",)
    return {column: given.get(column, "int64" if whole in some else "float64") for column, some in takes.items()}


def _made(op: Any, dtypes: list[str], entries: int | None) -> Any:
    if not isinstance(op, str):
        return op
    wanted = "float64" if "float64" in dtypes else "int64"
    dtype = wanted if wanted in operators.versions(op) else operators.versions(op)[0]
    return operators.make(op, dtype) if entries is None else operators.make_for(op, dtype, entries)


def _takes(name: str, op: Any, taken: tuple[str, ...]) -> tuple[str, ...]:
    """In which dtype an operator takes each of these columns. Raises ValueError if it takes no such records."""
    try:
        return value_dtypes(op, len(taken))
    except ValueError as error:
        raise ValueError(f"operators: {name} is given {_list(taken)}, but {error}") from None


def _must_take(name: str, measure: Measure, dtypes: Mapping[str, str]) -> None:
    op, taken, takes = measure
    for column, wanted in zip(taken, takes, strict=True):
        if (wanted, dtypes[column]) == ("int64", "float64"):
            raise ValueError(f"operators: {name} ({op.name}) takes whole numbers, and column {column!r} is float64")
