"""Columns as people have them, read into numbers and given back in the same kind: NumPy, pandas, Arrow, Polars.

A column of floats or whole numbers of 64 bits in one piece is read where it lies. All others are copied: strided,
byte-swapped or narrower arrays, Arrow columns in several pieces or with nulls. pandas and Polars are not imported: what
they made can only be here when they are.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from algorithms.arguments import EXACT
from algorithms.errors import ValueKindError


class Column(NamedTuple):
    """Numbers, float64 or int64, and which are there (None: all). Among floats NaN stands for the others."""

    numbers: np.ndarray
    valid: np.ndarray | None = None


class Answers(NamedTuple):
    """A result per row, float64 or int64, and which rows have none (None: none lacks it). NaN is none, too.

    whole: whether the results are whole numbers, though they may be held as floats
    """

    numbers: np.ndarray
    missing: np.ndarray | None = None
    whole: bool = False


Give = Callable[[Mapping[str, Answers] | Answers], Any]
"""Makes of results what the values were: of one, a column; of several by name, a DataFrame, struct or dict."""


@runtime_checkable
class ArrowStream(Protocol):
    """What the Arrow PyCapsule interface makes of a column: pyarrow's, Polars', pandas' and others'."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


@runtime_checkable
class ArrowArray(Protocol):
    """The same for a column in one piece."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


def pandas_class(values: Any) -> str:
    """ "Series", "Index" or "DataFrame" if pandas made the values, else ""."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not hasattr(pandas, "Series"):  # while it is being imported
        return ""
    kinds = {"Series": pandas.Series, "Index": pandas.Index, "DataFrame": pandas.DataFrame}
    return next((name for name, kind in kinds.items() if isinstance(values, kind)), "")


def is_arrow(values: Any) -> bool:
    """Whether the column is to be read through Arrow: not NumPy's, and not one of pandas' that has NumPy's types."""
    if pandas_class(values):
        return not isinstance(values.dtype, np.dtype)
    return not isinstance(values, np.ndarray) and isinstance(values, ArrowStream | ArrowArray)


def must_be_flat(field: str, values: Any) -> None:
    """Raise ValueKindError for a DataFrame, a scalar, or an array of several dimensions."""
    if pandas_class(values) == "DataFrame":
        raise ValueKindError(f"{field} is a DataFrame: give one of its columns, such as frame[{_first(values)!r}]")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise ValueKindError(f"{field} must be a column, of one dimension, not of {values.ndim}")


def _first(frame: Any) -> Any:
    return frame.columns[0] if len(frame.columns) else "name"


def numbers_of(field: str, array: np.ndarray) -> np.ndarray:
    """The array as float64 or int64 in one piece; itself, if it is that.

    Raises ValueKindError for other kinds, and for whole numbers of more than 63 bits.
    """
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array, np.float64)
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise ValueKindError(f"{field} has whole numbers of 2^63 and more, which int64 does not hold: make them floats")
    if array.dtype.kind in "iub":
        return np.ascontiguousarray(array, np.int64)
    if array.size == 0 and array.dtype.kind == "O":
        return np.zeros(0)
    raise ValueKindError(f"{field} must be numbers, not {array.dtype}; missing ones may be NaN{_among(array)}")


def _among(array: np.ndarray) -> str:
    if array.dtype.kind != "O":
        return ""
    wrong = next((i for i, value in enumerate(array) if not isinstance(value, int | float | np.number)), None)
    return "" if wrong is None else f" (row {wrong} is {array[wrong]!r})"


def in_whole(answers: Answers) -> Answers:
    """The answers, those that are whole numbers held as such."""
    if not answers.whole or answers.numbers.dtype.kind == "i":
        return answers
    missing = np.isnan(answers.numbers)
    return Answers(np.where(missing, 0, answers.numbers).astype(np.int64), missing if missing.any() else None)


def as_floats(answers: Answers) -> np.ndarray:
    """The answers as an array: of whole numbers as they are, unless one is missing; then as floats, with NaN.

    Raises ValueKindError for a whole number that is no float beside a missing one.
    """
    if answers.whole and answers.numbers.dtype.kind == "f":
        gaps = np.isnan(answers.numbers[:1]).any() or np.isnan(answers.numbers).any()  # often the first row has none
        return answers.numbers if gaps else answers.numbers.astype(np.int64)
    if answers.missing is None or not answers.missing.any():
        return answers.numbers
    if answers.numbers.dtype.kind == "i":
        answers.numbers[answers.missing] = 0
        if max(-int(answers.numbers.min()), int(answers.numbers.max())) > EXACT:
            raise ValueKindError(
                "values are whole numbers with results beyond 2^53, and some rows have no result: an array of NumPy "
                "cannot hold both without loss. Give min_count=1, floats, or an Arrow column"
            )
    floats = answers.numbers.astype(np.float64)
    floats[answers.missing] = np.nan
    return floats


def as_numpy(results: Mapping[str, Answers] | Answers) -> Any:
    if isinstance(results, Answers):
        return as_floats(results)
    return {name: as_floats(answers) for name, answers in results.items()}


def for_pandas(values: Any) -> Give:
    pandas = sys.modules["pandas"]
    index = values.index if pandas_class(values) == "Series" else None

    def give(results: Mapping[str, Answers] | Answers) -> Any:
        if isinstance(results, Answers):
            return pandas.Series(as_floats(results), index=index, name=values.name, copy=False)
        return pandas.DataFrame(as_numpy(results), index=index)

    return give
