"""The chosen columns of a CSV or Parquet file, and where in the file each record stands."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from safeguards.wrong_input import shown
from workloads.checks import UnknownName
from workloads.reading import delimited
from workloads.reading.delimited import EMPTY, LONGEST_REASON

PARQUET = b"PAR1"


@dataclass(frozen=True)
class Records:
    """What was read of a file.

    columns  Arrow arrays by column name, equally long, in the file's order
    place    from a record's number in the file (from 1, a header counted) to its place: "line 7", "row 7"
    header   whether record number 1 is a header
    broken   records left out for their number of fields, in order: (number in the file, what is wrong)
    """

    columns: Mapping[str, pa.Array]
    place: Callable[[int], str]
    header: bool = False
    broken: Sequence[tuple[int, str]] = ()

    def number(self, index: int) -> int:
        """The number in the file of the record that stands at `index` (from 0) in the columns."""
        number = index + 1 + self.header
        for left_out, _ in self.broken:
            if left_out > number:
                break
            number += 1
        return number


def read(
    path: str, columns: Sequence[str | int], delimiter: str, header: bool, quoted: bool = True
) -> tuple[Records, list[str]]:
    """The chosen columns (names, or numbers from 1) of a file, and their names in the same order.

    A file that begins with the Parquet mark is Parquet; any other is delimited text in UTF-8, with or without byte
    order mark, compressed if its name ends in .gz, .bz2, .zst or .lz4. Its fields may be in double quotes if `quoted`.
    Raises FileNotFoundError, and ValueError for a file that is empty, damaged, in UTF-16 or lacks a column.
    """
    start = _first_bytes(path)
    if start == PARQUET:
        return _parquet(path, columns)
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(f"{path} is UTF-16 text; save it as UTF-8")
    return _text(path, columns, delimiter, header, quoted)


def is_parquet(path: str) -> bool:
    """Whether a file begins with the Parquet mark. Raises as `read` for a path that is no file with records."""
    return _first_bytes(path) == PARQUET


def checked(path: str) -> str:
    """The path itself. Raises as `read` for one that is no file with records."""
    _first_bytes(path)
    return path


def _first_bytes(path: str) -> bytes:
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"{path} is a folder; give one CSV or Parquet file")
    if not file.exists():
        raise FileNotFoundError(f"{path} does not exist; give the path of a CSV or Parquet file")
    with file.open("rb") as stream:
        start = stream.read(4)
    if not start:
        raise ValueError(f"{path} {EMPTY}")
    return start


@contextlib.contextmanager
def opened_parquet(path: str) -> Iterator[pa.parquet.ParquetFile]:
    """A Parquet file. Raises ValueError if it cannot be read, also within the block."""
    try:
        # Timestamps of 96 bits would be read in ns, and wrap around beyond the year 2262.
        with pa.parquet.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last of a column's name
        raise ValueError(f"{path} is not a readable Parquet file: {shown(str(error), LONGEST_REASON)}") from error


def _parquet(path: str, columns: Sequence[str | int]) -> tuple[Records, list[str]]:
    with opened_parquet(path) as file:
        names = [_column_name(path, column, file.schema_arrow.names) for column in columns]
        table = file.read(columns=list(dict.fromkeys(names)))
    return Records(_columns(path, table), lambda number: f"row {number}"), names


def _text(
    path: str, columns: Sequence[str | int], delimiter: str, header: bool, quoted: bool
) -> tuple[Records, list[str]]:
    def place(number: int) -> str:
        return f"line {delimited.line_of(path, delimiter, number, quoted)}"

    try:
        first = delimited.first_record(path, delimiter, quoted)
        hint = delimited.hint(first, delimiter)
        if header:
            names = [_column_name(path, column, first, hint) for column in columns]
        else:
            names = [f"f{_number(path, column, len(first), hint) - 1}" for column in columns]
        table, broken = delimited.read_columns(path, list(dict.fromkeys(names)), delimiter, header, quoted)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path} is not readable as delimited text: {shown(str(error), LONGEST_REASON)}") from error
    if not table.num_rows and broken:
        raise ValueError(f"{path} has no good record; the first, {place(broken[0][0])}: {broken[0][1]}")
    return Records(_columns(path, table), place, header, broken), names


def _columns(path: str, table: pa.Table) -> dict[str, pa.Array]:
    if not table.num_rows:
        raise ValueError(f"{path} {EMPTY}")
    arrays = {name: table[name].combine_chunks() for name in table.column_names}
    return {
        name: array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array
        for name, array in arrays.items()
    }


def _column_name(path: str, column: str | int, names: Sequence[str], hint: str = "") -> str:
    if column not in names:
        if not _is_number(column):
            raise UnknownName(f"column of {path}{hint}", column, names)
        column = names[_number(path, column, len(names), hint) - 1]
    if names.count(column) > 1:
        raise ValueError(f"{path} has {names.count(column)} columns named {column!r}; give them different names")
    return str(column)


def _number(path: str, column: str | int, columns: int, hint: str) -> int:
    if not _is_number(column) or not 1 <= int(column) <= columns:
        raise ValueError(f"column {column!r} of {path}{hint} must be a column's name or a number from 1 to {columns}")
    return int(column)


def _is_number(column: str | int) -> bool:
    text = str(column).removeprefix("-")
    return text.isascii() and text.isdigit()
