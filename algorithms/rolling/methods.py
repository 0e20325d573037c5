"""Which algorithm computes what: the one table, and the call of each.

    operator                    column             windows                    algorithm
    sum, count, null_count      whole numbers      of rows                    by_count.fixed_sums
    sum, count, null_count      whole numbers      of time, or with gaps      by_span.span_sums
    sum, mean, max, min, std .. floats; whole      of rows                    by_count.fixed
    sum, mean, std, var         floats; whole      of 2^18 rows and more      long_windows.long_windows
    sum, mean, max, min, std .. floats; whole      of time, or with gaps      by_span.spans
    any other operator          as it takes them   of rows or of time         by_span.operator_spans
    argmax, argmin              of 53 bits         of rows                    places.fixed_places
    argmax, argmin              any other          of rows or of time         by_span.operator_spans
    all of these                as it takes them   of time, rows late         with_late_rows.late_rows
    median                      without gaps       of rows, one group         order_statistics.sorted_blocks
    median, rank, distinct, mode   any             any                        order_statistics.rolling

Only sums of whole numbers are computed by subtracting, for they are exact modulo 2^64; no window of floats is.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.arguments import EXACT
from algorithms.kernel import Slots, as_slots, partial_dtype, slots
from algorithms.operators.monoid import present, presents_lowered, takes_any_number, unit, value_dtypes
from algorithms.operators.skipping import NullCount
from algorithms.order_statistics import rolling as order_statistics
from algorithms.rolling import by_count, by_span, forms, long_windows, places, with_late_rows
from algorithms.rolling.columns import Answers, Column
from algorithms.rolling.extent import ByCount, ByTime
from algorithms.threads import parts_for, shared, threads_for

Extent = ByCount | ByTime
Finish = Callable[[np.ndarray], np.ndarray]


class Method(NamedTuple):
    """How an operator is computed: compute(column, extent, least) gives its answers.

    Rows whose windows have fewer than `least` values have none; it is at least `fewest`, of values that the operator
    needs for a result.

    gives_rows  whether the answers are rows of the column that it was given
    """

    compute: Callable[[Column, Extent, int], Answers]
    fewest: int = 0
    gives_rows: bool = False


# --------------------------------------------------------------------------------------------------------- the table


@functools.cache
def methods() -> dict[str, Method]:
    """The operators that have algorithms of their own, by name.

    `sample_stddev`, `population_stddev`, `arithmetic_mean` and `arg_max` are what `algorithms.operators` calls them.
    """
    std = of_form(spread(forms.Deviation, 1), "sample_stddev", 2)
    mean = of_form(numbers(forms.Mean), "arithmetic_mean", 1)
    argmax, argmin = of_places("arg_max", 1.0), of_places("arg_min", -1.0)
    return {
        "sum": Method(sums),
        "count": Method(counts),
        "mean": mean,
        "arithmetic_mean": mean,
        "max": of_form(numbers(forms.Max), "max", 1, whole=True),
        "min": of_form(numbers(forms.Min), "min", 1, whole=True),
        "argmax": argmax,
        "arg_max": argmax,
        "argmin": argmin,
        "arg_min": argmin,
        "std": std,
        "sample_stddev": std,
        "population_stddev": of_form(spread(forms.Deviation, 0), "population_stddev", 1),
        "var": of_form(spread(forms.Spread, 1), "sample_stddev", 2, finish_late=np.square),
        "median": of_order(functools.partial(order_statistics.quantiles_of, q=0.5)),
        "rank": of_order(order_statistics.ranks_of),
        "distinct": of_order(order_statistics.distinct_of, fewest=0),
        "mode": of_order(order_statistics.modes_of),
    }


def numbers(cls: Any) -> Callable[[str, int], Any]:
    return lambda dtype, longest: forms.simple(cls, dtype)


def spread(cls: Any, ddof: int) -> Callable[[str, int], Any]:
    def make(dtype: str, longest: int) -> Any:
        return cls(forms.Moments(0, 0.0, 0.0), np.nan, as_slots(forms.shares(longest)), ddof)

    return make


def method_of(field: str, operator: Any) -> Method:
    """The method for an operator's name, or for an operator. Raises ValueError naming the field for anything else."""
    if isinstance(operator, str) and operator in methods():
        return methods()[operator]
    op = operators.chosen(field, operator, None)
    value_dtypes(op, 1)
    if isinstance(op, NullCount):
        return Method(null_counts)
    if not presents_lowered(op):
        raise ValueError(f"{field}: a result of {op.name} is no number, and rolling gives columns of numbers")
    if not isinstance(operator, str):
        return Method(functools.partial(through_operator, op))

    def compute(column: Column, extent: Extent, least: int) -> Answers:
        dtype = str(column.numbers.dtype)  # whole numbers stay whole, where the operator has a version for them
        version = operators.make(operator, dtype if dtype in operators.versions(operator) else None)
        return through_operator(version, column, extent, least)

    return Method(compute)


