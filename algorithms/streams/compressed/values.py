"""Columns of values as the windows keep them, without loss."""

from typing import Any

import numpy as np

from algorithms.arguments import must_be_column
from algorithms.errors import ValueKindError


def kept_columns(dtypes: tuple[str, ...], values: Any) -> tuple[np.ndarray, ...]:
    """One column, or a tuple of as many as there are dtypes, in these dtypes.

    Raises ValueKindError for another number of columns, and naming the first value that is NaN, no number, or cannot be
    kept in the dtype without loss.
    """
    given = values if len(dtypes) > 1 else (values,)
    if not isinstance(given, tuple) or len(given) != len(dtypes):
        raise ValueKindError(f"values must be a tuple of {len(dtypes)} columns: {', '.join(dtypes)}")
    names = [f"values[{c}]" for c in range(len(dtypes))] if len(dtypes) > 1 else ["values"]
    made = tuple(_kept(*one) for one in zip(names, dtypes, given, strict=True))
    if len({len(one) for one in made}) > 1:
        raise ValueKindError(f"columns of {' and '.join(str(len(one)) for one in made)} values; give as many of each")
    return made


def _kept(name: str, dtype: str, given: Any) -> np.ndarray:
    array = np.asarray(must_be_column(name, given))
    if not array.size:
        return np.zeros(0, dtype)
    if array.ndim != 1:
        raise ValueKindError(f"{name} must be a column, of one dimension, not of {array.ndim}")
    if array.dtype.kind not in "iuf":
        raise ValueKindError(f"{name} must be a column of numbers, not of {array.dtype}")
    if np.isnan(array).any():
        raise ValueKindError(f"{name}[{np.flatnonzero(np.isnan(array))[0]}] is NaN, which has no place in a window")
    with np.errstate(all="ignore"):
        made = array.astype(dtype, copy=False)
    wrong = np.flatnonzero(made != array)
    if len(wrong):
        raise ValueKindError(f"{name}[{wrong[0]}] is {array[wrong[0]]}, which {dtype} does not have")
    return made
