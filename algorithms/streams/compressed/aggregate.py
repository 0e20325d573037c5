"""CompressedAggregate: A_C, an aggregate over time-based windows whose least recently updated ones are compressed."""

import itertools
import math
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from algorithms.arguments import must_be_column, side_by_side, value_columns
from algorithms.errors import ValueKindError
from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.operators.monoid import value_dtypes
from algorithms.operators.user import OperatorError
from algorithms.streams.compressed.algorithm import CodecError, PositionError
from algorithms.streams.compressed.check import check
from algorithms.streams.compressed.f_k import KeyColumns
from algorithms.streams.compressed.functions import f_A, f_S
from algorithms.streams.compressed.order import Admitted, Order, Rows
from algorithms.streams.compressed.outputs import Outputs
from algorithms.streams.compressed.packed import CODECS, Packed
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
    """The aggregate A_C of Gulisano (2024): per key a window of the last WS units of time, put out every WA of them.

    WA, WS      window advance and size: epochs [start + l WA, start + l WA + WS). WS need not be a multiple of WA; with
                WA > WS tuples between two epochs are in none
    D           a window not updated in the last D units of time is compressed: 0, at once, to None or infinity, never,
                which is the ordinary aggregate. May be set between batches; the next tuple then compresses what is due
    f_K         name of the key column, or a tuple of names; () for one window in all
    f_O         what comes out of a window: "stops", the name of an operator, an operator, or a function of your own,
                f_O(times, values, first, last), over tuples first .. last - 1 of columns; it is compiled
    f_A, f_S    f_A(times, values, first, last, time, value), the new `last`, there being room for one more tuple; and
                f_S(times, values, first, last, left), the new `first`. Unless given they store the tuple, and remove
                tuples before the new left boundary. f_A gives what lies from `first` to `last` + 1 and f_S from `first`
                to `last`, or it is refused. What they write to is not checked: f_A may write to `first` to `last`, f_S
                to `first` to `last` - 1
    dtype       of the column or columns a window keeps, a tuple then: float64 unless given; less takes less memory. For
                an operator given by name "float64" or "int64"
    gives       an example of what your f_O gives: a number (unless given a float), or a NamedTuple of numbers, each a
                column of the results
    codec       "snappy", "lz4" or "zstd"; `level` where it has levels (not Snappy)
    order       "refuse" tuples that are not in order of time (OrderError), or "sort" them: a tuple waits until the
                newest is `lateness` younger than it; what comes later than that is left out and counted
    start       the left boundary of the first epoch, as in the paper 0, so that no window ends before WS; None: there
                is no first
    time        what times are: "int64", or "datetime64" (WA, WS, D and lateness are timedeltas then)
    stamps      whether results say what they had to wait for, in three more columns: `by`, the number of the tuple that
                triggered them (from 0; -1: it was `advance` or `flush`), and what `kernel.cycles` said when the loop
                came to it (`fed`) and when the result was there (`forwarded`). Not with order="sort", where tuples are
                processed in another order than they come in

    Results: one for every epoch and key of which a tuple falls into the epoch, in order of time, which is the epoch's
    last moment, left + WS - 1; of one time, in the order in which the windows of the keys were created. They are the
    same for every D and codec.

    One thread at a time: a call while another is under way raises InUseError; each thread may have its own. Pickled and
    copied in the state that it is in; functions of your own are found again if they are at the top level of a module.

    Cost: a tuple some tens of nanoseconds, f_O and f_S at every WA for every window; to compress or decompress one 0.8
    microseconds (zstd 11). Memory: for a tuple columns of 8 bytes and those of its values, in segments of powers of
    two, and for a window 112 to 152 bytes, 41 more if it is compressed. Raises ValueError naming the field that is
    wrong, when made; batches raise WindowErrors and TimeError and change nothing. What stops a batch half-way
    (MemoryError, KeyboardInterrupt, OperatorError for a position that f_A or f_S may not give) leaves it there, some
    tuples of the batch taken in and their results lost: from then on it raises RuntimeError, whatever it is asked to
    do.
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
        order: str = "refuse",
        lateness: Any = None,
        start: Any = 0,
        time: str = "int64",
        stamps: bool = False,
    ):
        for field, value, known in (("time", time, TIMES), ("order", order, ORDERS), ("codec", codec, CODECS)):
            if value not in known:
                raise ValueError(unknown(field, value, known))
        if (order == "sort") != (lateness is not None):
            raise ValueError(f'lateness says how long order="sort" waits: order={order!r} and lateness={lateness!r}')
        if not isinstance(stamps, bool):
            raise ValueError(f"stamps must be True or False, not {stamps!r}")
        if stamps and order == "sort":
            raise ValueError('stamps=True is for order="refuse": sorted tuples do not trigger results as they come')
        self._unit = unit = Unit("time", time)
        self.WA, self.WS = WA, WS
        self._advance, self._size = int(unit.length("WA", WA)), int(unit.length("WS", WS))
        self._start = first_left(unit, start)
        self._least = -(2**63) + 1 if start is None else self._start
        self._f, self._dtypes = functions(f_O, f_A, f_S, dtype, gives)
        self._packed, self._outputs = Packed(codec, level), Outputs(self._f, stamps)
        self._keys = KeyColumns(key_names(f_K, ("time", *self._outputs.names)))
        self._order = Order(unit, None if lateness is None else int(unit.length("lateness", lateness, least=0)))
        self._windows: Windows | None = None
        self._width: int | None = None
        self._stopped = ""
        self._D, self._D_given = distance(unit, D), D
        if level is not None or self._D != NEVER:
            self._packed.open()

    def __repr__(self) -> str:
        return f"<{self._f.name} by {', '.join(self._keys.names) or 'nothing'}: WA={self.WA}, WS={self.WS}, D={self.D}>"

    @property
    def D(self) -> Any:
        """The time without an update after which a window is compressed, as it was given; infinity: never."""
        return math.inf if self._D == NEVER else self._D_given

    @D.setter
    @one_at_a_time
    def D(self, D: Any) -> None:
        """Raises ValueError for what is no D. O(w log w) for w windows if it was infinite, else O(1)."""
        units = distance(self._unit, D)
        if self._windows is not None:
            self._windows.set_D(units)
        elif units != NEVER:
            self._packed.open()
        self._D, self._D_given = units, D

    @one_at_a_time
    def batch(self, times: Any, values: Any, keys: Any = None) -> dict[str, np.ndarray]:
        """Process tuples as columns; the results that they trigger, as columns: time, those of f_K, and value.

        values    a column, or a tuple of columns
        keys      a column; a tuple of columns, or a mapping with them, where f_K names several; None where it is empty

        The split of a stream into batches does not matter. Raises TimeError, OrderError or ValueKindError naming the
        record; nothing is taken in then.
        """
        self._must_be_whole()
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
        return self._processed(admitted, len(columns))

    @one_at_a_time
    def advance(self, time: Any) -> dict[str, np.ndarray]:
        """The results of time going on to `time` without a tuple, as a watermark says; nothing if it is not newer.

        Nothing is compressed: Algorithm 1 does that after a tuple. Raises TimeError.
        """
        self._must_be_whole()
        return self._processed(self._order.go_on(int(self._unit.positions("advance", [time])[0])), 0)

    @one_at_a_time
    def flush(self) -> dict[str, np.ndarray]:
        """At the end of a stream: what is held is processed, and every window is put out until its last tuple has left.

        That is up to WS / WA results a key. A window whose f_S keeps tuples for longer, WS after the last update of any
        window, stays. A stream may go on after all, with tuples that are in none of the windows that were put out.
        """
        self._must_be_whole()
        rows, found = self._order.end(), []
        if len(rows.times):
            found = self._stretches(lambda w: w.take(rows), len(rows.values))
        if self._windows is not None and self._windows.a.state[0].alive > 0:
            found += self._stretches(lambda w: w.go_on(w.latest() + self._size), 0)
            self._order.close(int(self._windows.a.state[0].e_l) - self._advance + self._size)
        return self._columns_of(found)

    def run(self, records: Iterable[tuple[Any, ...]], at_once: int = 1024) -> Iterator[tuple[Any, ...]]:
        """Results of records (time, key, value), or (time, value) without keys, each a named tuple.

        A key or a value of several columns is a tuple. Records are taken in `at_once` at a time; `flush` is left to
        the caller: a stream may go on.
        """
        records, width = iter(records), 3 if self._keys.names else 2
        while some := list(itertools.islice(records, at_once)):
            for record in some:
                if not isinstance(record, tuple | list) or len(record) != width:
                    form = "(time, key, value)" if width == 3 else "(time, value)"
                    raise ValueKindError(f"a record must be {form}, not {record!r}")
            times, *given, values = map(list, zip(*some, strict=True))
            keys = _side_by_side(given[0], len(self._keys.names)) if given else None
            columns = self.batch(times, _side_by_side(values, len(self._dtypes or "1")), keys)
            result = namedtuple("Result", list(columns))  # type: ignore[misc]  # the user names them
            yield from itertools.starmap(result, zip(*map(np.ndarray.tolist, columns.values()), strict=True))

    @property
    @one_at_a_time
    def counts(self) -> Counts:
        """What was done so far, and what is kept now. O(1)."""
        held = 0 if self._order.held is None else len(self._order.held.times)
        if self._windows is None:
            return Counts(0, 0, 0, 0, 0, 0, 0, 0, held, self._order.late, 0)
        s = self._windows.a.state[0]
        done = s.records, s.put_out, s.compressions, s.decompressions
        now = s.alive, s.alive - s.compressed, s.compressed, s.tuples
        return Counts(*map(int, (*done, *now, held, self._order.late, s.outside)))

    @one_at_a_time
    def memory(self, tuple_bytes: int | None = None) -> Memory:
        """Bytes of state by the paper's account and by measure. O(1), and O(names) where keys are not whole numbers.

        `tuple_bytes` is the size of a tuple in the account; unless given, what one takes here in columns.
        """
        if self._windows is None:
            return Memory(0, self._order.size())
        s, names = self._windows.a.state[0], self._keys.size()
        size = int(s.bytes) if tuple_bytes is None else tuple_bytes
        accounted = int(s.unpacked) * size + int(s.packed)
        return Memory(accounted, self._windows.size() + self._order.size() + names)

    @one_at_a_time
    def check(self) -> None:
        """Raise AssertionError where an invariant of the state does not hold. O(state), in plain Python."""
        self._must_be_whole()
        if self._windows is not None:
            own = type(self._f) in f_A.table or type(self._f) in f_S.table
            check(self._windows, not own)

    # ------------------------------------------------------------------------------------------------------- inside

    def _processed(self, admitted: Admitted, width: int) -> dict[str, np.ndarray]:
        """Process what is admitted, then what its watermark ends."""
        self._order.accept(admitted)
        found = []
        if len(admitted.rows.times):
            found = self._stretches(lambda w: w.take(admitted.rows), width or len(admitted.rows.values))
        if self._windows is not None and (watermark := admitted.watermark) is not None:
            found += self._stretches(lambda w: w.go_on(watermark), 0)
            self._windows.shrink()
        made = self._columns_of(found)
        self._forget()
        return made

    def _stretches(self, what: Callable[[Windows], list[Any]], width: int) -> list[dict[str, np.ndarray]]:
        try:
            if self._windows is None:
                self._windows = self._new(width)
            return what(self._windows)
        except BaseException as error:
            reason = self._reason(error)
            self._stopped = f"{type(reason).__name__}: {reason}"
            raise reason from None

    def _reason(self, error: BaseException) -> BaseException:
        """What compiled code could not say."""
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
        made = Windows(self._f, dtypes, self._packed, self._outputs, **sizes, e_l=self._least)
        made.set_D(self._D)
        return made

    def _must_be_whole(self) -> None:
        if self._stopped:
            raise RuntimeError(f"this aggregate stopped in the middle of a batch ({self._stopped}); make another one")

    def _columns_of(self, found: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
        """Columns of results, of stretches of outputs."""
        found = found or [self._outputs.read(0)]
        joined = {name: np.concatenate([some[name] for some in found]) for name in found[0]}
        times = self._unit.shown(joined.pop("left") + (self._size - 1))
        return {"time": times} | self._keys.columns(joined.pop("key")) | joined

    def _forget(self) -> None:
        """Forget names of keys that have neither a window nor a tuple that waits."""
        if (windows := self._windows) is not None:
            held = [] if self._order.held is None else [self._order.held.codes]
            count = int(windows.a.state[0].alive) + sum(map(len, held))
            self._keys.forget(count, lambda: np.concatenate([windows.keys(), *held]))

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
