"""Synthetic records of manufacturing equipment, calibrated to what was measured on 170 s of the real data.

Documented are the quantiles of the spacing of timestamps, and of each of the three energy measures the median, standard
deviation, range, mean step and share of non-zero steps (see `facts`). The rest is assumed:

- A sensor samples every 10 ms exactly, and timestamps have a uniform jitter. Now and then a record comes late; the next
  follows closely, and the one after that is on time again: the longest and the shortest spacings.
- An energy measure is a stationary process with an exponential memory (about a minute), skewed to fit its range, with
  a peak every few minutes that dies away within a second (a motor that starts), rounded to whole numbers; some records
  repeat the one before. The three are independent of each other.
- The anode current drops stay at their medians but for single units; what is 0 in the real sample is always 0.
- Of the 54 states 20 are active. Their transitions are independent Poisson processes, with rates that are spread evenly
  on a log scale from one in 200 to one in 200,000 records: the paper's frequencies are not published. The other 34
  change once in 5,000,000 records.

Every chunk stands for itself. Where it needs to know how the one before ends, that is known in closed form: clocks by
the record's number, energy by a level at each chunk's start to which the chunk before is bent (a bridge), states by the
parity of the numbers of transitions in all earlier chunks, which are drawn without their places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from workloads.debs12 import layout
from workloads.record_sets import RecordSet, stream

ROWS = 1 << 18
"""Records of a chunk."""

BEGIN = np.datetime64("2012-02-22T16:00:00", "ns").astype(np.int64)
TICK = 100  # ns: timestamps have seven decimals
PERIOD = 10_000_000 // TICK
JITTER = 582
STALLS = 0.0011  # share of records that come late
LATE, NEXT = (114_000, 135_000), (22_300, 40_000)  # how late they come, and how soon the next one follows; ticks

ACTIVE, SELDOM = 20, 5_000_000
OFTEN = (200, 200_000)

TIMES, LEVELS, COUNTS, PLACES, ENERGY, CURRENTS = 0, 1, 2, 3, 4, 7
"""Purposes of random numbers; each of the three energy measures and currents has its own, counted on from these."""


class Measure(NamedTuple):
    """An energy measure is median + scale * (exp(skew * y) - 1) + peaks, rounded and kept within low and high.

    y is Gaussian with mean 0 and deviation 1, and its correlation from one record to the next is 1 - forgets.
    `repeats` is the chance that a record has the value of the one before.
    """

    median: int
    scale: float
    skew: float
    low: int
    high: int
    forgets: float
    repeats: float


MEASURES = (
    Measure(13_049, 643.0, 0.46, 12_466, 18_224, 1.7e-4, 0.087),
    Measure(14_368, 727.0, 0.46, 13_698, 20_331, 1.72e-4, 0.096),
    Measure(8_094, 3_200.0, 0.06, 7_275, 9_388, 1.27e-4, 0.064),
)
PEAKS = 15  # of a chunk, on average
PEAK = 0.95 ** np.arange(128)  # what is left of a peak after so many records
CURRENT_MEDIANS = (71, 190, 152)


@dataclass(frozen=True)
class Equipment(RecordSet):
    """The record set: `records` records from `seed`. A longer set begins with the records of a shorter one."""

    records: int
    seed: int
    name: str = "debs12"

    @property
    def chunks(self) -> int:
        return -(-self.records // ROWS)

    def chunk(self, number: int) -> dict[str, np.ndarray | pa.Array]:
        """All columns of a chunk, see `layout`. About 40 ms."""
        zero = np.zeros(self.size(number), np.int32)
        return {
            layout.TIME: pa.array(self.times(number)).cast(pa.timestamp("ns", "UTC")),
            layout.INDEX: np.arange(self.size(number)) + number * ROWS,
            **{name: self.energy(number, k) for k, name in enumerate(layout.ENERGY)},
            **{name: self._current(number, k) for k, name in enumerate(layout.CURRENT)},
            **dict.fromkeys(layout.ALWAYS_ZERO, zero),
            layout.STATES: self._states(number),
        }

    def column(self, name: str) -> np.ndarray:
        """The timestamps (ns, int64) or one energy measure (int32) of all records, shape (records,)."""
        values = np.empty(self.records, np.int64 if name == layout.TIME else np.int32)
        for number in range(self.chunks):
            of_chunk = self.times(number) if name == layout.TIME else self.energy(number, layout.ENERGY.index(name))
            values[number * ROWS : number * ROWS + len(of_chunk)] = of_chunk
        return values

    def all_transitions(self) -> list[np.ndarray]:
        """For each state the records, from 0, where it differs from the record before; int64, sorted."""
        chunks = [[places + number * ROWS for places in self.transitions(number)] for number in range(self.chunks)]
        transitions = [np.concatenate(in_chunks) for in_chunks in zip(*chunks, strict=True)]
        return [records[(records > 0) & (records < self.records)] for records in transitions]

    def size(self, number: int) -> int:
        """Records of a chunk: all are full but the last."""
        return min(ROWS, self.records - number * ROWS)

    def times(self, number: int) -> np.ndarray:
        """Timestamps of a chunk in ns since 1970, int64, strictly increasing."""
        draw = stream(self.seed, number, TIMES)
        ticks = np.arange(ROWS) * PERIOD + draw.integers(-JITTER, JITTER, ROWS, endpoint=True)
        # Four places apart, so that each stall is over before the next and before the chunk is.
        stalled = 4 * np.unique(draw.integers(0, ROWS // 4, draw.poisson(STALLS * ROWS)))
        late = draw.integers(*LATE, len(stalled))
        ticks[stalled] += late
        ticks[stalled + 1] += late - PERIOD + draw.integers(*NEXT, len(stalled))
        return (BEGIN + (ticks + number * ROWS * PERIOD) * TICK)[: self.size(number)]

    def energy(self, number: int, which: int) -> np.ndarray:
        """One of the three energy measures (from 0) in a chunk, int32."""
        measure = MEASURES[which]
        start, end = (stream(self.seed, n, LEVELS).standard_normal(3)[which] for n in (number, number + 1))
        draw = stream(self.seed, number, ENERGY + which)
        y = _bridge(start, end, draw.standard_normal(ROWS), measure.forgets)
        level = measure.median + measure.scale * np.expm1(measure.skew * y)
        for place in draw.integers(0, ROWS - len(PEAK), draw.poisson(PEAKS)):
            level[place : place + len(PEAK)] += PEAK * draw.uniform(0.3, 1) * (measure.high - measure.median)
        values = np.clip(np.rint(level), measure.low, measure.high).astype(np.int32)
        is_new = draw.random(ROWS, np.float32) >= measure.repeats
        is_new[0] = True
        source = np.maximum.accumulate(np.where(is_new, np.arange(ROWS), 0))
        return values[source][: self.size(number)]

    def transitions(self, number: int) -> list[np.ndarray]:
        """For each state the places in a full chunk, from 0, where it differs from the record before; int64, sorted."""
        draw = stream(self.seed, number, PLACES)
        counts = self._counts(number)[-1]
        # Sorted draws from a range shortened by their number, spread again: distinct places.
        return [np.sort(draw.integers(0, ROWS - n + 1, n)) + np.arange(n) for n in counts.tolist()]

    def _counts(self, number: int) -> np.ndarray:
        """Transitions of each state in chunks 0 to `number`, int64, shape (number + 1, 54)."""
        return stream(self.seed, 0, COUNTS).poisson(ROWS * rates(), (number + 1, layout.WIDTH))

    def _states(self, number: int) -> np.ndarray:
        before = self._counts(number)[:-1].sum(axis=0) % 2
        flips = np.zeros(ROWS, np.int64)
        flips[0] = np.sum(before << np.arange(layout.WIDTH))
        for bit, places in enumerate(self.transitions(number)):
            flips[places] ^= 1 << bit
        return np.bitwise_xor.accumulate(flips)[: self.size(number)]

    def _current(self, number: int, which: int) -> np.ndarray:
        draw = stream(self.seed, number, CURRENTS + which)
        steps = np.array([-1, *[0] * 8, 1], np.int32)[draw.integers(0, 10, ROWS, np.int8)]
        return (CURRENT_MEDIANS[which] + steps)[: self.size(number)]


def rates() -> np.ndarray:
    """Transitions of each state a record, float64, shape (54,): the active ones first, the most frequent at the front.

    Assumed, see the module's docstring.
    """
    active = np.geomspace(*OFTEN, ACTIVE)
    return 1 / np.concatenate((active, np.full(layout.WIDTH - ACTIVE, SELDOM)))


@lru_cache
def _powers(base: float) -> np.ndarray:
    """base^0 to base^ROWS, by multiplying: exact in the same way on every processor, which a power function is not."""
    return np.cumprod(np.concatenate(([1.0], np.full(ROWS, base))))


def _bridge(start: float, end: float, noise: np.ndarray, forgets: float) -> np.ndarray:
    """A stationary Gaussian process of deviation 1 that goes from `start` to `end`, which is the value after its last.

    y[i] = keeps * y[i-1] + new noise, solved by a running sum, then bent so that it ends where the next chunk starts:
    given start and end this is exactly the distribution of such a process. O(n), in whole-array operations.
    """
    n, keeps = len(noise), 1 - forgets
    powers = _powers(keeps)
    innovations = noise * ((1 - keeps * keeps) ** 0.5 / powers[1:])
    path = np.concatenate(([start], start + np.cumsum(innovations))) * powers
    bend = powers[::-1] * (1 - powers**2) / (1 - powers[n] ** 2)
    return (path + (end - path[n]) * bend)[:n]
