"""Order statistics of whole columns: one answer a row, from one compiled loop.

    rolling_median(values, 1000)                       of the last 1,000 rows
    rolling_quantile(values, 60, 0.9, times=seconds)   of the rows of the last 60 seconds

Each takes these arguments:

    values      a column of n numbers, float64 or int64; NaN is a missing value, which no window has
    window      a whole number of rows; or with `times`, a length of time in their unit, above 0
    times       a column of n times that do not decrease: whole numbers, floats, or datetime64 with a timedelta64 window
    closed      which ends belong to the window of a row at time t: "right" (t - window, t], "left" [t - window, t),
                "both" or "neither". No window has a row that comes after its own in the column, and with "left" and
                "neither" not its own; earlier rows at time t are in all four. Of windows of rows, "both" and "left"
                begin a row earlier, as in pandas
    min_count   the fewest values for which there is an answer, at least 1; elsewhere the answer is NaN

and returns float64, one answer a row; whole numbers beyond 2^53 are rounded. O(log w) a row for windows of w values
(O(d log w) where rows come late, and windows move back and forth by d places); about 40 bytes a row of memory beside
the answers. Bad arguments raise ValueKindError, TimeError or ValueError.

For other windows than these, the functions of `Extents` take for each row the first of its rows, and one past the last.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.arguments import time_column
from algorithms.errors import OrderError, ValueKindError
from algorithms.kernel import as_slots, driver, generic, kernel
from algorithms.moments import microseconds
from algorithms.order_statistics import codes, counted, sorted_blocks
from algorithms.order_statistics.contract import counted_tree
from algorithms.times import KINDS
from safeguards.wrong_input import whole

BLOCK = 2**14
"""Rows whose quantiles are worked out together, so that what is between the kernel and them stays in the cache."""

MOST = 2**62
"""Of the rows of a window, so that no sum of two places is beyond int64."""

CLOSED = ("right", "left", "both", "neither")


class InOrder(NamedTuple):
    """Codes of a column whose windows begin and end no earlier than those before."""

    codes: Any


class Late(NamedTuple):
    """Codes of a column in order of time, of which `arrived` marks those that have come.

    Row i comes to place places[i], or has no value if that is below 0.
    """

    codes: Any
    places: Any
    arrived: Any


@generic
def slide(column, tree, first, last, begin, end, i):
    """Make a tree of what is there of the places first .. last - 1 one of begin .. end - 1, when row i has come."""


@slide.of(InOrder)
def _(column, tree, first, last, begin, end, i):
    for p in range(first, min(begin, last)):
        counted.remove(tree, column.codes[p])
    for p in range(max(begin, last), end):
        counted.add(tree, column.codes[p])


@slide.of(Late)
def _(column, tree, first, last, begin, end, i):
    low, high = max(first, begin), min(last, end)
    if low >= high:  # nothing in common
        low = high = begin
    remove_all(tree, column, first, min(low, last))
    remove_all(tree, column, max(high, first), last)
    p = column.places[i]
    if p >= 0:
        column.arrived[p] = 1
    if low <= p < high:
        counted.add(tree, column.codes[p])
    add_all(tree, column, begin, low)
    add_all(tree, column, high, end)


@kernel(inline=False)
def remove_all(tree, column, first, last):
    for p in range(first, last):
        if column.arrived[p]:
            counted.remove(tree, column.codes[p])


@kernel(inline=False)
def add_all(tree, column, first, last):
    for p in range(first, last):
        if column.arrived[p]:
            counted.add(tree, column.codes[p])


@driver
def _select(tree, column, first, last, begins, ends, ranks, low, high, start, n, m):
    """For each of n windows, from row `start` on, the codes at and after each of m ranks; one below 0 has none.

    The tree holds the places first .. last - 1.
    """
    for i in range(n):
        slide(column, tree, first, last, begins[i], ends[i], start + i)
        first, last = begins[i], ends[i]
        for j in range(i * m, i * m + m):
            if ranks[j] >= 0:
                low[j], high[j] = counted.select_two(tree, ranks[j])


@driver
def _rank(tree, column, begins, ends, own, smaller, equal, n):
    """For each of n windows, how many of its values are smaller than its own value, and how many equal it."""
    first, last = 0, 0
    for i in range(n):
        slide(column, tree, first, last, begins[i], ends[i], i)
        first, last = begins[i], ends[i]
        smaller[i], equal[i] = counted.smaller_and_equal(tree, own[i])


@driver
def _distinct(tree, column, begins, ends, found, n):
    """For each of n windows, the number of distinct values."""
    first, last = 0, 0
    for i in range(n):
        slide(column, tree, first, last, begins[i], ends[i], i)
        first, last = begins[i], ends[i]
        found[i] = tree.head[0].keys


@driver
def _mode(tree, column, begins, ends, counts, found, n):
    """For each of n windows, the code of its mode; it stays as it was where the window is empty."""
    first, last = 0, 0
    for i in range(n):
        slide(column, tree, first, last, begins[i], ends[i], i)
        first, last = begins[i], ends[i]
        if counts[i] > 0:
            found[i] = counted.most_frequent(tree)[0]


@driver
def _count(column, begins, ends, counts, n):
    """How many values of n windows have come when they are asked for."""
    first, last, there = 0, 0, 0
    for i in range(n):
        begin, end = begins[i], ends[i]
        if max(first, begin) >= min(last, end):
            first = last = begin
            there = 0
        for p in range(first, begin):
            there -= column.arrived[p]
        for p in range(end, last):
            there -= column.arrived[p]
        for p in range(begin, first):
            there += column.arrived[p]
        for p in range(last, end):
            there += column.arrived[p]
        p = column.places[i]
        if p >= 0:
            column.arrived[p] = 1
            there += begin <= p < end
        first, last, counts[i] = begin, end, there


class Extents(NamedTuple):
    """The windows of n rows: row i's has the rows begins[i] .. ends[i] - 1. Neither decreases; int64, (n,).

    If rows come late, places[i] is the place of row i in order of time, and the window of row i has those of the places
    begins[i] .. ends[i] - 1 that have come by then, with row i itself; these may go back.

    length: the rows of each window, of the first ones fewer, if all end with their own row; otherwise 0.
    """

    begins: np.ndarray
    ends: np.ndarray
    places: np.ndarray | None = None
    length: int = 0


def extents(n: int, window: Any, times: Any = None, closed: str = "right") -> Extents:
    """The windows of n rows, by number or by time; the arguments are those of the module."""
    codes.must_be_one_of("closed", closed, CLOSED)
    rows = np.arange(n, dtype=np.int64)
    ends = rows + (closed in ("right", "both"))
    length = 0
    if times is None:
        size = rows_of_window(window)
        begins = rows - size + (closed in ("right", "neither"))
        length = size if closed == "right" else 0
    else:
        keys, size = _times_and_size(times, window, n)
        from_start = closed in ("left", "both")
        begins = np.searchsorted(keys, keys - size, "left" if from_start else "right").astype(np.int64)
    return Extents(np.clip(begins, 0, ends), ends, length=length)


def rows_of_window(window: Any) -> int:
    """The size of a window of rows. Raises ValueError for what is none, and beyond `MOST`."""
    if (size := whole("window", window)) > MOST:
        raise ValueError(f"window must be at most 2^62, not {size}")
    return size


def _times_and_size(times: Any, window: Any, n: int) -> tuple[np.ndarray, Any]:
    """Times and the window's size as numbers that can be subtracted: int64, or float64 of float times."""
    column = np.asarray(times)
    kind = {"M": "datetime64", "f": "float64"}.get(column.dtype.kind, "int64")
    keys = time_column(KINDS[kind], times)
    if len(keys) != n:
        raise ValueKindError(f"{len(keys)} times and {n} values; there must be as many of each")
    falls = np.flatnonzero(keys[1:] < keys[:-1])
    if len(falls):
        raise OrderError(f"times[{falls[0] + 1}] is older than the one before; sort the rows by time first")
    if kind == "float64":
        if isinstance(window, bool) or not isinstance(window, int | float | np.number) or not window > 0:
            raise ValueError(f"window must be a number above 0, in the unit of times, not {window!r}")
        return column.astype(np.float64), float(window)
    if kind == "datetime64":
        if not isinstance(window, np.timedelta64):
            raise ValueError(f"window must be a numpy.timedelta64, as times are datetime64, not {window!r}")
        window = microseconds("window", window)
    size = whole("window", window, 1)
    if len(keys) and int(keys[0]) - size < np.iinfo(np.int64).min:
        raise ValueError(f"window {size} reaches back beyond what int64 holds")
    return keys, size


