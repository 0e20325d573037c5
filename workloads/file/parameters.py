"""Parameters of a file, and its trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from workloads.checks import check_choice, check_types
from workloads.reading.faults import Field, good_records
from workloads.reading.ingested import Content, Ingested, content_of, ingested, trace_of
from workloads.reading.parsed import Parsed, keys, numbers
from workloads.reading.records import Records, checked, read
from workloads.reading.times import check_format, check_unit, is_timestamp, times
from workloads.traces import Trace, ties


@dataclass(frozen=True)
class File:
    """Columns are named as in the header, or numbered from 1.

    path            CSV (UTF-8, also compressed: .gz, .bz2, .zst, .lz4) or Parquet
    time            column of event times, which must lie between -2^62 and 2^62 in the time unit
    value           column of values, int64 if all are whole and float64 otherwise; null: every value is 1
    key             column of keys; whole numbers are kept if all are written without leading zeros, plus signs or
                    blanks; otherwise keys are numbered in order of appearance, and 007 and 7 differ; null: no keys
    arrival         column that gives the order of arrival, ties in the file's order; null: the file's order
    time_format     format of times: integer, seconds (since 1970, with decimals), iso8601, or a strptime pattern such
                    as %d.%m.%Y %H:%M; timestamp columns of Parquet are recognised without it
    arrival_format  format of the arrival column; null: as time_format
    time_unit       a name for the unit of integer times (default tick); for timestamps, the unit of the trace's times,
                    rounded down: us (default), ms, s, min, h or day
    delimiter       one character, or the word tab
    header          whether the first line of a CSV names the columns
    on_error        fail at the first bad record, or skip and count them
    ties            equal event times: combine them, or sequence: time * 2^20 + number within the time
    folder          folder of record sets made with experiment=make_workload; this file's is read instead if it exists
    """

    path: str
    time: str | int
    value: str | int | None = None
    key: str | int | None = None
    arrival: str | int | None = None
    time_format: str = "integer"
    arrival_format: str | None = None
    time_unit: str | None = None
    delimiter: str = ","
    header: bool = True
    on_error: str = "fail"
    ties: str = "combine"
    folder: str = "results/records"

    def __post_init__(self) -> None:
        check_types(self)
        arrival_format = self.time_format if self.arrival_format is None else self.arrival_format
        object.__setattr__(self, "arrival_format", arrival_format)
        check_format("time_format", self.time_format)
        check_format("arrival_format", arrival_format)
        if self.time_unit is None:
            object.__setattr__(self, "time_unit", "tick" if self.time_format == "integer" else "us")
        if self.time_format != "integer":
            check_unit(str(self.time_unit))
        if self.delimiter in ("tab", "\\t"):
            object.__setattr__(self, "delimiter", "\t")
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n' or not self.delimiter.isascii():
            raise ValueError(f'delimiter is {self.delimiter!r}; it must be one ASCII character but ", or the word tab')
        check_choice("on_error", self.on_error, ("fail", "skip"))
        check_choice("ties", self.ties, ties.CHOICES)

    def record_set(self) -> Ingested:
        """What experiment=make_workload makes. Raises as `trace`."""
        unused = () if self.arrival else ("arrival_format",)
        return ingested("file", self, checked(self.path), without=unused)

    def trace(self) -> Trace:
        """Raises FileNotFoundError, ValueError for a wrong file, column or record, or for a damaged record set."""
        checked(self.path)
        return trace_of("file", self, self.record_set)

    def parsed(self) -> Content:
        """The trace from the file, whether a record set is there or not. Raises as `trace`."""
        roles = [role for role in ("time", "value", "key", "arrival") if getattr(self, role) is not None]
        records, names = read(self.path, [getattr(self, role) for role in roles], self.delimiter, self.header)
        unit = self._unit(records.columns[names[0]])
        fields = [self._field(role, name, records, unit) for role, name in zip(roles, names, strict=True)]
        good, skipped, left_out = good_records(self.path, records, fields, self.on_error)
        data = {role: field.parsed.data[good] for role, field in zip(roles, fields, strict=True)}
        if "arrival" in data:
            order = np.argsort(data["arrival"], kind="stable")
            data = {role: array[order] for role, array in data.items()}
        event_times, ticks_per_unit = ties.resolve(data["time"], self.ties)
        values = data.get("value", np.ones(len(event_times), np.int64))
        notes = (f"arrival order: that of {self.arrival if 'arrival' in data else 'the file'}", *left_out)
        keys = data.get("key")
        return content_of(Trace("file", asdict(self), event_times, values, keys, unit, ticks_per_unit, skipped, notes))

    def _unit(self, column: pa.Array) -> str:
        if self.time_format == "integer" and is_timestamp(column):
            unit = "us" if self.time_unit == "tick" else str(self.time_unit)
            check_unit(unit)
            return unit
        return str(self.time_unit)

    def _field(self, role: str, name: str, records: Records, unit: str) -> Field:
        column = records.columns[name]
        try:
            parsed = self._parsed(role, column, unit)
        except TypeError as error:
            raise ValueError(f"{self.path}: field {name!r} {error}") from error
        return Field(name if self.header else str(getattr(self, role)), column, parsed)

    def _parsed(self, role: str, column: pa.Array, unit: str) -> Parsed:
        if role == "value":
            return numbers(column)
        if role == "key":
            return keys(column)
        if role == "arrival":
            return times(column, str(self.arrival_format), "us")  # the finest unit: only the order is used
        return times(column, self.time_format, unit)
