"""KeyedAggregate: windows of many keys at once, a batch and a watermark at a time.

What a stream engine needs from a window operator: rows come in any order within a watermark, each result is emitted
once and never revised, and the state is plain arrays that the engine keeps. (SlidingAggregate keeps windows instead,
and fires without a watermark.)
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.errors import ValueKindError
from algorithms.in_use import OneAtATime, one_at_a_time
from algorithms.operators.merging import Merging
from algorithms.signatures import passes_on
from algorithms.streams.keyed.answers import Answers, Fired
from algorithms.streams.keyed.disorder import must_be_sorted, must_not_go_back
from algorithms.streams.keyed.firing import number_of_end, windows_after_rows, windows_at_ends
from algorithms.streams.keyed.measures import measures, must_be_watermark
from algorithms.streams.keyed.rows import EARLIEST, Kept, Rows, appended, keep, merged
from algorithms.streams.keyed.slices import joined
from algorithms.streams.sliding.extent_trigger import NEVER, end_of, start_of
from algorithms.streams.sliding.plan import plan_of
from algorithms.streams.sliding.units import FARTHEST
from algorithms.streams.window_spec import COUNT, TIME, WindowSpec, split
from algorithms.windows.contract import IN_ORDER
from safeguards.wrong_input import unknown

ORDERS = ("any", "buffer", "refuse")

UNSUPPORTED = ("slide_by", "partial", "lateness", "emit")
"""Fields of WindowSpec that are only for SlidingAggregate."""


class Counts(NamedTuple):
    """Rows that were late and rows taken in; keys, rows and bytes of the state; combines (-1 if not counted)."""

    late: int
    taken: int
    keys: int
    kept: int
    bytes: int
    combines: int


class KeyedAggregate(OneAtATime):
    """Aggregates over the sliding windows of many keys: columns in, columns out, and the state is the caller's.

    window      a window of the catalogue; its parameters follow by name
    operators   a name, an operator, or {name of the result: one of these, or (one of these, column or columns)}
    order       "any": needs a window of any order, which takes rows as they come (at ends nothing is sorted);
                "buffer": any window; rows are sorted once the watermark has passed them; "refuse": any window; a row
                that is older than one before it with the same key is an OrderError
    peers       for rows by time: whether rows of equal time are in each other's window, as in SQL's RANGE; else only
                rows that came before are
    dtypes      of columns: "float64" or "int64"
    nullable    columns that may have nulls, which operators skip
    counting    whether combines are counted

    Fields of WindowSpec: size; slide ("row": every row fires; else windows end at k * slide + offset, or by count every
    `slide`-th row fires); by ("time" or "count"); offset; closed, which border belongs to a window by time: "left"
    (default at ends), "right" (default for rows), or "both".

    One thread at a time, because scratch space is shared: a call during another raises InUseError.

    Rows wait until the watermark has passed them, so a result never depends on rows still to come. Cost of a batch: the
    kept rows are copied (some ten nanoseconds each), and each window that fires is made from its rows.
    Raises ValueError that names the wrong field.
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
        for field in UNSUPPORTED:
            if (value := getattr(spec, field)) != getattr(WindowSpec, field):
                raise ValueError(f"{field}={value!r} is for SlidingAggregate: rows wait here for the watermark")
        for flag, value in (("peers", peers), ("counting", counting)):
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{flag} must be True or False, not {value!r}")
        self._spec, self._plan = spec, plan_of(window, spec, "int64", parameters)
        self.at_ends = self._plan.at_ends
        self._must_take(order)
        self._order, self._peers = order, peers and spec.by == TIME
        self._measures = measures(operators, dtypes, nullable, self._plan.extent.size if spec.by == COUNT else None)
        self._takes_slices = self.at_ends and all(isinstance(m.op, Merging) for m in self._measures.by_name.values())
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
        names = ", ".join(measure.op.name for measure in self._measures.by_name.values())
        return f"<{names} over {self._plan.card.name} for each key: {self._spec.as_written()}>"

    def described(self) -> dict[str, str]:
        """The operators with their parameters, described the same in every process (`operators.described`)."""
        return {name: operators.described(measure.op) for name, measure in self._measures.by_name.items()}

    def empty(self) -> Kept:
        """The state before the first batch."""
        empty = np.zeros(0, np.int64)
        values = {name: np.zeros(0, dtype) for name, dtype in self._measures.columns.items()}
        valid = {name: np.zeros(0, bool) for name in self._measures.nullable}
        return Kept(empty, empty, empty, np.zeros(1, np.int64), empty, values, valid, EARLIEST)

    def must_have_kept(self, kept: Kept) -> None:
        """Raise ValueKindError or TimeError if that is no state of this aggregate, or an incomplete one. O(keys)."""
        self._measures.must_have_kept(kept)

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
        """Take in rows of any keys in any order and advance the watermark. Returns what fires, and the state after it.

        codes, times    int64 (n,): the number of the key and the time of each row
        values, valid   a column (n,) for each name in `columns`; for nullable ones, whether there is a value
        watermark       no row at or before it will come: windows that end by then fire, and so do rows. It does not go
                        back; FARTHEST (2**62) ends the stream

        Late rows (`are_late`) are left out. With the same watermarks, results are the same however rows are split into
        batches. If all operators are `merging`, rows are slices, and those of one key and time become one. `kept` is
        not modified, and nothing has changed if this raises OrderError, ValueKindError, TimeError or
        MemoryEstimateError.
        """
        self.must_have_kept(kept)
        batch = self._measures.batch(codes, times, values, valid)
        must_be_watermark("watermark", watermark)
        watermark = min(max(int(watermark), kept.watermark), FARTHEST)
        on_time = ~self.are_late(batch.times, kept.watermark)
        late = len(on_time) - int(np.count_nonzero(on_time))
        batch = batch.take(on_time) if late else batch
        if self._order == "refuse":
            must_not_go_back(kept, batch, np.flatnonzero(on_time))
        unsorted = self._order == "any" and self.at_ends and not self._takes_slices
        rows = merged(kept, batch, not unsorted, self._plan.by == COUNT)
        rows = joined(self._measures, rows) if self._takes_slices else rows
        n = len(rows.codes)
        if self.at_ends:
            done, due = map(self._last_end, (kept.watermark, watermark))
            fired = self._at_ends(rows, np.full(n, done + 1), np.full(n, due), unsorted)
            released = np.zeros(n, np.int64)
        else:
            released = np.diff(np.concatenate([[0], np.cumsum(rows.positions <= watermark)])[rows.begin])
            fired = self._after_rows(rows, released)
        stays = self._stays(rows, released, watermark)
        alive = np.diff(np.concatenate([[0], np.cumsum(stays)])[rows.begin]) > 0
        after = keep(rows, stays, released, alive | (self._plan.by == COUNT), watermark)
        return fired, after, self._counts(after, late, len(batch.codes))

    def are_late(self, times: np.ndarray, watermark: int) -> np.ndarray:
        """Which rows come too late after a batch with this watermark: those at or before it that no window waits for.

        With slide="row" and by count a row's own window is complete then; at ends those that are still open take it,
        unless rows must come in order (order="refuse"). A row between windows, where the slide is longer than the size,
        is in none and never late.
        """
        late = times <= watermark
        open_ones_take_it = self.at_ends and self._order != "refuse"
        return late & (times < self._first_needed(watermark)) & self._in_windows(times) if open_ones_take_it else late

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
        """As `take`, for a piece of a table whose rows are already sorted by key and time; `last` for the last piece.

        Only the last key stays in the state. Every result is returned that does not depend on a later row: for the last
        key, those at ends after its newest time wait, and those of rows of that time if peers are in each other's
        windows. Codes may be in any order if rows of a key are together. Raises OrderError if rows are not sorted so.
        """
        self.must_have_kept(kept)
        if len(kept.codes) > 1:
            raise ValueKindError(f"take_sorted carries one key from piece to piece, and kept has {len(kept.codes)}")
        batch = self._measures.batch(codes, times, values, valid)
        rows = appended(kept, batch)
        must_be_sorted(kept, batch, rows)
        n = np.diff(rows.begin)
        newest = int(rows.positions[-1]) if len(n) else EARLIEST
        watermark = FARTHEST if last else newest - 1 if len(n) else kept.watermark
        released = n.copy()
        if self.at_ends:
            done, due = np.full(len(n), -NEVER), np.full(len(n), self._last_end(FARTHEST))
            done[:1][rows.codes[:1] == kept.codes[:1]] = self._last_end(kept.watermark)
            due[-1:] = self._last_end(watermark)
            fired, released = self._at_ends(rows, done + 1, due, False), 0 * n
        else:
            if self._peers and not last and len(n):
                released[-1] = np.searchsorted(rows.positions[rows.begin[-2] :], newest)
            fired = self._after_rows(rows, released)
        alive = np.arange(len(n)) == (-1 if last else len(n) - 1)
        stays = self._stays(rows, released, watermark) & np.repeat(alive, n)
        after = keep(rows, stays, released, alive, watermark) if last or len(n) else kept
        return fired, after, self._counts(after, 0, len(batch.codes))

    # ------------------------------------------------------------------------------------------------------- inside

    def _last_end(self, watermark: int) -> int:
        """The number of the last end that the watermark has reached. FARTHEST has reached the end of every window.

        The newest possible time, FARTHEST - 1, is in windows that end up to a size later.
        """
        reached = watermark if watermark < FARTHEST else FARTHEST - 1 + self._plan.extent.size
        return number_of_end(self._plan.trigger, reached)

    def _at_ends(self, rows: Rows, least: np.ndarray, most: np.ndarray, unsorted: bool) -> Fired:
        """Results of windows at ends number least .. most of each key."""
        extent, trigger = self._plan.extent, self._plan.trigger
        if unsorted:
            return self._answers.at_unsorted_ends(extent, trigger, rows, least, most)
        return self._answers.over(windows_at_ends(extent, trigger, rows, least, most), rows, trigger)

    def _after_rows(self, rows: Rows, released: np.ndarray) -> Fired:
        """Results of windows that fire after rows `done` .. `released` - 1 of each key."""
        firing = windows_after_rows(self._plan.extent, self._plan.trigger.slide, self._peers, rows, released)
        return self._answers.over(firing, rows, self._plan.trigger)

    def _stays(self, rows: Rows, released: np.ndarray, watermark: int) -> np.ndarray:
        """Which rows a later window may hold."""
        if self._plan.by == COUNT:
            first = rows.begin[:-1] + np.maximum(released - self._plan.extent.size + 1, 0)
            return np.arange(len(rows.positions)) >= np.repeat(first, np.diff(rows.begin))
        return rows.positions >= self._first_needed(watermark)

    def _first_needed(self, watermark: int) -> int:
        """The first time of rows that a later window by time may hold."""
        extent, trigger = self._plan.extent, self._plan.trigger
        if watermark >= FARTHEST:
            return FARTHEST
        start = watermark + 1 - extent.size
        if self.at_ends:
            following = number_of_end(trigger, watermark) + 1
            start = start_of(extent, trigger, following, end_of(trigger, following))
        return start + extent.open

    def _in_windows(self, times: np.ndarray) -> np.ndarray:
        """Which rows any window at ends holds: the first that ends after them does, or none does."""
        extent, trigger = self._plan.extent, self._plan.trigger
        if trigger.slide <= extent.size:
            return np.ones(len(times), bool)
        before_end = (trigger.offset - times - 1 + trigger.closed) % trigger.slide + 1 - trigger.closed
        return before_end < extent.size + 1 - extent.open

    def _counts(self, kept: Kept, late: int, taken: int) -> Counts:
        return Counts(late, taken, len(kept.codes), len(kept.positions), kept.bytes, self._answers.combines())