class _Rows(NamedTuple):
    """A column without its missing values, and the windows over what is left of it."""

    present: np.ndarray
    dtype: str
    own: Any
    """Codes of the rows that have a value, in order of rows."""
    column: Any
    """An InOrder or a Late."""
    begins: Any
    ends: Any
    counts: np.ndarray
    tree: Any


def _rows(values: Any, over: Extents, present: np.ndarray | None = None) -> _Rows:
    """The rows, of which those that are `present` have a value; if it is not said, all but NaN."""
    column = codes.number_column(values)
    if present is None:
        present = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), np.bool_)
    encoded, order = codes.codes_of(column), slice(None) if over.places is None else np.argsort(over.places)
    begins, ends, places, _ = over
    if not present.all():
        kept = np.concatenate([[0], np.cumsum(present[order])])
        begins, ends = kept[begins], kept[ends]
        places = None if places is None else np.where(present, kept[places], -1)
    own = encoded if present.all() else encoded[present]
    windows = as_slots(begins), as_slots(ends)
    if places is None:
        counts, of = ends - begins, InOrder(as_slots(own))
    else:
        counts, of = _late(encoded[order][present[order]], places, windows)
    return _Rows(present, str(column.dtype), own, of, *windows, counts, counted_tree(int(counts.max(initial=1))))


