"""Columns of values in the dtypes that windows keep, converted without loss."""

from typing import Any

import numpy as np

from algorithms.arguments import must_be_column
from algorithms.errors import ValueKindError


def kept_columns(dtypes: tuple[str, ...], values: Any) -> tuple[np.ndarray, ...]:
    """One column, or a tuple of as many as there are dtypes, in these dtypes.

    Raises ValueKindError for another number of columns, and naming the first value that is NaN, no number, or cannot be
    kept in the dtype without loss.
    """
    columns = values if len(dtypes) > 1 else (values,)
    if not isinstance(columns, tuple) or len(columns) != len(dtypes):
        raise ValueKindError(f"values must be a tuple of {len(dtypes)} columns: {', '.join(dtypes)}")
    names = [f"values[{c}]" for c in range(len(dtypes))] if len(dtypes) > 1 else ["values"]
    arrays = tuple(_kept(*argument) for argument in zip(names, dtypes, columns, strict=True))
    if len({len(array) for array in arrays}) > 1:
        raise ValueKindError(
            f"columns of {' and '.join(str(len(array)) for array in arrays)} values; give as many of each"
        )
    return arrays


def _kept(name: str, dtype: str, values: Any) -> np.ndarray:
    array = np.asarray(must_be_column(name, values))
    if not array.size:
        return np.zeros(0, dtype)
    if array.ndim != 1:
        raise ValueKindError(f"{name} must be a column, of one dimension, not of {array.ndim}")
    if array.dtype.kind not in "iuf":
        raise ValueKindError(f"{name} must be a column of numbers, not of {array.dtype}")
    if np.isnan(array).any():
        raise ValueKindError(f"{name}[{np.flatnonzero(np.isnan(array))[0]}] is NaN, which has no place in a window")
    with np.errstate(all="ignore"):
        kept = array.astype(dtype, copy=False)
    wrong = np.flatnonzero(kept != array)
    if len(wrong):
        raise ValueKindError(f"{name}[{wrong[0]}] is {array[wrong[0]]}, which {dtype} does not have")
    return kept
