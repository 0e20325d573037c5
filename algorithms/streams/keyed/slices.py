"""Rows to slices: one partial aggregate for all rows of a key that lie between two neighbouring borders of windows.

Windows at ends begin and end only at multiples of the slide (and, where the size is not a multiple, also at a fixed
distance from these: the pairs of Krishnamurthy, Wu, Franklin: On-the-Fly Sharing for Streamed Aggregation, SIGMOD
2006). So rows between two borders are in the same windows. An engine that makes slices before it moves and keeps rows
moves and keeps fewer by the slicing factor, the rows of a key in a slice.

A slice is a row again: its time is one of the slice, its values are the fields of partials, and the operators that take
these are `merging`. So a KeyedAggregate with them gives the results that one with the rows would give.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, as_slots, driver, row, slots
from algorithms.operators.bloom import HALF, mix
from algorithms.operators.merging import merging
from algorithms.operators.monoid import combine, fields_of_partial, lift, partials, unit
from algorithms.streams.keyed.answers import inputs_of
from algorithms.streams.keyed.measures import Measures, measures
from algorithms.streams.keyed.rows import Batch, Kept, Rows, by_key_and_time, picked, starts_of
from algorithms.streams.sliding.partition import columns_of
from algorithms.streams.sliding.plan import plan_of
from algorithms.streams.sliding.units import FARTHEST
from algorithms.streams.window_spec import ROW, TIME, WindowSpec


class Slices(NamedTuple):
    """Slices in order of their first rows: codes of keys, a time of each, how many rows, and columns as in Batch."""

    codes: np.ndarray
    times: np.ndarray
    rows: np.ndarray
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]


class SliceTimes(NamedTuple):
    """The time of a slice: where it begins or, if ends belong to windows (`closed`), where it ends.

    Slices begin and end at `borders`, each of them from 0 to slide - 1, and at all multiples of the slide from there.
    """

    borders: tuple[int, ...]
    slide: int
    closed: bool

    def of(self, times: np.ndarray) -> np.ndarray:
        """The time of the slice of each row. O(rows)."""
        if self.closed:
            ahead = [(border - times) % self.slide for border in self.borders]
            return np.minimum(times + np.minimum.reduce(ahead), FARTHEST - 1)
        behind = [(times - border) % self.slide for border in self.borders]
        return np.maximum(times - np.minimum.reduce(behind), 1 - FARTHEST)


class Slicing:
    """Makes slices of the rows of many keys, for windows by time at ends, without knowing what is late.

    Arguments are those of KeyedAggregate. Operators must be commutative, since rows of a slice come in any order, and
    their partials numbers or records of numbers. Raises ValueError where there is a reason (`reason`).
    """

    def __init__(self, operators: Any, spec: WindowSpec, dtypes: Mapping[str, str] | None, nullable: Any):
        if reason := why_not_slices(spec):
            raise ValueError(reason)
        plan = plan_of("fiba", spec, "int64", {})
        trigger = plan.trigger
        borders = (trigger.offset,) if trigger.steps else (trigger.offset, trigger.offset - plan.extent.size)
        slide = int(trigger.slide)
        self.times = SliceTimes(tuple(int(border) % slide for border in borders), slide, bool(trigger.closed))
        self._measures = measures(operators, dtypes, nullable, None)
        self.operators = {
            name: (merging(measure.op), tuple(columns_of_slices(name, measure.op)))
            for name, measure in self._measures.by_name.items()
        }
        """For a KeyedAggregate of the slices."""
        self.columns = {
            column: dtype
            for name, measure in self._measures.by_name.items()
            for column, dtype in columns_of_slices(name, measure.op).items()
        }
        """Its dtypes, and all may have nulls: where no row of a slice has a value."""

    def slices(
        self, codes: np.ndarray, times: np.ndarray, values: Mapping[str, np.ndarray], valid: Mapping[str, np.ndarray]
    ) -> Slices:
        """The slices of a batch of rows, whose columns are those of `KeyedAggregate.take`. O(rows) expected time."""
        batch = self._measures.batch(codes, times, values, valid)
        places = self.times.of(batch.times)
        group, first = numbered(batch.codes, places)
        columns = added_up(self._measures, batch, group, len(first))
        rows = np.bincount(group, minlength=len(first)).astype(np.int64)
        return Slices(batch.codes[first], places[first], rows, *columns)

    def of_kept(self, kept: Kept) -> Kept:
        """The state of a KeyedAggregate of the slices, from that of one of the rows. O(N log N) time."""
        made = self.slices(np.repeat(kept.codes, np.diff(kept.offsets)), kept.positions, kept.values, kept.valid)
        order = by_key_and_time(made.codes, made.times)
        codes = made.codes[order]
        begin, tables = starts_of(codes), (picked(table, order) for table in (made.values, made.valid))
        none = np.zeros(len(begin), np.int64)
        return Kept(codes[begin], none, none, np.append(begin, len(codes)), made.times[order], *tables, kept.watermark)


def why_not_slices(spec: WindowSpec) -> str:
    """Why the rows of a window cannot be kept as slices; empty if they can."""
    if spec.by != TIME or spec.slide == ROW:
        return "slices are for windows by time that end at multiples of a slide: here rows decide where windows end"
    if spec.closed == "both":
        return "slices are for windows that share no rows at their borders; closed='both' has rows in both"
    return ""


def columns_of_slices(name: str, op: Any) -> dict[str, str]:
    """The columns, with their dtypes, of the partials from which a result is made."""
    return {f"{name}.{field}": dtype for field, dtype in fields_of_partial(op).items()}


@driver
def number_slices(codes, times, n, table, mask, group, first):
    """group[i] = the number of the slice of row i, in order of first rows; first[g] = that row. Returns how many.

    `table` is an open-addressing hash table of mask + 1 > n places: 0, or one more than a number.
    """
    slices = 0
    for i in range(n):
        time = times[i]
        place = mix(((time ^ (time >> 32)) & HALF) ^ mix(codes[i] & HALF)) & mask
        g = table[place] - 1
        while g >= 0 and (codes[first[g]] != codes[i] or times[first[g]] != time):
            place = (place + 1) & mask
            g = table[place] - 1
        if g < 0:
            g = slices
            table[place], first[g] = g + 1, i
            slices += 1
        group[i] = g
    return slices


@driver
def add_up(op, partial, n, one, columns, group, rows):
    """partial[g] = the aggregate of the values of all rows i with group[i] = g, for g = 0 .. n - 1. A combine a row."""
    for g in range(n):
        unit(op, partial, g)
    for i in range(rows):
        lift(op, one, 0, row(columns, i))
        combine(op, partial, group[i], partial, group[i], one, 0)


def numbered(codes: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number of each row's slice, and the first row of each slice. Rows of a slice have a code and a time."""
    n = len(codes)
    mask = (1 << (2 * n).bit_length()) - 1
    group, first = np.empty(n, np.int64), np.empty(n, np.int64)
    table = slots(mask + 1, "i8", "table")
    slices = number_slices(as_slots(codes), as_slots(times), n, table, mask, as_slots(group), as_slots(first))
    return group, first[:slices].copy()


