"""Which module reads a column."""

from typing import Any

import numpy as np

from algorithms.rolling.columns import (
    Column,
    Give,
    as_numpy,
    for_pandas,
    is_arrow,
    must_be_flat,
    numbers_of,
    pandas_class,
)


def read(field: str, values: Any) -> tuple[Column, Give]:
    """The numbers of a column, and what makes a column of results of the same kind.

    Raises ValueKindError naming the field for what is no column, or not of numbers.
    """
    must_be_flat(field, values)
    if is_arrow(values):
        from algorithms.rolling import arrow  # it takes 0.1 s to import, which others need not wait for

        return arrow.read(field, values), arrow.giving(values)
    array = np.asarray(values)
    must_be_flat(field, array)
    return Column(numbers_of(field, array)), for_pandas(values) if pandas_class(values) else as_numpy
