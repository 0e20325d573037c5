"""CompressedAggregate: A_C, an aggregate over time-based windows that compresses those not updated recently."""

import itertools
import math
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from algorithms.arguments import must_be_column, side_by_side, value_columns
from algorithms.errors import ValueKindError
from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.moments import UNKNOWN, in_zone
from algorithms.operators.monoid import value_dtypes
from algorithms.operators.user import OperatorError
from algorithms.streams.compressed.algorithm import CodecError, PositionError
from algorithms.streams.compressed.check import check
from algorithms.streams.compressed.f_k import KeyColumns
from algorithms.streams.compressed.functions import f_A, f_S
from algorithms.streams.compressed.order import Admitted, Order, Rows
from algorithms.streams.compressed.outputs import Outputs
from algorithms.streams.compressed.packed import CODECS, Packed
from algorithms.streams.compressed.serial import LAYOUTS
from algorithms.streams.compressed.settings import distance, first_left, key_names
from algorithms.streams.compressed.state import IN_F_A, NEVER
from algorithms.streams.compressed.user import functions
from algorithms.streams.compressed.values import kept_columns
from algorithms.streams.compressed.windows import Counts, Memory, Windows
from algorithms.streams.sliding.units import FARTHEST, Unit
from algorithms.times import TimeError
from safeguards.wrong_input import unknown

TIMES = ("int64", "datetime64")
ORDERS = ("refuse", "sort")
LATEST = 2**63 - 1


