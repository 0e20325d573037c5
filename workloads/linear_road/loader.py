"""Reading real tuples: text files of fifteen or nine columns without a header, and Parquet with the columns' names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.csv

from workloads.linear_road.layout import COLUMNS, DOMAINS, QUERIED, REPORT, REPORTED, TIME, TYPE, TYPES, VID
from workloads.reading import delimited
from workloads.reading.faults import IN_ORDER, Field, good_records, in_order
from workloads.reading.ingested import Content
from workloads.reading.parsed import Parsed, integers
from workloads.reading.records import is_parquet, opened_parquet, read

BLOCK = 1 << 24
"""Bytes of text that are read at a time."""


def load(path: str, on_error: str) -> Content:
    """All good tuples of a file in its order; columns are int32.

    A tuple is good if its fields are whole numbers, its type is 0, 2, 3 or 4, no earlier good tuple has a later time,
    and time and vehicle, of a position report all nine fields, are in their domains. Query columns are taken as they
    are. A file that is good throughout is read typed, in blocks, at some million tuples a second; any other is read
    again as text, which finds the places and has all of it in memory, 200 to 300 bytes a tuple. Raises
    FileNotFoundError, and ValueError for a wrong file or (with on_error=fail) tuple.
    """
    names = _names(path)
    if columns := _clean(path, names):
        return Content.of(columns, 0, (IN_ORDER,))
    return _sifted(path, names, on_error)


def _names(path: str) -> Sequence[str]:
    """The columns of a file, by its width or by the names that it has."""
    if is_parquet(path):
        with opened_parquet(path) as file:
            names_in_file = file.schema_arrow.names
        queried = [name for name in QUERIED if name in names_in_file]
        if queried and len(queried) < len(QUERIED):
            missing = [name for name in QUERIED if name not in names_in_file]
            raise ValueError(
                f"{path} has {', '.join(queried)} but not {', '.join(missing)}; Linear Road files have all "
                f"{len(COLUMNS)} columns or just the first {len(REPORTED)}: {', '.join(COLUMNS)}"
            )
        return COLUMNS if queried else REPORTED
    first = delimited.first_record(path, ",", quoted=False)
    for names in (COLUMNS, REPORTED):
        if len(first) == len(names):
            return names
    raise ValueError(
        f"{path} has {len(first)} comma-separated columns{delimited.hint(first, ',')}; Linear Road files have "
        f"{len(COLUMNS)} or {len(REPORTED)}, without a header: {', '.join(COLUMNS)}"
    )


def _clean(path: str, names: Sequence[str]) -> dict[str, np.ndarray] | None:
    """All columns of a text file that has nothing but good tuples; None for any other file."""
    if is_parquet(path):
        return None
    typed = {name: pa.int32() for name in names}
    chunks = []
    try:
        with (
            pa.input_stream(path, compression="detect") as stream,
            pa.csv.open_csv(
                pa.TransformInputStream(stream, _without_hexadecimal),
                pa.csv.ReadOptions(column_names=list(names), block_size=BLOCK),
                pa.csv.ParseOptions(quote_char=False),
                pa.csv.ConvertOptions(column_types=typed, null_values=[]),
            ) as batches,
        ):
            for batch in batches:
                chunk = {name: batch[name].to_numpy() for name in names}
                if not all(good.all() for good in _in_domain(chunk).values()):
                    return None
                chunks.append(chunk)
    except (pa.ArrowException, OSError):
        return None
    columns = {name: np.concatenate([chunk.pop(name) for chunk in chunks]) for name in names}
    return columns if len(columns[TIME]) and (np.diff(columns[TIME]) >= 0).all() else None


def _without_hexadecimal(block: pa.Buffer) -> pa.Buffer:
    """The block itself. Arrow takes 0x1F for a whole number, and no whole number of ours has an x."""
    content = block.to_pybytes()
    if b"x" in content or b"X" in content:
        raise pa.ArrowInvalid("hexadecimal")
    return block


def _sifted(path: str, names: Sequence[str], on_error: str) -> Content:
    """The good tuples of a file with bad ones, or the error that names the first."""
    selected = list(names) if is_parquet(path) else list(range(1, len(names) + 1))
    records, column_names = read(path, selected, ",", header=False, quoted=False)
    raw = [records.columns[name] for name in column_names]
    parsed = {name: _whole_numbers(path, name, column) for name, column in zip(names, raw, strict=True)}
    data = {name: values.data for name, values in parsed.items()}
    fields = [Field(name, column, parsed[name]) for name, column in zip(names, raw, strict=True)]
    for (name, good), column in zip(_in_domain(data).items(), raw):
        fields.append(Field(name, column, Parsed(data[name], good | ~parsed[name].good, _expected(name))))
    is_good = np.logical_and.reduce([field.parsed.good for field in fields])
    fields.append(Field(TIME, raw[names.index(TIME)], in_order(Parsed(data[TIME], is_good, ""))))
    good, skipped, notes = good_records(path, records, fields, on_error)
    return Content.of({name: data[name][good].astype(np.int32) for name in names}, skipped, (IN_ORDER, *notes))


def _whole_numbers(path: str, name: str, column: pa.Array) -> Parsed:
    try:
        parsed = integers(column, "a whole number of 32 bits")
    except TypeError as error:
        raise ValueError(f"{path}: field {name!r} {error}") from error
    return Parsed(parsed.data, parsed.good & (np.abs(parsed.data + 0.5) < 1 << 31), parsed.expected)


def _in_domain(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """For the nine columns of reports: of which tuples the field is in its domain, or is not looked at."""
    is_report = columns[TYPE] == REPORT
    good = {TYPE: np.isin(columns[TYPE], TYPES)}
    for name in REPORTED[1:]:
        low, high = DOMAINS[name]
        good[name] = (columns[name] >= low) & (columns[name] <= high)
        if name not in (TIME, VID):
            good[name] |= ~is_report
    return good


def _expected(name: str) -> str:
    if name == TYPE:
        return f"one of the types {', '.join(map(str, TYPES))}"
    low, high = DOMAINS[name]
    return f"a whole number from {low} to {high}"
