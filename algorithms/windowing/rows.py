"""A batch of records, checked as a whole and turned into what the compiled loop takes, before anything is inserted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.facade import OrderError, ValueKindError
from algorithms.windowing.columns import value_columns
from algorithms.windowing.plan import COUNT, DELTA, PUNCTUATION, TIME, Plan
from algorithms.windowing.policies import end_of
from algorithms.windowing.sizes import FARTHEST, Unit


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

    def __len__(self) -> int:
        return len(self.positions)


class Reader:
    """Reads batches one after the other. What it carries from one to the next changes only if a batch is good."""

    def __init__(self, plan: Plan, operator: Any, key: bool, dtype: str | None, time: str):
        self.plan, self.key = plan, key
        given = operator if isinstance(operator, Mapping) else {"value": operator}
        self.operators, self.columns = {}, {}
        for name, one in given.items():
            if not isinstance(name, str) or not name.isidentifier() or name in ("time", "key"):
                raise ValueError(f"operator: the name of a result must be an identifier but time or key, not {name!r}")
            named = type(one) is tuple and len(one) == 2 and isinstance(one[1], str | tuple)
            op, self.columns[name] = one if named else (one, None)
            self.operators[name] = self._operator(op, dtype) if isinstance(op, str) else op
        if not given:
            raise ValueError("operator: there must be at least one")
        self.time = Unit("time", time)
        self.newest: Any = None
        """The newest position so far; None at first."""
        self.count, self.punctuations, self.late = 0, 0, 0
        self.widths: dict[str, int] = {}
        """Columns of values that each operator takes; empty before the first record."""
        self.names: dict[Any, int] = {}
        """Codes of keys, unless they are whole numbers and so codes themselves."""
        self.coded: bool | None = None
        """Whether keys are coded; None before the first."""

    def _operator(self, name: str, dtype: str | None) -> Any:
        """The operator of that name; where the number of tuples is known, with room for them."""
        if self.plan.by == COUNT:
            return operators.make_for(name, dtype, self.plan.extent.size)
        return operators.make(name, dtype)

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

        Raises TimeError, OrderError or ValueKindError, and changes nothing then.
        """
        plan = self.plan
        made = [self._values(name, op, values) for name, op in self.operators.items()]
        n = len(made[0][0])
        codes, names, coded = self._codes(keys, n)
        if times is None and plan.by == TIME:
            raise ValueKindError("times are missing: the window is by time")
        for field, given in (("times", times), ("attributes", attributes), ("punctuation", punctuation)):
            if given is not None and len(given) != n:
                raise ValueKindError(f"{len(given)} {field} and {n} values; there must be as many of each")
        marks = self._marks(punctuation, n)
        cut = self.punctuations + leading
        before = cut + np.cumsum(marks) - marks
        positions = self._positions(times, attributes, before, n)
        clock, final, newest = positions, 0, self.newest
        if plan.slide_by == PUNCTUATION:
            clock, final = before, cut + int(marks.sum())
        if n and plan.position.name in ("time", "attribute"):
            newest = max(positions.max().item(), positions[0].item() if newest is None else newest)
        good = np.ones(n, bool)
        if plan.lateness is not None:
            first = positions[:1] if self.newest is None else [self.newest]
            clock = np.maximum.accumulate(np.concatenate([first, positions]))[1:] - plan.lateness
            good = positions >= clock
        elif plan.by != COUNT or plan.slide_by == DELTA:
            self._in_order(positions)
        if plan.slide_by == TIME:
            final = self._watermark(newest)
        when = self.count + np.arange(n) if times is None else self._shown(times)
        self.newest, self.names, self.coded = newest, names, coded
        self.widths = {name: len(columns) for name, columns in zip(self.operators, made)} if n else self.widths
        self.punctuations = cut + int(marks.sum())
        self.count += n
        self.late += n - int(good.sum())
        if not good.all():
            made = [tuple(column[good] for column in columns) for columns in made]
            positions, clock, codes, when = positions[good], clock[good], codes[good], when[good]
        return Rows(positions, clock, final, made, codes, when)

    def _watermark(self, newest: Any) -> Any:
        least = -np.inf if self.plan.position.dtype == "float64" else -(2**62)
        return least if newest is None else newest - (self.plan.lateness or 0)

    def _values(self, name: str, op: Any, values: Any) -> tuple[np.ndarray, ...]:
        wanted = self.columns[name]
        if wanted is not None and not (isinstance(values, tuple) and values == ()):
            if not isinstance(values, Mapping):
                raise ValueKindError(f"values must be a mapping of columns: {name} takes {wanted!r} of them")
            chosen = (wanted,) if isinstance(wanted, str) else wanted
            for one in chosen:
                if one not in values:
                    raise ValueKindError(f"there is no column {one!r} for {name}; there are: {', '.join(values)}")
            values = values[wanted] if isinstance(wanted, str) else tuple(values[one] for one in wanted)
        made = value_columns(op, values)
        width = self.widths.get(name, len(made))
        if len(made[0]) and len(made) != width:
            raise ValueKindError(f"values of {name} were {width} to a record so far, and now are {len(made)}")
        return made if len(made) == width else made * width

    def _codes(self, keys: Any, n: int) -> tuple[np.ndarray, dict, bool | None]:
        if (keys is not None) != self.key:
            raise ValueKindError("keys are missing: key=True" if self.key else "keys are given, but key=False")
        if keys is None:
            return np.zeros(n, np.int64), self.names, None
        if len(keys) != n:
            raise ValueKindError(f"{len(keys)} keys and {n} values; there must be as many of each")
        whole = keys.dtype.kind == "i" if isinstance(keys, np.ndarray) else all(map(_is_code, keys))
        if n == 0 or (whole and not self.coded):
            return np.asarray(keys, np.int64).reshape(n), self.names, self.coded if n == 0 else False
        if self.coded is False:
            raise ValueKindError("keys were whole numbers so far, and now there are others: give all as one kind")
        names, codes = dict(self.names), np.empty(n, np.int64)
        for i, key in enumerate(keys.tolist() if isinstance(keys, np.ndarray) else keys):
            try:
                codes[i] = names.setdefault(key, len(names))
            except TypeError:
                raise ValueKindError(f"keys[{i}]: {key!r} cannot be a key, for it can change") from None
        return codes, names, True

    def keys_of(self, codes: np.ndarray) -> np.ndarray:
        """The keys that codes stand for."""
        if not self.coded:
            return codes
        names = np.empty(len(self.names), object)
        names[:] = list(self.names)
        return names[codes]

    def time_of(self, rows: Rows, when: np.ndarray) -> np.ndarray:
        """What results say for their time, by the numbers of the rows or ends that fired them."""
        if not self.plan.at_ends:
            return rows.when[when]
        ends = end_of(self.plan.trigger, when)
        return self.time.shown(ends) if self.plan.slide_by == TIME else ends

    def go_on(self, time: Any) -> Rows:
        """No rows, and the clock going on to a time."""
        if self.plan.slide_by != TIME:
            raise ValueError(f"advance is for windows that slide by time, not by {self.plan.slide_by}")
        now = self.plan.position.positions([time])[0].item()
        self.newest = now if self.newest is None else max(now, self.newest)
        return self._none(self._watermark(self.newest))

    def end(self) -> Rows:
        """No rows, and the clock going on for ever; a last punctuation, if the window does not end by the clock."""
        if self.plan.slide_by == PUNCTUATION and self.plan.by != PUNCTUATION:
            self.punctuations += 1
            return self._none(self.punctuations)
        if not self.plan.at_ends:
            return self._none(0)
        return self._none(np.inf if self.plan.position.dtype == "float64" else FARTHEST)

    def _none(self, clock: Any) -> Rows:
        nothing, positions = np.zeros(0, np.int64), np.zeros(0, self.plan.position.dtype)
        values = [self._values(name, op, ()) for name, op in self.operators.items()]
        before = nothing if self.plan.slide_by == PUNCTUATION else positions
        return Rows(positions, before, clock, values, nothing, nothing)

    def columns_of(self, records: list, mark: Any) -> dict[str, Any]:
        """Arguments of `batch` for records (time, [key,] value) with marks of punctuation among them."""
        width, rows, marks = 3 if self.key else 2, [], []
        for record in records:
            if record is mark:
                marks.append(len(rows))
            elif isinstance(record, tuple | list) and len(record) == width:
                rows.append(record)
            else:
                raise ValueKindError(f"a record must be (time, {'key, ' if self.key else ''}value), not {record!r}")
        values = [record[-1] for record in rows]
        if any(self.columns.values()):
            names = {name for one in self.columns.values() for name in ((one,) if isinstance(one, str) else one or ())}
            values = {name: _column(values, name) for name in names}
        arguments = {"times": [record[0] for record in rows], "values": values}
        arguments["keys"] = [record[1] for record in rows] if self.key else None
        counts = np.bincount(marks, minlength=len(rows) + 1)
        arguments["punctuation"] = counts[1:] if PUNCTUATION in (self.plan.by, self.plan.slide_by) else None
        return arguments | {"leading": int(counts[0])}

    def _marks(self, punctuation: Any, n: int) -> np.ndarray:
        wanted = PUNCTUATION in (self.plan.by, self.plan.slide_by)
        if punctuation is None:
            return np.zeros(n, np.int64)
        if not wanted:
            raise ValueKindError("punctuation is given, but neither the window nor its slide is by punctuation")
        marks = np.asarray(punctuation)
        if n and (marks.dtype.kind not in "biu" or (marks < 0).any()):
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
            return unit.positions(times if attributes is None else attributes)
        return unit.positions(times)

    def _in_order(self, positions: np.ndarray) -> None:
        before = positions[:1] if self.newest is None else [self.newest]
        falls = np.flatnonzero(positions < np.concatenate([before, positions[:-1]])) if len(positions) else ()
        if len(falls):
            i, name = int(falls[0]), self.plan.position.name
            was = positions[i - 1] if i else self.newest
            raise OrderError(
                f"record {i} of the batch has {name} {self.plan.position.shown(positions[i])}, older than "
                f"{self.plan.position.shown(np.asarray(was))} before it; lateness= takes such records"
            )

    def _shown(self, times: Any) -> np.ndarray:
        return self.time.shown(self.time.positions(times)) if self.plan.by == TIME else np.asarray(times)


def _column(values: list, name: str) -> list:
    try:
        return [value[name] for value in values]
    except (TypeError, KeyError, IndexError):
        raise ValueKindError(f"each value must be a mapping with {name!r}, as the operators name columns") from None


def _is_code(key: Any) -> bool:
    return isinstance(key, int | np.integer) and not isinstance(key, bool) and -(2**63) <= key < 2**63
