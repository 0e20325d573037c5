"""The row: one raw sample, what it measures, and where it came from.

`COLUMNS` is the whole definition. `SCHEMA` is the same as a PyArrow schema; each field has its meaning as metadata
under the key ``doc``, so a row file explains itself.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from safeguards.wrong_input import is_real, is_whole

OK = "ok"
FAILED = "failed"
TIMEOUT = "timeout"
SKIPPED = "skipped"
DISAGREES = "disagrees"
STATUSES = (OK, FAILED, TIMEOUT, SKIPPED, DISAGREES)

TEXT = pa.string()
INTEGER = pa.int64()
SMALL = pa.int32()
REAL = pa.float64()
FLAG = pa.bool_()
SAMPLES = pa.list_(pa.float64())
INSTANT = pa.timestamp("us", tz="UTC")


class Column(NamedTuple):
    """One column: its name, PyArrow type, whether it may be null, and its meaning in one line."""

    name: str
    type: pa.DataType
    nullable: bool
    meaning: str


COLUMNS = (
    # what was run
    Column("paper", TEXT, False, "short name of the paper whose experiment this is"),
    Column("experiment", TEXT, False, "name of the experiment; also the folder that the row is stored in"),
    Column("cell", TEXT, False, "id of the grid point: 16 hexadecimal digits"),
    Column("algorithm", TEXT, False, "name of the window algorithm in the catalogue"),
    Column("parameters", TEXT, False, "parameters of the algorithm, canonical JSON object"),
    Column("operator", TEXT, False, "name of the aggregation operator"),
    Column("workload", TEXT, False, "name of the workload"),
    Column("workload_parameters", TEXT, False, "parameters of the workload, canonical JSON object"),
    Column("window", INTEGER, False, "window size: items, or time units for a time-based window"),
    Column("distance", INTEGER, True, "out-of-order distance d in items; null where the workload does not fix it"),
    Column("batch", INTEGER, True, "items inserted or evicted at once; null where there are no batches"),
    Column("profile", TEXT, False, "size profile: smoke, laptop or paper"),
    Column("repetition", SMALL, False, "number of the repetition, from 0"),
    # what was measured
    Column("metric", TEXT, False, "what was measured: time, latency, combines, bytes ..."),
    Column("value", REAL, True, "the measured total in `unit`; null for raw samples and for cells without a result"),
    Column(
        "samples",
        SAMPLES,
        True,
        "raw samples in `unit`, one an operation or a lap; null unless the metric is sampled",
    ),
    Column("unit", TEXT, False, "unit of value and samples: ns, cycles, 1 or bytes"),
    Column("operations", INTEGER, False, "rounds or items that the value spans"),
    Column("laps", INTEGER, False, "equally many operations each, whose times are the samples and whose sum the value"),
    Column("checksum", REAL, True, "sum over the results of the queries; null where there is none"),
    Column("status", TEXT, False, "ok, failed, timeout, skipped or disagrees"),
    Column("reason", TEXT, False, "why the status is not ok; empty when it is"),
    # where it came from
    Column("config_hash", TEXT, False, "hash of the composed configuration"),
    Column("code_hash", TEXT, False, "hash of the sources that determine the measurement"),
    Column("trace_hash", TEXT, False, "hash of the input trace"),
    Column("git_revision", TEXT, False, "revision of the checkout"),
    Column("git_dirty", FLAG, False, "whether the checkout held uncommitted changes"),
    Column("machine", TEXT, False, "short id of the machine"),
    Column("machine_facts", TEXT, False, "processor, cores, caches, memory, system: JSON object"),
    Column("versions", TEXT, False, "versions of Python and of the packages: JSON object"),
    Column("executor", TEXT, False, "what ran the cell: spark or inline"),
    Column("seed", INTEGER, False, "seed of the experiment"),
    Column("compile_seconds", REAL, False, "seconds spent compiling before the clock started"),
    Column("cpu_seconds", REAL, False, "processor seconds of the measured part"),
    Column("involuntary_switches", INTEGER, False, "involuntary context switches during the measured part"),
    Column("page_faults", INTEGER, True, "pages of memory provided during the measured part; null where not counted"),
    Column("counted", FLAG, False, "whether the value is counted, not timed: the same in every repetition"),
    Column("process", TEXT, False, "id of the process that measured; each repetition of a cell has its own"),
    Column("surroundings", TEXT, False, "load, stolen time, frequency policy, affinity, spread: JSON object"),
    Column("attempt", SMALL, False, "number of the attempt at this repetition, from 1"),
    Column("started", INSTANT, False, "when the attempt started, UTC"),
    Column("facts", TEXT, False, "measured facts about the trace or window: JSON object"),
)

SCHEMA = pa.schema([pa.field(c.name, c.type, c.nullable, metadata={"doc": c.meaning}) for c in COLUMNS])

USES = ("evict", "insert", "sharing", "capacity", "store", "framework", "slide")
"""Keys of `parameters` that describe how a window is used, not what it is: in bulk or one by one, shared or not ..."""

JSON_COLUMNS = ("parameters", "workload_parameters", "machine_facts", "versions", "surroundings", "facts")

ADDED = ("laps", "counted", "process", "surroundings", "page_faults")
"""Columns that row files from before do not have; there they are at their neutral value."""

# Columns that have no neutral value: whoever makes a row must fill them in.
REQUIRED = ("experiment", "cell", "metric", "status", "started")

_NEUTRAL = {TEXT: "", INTEGER: 0, SMALL: 0, REAL: 0.0, FLAG: False}
_INTEGER_LIMITS = {INTEGER: 2**63, SMALL: 2**31}
_FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_CELL_ID = re.compile(r"[0-9a-f]{16}")


class RowError(ValueError):
    """A row that does not fit the schema; the message names the column, the value and the expected value."""


def empty_row() -> dict[str, Any]:
    """Return a row with every column at its neutral value, in the order of `SCHEMA`.

    Nullable columns and the columns in `REQUIRED` are None; `validate` refuses the row until the latter are filled in.
    """
    row = {c.name: None if c.nullable or c.name in REQUIRED else _NEUTRAL[c.type] for c in COLUMNS}
    row.update(dict.fromkeys(JSON_COLUMNS, "{}"), attempt=1)
    return row


def validate(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Check rows against the schema and return them as a PyArrow table of `SCHEMA`.

    Raises RowError at the first column that is missing, unknown, of the wrong type or out of its domain. A row with
    status ok must have a finite value or samples; every other row must give a reason.
    """
    rows = list(rows)
    for number, row in enumerate(rows):
        try:
            _check_row(row)
        except RowError as error:
            raise RowError(f"row {number}: {error}") from None
    return pa.Table.from_pylist([_with_floats(row) for row in rows], schema=SCHEMA)