# ---------------------------------------------------------------------------------------- what each algorithm is given


def of_form(
    make: Callable[[str, int], Any],
    name: str,
    fewest: int,
    whole: bool = False,
    finish_late: Finish = np.asarray,
) -> Method:
    """The method of a form; `whole`: answers of whole numbers are whole.

    With late rows it is the operator of that name, to whose answers `finish_late` is applied.
    """

    def compute(column: Column, extent: Extent, least: int) -> Answers:
        if not whole and column.numbers.dtype.kind == "i":
            column = with_nan(column)
        dtype = str(column.numbers.dtype)
        if extent.late:
            answers = through_operator(operators.make(name, dtype), column, extent, least)
            return answers._replace(numbers=finish_late(answers.numbers))
        made = functools.partial(make, dtype)
        if column.valid is None and isinstance(extent, ByCount) and extent.length > 0:
            return in_counts(made, column, extent, least)
        return in_spans(made, column, extent, least)

    return Method(compute, fewest)


def of_order(statistic: Callable[..., np.ndarray], fewest: int = 1) -> Method:
    """The method of an order statistic; where none of `fewest` values is 0.

    O(log w) a row for windows of w values; O(d log w) for windows that late rows move back and forth by d rows.
    """

    def compute(column: Column, extent: Extent, least: int) -> Answers:
        gaps_are_nan = column.valid is not None and column.numbers.dtype.kind == "f"
        numbers, present = with_nan(column) if gaps_are_nan else column  # whole numbers of 64 bits stay so
        answers = statistic(numbers, places_of(extent), min_count=max(1, least), present=present)
        return Answers(answers if least else np.nan_to_num(answers, nan=0.0))

    return Method(compute, fewest)


def of_places(name: str, sign: float) -> Method:
    """The method that finds the first row of the greatest value of sign * column; `name` is the operator's."""

    def compute(column: Column, extent: Extent, least: int) -> Answers:
        if isinstance(extent, ByCount) and extent.length > 0 and exact_in_floats(column):
            return Answers(places_in_counts(sign, with_nan(column), extent, least), whole=True)
        op = operators.make(name, str(column.numbers.dtype))
        found, missing, _ = through_operator(op, column, extent, least, numbered=True)
        return Answers(found if missing is None else np.where(missing, np.nan, found), whole=True)

    return Method(compute, 1, gives_rows=True)


def places_in_counts(sign: float, column: Column, extent: ByCount, least: int) -> np.ndarray:
    bounds, x, out = extent.bounds, as_slots(column.numbers), unset(len(column.numbers), "f8")
    longest = min(extent.length, int(np.diff(bounds).max(initial=0)))
    pieces = cut(bounds, longest)

    def run(first: int, last: int) -> None:
        ends = slots(longest + 1, "f8", "values"), slots(longest + 1, "f8", "rows")
        places.fixed_places(x, out, pieces, first, last, extent.length, extent.shift, sign, *ends)

    over_groups(pieces.bounds, run)
    answers = np.asarray(out)
    missing = few_values(column, extent, least) if least > 1 else None  # where there is none, there is no row either
    if missing is not None:
        answers[missing] = np.nan
    return answers


