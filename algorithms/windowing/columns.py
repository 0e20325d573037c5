"""Values as people give them to columns as compiled loops take them, checked."""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.facade import ValueKindError


def value_columns(op: Any, values: Any) -> tuple[np.ndarray, ...]:
    """One column, or two for pairs (measure, argument): a tuple of two columns, or values that are pairs.

    Raises ValueKindError naming the first value that the operator does not take: NaN, null, not a number, not a whole
    number where it takes those.
    """
    if isinstance(values, tuple) and len(values) == 2 and all(np.ndim(one) == 1 for one in values):
        first, second = (_numbers(op, one) for one in values)
        if len(first) != len(second):
            raise ValueKindError(f"{op.name}: {len(first)} measures and {len(second)} arguments; give as many of each")
        return first, second
    array = values if isinstance(values, np.ndarray) else None
    if array is None and len(values) and isinstance(values[0], int | float | np.number):
        array = np.asarray(values)
    if array is not None and array.ndim == 1 and array.dtype.kind in "iuf":
        return (_numbers(op, array),)
    made = [_one(op, value, i) for i, value in enumerate(values)]
    if made and isinstance(made[0], tuple):
        return tuple(np.asarray(part, op.takes) for part in zip(*made, strict=True))
    return (np.asarray(made, op.takes),)


def _numbers(op: Any, values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind == "f" and np.isnan(array).any():
        _nan(op, int(np.flatnonzero(np.isnan(array))[0]))
    if array.dtype.kind == "i" or (array.dtype.kind == "f" and op.takes == "float64"):
        return array.astype(op.takes)
    return np.asarray([_one(op, value, i) for i, value in enumerate(array.tolist())], op.takes)


def _one(op: Any, value: Any, i: int) -> Any:
    try:
        made = operators.encode(op, value)
    except ValueError as error:
        raise ValueKindError(f"values[{i}]: {error}") from None
    if any(part != part for part in (made if isinstance(made, tuple) else (made,))):
        _nan(op, i)
    return made


def _nan(op: Any, i: int) -> None:
    raise ValueKindError(f"values[{i}] is NaN, which has no place in an aggregate ({op.name})")
