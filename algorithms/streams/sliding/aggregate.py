"""SlidingAggregate: a window as an aggregate operator over a stream.

The Aggregate operator of the paper's Figure 2 (Tangwongsan, Hirzel, Schneider, Wu: General Incremental Sliding-Window
Aggregation, PVLDB 8(7), 2015, section 2): windows by time, count, delta or punctuation, a slide from one tuple to the
whole window, partitioned by key, results as a stream. Any window of the catalogue does the aggregation, so
`window="recalc"` is the paper's baseline in the same framework.
"""

import collections
import functools
import itertools
from collections import namedtuple
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.kernel import Slots, as_slots
from algorithms.moments import in_zone, is_length
from algorithms.signatures import passes_on
from algorithms.streams.sliding.carried import Rows
from algorithms.streams.sliding.changes import Changes
from algorithms.streams.sliding.chosen import STAND_IN, chosen_for
from algorithms.streams.sliding.events import ends_of
from algorithms.streams.sliding.extent_trigger import NEVER, EveryTuples, first_end
from algorithms.streams.sliding.fired import NONE, Column, Fired
from algorithms.streams.sliding.keys import by_key
from algorithms.streams.sliding.partition import Partition, Results, columns_of, room_for
from algorithms.streams.sliding.plan import plan_of
from algorithms.streams.sliding.records import columns_of_records
from algorithms.streams.sliding.rows import Reader
from algorithms.streams.sliding.units import FARTHEST
from algorithms.streams.window_spec import PUNCTUATION, TIME, WindowSpec, split
from algorithms.times import KINDS
from algorithms.windows.choosing.choice import AUTO, Choice
from safeguards.wrong_input import unknown, whole


class Punctuation:
    """Its only instance, MARK, stands between two records of a stream as a punctuation."""

    def __repr__(self) -> str:
        return "MARK"

    def __reduce__(self) -> str:
        return "MARK"


MARK = Punctuation()


