"""rolling: an aggregate over a window for every row of a column."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from algorithms.errors import OrderError, ValueKindError
from algorithms.kernel import as_slots
from algorithms.operators import is_field
from algorithms.rolling.columns import Answers, Column, pandas_class
from algorithms.rolling.extent import ByCount, ByTime, LateError, must_be_closed, nanoseconds, reach_of
from algorithms.rolling.groups import Groups, groups_of, one_group
from algorithms.rolling.methods import Method, method_of
from algorithms.rolling.reading import read
from algorithms.rolling.time_axis import FARTHEST, Axis, axis_of
from safeguards.wrong_input import is_real, whole


def rolling(
    values: Any,
    window: Any,
    operator: Any = "sum",
    *,
    times: Any = None,
    by: Any = None,
    min_count: int | None = None,
    closed: str = "right",
    lateness: Any = None,
) -> Any:
    """For each row, the aggregate of the values in the window that ends with it. Nothing is subtracted from floats.

    values     a column of numbers: an array of NumPy, a Series of pandas or Polars, an array of Arrow, or anything that
               has __arrow_c_stream__. NaN and null are missing values: no aggregate sees them
    window     rows, such as 1000; or with times a length of time: text such as "5min" or "1h30m", a timedelta, or a
               whole number where times are whole numbers
    operator   a name ("sum", "mean", "max", "min", "std", "var", "count", "argmax", "argmin", "median", "rank",
               "distinct", "mode", or one of operators.names()), or an operator; several in a list, or by the names of
               the results in a dict
    min_count  how many values (for "count" and "null_count", rows) an answer needs; by default all rows of a window
               of rows, 1 in a length of time
    closed     which ends belong to the window: "right", "left", "both" or "neither"
    lateness   how much later than a row with a later time a row may come. Its own window has the rows that have
               arrived, and so has each later one: what was answered before stays

    Gives a column of the same kind: a Series with index and name, an array of Arrow or of NumPy. Rows without an answer
    are NaN, or null in Arrow. Several operators give a DataFrame, an array of structs, or a dict of arrays. Numbers are
    float64; argmax, argmin, and sums, counts, max and min of whole numbers are int64, unless rows without an answer
    make NumPy's floats. argmax is the row in `values`, from 0, of the first greatest value in the window.

    O(rows) for times in order, at most three combines a row; O(rows log rows) with late rows. A sum of n floats is
    within n eps sum|x| of the exact one, x in this window only; sums of whole numbers are exact modulo 2^64.
    Raises ValueError, or one of its kinds TimeError, OrderError and ValueKindError, that names the argument.

    >>> from sliding_windows import rolling
    >>> rolling([3.0, 1.0, 2.0, 5.0], 2, "max").tolist()
    [nan, 3.0, 2.0, 5.0]
    >>> rolling([3.0, 1.0, 2.0], 5, ["sum", "count"], times=[0, 4, 6])
    {'sum': array([3., 4., 3.]), 'count': array([1, 2, 2])}
    """
    must_be_closed(closed)
    chosen = _methods(operator)
    column, give = read("values", values)
    rows = len(column.numbers)
    axis = _axis(values, window, times, lateness, rows)
    groups = one_group(rows) if by is None else groups_of(by, rows)
    extent = _extent(window, closed, groups, axis, lateness)
    least = extent.least(min_count)
    valid = None if column.valid is None else groups.gathered(column.valid)
    column = Column(groups.gathered(column.numbers), valid)
    with np.errstate(all="ignore"):
        results = {name: _answers(method, column, extent, least, groups) for name, method in chosen.items()}
    return give(results if _are_several(operator) else next(iter(results.values())))


def _answers(method: Method, column: Column, extent: ByCount | ByTime, least: int, groups: Groups) -> Answers:
    if not len(column.numbers):
        return Answers(column.numbers)
    numbers, missing, whole_numbers = method.compute(column, extent, max(least, method.fewest))
    if method.gives_rows:
        numbers = groups.rows(numbers)
    return Answers(groups.scattered(numbers), None if missing is None else groups.scattered(missing), whole_numbers)


def _are_several(operator: Any) -> bool:
    """Whether these are operators in a dict, list or tuple; an operator is itself a tuple, a named one."""
    return isinstance(operator, Mapping) or type(operator) in (list, tuple)


def _methods(operator: Any) -> dict[str, Method]:
    """The methods by the names of their results."""
    if not _are_several(operator):
        return {"": method_of("operator", operator)}
    if isinstance(operator, Mapping):
        named = dict(operator)
    else:
        names = [each if isinstance(each, str) else getattr(each, "name", repr(each)) for each in operator]
        if len(set(names)) < len(names):
            raise ValueError(f"operator: {names} has a name twice; name the results in a dict")
        named = dict(zip(names, operator, strict=True))
    if not named:
        raise ValueError("operator is empty: name at least one")
    for name in named:
        if not is_field(name):
            raise ValueError(f"operator: a name of a result must be an identifier, not {name!r}")
    return {name: method_of(f"operator[{name!r}]", each) for name, each in named.items()}


def _axis(values: Any, window: Any, times: Any, lateness: Any, rows: int) -> Axis | None:
    """The times of the rows, if the window goes by time."""
    if times is None and is_real(window):
        whole("window", window)
    elif times is None:
        nanoseconds("window", window)
        if pandas_class(values) != "Series" or values.index.dtype.kind != "M":
            raise ValueError(f"window={window!r} is a length of time: give times=, or whole rows as window")
        times = values.index
    if times is None:
        if lateness is not None:
            raise ValueError("lateness is for windows of time: give times=")
        return None
    axis = axis_of(times)
    if len(axis.times) != rows:
        raise ValueKindError(f"times has {len(axis.times)} rows, and values have {rows}")
    return axis


def _extent(window: Any, closed: str, groups: Groups, axis: Axis | None, lateness: Any) -> ByCount | ByTime:
    if axis is None:
        return ByCount(window, closed, groups.bounds)
    length = _units("window", window, axis, least=1)
    late = None if lateness is None else int(_units("lateness", lateness, axis, least=0))
    times = as_slots(groups.gathered(axis.times))
    try:
        return ByTime(times, reach_of(length, closed), closed, groups.bounds, late)
    except LateError as error:
        row = groups.row(error.row)
        allowed = "the times of a key must be in order, or lateness= say how late a row may come"
        if lateness is not None:
            allowed = f"later than lateness={lateness!r} allows"
        raise OrderError(f"times[{row}] comes after a later time: {allowed}") from None


def _units(field: str, length: Any, axis: Axis, least: int) -> Fraction:
    """A length of time in the units of the times."""
    if axis.unit is None and (len(axis.times) or is_real(length)):  # an empty list has times of any kind
        return Fraction(whole(f"{field}, where times are whole numbers,", length, least, FARTHEST))
    units = nanoseconds(field, length, least) / (axis.unit or Fraction(1))
    if units > FARTHEST:
        raise ValueError(f"{field} is {length!r}; it must be at most 2^62 of the units of times")
    return units