def sums(column: Column, extent: Extent, least: int) -> Answers:
    if column.numbers.dtype.kind == "f" or extent.late:
        return of_form(numbers(forms.Sum), "sum", 0, whole=True).compute(column, extent, least)
    x, out, bounds = as_slots(column.numbers), unset(len(column.numbers), "i8"), extent.bounds
    if column.valid is None and isinstance(extent, ByCount) and extent.length > 0:
        pieces = cut(bounds, extent.length)
        over_groups(
            pieces.bounds, lambda *part: by_count.fixed_sums(x, out, pieces, *part, extent.length, extent.shift)
        )
        return Answers(np.asarray(out), few_rows(extent, least))
    kept, start, stop = without_gaps(column, extent)
    over_groups(bounds, lambda *part: by_span.span_sums(as_slots(kept), out, bounds, *part, start, stop))
    return Answers(np.asarray(out), few(start, stop, least))


def counts(column: Column, extent: Extent, least: int) -> Answers:
    """How many values are there; here `least` is of rows, as in pandas, for 0 values are an answer."""
    there = ~np.isnan(column.numbers) if column.valid is None else column.valid
    return sums(Column(there.astype(np.int64)), extent, least)


def null_counts(column: Column, extent: Extent, least: int) -> Answers:
    """How many values are missing; here too `least` is of rows."""
    missing = np.isnan(column.numbers) if column.valid is None else ~column.valid
    return sums(Column(missing.astype(np.int64)), extent, least)


def in_counts(make: Callable[[int], Any], column: Column, extent: ByCount, least: int) -> Answers:
    """Floats, or whole numbers without gaps, in windows of rows."""
    bounds, x = extent.bounds, as_slots(column.numbers)
    longest = min(extent.length, int(np.diff(bounds).max(initial=0)))
    form, out = make(longest), unset(len(x), x.dtype)
    if len(bounds) == 2 and long_windows.suits(form, len(x), extent.length, least):
        if in_long_windows(form, x, out, extent):
            return Answers(np.asarray(out))
    pieces = cut(bounds, longest, by_count.FEWEST if by_count.keeps_ends(form) else 1)

    def run(first: int, last: int) -> None:
        ends = slots(by_count.room(longest), partial_dtype(form.identity), "ends")
        by_count.fixed(form, x, out, pieces, first, last, extent.length, extent.shift, least, ends)

    over_groups(pieces.bounds, run)
    return Answers(np.asarray(out), few_rows(extent, least) if x.dtype.kind == "i" else None)


def in_long_windows(form: Any, x: Slots, out: Slots, extent: ByCount) -> bool:
    """Answer for windows of very many rows, if no row is missing; gives whether none is."""
    n, length, shift = len(x), extent.length, extent.shift
    plan = long_windows.plan_of(n, length, shift)
    totals = slots(plan.total, partial_dtype(form.identity), "totals")
    gaps = [int(np.isnan(np.asarray(x)[: plan.start]).sum())]

    def add_up(first: int, last: int) -> None:
        gaps.append(long_windows.totals_of_blocks(form, x, totals, plan, first, last, n))

    over_parts(0, plan.total, n, add_up)
    if any(gaps):
        return False

    def run(first: int, last: int) -> None:
        ends = slots(plan.rows + 1, partial_dtype(form.identity), "ends")
        long_windows.long_windows(form, x, out, totals, plan, first, last, n, shift, ends)

    np.asarray(out)[: length - 1 + shift] = np.nan
    over_parts(plan.inner, plan.total, n - length, run)
    return True


def in_spans(make: Callable[[int], Any], column: Column, extent: Extent, least: int) -> Answers:
    kept, start, stop = without_gaps(with_gaps_apart(column), extent)
    x, bounds, longest = as_slots(kept), extent.bounds, int((stop - start).max(initial=0))
    form, out = make(longest), unset(len(start), x.dtype)

    def run(first: int, last: int) -> None:
        ends = slots(longest, partial_dtype(form.identity), "ends")
        by_span.spans(form, x, out, bounds, first, last, start, stop, least, ends)

    over_groups(bounds, run)
    return Answers(np.asarray(out), few(start, stop, least) if x.dtype.kind == "i" else None)


