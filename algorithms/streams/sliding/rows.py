"""A batch of records, checked as a whole and turned into what the compiled loop takes, before anything is inserted."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.arguments import empty_columns, must_be_column, side_by_side, value_columns
from algorithms.errors import OrderError, ValueKindError
from algorithms.streams.sliding.events import ends_of
from algorithms.streams.sliding.extent_trigger import end_of
from algorithms.streams.sliding.keys import Coded, Keys
from algorithms.streams.sliding.plan import Plan
from algorithms.streams.sliding.units import FARTHEST, Unit
from algorithms.streams.window_spec import COUNT, DELTA, PUNCTUATION, TIME


class Carried(NamedTuple):
    """What a reader carries from one batch to the next."""

    newest: Any = None
    """The newest position so far; None at first."""
    count: int = 0
    punctuations: int = 0
    late: int = 0
    widths: Mapping[str, int] = MappingProxyType({})
    """Columns of values that each operator takes; empty before the first record."""


@dataclass(frozen=True)
class Rows:
    """Columns of equal length: positions, the clock before each row, values of each operator, codes of keys."""

    positions: np.ndarray
    clock: np.ndarray
    final: Any
    """What the clock goes on to after the last row."""
    values: list[tuple[np.ndarray, ...]]
    codes: np.ndarray
    when: np.ndarray
    """What a result that is fired by a row says for its time."""
    after: Carried
    """What the reader will carry once these have been taken in."""
    coded: Coded | None = None

    def __len__(self) -> int:
        return len(self.positions)


class Reader:
    """Reads batches one after the other. What it carries from one to the next changes when one is accepted."""

    def __init__(self, plan: Plan, operator: Any, key: bool, dtype: str | None, time: str):
        self.plan, self.key = plan, key
        given = operator if isinstance(operator, Mapping) else {"value": operator}
        self.operators, self.columns = {}, {}
        for name, one in given.items():
            if not operators.is_field(name) or name in ("time", "key"):
                raise ValueError(
                    f"operator: the name of a result must be {operators.FIELD}, other than time and key, not {name!r}"
                )
            named = type(one) is tuple and len(one) == 2 and isinstance(one[1], str | tuple)
            op, self.columns[name] = one if named else (one, None)
            self.operators[name] = self._operator(name, op, dtype)
        if not given:
            raise ValueError("operator: there must be at least one")
        self.time = Unit("time", time)
        self.carried, self.keys = Carried(), Keys()

    def _operator(self, name: str, op: Any, dtype: str | None) -> Any:
        """The operator, made if it is a name; where the number of tuples is known, with room for them."""
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
        """The batch, without late records; `leading` punctuations come before the first.

        Raises TimeError, OrderError or ValueKindError. Nothing changes before `accept`.
        """
        plan, was = self.plan, self.carried
        made = [self._values(name, op, values) for name, op in self.operators.items()]
        n = self._length(made)
        coded = self._coded(keys, n)
        codes = np.zeros(n, np.int64) if coded is None else coded.codes
        times, attributes, punctuation = (
            None if given is None else must_be_column(field, given)
            for field, given in (("times", times), ("attributes", attributes), ("punctuation", punctuation))
        )
        if times is None and plan.by == TIME:
            raise ValueKindError("times are missing: the window is by time")
        for field, given in (("times", times), ("attributes", attributes), ("punctuation", punctuation)):
            if given is not None and len(given) != n:
                raise ValueKindError(f"{len(given)} {field} and {n} values; there must be as many of each")
        marks = self._marks(punctuation, n)
        cut = was.punctuations + leading
        before = np.full(n, cut) if punctuation is None else cut + np.cumsum(marks) - marks
        positions = self._positions(times, attributes, before, n)
        clock, final, newest = positions, 0, was.newest
        if plan.slide_by == PUNCTUATION:
            clock, final = before, cut + int(marks.sum())
        if n and plan.position.name in ("time", "attribute"):
            newest = max(positions.max().item(), positions[0].item() if newest is None else newest)
        good = np.ones(n, bool)
        if plan.lateness is not None:
            first = positions[:1] if was.newest is None else [was.newest]
            clock = np.maximum.accumulate(np.concatenate([first, positions]))[1:] - plan.lateness
            good = positions >= clock
        elif plan.by != COUNT or plan.slide_by == DELTA:
            self._in_order(positions)
        if plan.slide_by == TIME:
            final = self._watermark(newest)
        when = was.count + np.arange(n) if times is None else self._shown(times)
        widths = {name: len(columns) for name, columns in zip(self.operators, made, strict=True)} if n else was.widths
        punctuations, late = cut + int(marks.sum()), was.late + n - int(good.sum())
        after = Carried(newest, was.count + n, punctuations, late, widths)
        if not good.all():
            made = [tuple(column[good] for column in columns) for columns in made]
            positions, clock, codes, when = positions[good], clock[good], codes[good], when[good]
        return Rows(positions, clock, final, made, codes, when, after, coded)

    def accept(self, rows: Rows) -> None:
        """Carry on from these rows: they are taken in, and what follows comes after them."""
        self.carried = rows.after
        if rows.coded is not None:
            self.keys.add(rows.coded)

    def _coded(self, keys: Any, n: int) -> Coded | None:
        if (keys is not None) != self.key:
            raise ValueKindError("keys are missing: key=True" if self.key else "keys are given, but key=False")
        return None if keys is None else self.keys.read(keys, n)

    def _length(self, made: list[tuple[np.ndarray, ...]]) -> int:
        """How many records there are; raises ValueKindError if columns differ."""
        n = len(made[0][0])
        for (name, wanted), columns in zip(self.columns.items(), made, strict=True):
            if len(columns[0]) != n:
                raise ValueKindError(
                    f"column {wanted!r} for {name} has {len(columns[0])} values, and the column for "
                    f"{next(iter(self.columns))} {n}; there must be as many of each"
                )
        return n

    def _watermark(self, newest: Any) -> Any:
        least = -np.inf if self.plan.position.dtype == "float64" else -(2**62)
        return least if newest is None else newest - (self.plan.lateness or 0)

    def _values(self, name: str, op: Any, values: Any) -> tuple[np.ndarray, ...]:
        wanted = self.columns[name]
        if wanted is not None:
            if not isinstance(values, Mapping):
                raise ValueKindError(f"values must be a mapping of columns: {name} takes {wanted!r} of them")
            chosen = (wanted,) if isinstance(wanted, str) else wanted
            for one in chosen:
                if one not in values:
                    raise ValueKindError(f"there is no column {one!r} for {name}; there are: {', '.join(values)}")
            values = values[wanted] if isinstance(wanted, str) else tuple(values[one] for one in wanted)
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
        """What results say for their time, by the numbers of the rows or ends that fired them."""
        if not self.plan.at_ends:
            return rows.when[when]
        ends = ends_of(self.plan.trigger, when)
        return self.time.shown(ends) if self.plan.slide_by == TIME else ends

    def go_on(self, time: Any) -> Rows:
        """No rows, and the clock going on to a time."""
        if self.plan.slide_by != TIME:
            raise ValueError(f"advance is for windows that slide by time, not by {self.plan.slide_by}")
        now, newest = self.plan.places("advance", [time])[0].item(), self.carried.newest
        newest = now if newest is None else max(now, newest)
        return self._none(self._watermark(newest), self.carried._replace(newest=newest))

    def end(self) -> Rows:
        """No rows, and the clock going on for ever; a last punctuation, if the window does not end by the clock."""
        if self.plan.slide_by == PUNCTUATION and self.plan.by != PUNCTUATION:
            after = self.carried._replace(punctuations=self.carried.punctuations + 1)
            return self._none(after.punctuations, after)
        if not self.plan.at_ends:
            return self._none(0, self.carried)
        return self._none(np.inf if self.plan.position.dtype == "float64" else FARTHEST, self.carried)

    def close(self, k: int) -> None:
        """Go on from end number k, which has fired: nothing that comes after belongs to a window that ends by then."""
        plan, was = self.plan, self.carried
        end = end_of(plan.trigger, k)
        if plan.slide_by == PUNCTUATION:
            self.carried = was._replace(punctuations=max(was.punctuations, end))
            return
        if plan.trigger.closed:
            end = np.nextafter(end, np.inf).item() if plan.position.dtype == "float64" else end + 1
        self.carried = was._replace(newest=max(was.newest, end + (plan.lateness or 0)))

    def _none(self, clock: Any, after: Carried) -> Rows:
        nothing, positions = np.zeros(0, np.int64), np.zeros(0, self.plan.position.dtype)
        values = [self._no_values(name, op) for name, op in self.operators.items()]
        before = nothing if self.plan.slide_by == PUNCTUATION else positions
        return Rows(positions, before, clock, values, nothing, nothing, after)

    def _marks(self, punctuation: Any, n: int) -> np.ndarray:
        wanted = PUNCTUATION in (self.plan.by, self.plan.slide_by)
        if punctuation is None:
            return np.zeros(n, np.int64)
        if not wanted:
            raise ValueKindError("punctuation is given, but neither the window nor its slide is by punctuation")
        marks = np.asarray(punctuation)
        if n and (marks.ndim != 1 or marks.dtype.kind not in "biu" or (marks < 0).any()):
            raise ValueKindError("punctuation must say for each record if, or how often, the stream is cut after it")
        return marks.astype(np.int64)

    def _positions(self, times: Any, attributes: Any, before: np.ndarray, n: int) -> np.ndarray:
        unit = self.plan.position
        if unit.name == "tuples":
            return np.zeros(n, np.int64)
        if unit.name == "punctuations":
            return before
        if unit.name == "attribute":
            if attributes is None and times is None:
                raise ValueKindError("attributes are missing: the window is by delta")
            return self.plan.places(*(("times", times) if attributes is None else ("attributes", attributes)))
        return self.plan.places("times", times)

    def _in_order(self, positions: np.ndarray) -> None:
        newest = self.carried.newest
        before = positions[:1] if newest is None else [newest]
        falls = np.flatnonzero(positions < np.concatenate([before, positions[:-1]])) if len(positions) else ()
        if len(falls):
            i, name = int(falls[0]), self.plan.position.name
            was = positions[i - 1] if i else newest
            raise OrderError(
                f"record {i} of the batch has {name} {self.plan.position.shown(positions[i])}, older than "
                f"{self.plan.position.shown(np.asarray(was))} before it{self._advice()}"
            )

    def _advice(self) -> str:
        could = self.plan.by == self.plan.slide_by == TIME and self.plan.position.kind != "float64"
        return "; lateness= takes such records" if could else ""

    def _shown(self, times: Any) -> np.ndarray:
        return self.time.shown(self.time.positions("times", times)) if self.plan.by == TIME else np.asarray(times)