def added_up(measures: Measures, rows: Batch | Rows, group: np.ndarray, n: int) -> tuple[dict, dict]:
    """Columns of the partials of n slices, and which of them have a value: of all rows i with group[i] = g for slice g.

    `rows` has values and valid. Where operators are `merging` already, columns are called as they are.
    """
    values, valid = {}, {}
    for name, measure in measures.by_name.items():
        columns, present = inputs_of(measure, rows)
        group_of = group
        if present is not None and not present.all():
            columns, group_of = tuple(column[present] for column in columns), group[present]
        partial = partials(measure.op, n)
        rows_of_values = columns_of(tuple(map(as_slots, columns)))
        add_up(measure.op, partial, n, partials(measure.op, 1), rows_of_values, as_slots(group_of), len(group_of))
        has_value = np.zeros(n, bool)
        has_value[group_of] = True
        for column, numbers in zip(columns_of_slices(name, measure.op), _fields(partial), strict=True):
            values[column], valid[column] = numbers, has_value
    return values, valid


def joined(measures: Measures, rows: Rows) -> Rows:
    """Slices of keys, in order of time, with those of one time made one. O(slices)."""
    starts = np.ones(len(rows.positions), bool)
    starts[1:] = rows.positions[1:] != rows.positions[:-1]
    starts[rows.begin[:-1]] = True
    passed = np.concatenate([[0], np.cumsum(starts)])
    if (n := int(passed[-1])) == len(starts):
        return rows
    values, valid = added_up(measures, rows, passed[1:] - 1, n)
    return rows._replace(begin=passed[rows.begin], positions=rows.positions[starts], values=values, valid=valid)


def _fields(partial: Slots) -> list[np.ndarray]:
    array = np.asarray(partial)
    return [np.ascontiguousarray(array[field]) for field in array.dtype.names] if array.dtype.names else [array]