class SlidingAggregate(OneAtATime):
    """Aggregates over sliding windows of a stream: `run` takes records one by one, `batch` takes columns.

    window      a window of the catalogue, its parameters follow by name; or "auto", the fastest by a table of measured
                costs (see help(window)), which `choice` shows. Whether records may be late is in the spec; a window by
                time counts on `capacity` entries, and may be told `distance` (how many younger records are there when
                one comes) and `batch` (how many come between two results), or `trial=` (see help(window))
    operator    a name, an operator, or {name of the result: one of these, or (one of these, column or columns)}
    key         whether records have a key; each key then has its own window
    capacity    tuples to make room for at first; windows grow as needed
    dtype       of values, for operators given by name: "float64" (default) or "int64", which is exact
    time        the kind of times: "int64", "float64" or "datetime64", with timedeltas or text ("5min") as lengths; by
                default "datetime64" if the size is one of those, else "int64"
    skip_nan    whether operators skip NaN and null, of which float columns may then have any; "null_count" counts them.
                The record still counts as one, and fires. By default NaN and null are refused

    What is in a window and when it fires: the fields of WindowSpec by name (see help(WindowSpec)), such as size=600,
    slide=60, by="count", closed="both", lateness=30. Records that come too late are left out and counted (`late`).
    Without lateness=, records must come in order (OrderError).

    One thread at a time: a call during another raises InUseError; each thread may have its own aggregate. Pickles and
    copies include the state; your own functions survive pickling if they are at the top level of a module.

    Cost: that of the window. The compiled loop adds some 2 ns for each tuple, and `batch`, with its checks and columns
    of results, at most half of the loop again if every tuple fires (python -m benchmarks.sliding_batch); many keys cost
    their sorting, too. Memory: the tuples in the windows.
    The constructor raises ValueError that names the wrong field; batches raise WindowErrors and then change nothing.
    An error in the middle of a batch, such as of your own function, of memory that ends, or of a result that is too
    long, stops the aggregate: it raises RuntimeError from then on.

    >>> from sliding_windows import SlidingAggregate
    >>> s = SlidingAggregate(size=10, slide=5, operator={"most": "max", "rows": "count"})
    >>> found = s.batch([1, 6, 12], [3.0, 8.0, 5.0])
    >>> found["time"].tolist(), found["most"].tolist(), found["rows"].tolist()
    ([5, 10], [3.0, 8.0], [1, 2])
    >>> s.flush()["most"].tolist()
    [8.0, 5.0]
    """

    @passes_on(WindowSpec)
    def __init__(
        self,
        window: str = "two_stacks_lite",
        *,
        operator: Any = "sum",
        key: bool = False,
        capacity: int | None = None,
        dtype: str | None = None,
        time: str | None = None,
        skip_nan: bool = False,
        **spec_and_parameters: Any,
    ):
        if time is not None and time not in KINDS:
            raise ValueError(unknown("kind of time", time, KINDS))
        if capacity is not None:
            capacity = whole("capacity", capacity)
        spec, parameters = split(window, spec_and_parameters)
        time = time or ("datetime64" if is_length(spec.size) else "int64")
        if not isinstance(skip_nan, bool | np.bool_):
            raise ValueError(f"skip_nan must be True or False, not {skip_nan!r}")
        read = functools.partial(Reader, operator=operator, key=key, dtype=dtype, time=time, skip_nan=bool(skip_nan))
        self.choice: Choice | None = None
        if window == AUTO:
            plan = plan_of(STAND_IN, spec, time, {})
            self.choice = chosen_for(read(plan).operators.values(), plan, spec, capacity, parameters)
            window, parameters = self.choice.candidate.algorithm, dict(self.choice.candidate.parameters)
        self.plan = plan_of(window, spec, time, parameters)
        self._reader = read(self.plan)
        for op in self._reader.operators.values():
            if reason := self.plan.card.refusal(op):
                raise ValueError(reason)
        self._spec = spec
        self._capacity = capacity or (16 if key else 1024)
        for op in self._reader.operators.values():
            self.plan.card.must_fit(op, room_for(self._capacity), self.plan.parameters)
        self._results = [Results(op) for op in self._reader.operators.values()]
        self._partitions: dict[Any, list[Partition]] = {}
        self._changes = Changes(self.plan.at_ends) if spec.emit == "changes" else None

    def __repr__(self) -> str:
        ops = ", ".join(op.name for op in self._reader.operators.values())
        times = f", {self.plan.position.kind} times" if self.plan.by == TIME else ""
        return f"<{ops} over {self.plan.card.name}: {self._spec.as_written()}{times}>"

    @property
    def late(self) -> int:
        """Records that came too late and were left out."""
        return self._reader.carried.late

    @property
    def keys(self) -> list[Any]:
        """Keys whose window is not empty. Windows by count and delta never run empty."""
        return self._reader.keys.names(np.array(list(self._partitions), np.int64)).tolist() if self._reader.key else []

    @one_at_a_time
    def batch(
        self, times: Any, values: Any, keys: Any = None, *, attributes: Any = None, punctuation: Any = None
    ) -> dict[str, np.ndarray]:
        """Take in records as columns. Returns the results they fire as columns: time, key if there are keys, values.

        times        of the window's kind; None for windows by count or punctuation, whose results then have the
                     record's number as time. Of times with a time zone, as pandas and Arrow have them, results are in
                     the same zone, as a DatetimeIndex; all times of a stream have one zone, or none has
        values       a column; a pair of columns (measures, arguments); or {name: column} for operators that name them
        keys         a column of anything that can be a key of a dict
        attributes   what a window by delta measures; by default the times
        punctuation  for each record, whether or how many times the stream is cut after it

        How a stream is split into batches does not matter. Raises TimeError, OrderError or ValueKindError that names
        the record; then nothing is taken in.
        """
        return self._take(self._reader.read(times, values, keys, attributes, punctuation))

    @one_at_a_time
    def advance(self, time: Any) -> dict[str, np.ndarray]:
        """Advance the time without a record (a heartbeat), for windows by time only. Returns the results it fires.

        A time that is not newer does nothing. Raises ValueError for other windows, TimeError for the wrong kind.
        """
        return self._take(self._reader.advance(time))

    @one_at_a_time
    def flush(self) -> dict[str, np.ndarray]:
        """End the stream. Returns what a later time or punctuation would still fire; nothing by count and delta.

        A stream may continue after all, from the last end that this has fired: no window fires twice, and older records
        are refused (OrderError), or late if lateness is given.
        """
        rows = self._reader.end()
        order, fired = self._fire(rows)
        if fired.last > NONE and self.plan.at_ends and self.plan.trigger.aligned:
            self._reader.close(fired.last)
        return self._emitted(rows, order, fired)

    def run(self, records: Iterable[Any], at_once: int = 1024) -> Iterator[tuple[Any, ...]]:
        """Results of records (time, value) or (time, key, value), each a named tuple (time, [key,] value or values).

        A value may be a pair (measure, argument), or {column: value}. MARK among the records is a punctuation.
        Takes in `at_once` records at a time; 1 yields each result as early as possible, and costs some 50 microseconds
        for each record. The caller decides when to `flush`, since a stream may go on.
        """
        names = ["time", *(["key"] if self._reader.key else []), *self._reader.operators]
        result = namedtuple("Result", names)  # type: ignore[misc]  # the user names them
        records, cut = iter(records), PUNCTUATION in (self.plan.by, self.plan.slide_by)
        while piece := list(itertools.islice(records, at_once)):
            columns = columns_of_records(piece, MARK, self._reader.key, self._reader.columns, cut)
            results = self._take_columns(columns).values()
            yield from itertools.starmap(result, zip(*(column.tolist() for column in results), strict=True))

    # ------------------------------------------------------------------------------------------------------- inside

    @one_at_a_time
    def _take_columns(self, columns: dict[str, Any]) -> dict[str, np.ndarray]:
        return self._take(self._reader.read(**columns))

    def _take(self, rows: Rows) -> dict[str, Any]:
        return self._emitted(rows, *self._fire(rows))

    def _fire(self, rows: Rows) -> tuple[np.ndarray | None, Fired]:
        """Take in rows. Returns their order by key, None if there are no keys, and what fires.

        Everything that can be refused is refused before anything is taken in. What goes wrong after that stops the
        aggregate, for some windows have the rows and others do not.
        """
        self._must_be_whole()
        order, rows_of_key = self._by_key(rows)
        for code in self._due([code for code in self._partitions if code not in rows_of_key], rows.final):
            rows_of_key[code] = (0, 0)
        self._make_room(rows_of_key, [len(columns) for columns in rows.values])
        self._reader.accept(rows)
        with self._halfway():
            return order, self._fired(rows, order, rows_of_key)

    def _fired(self, rows: Rows, order: np.ndarray | None, rows_of_key: dict[int, tuple[int, int]]) -> Fired:
        """What fires as the windows take in the rows of their keys."""
        fired, positions = self._room_for_results(rows), _slots(rows.positions, order)
        clock = positions if rows.clock is rows.positions else _slots(rows.clock, order)
        for number, (results, columns) in enumerate(zip(self._results, rows.values, strict=True)):
            inputs = (positions, clock, columns_of(tuple(_slots(values, order) for values in columns)))
            for code, (first, last) in rows_of_key.items():
                for n in self._partitions[code][number].take(results, inputs, first, last, rows.final):
                    results.put(n, fired.columns[number])
                    if number == 0:
                        fired.note(results.fired_by(n), code)
        self._drop_empty(rows_of_key)
        return fired

    def _by_key(self, rows: Rows) -> tuple[np.ndarray | None, dict[int, tuple[int, int]]]:
        """The order of rows by key, and where the rows of each key then are; without keys all are those of key 0."""
        if rows.codes is None:
            return None, {0: (0, len(rows))} if len(rows) else {}
        order = by_key(rows.codes)
        codes = rows.codes[order]
        begin = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1)).tolist()
        return order, {int(codes[i]): (i, j) for i, j in itertools.pairwise([*begin, len(codes)])}

    def _room_for_results(self, rows: Rows) -> Fired:
        """Columns for results; for as many as rows can fire, or, at ends, for as many as there are rows at first."""
        trigger, direct = self.plan.trigger, rows.codes is None and self._changes is None
        room = len(rows) // trigger.slide + 1 if isinstance(trigger, EveryTuples) else len(rows) + 16
        shown = functools.partial(self._reader.time_of, rows) if direct else np.asarray
        when = Column(shown(np.zeros(0, np.int64)).dtype, room)
        codes = None if rows.codes is None else Column(np.int64, room)
        return Fired([results.column(room) for results in self._results], when, codes, shown)

    def _emitted(self, rows: Rows, order: np.ndarray | None, fired: Fired) -> dict[str, Any]:
        columns = [column.whole() for column in fired.columns]
        if self.plan.waits:
            columns = _of_peers(rows, order, columns)
        if rows.codes is None and self._changes is None:
            results = {"time": fired.when}
        else:
            results, columns = self._in_firing_order(rows, order, fired, columns)
        self._forget(rows.final)
        results["time"] = in_zone(results["time"], rows.after.zone)
        return results | dict(zip(self._reader.operators, columns, strict=True))

    def _due(self, codes: list[int], clock: Any) -> list[int]:
        """Which of the keys have a window that awaits an end that the clock has reached."""
        if not self.plan.at_ends:
            return []
        awaited = np.array([int(self._partitions[code][0].events.state[0].next) for code in codes], np.int64)
        reached = (awaited < NEVER) & (ends_of(self.plan.trigger, awaited) <= clock)
        return [codes[i] for i in np.flatnonzero(reached)]

    def _make_room(self, codes: Iterable[int], widths: list[int]) -> None:
        """Make windows for keys without one: for all of them, or for none if memory does not suffice."""
        self._partitions |= {
            code: [
                Partition(op, self.plan, width, self._capacity)
                for op, width in zip(self._reader.operators.values(), widths, strict=True)
            ]
            for code in codes
            if code not in self._partitions
        }

    def _drop_empty(self, codes: Iterable[int]) -> None:
        """Drop windows that ran empty, so that memory is proportional to the keys that are alive."""
        if not self.plan.at_ends or not self._reader.key:
            return
        for code in codes:
            if int(self._partitions[code][0].events.state[0].next) == NEVER:
                del self._partitions[code]

    def _forget(self, clock: Any) -> None:
        """Forget the last results and names of keys whose windows are gone."""
        if not self.plan.at_ends or not self._reader.key:
            return
        alive: list[Any] = [self._partitions]
        if self._changes is not None:
            if abs(clock) < FARTHEST:
                self._changes.forget_before(first_end(self.plan.trigger, clock) - 1)
            alive.append(self._changes.remembered)
        self._reader.keys.forget(collections.ChainMap(*alive), sum(map(len, alive)))

    def _in_firing_order(
        self, rows: Rows, order: np.ndarray | None, fired: Fired, columns: list[np.ndarray]
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Times and keys, and columns of results, in the order of firing: by end and key, or by the row that fired."""
        codes, when = fired.codes, fired.when
        if order is not None:
            when = when if self.plan.at_ends else order[when]
            firing = np.lexsort((codes, when)) if self.plan.at_ends else _ascending(when, len(rows))
            codes, when, columns = codes[firing], when[firing], [column[firing] for column in columns]
        if self._changes is not None:
            changed = self._changes.of(codes, when, columns)
            codes, when, columns = codes[changed], when[changed], [column[changed] for column in columns]
        results = {"time": self._reader.time_of(rows, when)}
        if self._reader.key:
            results["key"] = self._reader.keys.names(codes)
        return results, columns


def _slots(column: np.ndarray, order: np.ndarray | None) -> Slots:
    return as_slots(column if order is None else column[order])


def _of_peers(rows: Rows, order: np.ndarray | None, columns: list[np.ndarray]) -> list[np.ndarray]:
    """Results of rows, in their order by key and time, with those of the last of each key and time for all of it."""
    last = np.ones(len(rows), bool)
    last[:-1] = np.diff(rows.positions if order is None else rows.positions[order]) != 0
    if rows.codes is not None:
        last[:-1] |= np.diff(rows.codes[order]) != 0
    if last.all():
        return columns
    ends = np.flatnonzero(last)
    return [column[np.repeat(ends, np.diff(ends, prepend=-1))] for column in columns]


def _ascending(rows: np.ndarray, n: int) -> np.ndarray:
    """The order that sorts different numbers of rows below n. O(n)."""
    places = np.full(n, -1)
    places[rows] = np.arange(len(rows))
    return places[places >= 0] if len(rows) < n else places