def through_operator(op: Any, column: Column, extent: Extent, least: int, numbered: bool = False) -> Answers:
    """Any operator of `algorithms.operators`, through its `combine`; missing values do not reach it.

    numbered: whether the operator takes pairs of a value and its row
    """
    column = as_taken(op, column)
    out = unset(len(column.numbers), answer_dtype(op))
    rows = np.arange(len(out), dtype=column.numbers.dtype)
    if extent.late:
        return among_late_rows(op, column, extent, out, least, as_slots(rows) if numbered else None)
    kept, start, stop = without_gaps(column, extent)
    x: Any = as_slots(kept)
    if numbered:
        x = x, as_slots(rows if column.valid is None else rows[column.valid])
    bounds, longest = extent.bounds, int((stop - start).max(initial=0))

    def run(first: int, last: int) -> None:
        agg = operators.partials(op, by_span.ENDS + longest, "agg")
        by_span.operator_spans(op, x, out, bounds, first, last, start, stop, agg)

    over_groups(bounds, run)
    return Answers(np.asarray(out), few(start, stop, least))


def places_of(extent: Extent) -> order_statistics.Extents:
    """The windows as places in the column, or if rows come late, in the order of groups and times."""
    if isinstance(extent, ByCount) or not extent.late:
        begins, ends = (np.asarray(places) for places in extent.spans)
        length = 0
        if isinstance(extent, ByCount) and extent.shift == 0 and len(extent.bounds) == 2:
            length = extent.length
        return order_statistics.Extents(begins, ends, length=length)
    bounds = np.asarray(extent.bounds)
    of_group = np.repeat(bounds[:-1], np.diff(bounds))
    rank, low, high = (np.asarray(places) + of_group for places in with_late_rows.ranks(extent))
    return order_statistics.Extents(low, high, rank)


def among_late_rows(op: Any, column: Column, extent: Any, out: Slots, least: int, rows: Slots | None) -> Answers:
    valid = np.ones(len(out), np.bool_) if column.valid is None else column.valid
    x, there, bounds = as_slots(column.numbers), as_slots(valid.view(np.int8)), extent.bounds
    places, present_rows = with_late_rows.ranks(extent), unset(len(out), "i8")
    count = operators.make("count")

    def run(first: int, last: int) -> None:
        for each, given, answers in ((op, x if rows is None else (x, rows), out), (count, x, present_rows)):
            agg = operators.partials(each, with_late_rows.room(bounds), "agg")
            with_late_rows.late_rows(each, given, there, answers, bounds, first, last, *places, agg)

    over_groups(bounds, run)
    return Answers(np.asarray(out), np.asarray(present_rows) < least)


# ------------------------------------------------------------------------------------------------------------ columns


def unset(rows: int, dtype: Any) -> Slots:
    """Room for answers, all of which are written. Not zeroed, so that memory of a column before is taken again."""
    return as_slots(np.empty(rows, dtype))


def exact_in_floats(column: Column) -> bool:
    """Whether a column of floats has the same numbers."""
    numbers = column.numbers
    return numbers.dtype.kind == "f" or bool(numbers.min(initial=0) >= -EXACT and numbers.max(initial=0) <= EXACT)


def with_nan(column: Column) -> Column:
    if column.valid is None and column.numbers.dtype.kind == "f":
        return column
    floats = column.numbers.astype(np.float64)
    if column.valid is not None:
        floats[~column.valid] = np.nan
    return Column(floats)


def with_gaps_apart(column: Column) -> Column:
    """The column with NaN among what is missing."""
    if column.numbers.dtype.kind == "i":
        return column
    gaps = np.isnan(column.numbers)
    return Column(column.numbers, ~gaps if gaps.any() else None)