def _late(in_order: np.ndarray, places: np.ndarray, windows: tuple[Any, Any]) -> tuple[np.ndarray, Any]:
    """How many values each window has when it is asked, and the column of which none has come yet."""
    counts, arrived = np.zeros(len(places), np.int64), np.zeros(len(in_order), np.int8)
    column = Late(as_slots(in_order), as_slots(places), as_slots(arrived))
    _count(column, *windows, as_slots(counts), len(counts))
    arrived[:] = 0
    return counts, column


def _answers(found: np.ndarray, rows: _Rows, min_count: int) -> np.ndarray:
    """As float64, NaN where there are too few values."""
    answers = found.astype(np.float64)
    answers[rows.counts < min_count] = np.nan
    return answers


def quantiles_of(
    values: Any,
    over: Extents,
    q: Any,
    interpolation: str = "linear",
    min_count: int = 1,
    present: np.ndarray | None = None,
) -> np.ndarray:
    """The quantile of each window, (n,); or of each of m fractions, (n, m), from one pass. O(m log w) a row.

    `present`, as for `ranks_of`, `distinct_of` and `modes_of`: which rows have a value; None: all but NaN.
    """
    codes.must_be_one_of("interpolation", interpolation, codes.INTERPOLATIONS)
    fractions = [codes.must_be_fraction(f) for f in ([q] if np.ndim(q) == 0 else q)]
    min_count, column, length = whole("min_count", min_count, 1), codes.number_column(values), over.length
    fixed = present is None and length > 0 and sorted_blocks.suits(column, length)
    first = slice(length if fixed else None)  # before them there is no whole block
    rows = _rows(column[first], Extents(over.begins[first], over.ends[first], over.places), present)
    answers = np.empty((len(rows.counts), len(fractions)))
    for start in range(0, len(answers), BLOCK):
        block = slice(start, start + BLOCK)
        answers[block] = _quantiles_of_block(rows, block, fractions, interpolation, min_count)
    if fixed:
        rest = sorted_blocks.quantiles(column, length, fractions, interpolation)
        if min_count > length:
            rest[:] = np.nan
        answers = np.concatenate([answers, rest])
    return answers[:, 0] if np.ndim(q) == 0 else answers


def _quantiles_of_block(
    rows: _Rows, block: slice, fractions: list[float], interpolation: str, min_count: int
) -> np.ndarray:
    """The quantiles of a block of rows, when the tree holds the window of the row before it."""
    counts, begins, ends = rows.counts[block], np.asarray(rows.begins)[block], np.asarray(rows.ends)[block]
    n, m = len(counts), len(fractions)
    first, last = (int(np.asarray(of)[block.start - 1]) if block.start else 0 for of in (rows.begins, rows.ends))
    below, part = np.empty((n, m), np.int64), np.empty((n, m))
    for j, f in enumerate(fractions):
        below[:, j], part[:, j] = codes.neighbours(counts, f)
    below[counts < min_count] = -1
    found = np.zeros((2, n, m), np.int64)
    low, high = (as_slots(codes_found.reshape(-1)) for codes_found in found)
    places = as_slots(below.reshape(-1))
    windows = as_slots(begins), as_slots(ends)
    _select(rows.tree, rows.column, first, last, *windows, places, low, high, block.start, n, m)
    at, after = codes.values_of(found, rows.dtype)
    answers = codes.interpolated(at, after, below, part, interpolation).astype(np.float64)
    answers[counts < min_count] = np.nan
    return answers


