"""Values as the int64 that trees order by, and back; which entries a quantile lies between, and where between them.

Whole arrays at a time, for a batch as for a single answer: so there is one definition of each interpolation.
"""

from typing import Any

import numpy as np

from algorithms.arguments import must_be_column
from algorithms.errors import ValueKindError
from algorithms.times import floats_of, ordered_bits
from safeguards.wrong_input import unknown

DTYPES = ("float64", "int64")

INTERPOLATIONS = ("linear", "lower", "higher", "nearest", "midpoint")
"""As NumPy's `quantile` names them."""

RANKS = ("average", "min", "max")
"""As pandas' `rank` names them."""


def codes_of(values: np.ndarray) -> np.ndarray:
    """int64 in the order of the values, int64 or float64 without NaN. -0.0 and 0.0 have the same code."""
    return ordered_bits(values) if values.dtype.kind == "f" else values


def values_of(codes: np.ndarray, dtype: str) -> np.ndarray:
    """The values of the codes."""
    return floats_of(codes) if dtype == "float64" else codes


def number_column(values: Any) -> np.ndarray:
    """A column as int64, or as float64 if it has floats. Raises ValueKindError for what has no numbers.

    Whole numbers beyond int64 are refused, not rounded.
    """
    array = np.asarray(must_be_column("values", values))
    if array.ndim != 1:
        raise ValueKindError(f"values must be a column, of one dimension, not of {array.ndim}")
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ValueKindError(f"values must be numbers of at most 64 bits, not {array.dtype}")
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueKindError(f"values[{int(array.argmax())}] is {array.max()}, more than int64 holds")
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=False)


def whole_column(column: np.ndarray) -> np.ndarray:
    """Floats as int64. Raises ValueKindError for one that is not whole, or too large."""
    fits = (column >= -(2.0**63)) & (column < 2.0**63) & (column == np.floor(column))
    if not fits.all():
        wrong = int(fits.argmin())
        raise ValueKindError(f"values[{wrong}] must be a whole number of at most 64 bits, not {column[wrong].item()!r}")
    return column.astype(np.int64)


def must_be_fraction(q: Any) -> float:
    """q as a float. Raises ValueError unless it is a number from 0 to 1."""
    if isinstance(q, bool) or not isinstance(q, int | float | np.integer | np.floating) or not 0 <= q <= 1:
        raise ValueError(f"q must be a number from 0 to 1, not {q!r}")
    return float(q)


def must_be_one_of(field: str, name: Any, names: tuple[str, ...]) -> None:
    """Raise ValueError, suggesting the nearest, unless it is one of the names."""
    if name not in names:
        raise ValueError(unknown(field, name, names))


def neighbours(counts: np.ndarray, q: float) -> tuple[np.ndarray, np.ndarray]:
    """Of so many entries, the number of the one at or below the quantile q, from 0; and the fraction of the way on."""
    place = (counts - 1) * q
    below = np.floor(place)
    return below.astype(np.int64), place - below


def interpolated(low: np.ndarray, high: np.ndarray, below: np.ndarray, part: np.ndarray, method: str) -> np.ndarray:
    """What lies between two neighbours, `part` of the way from the low one, which is number `below`.

    "nearest" takes the one of even number if both are equally near. "linear" and "midpoint" give float64. They give
    the value itself where both are equal, also if infinite; the infinite one, if one is; NaN between -inf and inf.
    """
    if method in ("linear", "midpoint"):
        return _between(low, high, np.where(part > 0, 0.5, 0.0) if method == "midpoint" else part)
    if method == "nearest":
        return np.where((part > 0.5) | ((part == 0.5) & (below % 2 == 1)), high, low)
    return low if method == "lower" else np.where(part > 0, high, low)


def _between(low: np.ndarray, high: np.ndarray, part: np.ndarray) -> np.ndarray:
    """From the nearer end on, as NumPy does: exact at both ends, and never outside of them."""
    low, high = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(all="ignore"):  # of infinities, and of a difference that is too large
        way = high - low
        found = np.where(part < 0.5, low + way * part, high - way * (1 - part))
        apart = np.where(part == 0, low, low * (1 - part) + high * part)
    return np.where(low == high, low, np.where(np.isfinite(way), found, apart))


def ranked(smaller: Any, equal: Any, method: str) -> Any:
    """The rank among the entries of what so many are smaller than, and so many equal: the first is 1."""
    if method == "average":
        return smaller + (equal + 1) / 2
    return smaller + (1 if method == "min" else equal)
