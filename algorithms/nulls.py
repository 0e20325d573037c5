"""Values that are missing, in whatever way: None, NaN, and pandas' NA. By pandas, which knows them all."""

from typing import Any

import numpy as np


def nulls_as_nan(values: Any) -> Any:
    """A column of numbers with NaN for what is missing; other columns, and columns without nulls, as they are. O(n)."""
    if isinstance(values, str) or (isinstance(values, list | tuple) and _is_record(values)):
        return values
    array = np.asarray(values)
    if array.dtype != object or array.ndim != 1:
        return values
    import pandas as pd  # here, since it takes half a second and columns without nulls do without

    missing = pd.isna(array)
    if not missing.any():
        return values
    array = array.copy()
    array[missing] = np.nan
    return array.tolist()


def _is_record(values: Any) -> bool:
    return len(values) > 0 and isinstance(values[0], tuple | list | str)
