"""An Aggregation, the checked request as it travels to the workers, and the kernel that each process makes of it."""

import functools
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from algorithms.streams.keyed import KeyedAggregate, Slicing
from algorithms.streams.sliding.units import FARTHEST
from algorithms.streams.window_spec import ROW, WindowSpec

OPERATORS = "operators and their parameters"
"""The key under which a description tells operators of one name apart. The first states of version 1 lack it."""

KEPT = "kept"
"""The key under which a description says whether rows are kept, or slices. States of rows may lack it."""

ROWS, SLICES = "rows", "slices"

VALUE_DTYPES = {
    pa.int8(): "int64",
    pa.int16(): "int64",
    pa.int32(): "int64",
    pa.int64(): "int64",
    pa.float32(): "float64",
    pa.float64(): "float64",
}
"""The dtype in which the values of a column are aggregated and kept, by the column's type."""

ARROW_TYPES = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}


@dataclass(frozen=True, eq=False)
class Aggregation:
    """One checked aggregation: its columns with their types, its window and its operators.

    `time` is a timestamp, with a zone or without, or a whole number. Lengths are in microseconds, in the unit of whole
    numbers, or in rows where the window is `by` count. `token` is random: a process uses it to recognize what it has
    already compiled.
    """

    keys: pa.Schema
    time: pa.Field
    values: pa.Schema
    operators: Mapping[str, tuple[Any, Any]]
    """For each result: an operator or its name, and its column or columns."""
    windows: WindowSpec
    algorithm: str
    order: str
    parameters: Mapping[str, Any]
    buckets: int
    null_times: str
    counting: bool
    presorted: bool
    """Whether the kernel gets rows sorted by key and time (`take_sorted`), as `sorting` provides them for a batch."""
    token: str
    rows: "Aggregation | None" = None
    """The aggregation of the rows of which this one takes slices; None if it takes rows."""

    def __hash__(self) -> int:
        return hash(self.token)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Aggregation) and self.token == other.token

    @property
    def dtypes(self) -> dict[str, str]:
        """The dtype in which the values of each column are kept."""
        return {column.name: VALUE_DTYPES[column.type] for column in self.values}

    @property
    def kernel(self) -> KeyedAggregate:
        """The compiled aggregate, one in a process. Raises ValueError for settings that do not go together."""
        return _kernel(self)

    @property
    def slicing(self) -> Slicing:
        """What makes slices of rows, one in a process. Raises ValueError that says why slices do not suffice."""
        return _slicing(self)

    @property
    def of_rows(self) -> "Aggregation":
        """The same aggregation, of rows."""
        return self.rows or self

    def of_slices(self) -> "Aggregation":
        """The same aggregation, of slices of the rows. Raises ValueError that says why slices do not suffice."""
        if self.order == "refuse":
            raise ValueError("order='refuse' looks at the order of all rows")
        values = pa.schema([(name, ARROW_TYPES[dtype]) for name, dtype in self.slicing.columns.items()])
        operators = self.slicing.operators
        return replace(self, values=values, operators=operators, rows=self, token=uuid.uuid4().hex)

    @property
    def results(self) -> pa.Schema:
        """Columns of the results: keys; the window, or the row that fired; one for each operator.

        Raises ValueError for an operator whose results no column can hold.
        """
        return _results(self)

    @property
    def arriving(self) -> pa.Schema:
        """Columns of rows on their way to a bucket, as they are kept: key0, key1 ..., time, value0, value1 ...

        Of slices also how many rows are in each, which is not kept.
        """
        keys = [pa.field(f"key{i}", in_utc(key.type)) for i, key in enumerate(self.keys)]
        values = [pa.field(f"value{i}", ARROW_TYPES[dtype]) for i, dtype in enumerate(self.dtypes.values())]
        counts = [pa.field("rows", pa.int64())] if self.rows else []
        return pa.schema([*keys, pa.field("time", pa.int64()), *values, *counts])

    def described(self) -> dict[str, Any]:
        """What a saved state must agree with: everything but the algorithm, which may change.

        Columns are listed in order, because `arriving` numbers them by it.
        """
        if self.rows:
            return {**self.rows.described(), KEPT: SLICES}
        windows = self.windows
        closed = "right" if windows.slide == ROW else "left"
        return {
            "key": [[key.name, str(in_utc(key.type))] for key in self.keys],
            "time": f"{self.time.name} ({_kind_of_time(self.time.type)})",
            "value": [[name, dtype] for name, dtype in self.dtypes.items()],
            "operator": {name: _description(op, columns) for name, (op, columns) in self.operators.items()},
            OPERATORS: self.kernel.described(),
            "by": windows.by,
            "size": windows.size,
            "slide": windows.slide,
            "closed": windows.closed or closed,
            "offset": windows.offset or 0,
            "buckets": self.buckets,
            KEPT: ROWS,
        }