def as_taken(op: Any, column: Column) -> Column:
    """The column as the operator takes it, its gaps apart. Raises ValueError for numbers that it does not take."""
    numbers, valid = with_gaps_apart(column)
    known = numbers if valid is None else numbers[valid]
    if not takes_any_number(op):
        for value in known.tolist():
            operators.encode(op, value)
    elif (wrong := lost(known, np.dtype(op.takes))).any():
        raise ValueError(f"{op.name} takes {op.takes}, and {known[wrong.argmax()].item()!r} is none")
    with np.errstate(invalid="ignore"):
        return Column(numbers.astype(op.takes, copy=False), valid)


def lost(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Which numbers the dtype does not have, but for rounding."""
    if numbers.dtype == dtype or dtype == np.float64:
        return np.zeros(1, np.bool_)
    with np.errstate(all="ignore"):
        taken = numbers.astype(dtype)
    return taken != numbers if dtype.kind == "i" else np.isinf(taken) & np.isfinite(numbers)


def answer_dtype(op: Any) -> str:
    """int64 or float64, as the operator's results are."""
    identity = operators.partials(op, 1)
    unit(op, identity, 0)
    return "float64" if np.asarray(present(op, identity, 0)).dtype.kind == "f" else "int64"


def without_gaps(column: Column, extent: Extent) -> tuple[np.ndarray, Slots, Slots]:
    """The numbers that are there, and which of these are in the window of each row."""
    start, stop = extent.spans
    gaps = column.valid
    if gaps is None:
        return column.numbers, start, stop
    before = np.concatenate([[0], np.cumsum(gaps)])
    return column.numbers[gaps], as_slots(before[start]), as_slots(before[stop])


def few(start: Slots, stop: Slots, least: int) -> np.ndarray | None:
    """Which spans have fewer than `least` rows."""
    return np.asarray(stop - start) < least if least > 0 else None


def few_values(column: Column, extent: ByCount, least: int) -> np.ndarray | None:
    """Which windows of rows have fewer than `least` values that are there."""
    if np.isnan(column.numbers).any():
        return counts(column, extent, 0).numbers < least
    return few_rows(extent, least)


def few_rows(extent: ByCount, least: int) -> np.ndarray | None:
    """The same for windows of rows, none missing: the first ones of each group."""
    if least == 0 or (least == 1 and extent.shift == 0 and extent.length > 0):
        return None
    bounds = np.asarray(extent.bounds)
    first = least - 1 + extent.shift
    if len(bounds) > 2:
        return np.arange(bounds[-1]) - np.repeat(bounds[:-1], np.diff(bounds)) < first
    missing = np.zeros(bounds[-1], np.bool_)
    missing[:first] = True
    return missing


# ------------------------------------------------------------------------------------------------------------ threads


def cut(bounds: Slots, length: int, fewest: int = by_count.FEWEST) -> by_count.Pieces:
    """Groups of windows of so many rows, long ones in pieces, so that there are parts for every thread."""
    rows = int(bounds[len(bounds) - 1])
    return by_count.pieces_of(bounds, max(1, length), max(1, rows // parts_for(rows)), threads_for(rows), fewest)


def over_parts(first: int, last: int, rows: int, run: Callable[[int, int], None]) -> None:
    """Call run(first, last) for parts of so many blocks, which have so many rows, in as many threads as pay."""
    cuts = np.linspace(first, last, min(last - first, parts_for(rows)) + 1).astype(int).tolist()
    shared(zip(cuts[:-1], cuts[1:], strict=True), run, min(last - first, threads_for(rows)))


def over_groups(bounds: Slots, run: Callable[[int, int], None]) -> None:
    """Call run(first, last) for all groups, in as many threads as pay."""
    groups, rows = len(bounds) - 1, int(bounds[len(bounds) - 1])
    cuts = np.searchsorted(bounds, np.linspace(0, rows, min(groups, parts_for(rows)) + 1))
    cuts[0], cuts[-1] = 0, groups
    shared(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True), run, min(groups, threads_for(rows)))
