"""Values as people give them to columns as compiled loops take them, checked."""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.facade import ValueKindError


def listed(field: str, given: Any) -> Any:
    """A column that can be read by position: a list, tuple, string or array as it is, others as arrays.

    Series and the like are read by position, not by their index. Raises ValueKindError for what is no column.
    """
    if isinstance(given, list | tuple | str):
        return given
    array = np.asarray(given)
    if array.ndim == 0:
        raise ValueKindError(f"{field} must be a column, such as a list or an array, not {type(given).__name__}")
    return array


def value_columns(op: Any, values: Any) -> tuple[np.ndarray, ...]:
    """One column, or as many as a record has values: from a tuple of columns, or from values that are tuples.

    Raises ValueKindError naming the first value that the operator does not take: NaN, null, not a number, not a whole
    number where it takes those; and for records of a width that it does not take.
    """
    if isinstance(values, tuple) and len(values) > 1 and all(np.ndim(one) == 1 for one in values):
        arrays = _side_by_side(op, values)
    else:
        values = listed("values", values)
        arrays = (_array(values),)
    made = [_numbers(op, array) for array in arrays]
    if all(one is not None for one in made):
        return tuple(made)
    if len(arrays) > 1:
        return _encoded(op, list(zip(*map(np.ndarray.tolist, arrays), strict=True)))
    return _encoded(op, arrays[0].tolist() if arrays[0] is not None and arrays[0].ndim == 1 else list(values))


def _side_by_side(op: Any, columns: tuple) -> tuple[np.ndarray, ...]:
    try:
        operators.encode(op, (1,) * len(columns))
    except ValueError as error:
        raise ValueKindError(f"{len(columns)} columns of values are given, but {error}") from None
    counts = [len(column) for column in columns]
    if len(set(counts)) > 1:
        raise ValueKindError(f"{op.name}: columns of {' and '.join(map(str, counts))} values; give as many of each")
    return tuple(map(np.asarray, columns))


def _array(values: Any) -> np.ndarray | None:
    """The array, or that of a list of numbers; None for a list of anything else."""
    if isinstance(values, np.ndarray):
        return values
    if len(values) and isinstance(values[0], int | float | np.number):
        try:
            return np.asarray(values)
        except ValueError:  # numbers and tuples
            return None
    return None


def _numbers(op: Any, array: np.ndarray | None) -> np.ndarray | None:
    """A column that the operator takes as it is; None if its values must be looked at one by one."""
    if array is None or array.ndim != 1:
        return None
    if array.dtype.kind == "f" and np.isnan(array).any():
        _nan(op, int(np.flatnonzero(np.isnan(array))[0]))
    taken = array.dtype.kind == "i" or (array.dtype.kind == "f" and op.takes == "float64")
    return array.astype(op.takes) if taken else None


def _encoded(op: Any, records: list) -> tuple[np.ndarray, ...]:
    made = [_one(op, record, i) for i, record in enumerate(records)]
    width = len(made[0]) if made else 1
    for i, one in enumerate(made):
        if len(one) != width:
            raise ValueKindError(f"values[{i}] is {records[i]!r}, of another width than values[0], {records[0]!r}")
        if any(isinstance(part, tuple) for part in one):
            raise ValueKindError(f"values[{i}] is {records[i]!r}: streams take flat records, with no tuples inside")
    return tuple(np.asarray([one[n] for one in made], op.takes) for n in range(width))


def _one(op: Any, value: Any, i: int) -> tuple:
    """The record, as a tuple: of one number, if one was given."""
    try:
        made = operators.encode(op, value)
    except ValueError as error:
        raise ValueKindError(f"values[{i}]: {error}") from None
    if not isinstance(value, tuple | list):
        while isinstance(made, tuple):  # one for every part of a product
            made = made[0]
    made = made if isinstance(made, tuple) else (made,)
    if any(part != part for part in made):
        _nan(op, i)
    return made


def _nan(op: Any, i: int) -> None:
    raise ValueKindError(f"values[{i}] is NaN, which has no place in an aggregate ({op.name})")