class CompressedAggregate(OneAtATime):
    """The aggregate A_C of Gulisano (2024): for each key a window of the last WS units of time, with a result every WA.

    WA, WS      window advance and size: epochs [start + l WA, start + l WA + WS). WS need not be a multiple of WA; if
                WA > WS, tuples between two epochs are in no window
    D           a window not updated in the last D units of time is compressed: with 0 immediately, with None or
                infinity never, which is the ordinary aggregate. May be changed between batches; the next tuple then
                compresses what is due
    f_K         name of the key column, or a tuple of names; () for a single window
    f_O         computes the result of a window: "stops", the name of an operator, an operator, or a function of your
                own, f_O(times, values, first, last), over tuples first .. last - 1 of columns; it is compiled
    f_A, f_S    f_A(times, values, first, last, time, value) stores a tuple and returns the new `last`; there is room
                for one more tuple. f_S(times, values, first, last, left) removes tuples and returns the new `first`.
                By default they store every tuple, and remove those before the new left boundary. f_A must return
                `first` to `last` + 1, f_S `first` to `last`, or the aggregate stops. Where they write is not checked:
                f_A may write to `first` to `last`, f_S to `first` to `last` - 1
    dtype       dtype of the column that a window keeps, or a tuple for several columns: float64 by default; a smaller
                one takes less memory. For an operator named by a string, "float64" or "int64"
    gives       an example of what your f_O returns: a number (by default a float), or a NamedTuple of numbers, each a
                column of the results
    codec       "snappy", "lz4" or "zstd"; `level` if the codec has levels (not Snappy)
    layout      of the bytes that are compressed: "columns", which compress best, or "rows", tuple by tuple, as the
                paper's lists of tuples
    order       "refuse" tuples that are not in order of time (OrderError), or "sort" them: a tuple waits until the
                newest is `lateness` younger; a tuple that arrives later than that is dropped and counted
    start       the left boundary of the first epoch, 0 as in the paper, so that no window ends before WS; None: there
                is no first epoch
    time        type of times: "int64", or "datetime64" (then WA, WS, D and lateness are timedeltas or text, "5min", and
                results have the time zone of the times, if these have one)
    stamps      whether results have three more columns: `by`, the number of the tuple that triggered them (from 0; -1:
                `advance` or `flush` did), and the value of `kernel.cycles` when the loop reached that tuple (`fed`) and
                when the result was ready (`forwarded`). Not with order="sort", which processes tuples in another order
                than that of arrival

    Results: one for every epoch and every key with a tuple in the epoch, in order of time. The time of a result is the
    last moment of its epoch, left + WS - 1. Results with equal times are in the order in which the windows of their
    keys were created. Results are the same for every D, codec and layout.

    Use it from one thread at a time: a call during another call raises InUseError. Pickling and copying keep the state;
    functions of your own are found again if they are at the top level of a module.

    Cost: some tens of nanoseconds per tuple, f_O and f_S per window at every WA; compressing or decompressing a window
    takes 0.8 microseconds (zstd 11). Memory: 8 bytes and the values' bytes per tuple, in segments whose lengths are
    powers of two, and 112 to 152 bytes per window, 41 more if it is compressed. The constructor raises ValueError
    naming the wrong field; batches raise WindowErrors and TimeError and change nothing. What stops a batch half-way
    (MemoryError, KeyboardInterrupt, OperatorError for a wrong position from f_A or f_S) leaves the aggregate there:
    some tuples of the batch are processed and their results lost, and every later call raises RuntimeError.

    >>> from sliding_windows import CompressedAggregate
    >>> c = CompressedAggregate(WA=10, WS=20, D=5, f_K="car", f_O="max", start=None)
    >>> found = c.batch([1, 3, 12, 25], [50.0, 40.0, 60.0, 70.0], keys=["a", "b", "a", "a"])
    >>> found["time"].tolist(), found["car"].tolist(), found["value"].tolist()
    ([9, 9, 19, 19], ['a', 'b', 'a', 'b'], [50.0, 40.0, 60.0, 40.0])
    """

    def __init__(
        self,
        WA: Any,
        WS: Any,
        D: Any = None,
        *,
        f_K: str | tuple[str, ...] = "key",
        f_O: Any = "stops",
        f_A: Any = None,
        f_S: Any = None,
        dtype: Any = None,
        gives: Any = None,
        codec: str = "snappy",
        level: int | None = None,
        layout: str = "columns",
        order: str = "refuse",
        lateness: Any = None,
        start: Any = 0,
        time: str = "int64",
        stamps: bool = False,
    ):
        choices = (("time", time, TIMES), ("order", order, ORDERS), ("codec", codec, CODECS))
        for field, value, known in (*choices, ("layout", layout, LAYOUTS)):
            if value not in known:
                raise ValueError(unknown(field, value, known))
        if (order == "sort") != (lateness is not None):
            raise ValueError(f'lateness says how long order="sort" waits: order={order!r} and lateness={lateness!r}')
        if not isinstance(stamps, bool):
            raise ValueError(f"stamps must be True or False, not {stamps!r}")
        if stamps and order == "sort":
            raise ValueError('stamps=True is for order="refuse": sorted tuples do not trigger results as they come')
        self._unit = unit = Unit("time", time)
        self._zone: Any = UNKNOWN
        self.WA, self.WS = WA, WS
        self._advance, self._size = int(unit.length("WA", WA)), int(unit.length("WS", WS))
        self._start = first_left(unit, start)
        self._least = -(2**63) + 1 if start is None else self._start
        self._f, self._dtypes = functions(f_O, f_A, f_S, dtype, gives)
        self._packed, self._outputs = Packed(codec, level), Outputs(self._f, stamps)
        self._keys = KeyColumns(key_names(f_K, ("time", *self._outputs.names)))
        self._order = Order(unit, None if lateness is None else int(unit.length("lateness", lateness, least=0)))
        self._layout = LAYOUTS.index(layout)
        self._windows: Windows | None = None
        self._width: int | None = None
        self._D, self._D_given = distance(unit, D), D
        if level is not None or self._D != NEVER:
            self._packed.open()

    def __repr__(self) -> str:
        return f"<{self._f.name} by {', '.join(self._keys.names) or 'nothing'}: WA={self.WA}, WS={self.WS}, D={self.D}>"

    @property
    def D(self) -> Any:
        """The time without an update after which a window is compressed, as passed; infinity: never."""
        return math.inf if self._D == NEVER else self._D_given

    @D.setter
    @one_at_a_time
    def D(self, D: Any) -> None:
        """Raises ValueError for an invalid D. O(w log w) for w windows if D was infinite, else O(1)."""
        units = distance(self._unit, D)
        if self._windows is not None:
            self._windows.set_D(units)
        elif units != NEVER:
            self._packed.open()
        self._D, self._D_given = units, D

    @one_at_a_time
    def batch(self, times: Any, values: Any, keys: Any = None) -> dict[str, np.ndarray]:
        """Process tuples as columns, and return the results that they trigger as columns: time, those of f_K, value.

        values    a column, or a tuple of columns
        keys      a column; a tuple or mapping of columns if f_K names several; None if f_K is empty

        Results do not depend on how a stream is split into batches. Raises TimeError, OrderError or ValueKindError
        naming the record, and then processes nothing.
        """
        self._must_be_whole()
        times, zone = self._unit.without_zone("times", times, self._zone)
        times = self._unit.positions("times", must_be_column("times", times))
        outside = np.flatnonzero((times < self._least) | (times >= min(self._start + FARTHEST, LATEST)))
        if len(outside):
            raise TimeError(f"times[{outside[0]}] is {self._shown(times[outside[0]])}, {self._why_outside()}")
        columns = self._columns(values)
        if len(columns[0]) != len(times):
            raise ValueKindError(f"{len(columns[0])} values and {len(times)} times; there must be as many of each")
        codes, coded = self._keys.read(keys, len(times))
        admitted = self._order.read(Rows(times, codes, columns))
        self._keys.accept(coded)
        self._zone = zone
        return self._processed(admitted, len(columns))

    @one_at_a_time
    def advance(self, time: Any) -> dict[str, np.ndarray]:
        """Advance to `time` without a tuple, as a watermark does, and return the results; none if it is not newer.

        Nothing is compressed: Algorithm 1 compresses only after a tuple. Raises TimeError.
        """
        self._must_be_whole()
        moments, zone = self._unit.without_zone("advance", [time], self._zone)
        admitted = self._order.go_on(int(self._unit.positions("advance", moments)[0]))
        self._zone = zone
        return self._processed(admitted, 0)

    @one_at_a_time
    def flush(self) -> dict[str, np.ndarray]:
        """At the end of a stream: process the waiting tuples, and return the results of every window until it is empty.

        These are up to WS / WA results per key. A window whose f_S keeps tuples for longer than WS after the last
        update of any window stays. The stream may continue, with tuples that are in none of the emitted windows.
        """
        self._must_be_whole()
        rows, chunks = self._order.end(), []
        if len(rows.times):
            chunks = self._stretches(lambda w: w.take(rows), len(rows.values))
        if self._windows is not None and self._windows.a.state[0].alive > 0:
            chunks += self._stretches(lambda w: w.go_on(w.latest() + self._size), 0)
            self._order.close(int(self._windows.a.state[0].e_l) - self._advance + self._size)
        return self._columns_of(chunks)

    def run(self, records: Iterable[tuple[Any, ...]], at_once: int = 1024) -> Iterator[tuple[Any, ...]]:
        """Yield the results of records (time, key, value), or (time, value) without keys, each a named tuple.

        A key or a value of several columns is a tuple. Records are processed `at_once` at a time. The caller may call
        `flush` at the end of the stream.
        """
        records, width = iter(records), 3 if self._keys.names else 2
        while batch := list(itertools.islice(records, at_once)):
            for record in batch:
                if not isinstance(record, tuple | list) or len(record) != width:
                    form = "(time, key, value)" if width == 3 else "(time, value)"
                    raise ValueKindError(f"a record must be {form}, not {record!r}")
            times, *key_column, values = map(list, zip(*batch, strict=True))
            keys = _side_by_side(key_column[0], len(self._keys.names)) if key_column else None
            columns = self.batch(times, _side_by_side(values, len(self._dtypes or "1")), keys)
            result = namedtuple("Result", list(columns))  # type: ignore[misc]  # the user names them
            yield from itertools.starmap(result, zip(*(column.tolist() for column in columns.values()), strict=True))

    @property
    @one_at_a_time
    def counts(self) -> Counts:
        """Numbers of tuples, results, compressions and decompressions so far, and of what is kept now. O(1)."""
        waiting = 0 if self._order.held is None else len(self._order.held.times)
        if self._windows is None:
            return Counts(0, 0, 0, 0, 0, 0, 0, 0, waiting, self._order.late, 0)
        s = self._windows.a.state[0]
        done = s.records, s.put_out, s.compressions, s.decompressions
        now = s.alive, s.alive - s.compressed, s.compressed, s.tuples
        return Counts(*map(int, (*done, *now, waiting, self._order.late, s.outside)))

    @one_at_a_time
    def memory(self, tuple_bytes: int | None = None) -> Memory:
        """Bytes of state by the paper's accounting and as measured. O(1), and O(names) if keys are not whole numbers.

        `tuple_bytes` is the size of a tuple in the accounting; by default its bytes in columns.
        """
        if self._windows is None:
            return Memory(0, self._order.size())
        s, names = self._windows.a.state[0], self._keys.size()
        size = int(s.bytes) if tuple_bytes is None else tuple_bytes
        accounted = int(s.unpacked) * size + int(s.packed)
        return Memory(accounted, self._windows.size() + self._order.size() + names)

    @one_at_a_time
    def check(self) -> None:
        """Raise AssertionError if an invariant of the state does not hold. O(state), in plain Python."""
        self._must_be_whole()
        if self._windows is not None:
            custom = type(self._f) in f_A.table or type(self._f) in f_S.table
            check(self._windows, not custom)

    # ------------------------------------------------------------------------------------------------------- inside

    def _processed(self, admitted: Admitted, width: int) -> dict[str, np.ndarray]:
        """Process the admitted tuples, then put out the windows that end by their watermark."""
        self._order.accept(admitted)
        chunks = []
        if len(admitted.rows.times):
            chunks = self._stretches(lambda w: w.take(admitted.rows), width or len(admitted.rows.values))
        if self._windows is not None and (watermark := admitted.watermark) is not None:
            chunks += self._stretches(lambda w: w.go_on(watermark), 0)
            self._windows.shrink()
        results = self._columns_of(chunks)
        self._forget()
        return results

    def _stretches(self, operation: Callable[[Windows], list[Any]], width: int) -> list[dict[str, np.ndarray]]:
        with self._halfway():
            try:
                if self._windows is None:
                    self._windows = self._new(width)
                return operation(self._windows)
            except BaseException as error:
                raise self._reason(error) from None

    def _reason(self, error: BaseException) -> BaseException:
        """The error to raise, with details that compiled code could not report."""
        if isinstance(error, CodecError):
            return self._packed.failures[-1]
        if isinstance(error, PositionError) and self._windows is not None:
            s = self._windows.a.state[0]
            name, most = ("f_A", "last + 1") if s.wrong == IN_F_A else ("f_S", "last")
            return OperatorError(
                f"{name} gave {s.gave}, which does not lie between first = {s.at_least} and {most} = {s.at_most}"
            )
        return error

    def _new(self, width: int) -> Windows:
        self._width = width
        dtypes = self._dtypes or value_dtypes(self._outputs.op, width)
        sizes = {"WA": self._advance, "WS": self._size, "D": NEVER, "start": self._start, "least": self._least}
        sizes["layout"] = self._layout
        windows = Windows(self._f, dtypes, self._packed, self._outputs, **sizes, e_l=self._least)
        windows.set_D(self._D)
        return windows

    def _columns_of(self, chunks: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
        """The results of all chunks as columns."""
        chunks = chunks or [self._outputs.read(0)]
        joined = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
        times = self._unit.shown(joined.pop("left") + (self._size - 1))
        return {"time": in_zone(times, self._zone)} | self._keys.columns(joined.pop("key")) | joined

    def _forget(self) -> None:
        """Forget the names of keys that have neither a window nor a waiting tuple."""
        if (windows := self._windows) is not None:
            waiting = [] if self._order.held is None else [self._order.held.codes]
            count = int(windows.a.state[0].alive) + sum(map(len, waiting))
            self._keys.forget(count, lambda: np.concatenate([windows.keys(), *waiting]))

    def _columns(self, values: Any) -> tuple[np.ndarray, ...]:
        """The columns of values, checked."""
        if self._dtypes is not None:
            return kept_columns(self._dtypes, values)
        columns = side_by_side(value_columns(self._outputs.op, values))
        if len(columns[0]) and self._width not in (None, len(columns)):
            raise ValueKindError(f"values were {self._width} to a tuple so far, and now are {len(columns)}")
        return columns

    def _shown(self, time: Any) -> Any:
        return self._unit.shown(np.asarray(time))

    def _why_outside(self) -> str:
        return (
            f"and epochs begin at {self._shown(self._start)}, within 2**62 of which times must lie; "
            "start=None has no first epoch"
        )


def _side_by_side(values: list[Any], width: int) -> Any:
    """Values as a column, or values that are tuples as a tuple of columns."""
    return tuple(map(list, zip(*values, strict=True))) if width > 1 else values
