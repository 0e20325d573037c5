"""What is asked for, as it travels to the workers: an Aggregation, and the kernel that each process makes of it."""

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from algorithms.streams.keyed import KeyedAggregate
from algorithms.streams.sliding.units import FARTHEST
from algorithms.streams.window_spec import ROW, WindowSpec

OPERATORS = "operators and their parameters"
"""What is said of an aggregation beside the names of its operators, since version 1 of the state was first written."""

KEPT = {
    pa.int8(): "int64",
    pa.int16(): "int64",
    pa.int32(): "int64",
    pa.int64(): "int64",
    pa.float32(): "float64",
    pa.float64(): "float64",
}
"""The dtype in which values of a column are aggregated and kept, by its type."""

NUMBERS = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}


@dataclass(frozen=True, eq=False)
class Aggregation:
    """One aggregation: its columns with their types, its window, its operators. Checked; lengths are microseconds.

    `time` is a timestamp with a zone or without, or a whole number; lengths are then in its own unit, or in rows where
    the window is `by` count. `token` is random: by it a process knows again what it has compiled already.
    """

    keys: pa.Schema
    time: pa.Field
    values: pa.Schema
    operators: Mapping[str, tuple[Any, Any]]
    """For each result an operator, or its name, and its column or columns."""
    windows: WindowSpec
    algorithm: str
    order: str
    parameters: Mapping[str, Any]
    buckets: int
    null_times: str
    counting: bool
    presorted: bool
    """Whether the kernel is given rows sorted by key and time (`take_sorted`), as `sorting` does for a batch."""
    token: str

    def __hash__(self) -> int:
        return hash(self.token)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Aggregation) and self.token == other.token

    @property
    def dtypes(self) -> dict[str, str]:
        """How values of each column are kept."""
        return {one.name: KEPT[one.type] for one in self.values}

    @property
    def kernel(self) -> KeyedAggregate:
        """The compiled aggregate, one in a process. Raises ValueError for what does not go together."""
        return _kernel(self)

    @property
    def results(self) -> pa.Schema:
        """Columns that are given out: keys; the window, or the row that fired; one for each operator.

        Raises ValueError for an operator whose results are nothing that a column can hold.
        """
        return _results(self)

    @property
    def arriving(self) -> pa.Schema:
        """Columns of rows on their way to a bucket: key0, key1 ..., time, value0, value1 ... as they are kept."""
        keys = [pa.field(f"key{i}", in_utc(one.type)) for i, one in enumerate(self.keys)]
        values = [pa.field(f"value{i}", NUMBERS[kind]) for i, kind in enumerate(self.dtypes.values())]
        return pa.schema([*keys, pa.field("time", pa.int64()), *values])

    def described(self) -> dict[str, Any]:
        """What a saved state must agree with: everything but the algorithm, which may change.

        Columns are in their order, by which they are called in `arriving`.
        """
        windows = self.windows
        closed = "right" if windows.slide == ROW else "left"
        return {
            "key": [[one.name, str(in_utc(one.type))] for one in self.keys],
            "time": f"{self.time.name} ({_kind_of_time(self.time.type)})",
            "value": [[name, kind] for name, kind in self.dtypes.items()],
            "operator": {name: _told(op, columns) for name, (op, columns) in self.operators.items()},
            OPERATORS: self.kernel.described(),
            "by": windows.by,
            "size": windows.size,
            "slide": windows.slide,
            "closed": windows.closed or closed,
            "offset": windows.offset or 0,
            "buckets": self.buckets,
        }


def in_utc(kind: pa.DataType) -> pa.DataType:
    """The type, with the zone UTC if it has any: a zone is for showing, and may differ from session to session."""
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


def _kind_of_time(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "whole numbers"
    return "timestamp" if kind.tz else "timestamp_ntz"


def _told(op: Any, columns: Any) -> str:
    name = op if isinstance(op, str) else op.name
    return f"{name} of {columns if isinstance(columns, str) else ', '.join(columns)}"


@functools.lru_cache(maxsize=16)
def _kernel(asked: Aggregation) -> KeyedAggregate:
    return KeyedAggregate(
        asked.algorithm,
        operators=dict(asked.operators),
        order=asked.order,
        dtypes=asked.dtypes,
        nullable=tuple(asked.dtypes),  # whatever the schema says now: it may say otherwise at a restart
        counting=asked.counting,
        **asdict(asked.windows),
        **asked.parameters,
    )


@functools.lru_cache(maxsize=16)
def _results(asked: Aggregation) -> pa.Schema:
    kernel = asked.kernel
    if kernel.at_ends:
        kind = pa.int64() if pa.types.is_integer(asked.time.type) else asked.time.type  # ends may be beyond all times
        when = [pa.field(name, kind) for name in ("window_start", "window_end")]
    else:
        when = [asked.time, *asked.values]
    shown = [pa.field(name, one) for name, one in _types(asked, kernel).items()]
    return pa.schema([one.with_nullable(True) for one in (*asked.keys, *when, *shown)])


def _types(asked: Aggregation, kernel: KeyedAggregate) -> dict[str, pa.DataType]:
    """The type of each operator's results, from the result of one row: so it is compiled by then, and has worked."""
    windows = asked.windows
    before, code, time = kernel.empty(), np.zeros(1, np.int64), np.zeros(1, np.int64)
    valid = {name: np.ones(1, bool) for name in before.valid}
    values = {name: np.ones(1, dtype) for name, dtype in kernel.columns.items()}
    if kernel.at_ends:  # the last time of a window, for there may be times between windows
        time += (windows.offset or 0) + windows.size - (windows.closed in (None, "left"))
    elif windows.by == "count" and windows.slide != ROW:  # all rows but the one that fires have been there
        before = before._replace(codes=code, counts=code + windows.slide - 1, done=code, offsets=np.zeros(2, np.int64))
    if asked.presorted:
        fired, *_ = kernel.take_sorted(before, code, time, values, valid, last=True)
    else:
        fired, *_ = kernel.take(before, code, time, values, FARTHEST, valid)
    found = {}
    for name, results in fired.results.items():
        try:
            found[name] = NUMBERS.get(str(results.dtype)) or _type_of(results[0])
        except (TypeError, pa.ArrowInvalid):
            told = _told(*asked.operators[name])
            raise ValueError(f"operator {name!r}: what {told} gives cannot be a column ({results[0]!r})") from None
    return found


def _type_of(shown: Any) -> pa.DataType:
    """The type of a result that is no number: a list, a string, or a record of numbers."""
    if hasattr(shown, "_fields"):
        return pa.struct([(name, _type_of(one)) for name, one in zip(shown._fields, shown, strict=True)])
    if isinstance(shown, list | tuple):
        return pa.list_(_type_of(shown[0]))
    if isinstance(shown, bool | int | float | str):
        return pa.array([shown]).type
    raise TypeError(f"{shown!r} cannot be in a column")
