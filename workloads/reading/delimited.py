"""Delimited text: columns by PyArrow, lines of bad records by a second, slower look that only errors pay for.

Records are numbered from 1 as they stand in the file, a header included and blank lines left out; both readers agree on
that, also where a quoted field runs over several lines. Without `quoted` a quote is a character like any other.
"""

from __future__ import annotations

import codecs
import csv
import functools
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.csv

from safeguards.wrong_input import shown

BLOCK = 1 << 24  # bytes read at a time, which is also the longest record
LONGEST_REASON = 200  # characters of Arrow's own message, which may quote the file
EMPTY = "is empty; a CSV or Parquet file with records is needed"


def first_record(path: str, delimiter: str, quoted: bool = True) -> list[str]:
    """The fields of the first line that is not blank. Raises ValueError if there is none, or none that can be read."""
    try:
        with _lines(path) as lines:
            for fields in _rows(lines, delimiter, quoted):
                if fields:
                    return fields
    except (pa.ArrowException, OSError, csv.Error) as error:
        raise ValueError(f"{path} is not readable as delimited text: {shown(str(error), LONGEST_REASON)}") from error
    raise ValueError(f"{path} {EMPTY}")


def hint(first: Sequence[str], delimiter: str) -> str:
    """A clause for errors about columns, if the first line looks as though another delimiter separated its fields."""
    for other in ",;\t|":
        if len(first) == 1 and other != delimiter and other in first[0]:
            return f" (read with delimiter {delimiter!r}, but its first line looks separated by {other!r})"
    return ""


def read_columns(
    path: str, columns: Sequence[str], delimiter: str, header: bool, quoted: bool = True
) -> tuple[pa.Table, list[tuple[int, str]]]:
    """Columns as raw bytes, and the records left out for their number of fields: (record number, what is wrong).

    Without a header the columns are named f0, f1 and so on.
    """
    reader = functools.partial(_columns, columns=columns, delimiter=delimiter, header=header, quoted=quoted)
    no_text: list[UnicodeDecodeError] = []
    try:
        with pa.input_stream(path, compression="detect") as stream, _noted(no_text):
            return reader(stream)
    except pa.ArrowInvalid:
        # Arrow makes a str of a record before it asks what to do with it, and gives up where that is no UTF-8.
        if not no_text:
            raise
    with pa.input_stream(path, compression="detect") as stream:
        text = stream.read().decode("utf-8", "latin-1 instead")
    return reader(pa.BufferReader(text.encode()))


def _columns(
    stream: Any, columns: Sequence[str], delimiter: str, header: bool, quoted: bool
) -> tuple[pa.Table, list[tuple[int, str]]]:
    broken: list[tuple[int, str]] = []

    def leave_out(row: pa.csv.InvalidRow) -> str:
        broken.append((row.number, f"{_fields(row.actual_columns)} where the first line has {row.expected_columns}"))
        return "skip"

    table = pa.csv.read_csv(
        stream,
        # One thread: only then are the records that are left out numbered.
        pa.csv.ReadOptions(use_threads=False, block_size=BLOCK, autogenerate_column_names=not header),
        pa.csv.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            invalid_row_handler=leave_out,
        ),
        pa.csv.ConvertOptions(include_columns=columns, column_types=dict.fromkeys(columns, pa.large_binary())),
    )
    return table, broken


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8, each as the character that it is in Latin-1: different ones stay different."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("latin-1 instead", _as_latin_1)


@contextmanager
def _noted(no_text: list[UnicodeDecodeError]) -> Iterator[None]:
    """Note the errors of records that Arrow cannot make a str of, of which Python would print tracebacks."""
    usual = sys.unraisablehook

    def hook(raised: Any) -> None:
        if isinstance(raised.exc_value, UnicodeDecodeError):
            no_text.append(raised.exc_value)
        else:
            usual(raised)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = usual


def line_of(path: str, delimiter: str, number: int, quoted: bool = True) -> int:
    """The line, from 1 as an editor shows it, on which a record (numbered from 1) begins. O(size of the file)."""
    line, records = 1, 0
    with _lines(path) as lines:
        reader = _rows(lines, delimiter, quoted)
        try:
            for fields in reader:
                records += bool(fields)
                if records == number:
                    break
                line = reader.line_num + 1
        except csv.Error:  # a quote that is never closed: the record that begins here is the one
            pass
    return line


def _rows(lines: io.TextIOWrapper, delimiter: str, quoted: bool) -> Any:
    csv.field_size_limit(max(BLOCK, csv.field_size_limit()))  # 131,072 characters by itself, for the whole process
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE)


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


@contextmanager
def _lines(path: str) -> Iterator[io.TextIOWrapper]:
    with (
        pa.input_stream(path, compression="detect") as stream,
        io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="") as lines,
    ):
        yield lines
