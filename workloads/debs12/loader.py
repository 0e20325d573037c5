"""Reading real records: the challenge's text files, and Parquet files with the columns of `layout`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workloads.debs12 import layout
from workloads.reading import delimited
from workloads.reading.faults import IN_ORDER, Field, good_records, in_order, sift
from workloads.reading.ingested import Content
from workloads.reading.parsed import Parsed, integers, is_text, text
from workloads.reading.records import Records, is_parquet, opened_parquet, read
from workloads.reading.times import LARGEST, bounded, is_timestamp, times

TIME = "a time like 2012-02-22T16:46:28.9670320+00:00"
STATE = "0 or 1"
BITS = f"a bit for each of {layout.WIDTH} states, from 0 to 2^{layout.WIDTH} - 1"
TOGETHER = 9
"""State columns of a text file that are read at a time: all at once would take 500 bytes a record."""


def load(path: str, on_error: str, states: bool) -> Content:
    """ts (ns since 1970) and the three energy measures of all good records, or (`states`) their states as one column of
    bits; int64.

    A record is good if its time and energy measures are and no earlier good time is later, so both have the same
    records. With on_error=skip a state that is not good counts as unchanged. Raises FileNotFoundError, and ValueError
    for a wrong file or (with on_error=fail) record.
    """
    names = (layout.TIME, *layout.ENERGY)
    selected: list[str | int]
    if is_parquet(path):
        selected, width = list(names), len(layout.BEFORE_STATES)
    else:
        selected, width = [layout.BEFORE_STATES.index(name) + 1 for name in names], _width(path)
    records, column_names = read(path, selected, "\t", header=False, quoted=False)
    columns = [records.columns[name] for name in column_names]
    parsed = [_typed(path, name, column) for name, column in zip(names, columns, strict=True)]
    fields = [Field(*triple) for triple in zip(names, columns, parsed, strict=True)]
    fields.append(Field(layout.TIME, columns[0], in_order(parsed[0])))
    good, skipped, notes = good_records(path, records, fields, on_error)
    if states:
        data = {layout.STATES: _states(path, width, on_error)[good]}
    else:
        data = {name: values.data[good] for name, values in zip(names, parsed, strict=True)}
    return Content.of(data, skipped, (IN_ORDER, *notes))


def has_states(path: str) -> bool:
    """Whether a file has states at all. Raises as `load`."""
    if not is_parquet(path):
        return _width(path) > len(layout.BEFORE_STATES)
    with opened_parquet(path) as file:
        return layout.STATES in file.schema_arrow.names


def _width(path: str) -> int:
    first = delimited.first_record(path, "\t", quoted=False)
    least, most = len(layout.BEFORE_STATES), len(layout.BEFORE_STATES) + layout.WIDTH
    if not least <= len(first) <= most:
        hint = delimited.hint(first, "\t")
        raise ValueError(
            f"{path} has {len(first)} tab-separated columns{hint}; DEBS 2012 files have {most}, or fewer states and "
            f"at least {least}: {', '.join(layout.BEFORE_STATES)} and the states, without a header"
        )
    return len(first)


def _typed(path: str, name: str, column: pa.Array) -> Parsed:
    try:
        return nanoseconds(column) if name == layout.TIME else integers(column)
    except TypeError as error:
        raise ValueError(f"{path}: field {name!r} {error}") from error


def nanoseconds(column: pa.Array) -> Parsed:
    """A column of times in ns since 1970, from ISO 8601 text, timestamps or whole numbers, which are ns already."""
    if pa.types.is_integer(column.type):
        return bounded(replace(integers(column), expected=f"nanoseconds since 1970 within +-2^62, or {TIME}"))
    if not is_text(column) and not is_timestamp(column):
        raise TypeError(f"has type {column.type}; {TIME} is needed")
    micros = times(column, "iso8601", "us")
    if is_text(column):
        digits = pc.struct_field(pc.extract_regex(text(column), r"\.[0-9]{6}(?P<rest>[0-9]{1,3})"), "rest")
        rest = pc.utf8_rpad(pc.fill_null(digits, "0"), 3, "0").cast(pa.int64()).to_numpy(zero_copy_only=False)
    elif pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        rest = pc.fill_null(column.cast(pa.int64()), 0).to_numpy(zero_copy_only=False) % 1000
    else:
        rest = 0
    fits = (micros.data > -LARGEST // 1000) & (micros.data < LARGEST // 1000)
    return Parsed(np.where(fits, micros.data, 0) * 1000 + rest, micros.good & fits, TIME)


def _states(path: str, width: int, on_error: str) -> np.ndarray:
    """The states of all records, good or not, as bits of an int64."""
    if is_parquet(path):
        records, [name] = read(path, [layout.STATES], "\t", header=False)
        parsed = integers(records.columns[name], BITS)
        parsed = replace(parsed, good=parsed.good & (parsed.data >> layout.WIDTH == 0))
        return _column(path, records, name, parsed, on_error)
    first = len(layout.BEFORE_STATES) + 1
    if width < first:
        raise ValueError(f"{path} has no states: its {width} columns are those before the states")
    states: Any = np.int64(0)
    for start in range(first, width + 1, TOGETHER):
        numbers = list(range(start, min(start + TOGETHER, width + 1)))
        records, names = read(path, numbers, "\t", header=False, quoted=False)
        for number, name in zip(numbers, names, strict=True):
            parsed = integers(records.columns[name], STATE)
            parsed = replace(parsed, good=parsed.good & (parsed.data >> 1 == 0))
            states = states | _column(path, records, name, parsed, on_error, str(number)) << (number - first)
    return states


def _column(
    path: str, records: Records, name: str, parsed: Parsed, on_error: str, label: str = layout.STATES
) -> np.ndarray:
    """The values of a column, with the last good one (0 at the start) in place of a bad one."""
    if not parsed.good.all() and on_error == "fail":
        _, _, first_bad = sift(records, [Field(label, records.columns[name], parsed)])
        raise ValueError(f"{path}, {first_bad}; on_error=skip takes a bad state as unchanged")
    last = np.maximum.accumulate(np.where(parsed.good, np.arange(len(parsed.good)), -1))
    return np.where(last < 0, 0, parsed.data[last])