def in_utc(kind: pa.DataType) -> pa.DataType:
    """The type, with any time zone replaced by UTC: a zone only affects display and may differ between sessions."""
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


def _kind_of_time(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "whole numbers"
    return "timestamp" if kind.tz else "timestamp_ntz"


def _description(op: Any, columns: Any) -> str:
    name = op if isinstance(op, str) else op.name
    return f"{name} of {columns if isinstance(columns, str) else ', '.join(columns)}"


@functools.lru_cache(maxsize=16)
def _kernel(aggregation: Aggregation) -> KeyedAggregate:
    return KeyedAggregate(
        aggregation.algorithm,
        operators=dict(aggregation.operators),
        order=aggregation.order,
        dtypes=aggregation.dtypes,
        nullable=tuple(aggregation.dtypes),  # whatever the schema says now: after a restart it may say otherwise
        counting=aggregation.counting,
        **asdict(aggregation.windows),
        **aggregation.parameters,
    )


@functools.lru_cache(maxsize=16)
def _slicing(aggregation: Aggregation) -> Slicing:
    rows = aggregation.of_rows
    return Slicing(dict(rows.operators), rows.windows, rows.dtypes, tuple(rows.dtypes))


@functools.lru_cache(maxsize=16)
def _results(aggregation: Aggregation) -> pa.Schema:
    kernel, kind = aggregation.kernel, aggregation.time.type
    if kernel.at_ends:
        kind = pa.int64() if pa.types.is_integer(kind) else kind  # ends may be beyond all times
        fired = [pa.field(name, kind) for name in ("window_start", "window_end")]
    else:
        fired = [aggregation.time, *aggregation.values]
    results = [pa.field(name, kind) for name, kind in _result_types(aggregation, kernel).items()]
    return pa.schema([column.with_nullable(True) for column in (*aggregation.keys, *fired, *results)])


def _result_types(aggregation: Aggregation, kernel: KeyedAggregate) -> dict[str, pa.DataType]:
    """The type of each operator's results, found by aggregating one row: so the kernel is compiled and has worked."""
    windows = aggregation.windows
    state, code, time = kernel.empty(), np.zeros(1, np.int64), np.zeros(1, np.int64)
    valid = {name: np.ones(1, bool) for name in state.valid}
    values = {name: np.ones(1, dtype) for name, dtype in kernel.columns.items()}
    if kernel.at_ends:  # the last time of a window, for there may be times between windows
        time += (windows.offset or 0) + windows.size - (windows.closed in (None, "left"))
    elif windows.by == "count" and windows.slide != ROW:  # as if all rows had come but the one that fires
        state = state._replace(codes=code, counts=code + windows.slide - 1, done=code, offsets=np.zeros(2, np.int64))
    if aggregation.presorted:
        fired, *_ = kernel.take_sorted(state, code, time, values, valid, last=True)
    else:
        fired, *_ = kernel.take(state, code, time, values, FARTHEST, valid)
    types = {}
    for name, results in fired.results.items():
        try:
            types[name] = ARROW_TYPES.get(str(results.dtype)) or _type_of(results[0])
        except (TypeError, pa.ArrowInvalid):
            op = _description(*aggregation.operators[name])
            raise ValueError(f"operator {name!r}: what {op} gives cannot be a column ({results[0]!r})") from None
    return types


def _type_of(result: Any) -> pa.DataType:
    """The type of a result that is not a number: a list, a string, or a record of numbers."""
    if hasattr(result, "_fields"):
        return pa.struct([(name, _type_of(field)) for name, field in zip(result._fields, result, strict=True)])
    if isinstance(result, list | tuple):
        return pa.list_(_type_of(result[0]))
    if isinstance(result, bool | int | float | str):
        return pa.array([result]).type
    raise TypeError(f"{result!r} cannot be in a column")
