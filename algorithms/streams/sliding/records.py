"""From single records, with punctuation marks among them, to columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.errors import ValueKindError


def columns_of_records(records: list[Any], mark: Any, key: bool, named: Mapping[str, Any], cut: bool) -> dict[str, Any]:
    """The arguments of `Reader.read` for records (time, [key,] value) with marks among them. O(r) for r records.

    `named` has the columns that each operator takes from values that are mappings, or None for the value itself. `cut`
    says whether the stream is cut by punctuation. Raises ValueKindError for a record of another form.
    """
    width = 3 if key else 2
    rows: list[Any] = []
    marks: list[Any] = []
    for record in records:
        if record is mark:
            marks.append(len(rows))
        elif isinstance(record, tuple | list) and len(record) == width:
            rows.append(record)
        else:
            raise ValueKindError(f"a record must be (time, {'key, ' if key else ''}value), not {record!r}")
    values: Any = [record[-1] for record in rows]
    if any(named.values()):
        names = {name for taken in named.values() for name in ((taken,) if isinstance(taken, str) else taken or ())}
        values = {name: _column(values, name) for name in names}
    counts = np.bincount(marks, minlength=len(rows) + 1)
    return {
        "times": [record[0] for record in rows],
        "values": values,
        "keys": [record[1] for record in rows] if key else None,
        "punctuation": counts[1:] if cut else None,
        "leading": int(counts[0]),
    }


def _column(values: list[Any], name: str) -> list[Any]:
    try:
        return [value[name] for value in values]
    except (TypeError, KeyError, IndexError):
        raise ValueKindError(f"each value must be a mapping with {name!r}, as the operators name columns") from None