def ranks_of(
    values: Any, over: Extents, method: str = "average", min_count: int = 1, present: np.ndarray | None = None
) -> np.ndarray:
    """The rank of each row's own value in its window, as `OrderedWindow.rank`, (n,); NaN where it is missing."""
    codes.must_be_one_of("method", method, codes.RANKS)
    min_count, rows = whole("min_count", min_count, 1), _rows(values, over, present)
    own = np.zeros(len(rows.counts), np.int64)
    own[rows.present] = rows.own
    smaller, equal = np.zeros_like(own), np.zeros_like(own)
    found = as_slots(smaller), as_slots(equal)
    _rank(rows.tree, rows.column, rows.begins, rows.ends, as_slots(own), *found, len(own))
    answers = _answers(codes.ranked(smaller, equal, method), rows, min_count)
    answers[~rows.present] = np.nan
    return answers


def distinct_of(values: Any, over: Extents, min_count: int = 1, present: np.ndarray | None = None) -> np.ndarray:
    """The number of distinct values of each window, (n,)."""
    min_count, rows = whole("min_count", min_count, 1), _rows(values, over, present)
    found = np.zeros(len(rows.counts), np.int64)
    _distinct(rows.tree, rows.column, rows.begins, rows.ends, as_slots(found), len(found))
    return _answers(found, rows, min_count)


def modes_of(values: Any, over: Extents, min_count: int = 1, present: np.ndarray | None = None) -> np.ndarray:
    """The most frequent value of each window, of several the smallest, (n,)."""
    min_count, rows = whole("min_count", min_count, 1), _rows(values, over, present)
    found = np.zeros(len(rows.counts), np.int64)
    _mode(rows.tree, rows.column, rows.begins, rows.ends, as_slots(rows.counts), as_slots(found), len(found))
    return _answers(codes.values_of(found, rows.dtype), rows, min_count)


def rolling_quantile(
    values: Any,
    window: Any,
    q: Any,
    *,
    times: Any = None,
    interpolation: str = "linear",
    closed: str = "right",
    min_count: int = 1,
) -> np.ndarray:
    """The quantile q, from 0 to 1, as `numpy.quantile` defines it; with a list of m fractions, (n, m) from one pass.

    Raises ValueError for a fraction outside of 0 to 1 or an unknown interpolation, and what the module says.

    >>> from algorithms.order_statistics import rolling_quantile
    >>> rolling_quantile([5.0, 1.0, 9.0, 3.0], 3, [0, 0.5]).tolist()
    [[5.0, 5.0], [1.0, 3.0], [1.0, 5.0], [1.0, 3.0]]
    """
    return quantiles_of(values, extents(_length(values), window, times, closed), q, interpolation, min_count)


def rolling_median(
    values: Any, window: Any, *, times: Any = None, closed: str = "right", min_count: int = 1
) -> np.ndarray:
    """The middle value, or the mean of the two in the middle.

    Arguments, dtypes, costs and errors: see the module.

    >>> from algorithms.order_statistics import rolling_median
    >>> rolling_median([5.0, 1.0, 9.0, 3.0], 3, min_count=3).tolist()
    [nan, nan, 5.0, 3.0]
    """
    return rolling_quantile(values, window, 0.5, times=times, closed=closed, min_count=min_count)


def rolling_rank(
    values: Any, window: Any, *, times: Any = None, method: str = "average", closed: str = "right", min_count: int = 1
) -> np.ndarray:
    """The rank of each row's value in its window, the smallest 1; "average", "min" or "max" of equal ones.

    NaN where the row has no value. Raises ValueError for an unknown method, and what the module says.

    >>> from algorithms.order_statistics import rolling_rank
    >>> rolling_rank([5.0, 1.0, 9.0, 1.0], 3).tolist()
    [1.0, 1.0, 3.0, 1.5]
    """
    return ranks_of(values, extents(_length(values), window, times, closed), method, min_count)


def rolling_distinct(
    values: Any, window: Any, *, times: Any = None, closed: str = "right", min_count: int = 1
) -> np.ndarray:
    """The number of distinct values.

    Arguments, dtypes, costs and errors: see the module.

    >>> from algorithms.order_statistics import rolling_distinct
    >>> rolling_distinct([5.0, 1.0, 5.0, 5.0], 3).tolist()
    [1.0, 2.0, 2.0, 2.0]
    """
    return distinct_of(values, extents(_length(values), window, times, closed), min_count)


def rolling_mode(
    values: Any, window: Any, *, times: Any = None, closed: str = "right", min_count: int = 1
) -> np.ndarray:
    """The most frequent value; of several, the smallest.

    Arguments, dtypes, costs and errors: see the module.

    >>> from algorithms.order_statistics import rolling_mode
    >>> rolling_mode([5.0, 1.0, 5.0, 1.0], 3).tolist()
    [5.0, 1.0, 5.0, 1.0]
    """
    return modes_of(values, extents(_length(values), window, times, closed), min_count)


def _length(values: Any) -> int:
    return len(codes.number_column(values))
