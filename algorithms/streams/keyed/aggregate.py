"""KeyedAggregate: windows of many keys at once, a batch and a watermark at a time.

What an engine for streams needs of a window operator: rows come in any order within a watermark, results are given
once and never contradicted, and the state is plain arrays that the engine keeps. (SlidingAggregate keeps windows
instead, and fires without a watermark.)
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.errors import ValueKindError
from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.signatures import passes_on
from algorithms.streams.keyed.answers import Answers, Fired
from algorithms.streams.keyed.disorder import must_be_sorted, must_not_go_back
from algorithms.streams.keyed.firing import number_of_end, windows_after_rows, windows_at_ends
from algorithms.streams.keyed.measures import measures, must_be_watermark
from algorithms.streams.keyed.rows import EARLIEST, Kept, Rows, in_turn, keep, together
from algorithms.streams.sliding.extent_trigger import NEVER, end_of, start_of
from algorithms.streams.sliding.plan import plan_of
from algorithms.streams.sliding.units import FARTHEST
from algorithms.streams.window_spec import COUNT, TIME, WindowSpec, split
from algorithms.windows.contract import IN_ORDER
from safeguards.wrong_input import unknown

ORDERS = ("any", "buffer", "refuse")

NOT_HERE = ("slide_by", "partial", "lateness", "emit")
"""Fields of WindowSpec that these windows have no use for."""


class Counts(NamedTuple):
    """Rows that came late and that were taken in; keys, rows and bytes of the state; combines (-1: not counted)."""

    late: int
    taken: int
    keys: int
    kept: int
    bytes: int
    combines: int


class KeyedAggregate(OneAtATime):
    """Aggregates over the sliding windows of many keys, with columns in and out and nothing kept inside.

    window      of the catalogue; its parameters follow by name
    operators   a name, an operator, or {name of the result: one of these, or (one of these, column or columns)}
    order       "any": rows go into a window of any order as they come, which needs one (at ends, where nothing is
                sorted); "buffer": any window, rows are sorted once the watermark has passed them; "refuse": any window,
                a row that is older than one before of its key is an OrderError
    peers       per row by time: whether rows of equal time are in each other's window, as in SQL's RANGE; else only
                those that came before
    dtypes      of columns: "float64" or "int64"
    nullable    columns that may have nulls, which operators skip
    counting    whether combines are counted

    Of the fields of WindowSpec: size, slide ("row": every row fires; else windows end at k * slide + offset, and by
    count every `slide`-th row fires), by ("time" or "count"), offset, and closed, which border belongs to a window by
    time: "left" (at ends, unless given), "right" (of a row), "both".

    One thread at a time: the state is the caller's, and scratch is kept inside. `take` while another call is under way
    raises InUseError.

    Rows wait until the watermark has passed them; so a result needs nothing that may still come. Cost of a batch: the
    kept rows are copied (some ten nanoseconds each), and a window that fires is made from its rows.
    Raises ValueError naming the field that is wrong.
    """

    @passes_on(WindowSpec)
    def __init__(
        self,
        window: str = "fiba",
        *,
        operators: Any = "sum",
        order: str = "any",
        peers: bool = True,
        dtypes: Mapping[str, str] | None = None,
        nullable: Iterable[str] = (),
        counting: bool = False,
        **spec_and_parameters: Any,
    ):
        spec, parameters = split(window, spec_and_parameters)
        if spec.by not in (TIME, COUNT):
            raise ValueError(unknown("by", spec.by, (TIME, COUNT)))
        for field in NOT_HERE:
            if (value := getattr(spec, field)) != getattr(WindowSpec, field):
                raise ValueError(f"{field}={value!r} is for SlidingAggregate: rows wait here for the watermark")
        for flag, value in (("peers", peers), ("counting", counting)):
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{flag} must be True or False, not {value!r}")
        self._plan = plan_of(window, spec, "int64", parameters)
        self.at_ends = self._plan.at_ends
        self._must_take(order)
        self._order, self._peers = order, peers and spec.by == TIME
        self._measures = measures(operators, dtypes, nullable, self._plan.extent.size if spec.by == COUNT else None)
        self._answers = Answers(self._plan.card, self._plan.parameters, self._measures, counting)
        self.columns = self._measures.columns

    def _must_take(self, order: str) -> None:
        card = self._plan.card
        if order not in ORDERS:
            raise ValueError(unknown("order", order, ORDERS))
        if order == "any" and card.order == IN_ORDER:
            raise ValueError(
                f"order='any' needs a window of any order, which {card.name} is not; order='buffer' sorts rows once "
                "the watermark has passed them"
            )
        if order == "any" and self._plan.by == COUNT:
            raise ValueError(
                "order='any' is for windows by time: the last rows by count are known once rows are sorted"
            )

    def __repr__(self) -> str:
        names = ", ".join(one.op.name for one in self._measures.by_name.values())
        return f"<{names} over {self._plan.card.name} for each key: {self._plan.extent}, {self._plan.trigger}>"

    def described(self) -> dict[str, str]:
        """What the operators are, with their parameters: the same in every process (`operators.described`)."""
        return {name: operators.described(measure.op) for name, measure in self._measures.by_name.items()}

    def empty(self) -> Kept:
        """The state before the first batch."""
        none = np.zeros(0, np.int64)
        values = {name: np.zeros(0, dtype) for name, dtype in self._measures.columns.items()}
        valid = {name: np.zeros(0, bool) for name in self._measures.nullable}
        return Kept(none, none, none, np.zeros(1, np.int64), none, values, valid, EARLIEST)

    @one_at_a_time
    def take(
        self,
        kept: Kept,
        codes: Any,
        times: Any,
        values: Mapping[str, Any],
        watermark: int,
        valid: Mapping[str, Any] | None = None,
    ) -> tuple[Fired, Kept, Counts]:
        """Take in rows of any keys, in any order, and let the watermark go on: what fires, and the state after it.

        codes, times    int64 (n,): the number of the key and the time of each row
        values, valid   columns (n,) of each name in `columns`; for nullable ones whether there is a value
        watermark       no row at or before it will come: windows that end by then fire, and rows by then. It does not
                        go back; FARTHEST (2**62) is the end of everything

        Rows at or before the watermark of `kept` are late, and left out. However rows are split into batches, results
        are the same for the same watermarks. `kept` is not written to, and nothing has changed where this raises:
        OrderError, ValueKindError, TimeError, MemoryEstimateError.
        """
        self._measures.must_have_kept(kept)
        batch = self._measures.batch(codes, times, values, valid)
        must_be_watermark("watermark", watermark)
        watermark = min(max(int(watermark), kept.watermark), FARTHEST)
        fresh = batch.times > kept.watermark
        late = len(fresh) - int(np.count_nonzero(fresh))
        batch = batch.take(fresh) if late else batch
        if self._order == "refuse":
            must_not_go_back(kept, batch, np.flatnonzero(fresh))
        unsorted = self._order == "any" and self.at_ends
        rows = together(kept, batch, not unsorted, self._plan.by == COUNT)
        n = len(rows.codes)
        if self.at_ends:
            after, by = map(self._last_end, (kept.watermark, watermark))
            fired = self._at_ends(rows, np.full(n, after + 1), np.full(n, by), unsorted)
            until = np.zeros(n, np.int64)
        else:
            passed = np.concatenate([[0], np.cumsum(rows.positions <= watermark)])[rows.begin]
            fired, until = self._after_rows(rows, np.diff(passed)), np.diff(passed)
        stays = self._stays(rows, until, watermark)
        alive = np.diff(np.concatenate([[0], np.cumsum(stays)])[rows.begin]) > 0
        after = keep(rows, stays, until, alive | (self._plan.by == COUNT), watermark)
        return fired, after, self._counts(after, late, len(batch.codes))

    @one_at_a_time
    def take_sorted(
        self,
        kept: Kept,
        codes: Any,
        times: Any,
        values: Mapping[str, Any],
        valid: Mapping[str, Any] | None = None,
        last: bool = False,
    ) -> tuple[Fired, Kept, Counts]:
        """As `take`, of a piece of a table whose rows are sorted by key and time already; `last` with the last piece.

        Only the last key is carried on, and every result is given that needs no later row: all but those at ends after
        its newest time, and of rows of that time where peers are in each other's windows. Codes may be in any order, as
        long as those of a key are together. Raises OrderError where rows are not sorted so.
        """
        self._measures.must_have_kept(kept)
        if len(kept.codes) > 1:
            raise ValueKindError(f"take_sorted carries one key from piece to piece, and kept has {len(kept.codes)}")
        batch = self._measures.batch(codes, times, values, valid)
        rows = in_turn(kept, batch)
        must_be_sorted(kept, batch, rows)
        n = np.diff(rows.begin)
        newest = int(rows.positions[-1]) if len(n) else EARLIEST
        watermark = FARTHEST if last else newest - 1 if len(n) else kept.watermark
        until = n.copy()
        if self.at_ends:
            after, by = np.full(len(n), -NEVER), np.full(len(n), self._last_end(FARTHEST))
            after[:1][rows.codes[:1] == kept.codes[:1]] = self._last_end(kept.watermark)
            by[-1:] = self._last_end(watermark)
            fired, until = self._at_ends(rows, after + 1, by, False), 0 * n
        else:
            if self._peers and not last and len(n):
                until[-1] = np.searchsorted(rows.positions[rows.begin[-2] :], newest)
            fired = self._after_rows(rows, until)
        alive = np.arange(len(n)) == (-1 if last else len(n) - 1)
        stays = self._stays(rows, until, watermark) & np.repeat(alive, n)
        after = keep(rows, stays, until, alive, watermark) if last or len(n) else kept
        return fired, after, self._counts(after, 0, len(batch.codes))

    # ------------------------------------------------------------------------------------------------------- inside

    def _last_end(self, watermark: int) -> int:
        """The number of the last end that the watermark has reached: FARTHEST has reached that of every window.

        The newest time, FARTHEST - 1, is in windows that end up to a size later.
        """
        reached = watermark if watermark < FARTHEST else FARTHEST - 1 + self._plan.extent.size
        return number_of_end(self._plan.trigger, reached)

    def _at_ends(self, rows: Rows, least: np.ndarray, most: np.ndarray, unsorted: bool) -> Fired:
        """Windows at ends number least .. most of each key."""
        extent, trigger = self._plan.extent, self._plan.trigger
        if unsorted:
            return self._answers.at_unsorted_ends(extent, trigger, rows, least, most)
        return self._answers.over(windows_at_ends(extent, trigger, rows, least, most), rows, trigger)

    def _after_rows(self, rows: Rows, until: np.ndarray) -> Fired:
        """Windows of each key's rows before `until` that have not had their turn."""
        firing = windows_after_rows(self._plan.extent, self._plan.trigger.slide, self._peers, rows, until)
        return self._answers.over(firing, rows, self._plan.trigger)

    def _stays(self, rows: Rows, until: np.ndarray, watermark: int) -> np.ndarray:
        """Which rows a window that fires later can hold."""
        extent, trigger = self._plan.extent, self._plan.trigger
        if self._plan.by == COUNT:
            first = rows.begin[:-1] + np.maximum(until - extent.size + 1, 0)
            return np.arange(len(rows.positions)) >= np.repeat(first, np.diff(rows.begin))
        if watermark >= FARTHEST:
            return np.zeros(len(rows.positions), bool)
        start = watermark + 1 - extent.size
        if self.at_ends:
            following = number_of_end(trigger, watermark) + 1
            start = start_of(extent, trigger, following, end_of(trigger, following))
        return rows.positions >= start + extent.open

    def _counts(self, kept: Kept, late: int, taken: int) -> Counts:
        return Counts(late, taken, len(kept.codes), len(kept.positions), kept.bytes, self._answers.combines())
