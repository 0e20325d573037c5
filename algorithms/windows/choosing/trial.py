"""The quickest of a few windows, by the clock: for operators that the table of costs does not have."""

import statistics
from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

import numpy as np

from algorithms.kernel import Slots, driver, row
from algorithms.windows.choosing.candidates import Candidate
from algorithms.windows.choosing.operator_cost import values_for
from algorithms.windows.contract import IN_ORDER, bulk_evict, evict, insert, query

VALUES = 4093
"""Random values that recur: a prime number, so that no window is as long."""

YOUNGER = 1 << 50
"""The time from which the younger values are, that stay in the window: beyond all that enter."""

MOST_ENTRIES, MOST_BYTES = 1 << 16, 1 << 24
"""Of a window that is timed: one that has more is timed in a smaller one, which is filled in some milliseconds."""

LAPS, LAP_NS = 5, 200_000

PATIENCE = 20
"""Laps of the length that is asked for, which is as long as one length is tried."""

FEWEST = 16
"""Rounds of a lap: of fewer, calling the loop would be what is timed."""

AGAIN = 4
"""Times as many in a second try."""

LONGEST_NS = 100_000_000
"""Of a lap in which all costs recur. Where that takes longer, a few rounds tell enough: the window is a slow one."""


@driver
def play(w, time, oldest, count, leaving, entering, serial, values):
    """`count` rounds: the `leaving` oldest leave, `entering` values enter at consecutive times; the sum of answers."""
    k, total = serial % VALUES, 0.0
    for _ in range(count):
        if leaving == 1:
            evict(w)
        elif leaving > 1:
            bulk_evict(w, oldest + leaving - 1)
        for _ in range(entering):
            insert(w, time, row(values, k))
            time += 1
            k = k + 1 if k + 1 < VALUES else 0
        oldest += leaving
        total += query(w)
    return total


class Rounds:
    """A window of n entries and rounds in it: m leave, m enter with d younger ones there, and one query."""

    def __init__(self, candidate: Candidate, op: Any, n: int, d: int, batch: int, values: Slots):
        self.n, self.d, self.batch, self.values = n, d, batch, values
        self.w = candidate.card.new(op, n + batch + 1, **dict(candidate.parameters))
        self.burst = -(-n // batch) if candidate.card.order == IN_ORDER else 1
        """Rounds in which all costs recur."""
        self.done, self.count = 0, FEWEST

    def compile(self) -> None:
        play(self.w, 0, 0, 0, 0, 0, 0, self.values)

    def fill(self) -> None:
        """The d younger values first, then the others."""
        play(self.w, YOUNGER, 0, 1, 0, self.d, 0, self.values)
        play(self.w, 0, 0, 1, 0, self.n - self.d, self.d, self.values)

    def run(self, count: int) -> float:
        """Do the next `count` rounds. The sum of their answers."""
        gone = self.done * self.batch
        self.done += count
        return play(self.w, self.n - self.d + gone, gone, count, self.batch, self.batch, self.n + gone, self.values)

    def lap(self) -> float:
        """Nanoseconds of the next `count` rounds."""
        start = perf_counter_ns()
        self.run(self.count)
        return perf_counter_ns() - start

    def calibrate(self, lap_ns: int) -> None:
        """Find how many rounds, in whole bursts, take about so long.

        A window that seems to be a slow one is tried with more rounds: of a few, the call may be what took long.
        """
        for self.count in (FEWEST, AGAIN * FEWEST):
            if self._quickest(lap_ns) * self.burst <= self.count * LONGEST_NS:
                break
        else:
            self.count = FEWEST
            return
        self.count = -(-FEWEST // self.burst) * self.burst
        while (elapsed := self._quickest(lap_ns)) * 4 < lap_ns:
            self.count = -(-int(self.count * min(64, lap_ns / elapsed + 1)) // self.burst) * self.burst

    def _quickest(self, lap_ns: int) -> float:
        """Nanoseconds of the quickest of some laps; of long ones, of one.

        16 rounds take about 1 to 20 microseconds. Where a host shares its processors, now and then two laps on end take
        more than a hundred, and 16 rounds then seemed to be enough: in 5 of 3,144 measurements of auto_choice.
        """
        laps = [self.lap()]
        while len(laps) < LAPS and sum(laps) < PATIENCE * lap_ns:
            laps.append(self.lap())
        return min(laps)


_timed: dict[tuple[Any, ...], list[tuple[Candidate, float]]] = {}
"""By operators, as their class and partial, candidates and point: a trial is not made twice."""


def timed(
    candidates: Sequence[Candidate], ops: Sequence[Any], n: int, d: int, batch: int
) -> list[tuple[Candidate, float]]:
    """The candidates with the nanoseconds of a round of all operators, the quickest first.

    Some tens of milliseconds, and one or two seconds to compile each window of an operator of one's own.
    """
    key = (tuple((type(op), str(op.dtype)) for op in ops), tuple(candidates), n, d, batch)
    if key not in _timed:
        each = [_ns_of_rounds(candidates, op, n, d, batch) for op in ops]
        totals = zip(candidates, np.sum(each, axis=0).tolist(), strict=True)
        _timed[key] = sorted(totals, key=lambda pair: pair[1])
    return _timed[key]


def _ns_of_rounds(candidates: Sequence[Candidate], op: Any, n: int, d: int, batch: int) -> list[float]:
    """The median lap of each candidate, which take turns, in nanoseconds a round."""
    entries = min(n, MOST_ENTRIES, max(64, MOST_BYTES // np.dtype(op.dtype).itemsize))
    batch, d = min(batch, entries), d * entries // n
    values = values_for(op, VALUES)
    rounds = [Rounds(each, op, entries, d, batch, values) for each in candidates]
    for each in rounds:
        each.compile()
        each.fill()
        each.calibrate(LAP_NS)
    laps = [[each.lap() / each.count for each in rounds] for _ in range(LAPS)]
    return [statistics.median(column) for column in zip(*laps, strict=True)]