def _with_floats(row: Mapping[str, Any]) -> dict[str, Any]:
    """Turn integers in float columns (a checksum above 2^53, say) into floats, which PyArrow does only when exact."""
    return {c.name: float(v) if c.type == REAL and (v := row[c.name]) is not None else row[c.name] for c in COLUMNS}


def _check_row(row: Mapping[str, Any]) -> None:
    if missing := [c.name for c in COLUMNS if c.name not in row]:
        raise RowError(f"columns {', '.join(missing)} are missing; start from empty_row()")
    if unknown := sorted(set(row) - set(SCHEMA.names)):
        raise RowError(f"unknown columns {', '.join(unknown)}; the columns are those of results.schema.COLUMNS")
    for column in COLUMNS:
        _check_type(column, row[column.name])
    for name in JSON_COLUMNS:
        _check_json(name, row[name])
    _check_names(row)
    _check_outcome(row)


def _check_type(column: Column, value: Any) -> None:
    if value is None:
        if not column.nullable:
            raise RowError(f"{column.name} is None; it must be given: {column.meaning}")
    elif column.type in _INTEGER_LIMITS:
        limit = _INTEGER_LIMITS[column.type]
        if not is_whole(value) or not -limit <= value < limit:
            raise RowError(f"{column.name} is {value!r}; it must be an integer of type {column.type}")
    elif not _fits(column.type, value):
        raise RowError(f"{column.name} is {value!r}; it must be of type {column.type}")


def _fits(kind: pa.DataType, value: Any) -> bool:
    if kind == TEXT:
        return isinstance(value, str)
    if kind == REAL:
        return is_real(value)
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == INSTANT:
        return isinstance(value, datetime) and value.tzinfo is not None
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind in "iuf"
    return isinstance(value, list | tuple) and all(map(is_real, value))


def _check_json(name: str, text: str) -> None:
    try:
        holds_object = isinstance(json.loads(text), dict)
    except ValueError:
        holds_object = False
    if not holds_object:
        raise RowError(f"{name} is {text!r}; it must be a JSON object such as {{}}")


def _check_names(row: Mapping[str, Any]) -> None:
    if not _FOLDER_NAME.fullmatch(row["experiment"]):
        raise RowError(f"experiment is {row['experiment']!r}; it must be letters, digits, '_', '-' and '.'")
    if not _CELL_ID.fullmatch(row["cell"]):
        raise RowError(f"cell is {row['cell']!r}; it must be 16 hexadecimal digits in lower case")
    if not row["metric"]:
        raise RowError("metric is ''; it must say what was measured, such as 'time'")
    if row["repetition"] < 0:
        raise RowError(f"repetition is {row['repetition']}; repetitions are numbered from 0")


def _check_outcome(row: Mapping[str, Any]) -> None:
    status, value, samples = row["status"], row["value"], row["samples"]
    if status not in STATUSES:
        raise RowError(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
    if status != OK and not row["reason"].strip():
        raise RowError(f"reason is {row['reason']!r} and status is {status}; a row that is not ok must say why")
    if status == OK and row["reason"]:
        raise RowError(f"reason is {row['reason']!r} and status is ok; the reason of an ok row is empty")
    if status == OK and value is None and (samples is None or len(samples) == 0):
        raise RowError("value and samples are both empty; a row with status ok must have one of them")
    if status == OK and value is not None and not math.isfinite(value):
        raise RowError(f"value is {value}; the value of an ok row must be finite")
