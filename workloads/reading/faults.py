"""Which records of a file are good, and what to say of the first that is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from safeguards.wrong_input import shown
from workloads.reading.parsed import Parsed
from workloads.reading.records import Records

IN_ORDER = "recorded data, in the file's order"
"""What a trace notes of records that were not sorted."""


@dataclass(frozen=True)
class Field:
    """A column as it was read and as it was parsed, under the name that errors give it."""

    name: str
    column: pa.Array
    parsed: Parsed


def sift(records: Records, fields: Sequence[Field]) -> tuple[np.ndarray, int, str]:
    """Tell good records from bad ones.

    Returns a bool array (records in the columns,), the number of bad records (those with the wrong number of fields
    included) and the description of the first one in the file: its place, field and value, and what would be right
    ("" if there is none).
    """
    good = np.logical_and.reduce([field.parsed.good for field in fields])
    bad = len(good) - int(np.count_nonzero(good))
    faults = list(records.broken[:1])
    if bad:
        index = int(good.argmin())
        faults.append((records.number(index), _describe(index, fields)))
    if not faults:
        return good, 0, ""
    number, fault = min(faults)
    return good, bad + len(records.broken), f"{records.place(number)}: {fault}"


def good_records(
    path: str, records: Records, fields: Sequence[Field], on_error: str
) -> tuple[np.ndarray, int, tuple[str, ...]]:
    """Good records as `sift` tells them, how many others are left out, and what a trace notes about those.

    Raises ValueError if no record is good, and with on_error=fail if one is not.
    """
    good, skipped, first_bad = sift(records, fields)
    if first_bad and on_error == "fail":
        raise ValueError(f"{path}, {first_bad}; on_error=skip leaves bad records out")
    if not good.any():
        raise ValueError(f"{path} has no good record; the first, {first_bad}")
    note = f"{skipped:,} bad record{'s' * (skipped > 1)} left out; the first, {first_bad}"
    return good, skipped, (note,) if skipped else ()


def _describe(index: int, fields: Sequence[Field]) -> str:
    field = next(field for field in fields if not field.parsed.good[index])
    scalar = field.column[index]
    # A bad timestamp or date is one that no Python datetime can show: show its count.
    counted = isinstance(scalar, pa.TimestampScalar | pa.Date32Scalar | pa.Date64Scalar)
    value = scalar.value if counted else scalar.as_py()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if value is None or value == "":
        return f"field {field.name!r} is empty; {field.parsed.expected} is needed"
    return f"field {field.name!r} is {shown(repr(value))}, not {field.parsed.expected}"


def in_order(times: Parsed) -> Parsed:
    """The times, good where no earlier good one is later."""
    latest = np.maximum.accumulate(np.where(times.good, times.data, np.iinfo(np.int64).min))
    return Parsed(times.data, ~times.good | (times.data == latest), "a time that is not before an earlier one")
