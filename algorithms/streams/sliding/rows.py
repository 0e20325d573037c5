"""A batch of records, checked as a whole and turned into input of the compiled loop before anything is inserted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.arguments import empty_columns, must_be_column, side_by_side, value_columns
from algorithms.errors import OrderError, ValueKindError
from algorithms.streams.sliding.carried import Carried, Rows, Waiting
from algorithms.streams.sliding.events import ends_of
from algorithms.streams.sliding.extent_trigger import end_of
from algorithms.streams.sliding.keys import Coded, Keys, by_key
from algorithms.streams.sliding.plan import Plan
from algorithms.streams.sliding.units import FARTHEST, Unit
from algorithms.streams.window_spec import COUNT, DELTA, PUNCTUATION, TIME
from algorithms.times import TimeError


class Reader:
    """Reads batches one after another. What it carries from one to the next changes when a batch is accepted."""

    def __init__(self, plan: Plan, operator: Any, key: bool, dtype: str | None, time: str, skip_nan: bool):
        self.plan, self.key = plan, key
        by_result = operator if isinstance(operator, Mapping) else {"value": operator}
        self.operators, self.columns = {}, {}
        for name, choice in by_result.items():
            if not operators.is_field(name) or name in ("time", "key"):
                raise ValueError(
                    f"operator: the name of a result must be {operators.FIELD}, other than time and key, not {name!r}"
                )
            has_columns = type(choice) is tuple and len(choice) == 2 and isinstance(choice[1], str | tuple)
            op, self.columns[name] = choice if has_columns else (choice, None)
            op = self._operator(name, op, dtype)
            self.operators[name] = operators.skipping(op) if skip_nan else op
        if not by_result:
            raise ValueError("operator: there must be at least one")
        self.time = Unit("time", time)
        self.carried, self.keys = Carried(), Keys()

    def _operator(self, name: str, op: Any, dtype: str | None) -> Any:
        """The operator, made if it is a name, with room for the tuples of a window if their number is known."""
        entries = self.plan.extent.size if self.plan.by == COUNT else None
        return operators.chosen(f"operator {name!r}", op, dtype, entries)

    def read(
        self,
        times: Any,
        values: Any,
        keys: Any = None,
        attributes: Any = None,
        punctuation: Any = None,
        leading: int = 0,
    ) -> Rows:
        """The batch without late records. `leading` punctuations come before the first record.

        Raises TimeError, OrderError or ValueKindError. Nothing changes before `accept`.
        """
        plan, carried = self.plan, self.carried
        columns = [self._values(name, op, values) for name, op in self.operators.items()]
        n = self._length(columns)
        coded = self._coded(keys, n)
        times, zone = self._without_zone("times", times)
        times, attributes, punctuation = (
            None if argument is None else must_be_column(field, argument)
            for field, argument in (("times", times), ("attributes", attributes), ("punctuation", punctuation))
        )
        if times is None and plan.by == TIME:
            raise ValueKindError("times are missing: the window is by time")
        for field, argument in (("times", times), ("attributes", attributes), ("punctuation", punctuation)):
            if argument is not None and len(argument) != n:
                raise ValueKindError(f"{len(argument)} {field} and {n} values; there must be as many of each")
        marks, first = self._marks(punctuation, n), carried.punctuations + leading
        cuts = 0 if marks is None else int(marks.sum())
        positions = self._positions(times, attributes, marks, first, n)
        clock, final, newest = positions, 0, carried.newest
        if plan.slide_by == PUNCTUATION:
            clock, final = _stretches(marks, first, n), first + cuts
        if n and plan.position.name in ("time", "attribute"):
            newest = max(positions.max().item(), positions[0].item() if newest is None else newest)
        if plan.slide_by == TIME:
            final = self._watermark(newest)
        when = None if times is None else self.time.shown(positions) if plan.by == TIME else np.asarray(times)
        if np.ndim(when) > 1:
            raise TimeError(f"times must be a column, of one dimension, not of {np.ndim(when)}")
        widths = dict(zip(self.operators, map(len, columns), strict=True)) if n else carried.widths
        after = Carried(newest, carried.count + n, first + cuts, carried.late, widths, zone, carried.waiting)
        rows = Rows(positions, clock, final, columns, None if coded is None else coded.codes, when, after, coded)
        if plan.lateness is not None:
            rows = self._without_late(rows)
            return self._released(rows, self._watermark(newest)) if plan.waits else rows
        if plan.by != COUNT or plan.slide_by == DELTA:
            self._in_order(positions)
        return rows

    def _without_late(self, rows: Rows) -> Rows:
        """The rows that are not late, with the watermark before each as their clock."""
        newest, positions = self.carried.newest, rows.positions
        before = positions[:1] if newest is None else [newest]
        clock = np.maximum.accumulate(np.concatenate([before, positions]))[1:] - self.plan.lateness
        on_time = positions >= clock
        late = len(on_time) - int(np.count_nonzero(on_time))
        rows = replace(rows, clock=clock, after=rows.after._replace(late=rows.after.late + late))
        return rows.chosen(on_time) if late else rows

    def _released(self, rows: Rows, passed: Any) -> Rows:
        """Of the rows that wait and these, those before a time, in order of time; the others wait. O(n log n)."""
        if (waiting := self.carried.waiting) is not None:
            codes = None if rows.codes is None else np.concatenate([waiting.codes, rows.codes])
            pairs = zip(waiting.values, rows.values, strict=True)
            values = [tuple(map(np.concatenate, zip(old, new, strict=True))) for old, new in pairs]
            positions = np.concatenate([waiting.positions, rows.positions])
            rows = replace(rows, positions=positions, codes=codes, values=values)
        rows = replace(rows, clock=rows.positions, when=self.time.shown(rows.positions))
        waits = rows.positions >= passed
        due = np.flatnonzero(~waits)
        stay = rows.chosen(waits)
        after = rows.after._replace(waiting=Waiting(stay.positions, stay.codes, stay.values) if len(stay) else None)
        return replace(rows.chosen(due[by_key(rows.positions[due])]), after=after)

    def accept(self, rows: Rows) -> None:
        """Continue after these rows, which are now taken in."""
        self.carried = rows.after
        if rows.coded is not None:
            self.keys.add(rows.coded)

    def _coded(self, keys: Any, n: int) -> Coded | None:
        if (keys is not None) != self.key:
            raise ValueKindError("keys are missing: key=True" if self.key else "keys are given, but key=False")
        return None if keys is None else self.keys.read(keys, n)

    def _without_zone(self, field: str, times: Any) -> tuple[Any, Any]:
        """Times in UTC, if they have a zone, and the zone of the stream with them. Raises TimeError if it changes."""
        if times is None or self.plan.by != TIME:
            return times, self.carried.zone
        return self.time.without_zone(field, times, self.carried.zone)

    def _length(self, columns: list[tuple[np.ndarray, ...]]) -> int:
        """How many records there are. Raises ValueKindError if columns differ in length."""
        n = len(columns[0][0])
        for (name, names), of_operator in zip(self.columns.items(), columns, strict=True):
            if len(of_operator[0]) != n:
                raise ValueKindError(
                    f"column {names!r} for {name} has {len(of_operator[0])} values, and the column for "
                    f"{next(iter(self.columns))} {n}; there must be as many of each"
                )
        return n

    def _watermark(self, newest: Any) -> Any:
        least = -np.inf if self.plan.position.dtype == "float64" else -(2**62)
        return least if newest is None else newest - (self.plan.lateness or 0)

    def _values(self, name: str, op: Any, values: Any) -> tuple[np.ndarray, ...]:
        names = self.columns[name]
        if names is not None:
            if not isinstance(values, Mapping):
                raise ValueKindError(f"values must be a mapping of columns: {name} takes {names!r} of them")
            for taken in (names,) if isinstance(names, str) else names:
                if taken not in values:
                    raise ValueKindError(f"there is no column {taken!r} for {name}; there are: {', '.join(values)}")
            values = values[names] if isinstance(names, str) else tuple(values[taken] for taken in names)
        columns = side_by_side(value_columns(op, values))
        if not len(columns[0]):
            return self._no_values(name, op)
        width = self.carried.widths.get(name, len(columns))
        if len(columns) != width:
            raise ValueKindError(f"values of {name} were {width} to a record so far, and now are {len(columns)}")
        return columns

    def _no_values(self, name: str, op: Any) -> tuple[np.ndarray, ...]:
        return side_by_side(empty_columns(op, self.carried.widths.get(name)))

    def time_of(self, rows: Rows, when: np.ndarray) -> np.ndarray:
        """The times of results, from the numbers of the rows or ends that fired them."""
        if not self.plan.at_ends:
            return rows.after.count - len(rows) + when if rows.when is None else rows.when[when]
        ends = ends_of(self.plan.trigger, when)
        return self.time.shown(ends) if self.plan.slide_by == TIME else ends

    def advance(self, time: Any) -> Rows:
        """No rows, with the clock advanced to a time."""
        if self.plan.slide_by != TIME and not self.plan.waits:
            raise ValueError(f"advance is for windows that slide by time, not by {self.plan.slide_by}")
        moments, zone = self._without_zone("advance", [time])
        now, newest = self.plan.places("advance", moments)[0].item(), self.carried.newest
        newest = now if newest is None else max(now, newest)
        rows = self._no_rows(self._watermark(newest), self.carried._replace(newest=newest, zone=zone))
        return self._released(rows, rows.final) if self.plan.waits else rows

    def end(self) -> Rows:
        """No rows, with the clock advanced to the end of time; one more punctuation, if the window slides by those."""
        if self.plan.slide_by == PUNCTUATION and self.plan.by != PUNCTUATION:
            after = self.carried._replace(punctuations=self.carried.punctuations + 1)
            return self._no_rows(after.punctuations, after)
        if self.plan.waits and (waiting := self.carried.waiting) is not None:
            passed = int(waiting.positions.max()) + 1  # a later record at one of their times would be in their windows
            newest = max(self.carried.newest, passed + self.plan.lateness)
            return self._released(self._no_rows(0, self.carried._replace(newest=newest)), passed)
        if not self.plan.at_ends:
            return self._no_rows(0, self.carried)
        return self._no_rows(np.inf if self.plan.position.dtype == "float64" else FARTHEST, self.carried)

    def close(self, k: int) -> None:
        """Continue after end number k, which has fired: no later record belongs to a window that ends by then."""
        plan, carried = self.plan, self.carried
        end = end_of(plan.trigger, k)
        if plan.slide_by == PUNCTUATION:
            self.carried = carried._replace(punctuations=max(carried.punctuations, end))
            return
        if plan.trigger.closed:
            end = np.nextafter(end, np.inf).item() if plan.position.dtype == "float64" else end + 1
        self.carried = carried._replace(newest=max(carried.newest, end + (plan.lateness or 0)))

    def _no_rows(self, clock: Any, after: Carried) -> Rows:
        empty, positions = np.zeros(0, np.int64), np.zeros(0, self.plan.position.dtype)
        values = [self._no_values(name, op) for name, op in self.operators.items()]
        clock_before = empty if self.plan.slide_by == PUNCTUATION else positions
        when = self.time.shown(positions) if self.plan.by == TIME else empty
        return Rows(positions, clock_before, clock, values, empty if self.key else None, when, after)

    def _marks(self, punctuation: Any, n: int) -> np.ndarray | None:
        if punctuation is None:
            return None
        if PUNCTUATION not in (self.plan.by, self.plan.slide_by):
            raise ValueKindError("punctuation is given, but neither the window nor its slide is by punctuation")
        marks = np.asarray(punctuation)
        if n and (marks.ndim != 1 or marks.dtype.kind not in "biu" or (marks < 0).any()):
            raise ValueKindError("punctuation must say for each record if, or how often, the stream is cut after it")
        return marks.astype(np.int64)

    def _positions(self, times: Any, attributes: Any, marks: np.ndarray | None, first: int, n: int) -> np.ndarray:
        unit = self.plan.position
        if unit.name == "tuples":
            return np.zeros(n, np.int64)
        if unit.name == "punctuations":
            return _stretches(marks, first, n)
        if unit.name == "attribute":
            if attributes is None and times is None:
                raise ValueKindError("attributes are missing: the window is by delta")
            return self.plan.places(*(("times", times) if attributes is None else ("attributes", attributes)))
        return self.plan.places("times", times)

    def _in_order(self, positions: np.ndarray) -> None:
        newest, n = self.carried.newest, len(positions)
        i = 0 if n and newest is not None and positions[0] < newest else n
        if i == n and (falls := positions[1:] < positions[:-1]).any():
            i = int(falls.argmax()) + 1
        if i < n:
            name, previous = self.plan.position.name, positions[i - 1] if i else newest
            raise OrderError(
                f"record {i} of the batch has {name} {self.plan.position.shown(positions[i])}, older than "
                f"{self.plan.position.shown(np.asarray(previous))} before it{self._advice()}"
            )

    def _advice(self) -> str:
        return "; lateness= takes such records" if self.plan.may_be_late else ""


def _stretches(marks: np.ndarray | None, first: int, n: int) -> np.ndarray:
    """How many punctuations come before each of n rows, if `first` come before all of them."""
    return np.full(n, first) if marks is None else first + np.cumsum(marks) - marks
