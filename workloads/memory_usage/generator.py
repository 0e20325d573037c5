"""Synthetic readings of a computer's memory in use, and controls. The paper's readings are not published: all assumed.

Usage in MiB, a whole number, is the sum of

- what is always there, and users: a daily cycle, weaker at weekends;
- a leak that runs away in the last hours before a reboot: one about every 30 days, after which the memory
  fills again within three minutes;
- a cache that grows and is reclaimed, a saw-tooth of some hours;
- jobs that allocate at once and free at once: Poisson starts, sizes and durations spread widely;
- small changes from reading to reading: none with the chance `equal`, otherwise up with the chance `rising`, and as far
  up as down in the long run. They stray from the sum of the others by some dozen MiB.

The chances decide how long runs of rising values are, and how often a maximum is passed. Every chunk stands for itself:
all but the small changes are functions of time and of numbers drawn for a period or for a chunk, and the small changes
begin anew at every chunk's start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workloads.record_sets import RecordSet, stream

DAY = 86_400
ROWS = 3 * DAY
"""Readings of a chunk: three days."""

TOTAL, LEAST = 16_384, 256  # MiB in the machine, and always in use
BASE, USERS, WEEKEND = 2_500.0, 1_800.0, 0.35
CACHE, RECLAIM = 700.0, 16_920  # MiB that it grows to, seconds until it is reclaimed
PERIOD, LEAKS, FILLING = 30 * DAY, (150.0, 250.0), 180  # one reboot a period; MiB leaked a day; seconds
RUNAWAY, HOURS = 3_000.0, 6 * 3_600  # MiB, and how long before a reboot it begins
JOBS, SIZE, SPREAD, LASTS = 12, 150.0, 0.7, 5_400.0  # a chunk; median MiB and its log-deviation; mean seconds
NEAR = 600
"""Seconds over which the small changes are held near to the sum of the others."""
MEAN_STEP = 3.0

USAGE, IID, UP, DOWN, CONSTANT = PATTERNS = ("usage", "iid", "up", "down", "constant")
HIGHEST = 1 << 40  # where `down` begins

CHANGES, SIZES, STARTS, REBOOTS = range(4)
"""Purposes of random numbers."""


@dataclass(frozen=True)
class Readings(RecordSet):
    """The record set: `records` readings from `seed`. A longer set begins with the readings of a shorter one."""

    records: int
    seed: int
    pattern: str
    equal: float
    rising: float
    name: str = "memory_usage"

    @property
    def chunks(self) -> int:
        return -(-self.records // ROWS)

    def chunk(self, number: int) -> dict[str, np.ndarray]:
        """Times (seconds) and values (MiB) of a chunk, int64."""
        values = self.values(number)
        return {"time": np.arange(len(values)) + number * ROWS, "used": values}

    def values(self, number: int) -> np.ndarray:
        """The readings of a chunk, int64, all at least 1. About 30 ms."""
        size, begin = min(ROWS, self.records - number * ROWS), number * ROWS
        if self.pattern == IID:
            return stream(self.seed, number, CHANGES).integers(1, TOTAL, ROWS, endpoint=True)[:size]
        if self.pattern in (UP, DOWN):
            serial = np.arange(begin, begin + size)
            return serial + 1 if self.pattern == UP else HIGHEST - serial
        if self.pattern == CONSTANT:
            return np.full(size, TOTAL // 2)
        return self._usage(number)[:size]

    def _usage(self, number: int) -> np.ndarray:
        walk = self._walk(number)
        offset = np.rint(self._level(number) - _mean_around(walk, NEAR))
        # Applied only where the reading changes anyway, so that equal readings stay equal.
        changes = np.concatenate(([True], walk[1:] != walk[:-1]))
        applied = offset[np.maximum.accumulate(np.where(changes, np.arange(ROWS), 0))]
        return np.clip(walk + applied.astype(np.int64) + self._jobs(number), LEAST, TOTAL)

    def _walk(self, number: int) -> np.ndarray:
        """Sums of small changes from 0; steps of at least 2, and the rarer direction the larger."""
        draw, sizes = stream(self.seed, number, CHANGES), stream(self.seed, number, SIZES)
        stays, rises = draw.random(ROWS) < self.equal, draw.random(ROWS) < self.rising
        odds = self.rising / (1 - self.rising) if 0 < self.rising < 1 else 1.0
        up, down = MEAN_STEP * max(1, 1 / odds), MEAN_STEP * max(1, odds)
        steps = np.where(rises, 1 + sizes.geometric(1 / (up - 1), ROWS), -1 - sizes.geometric(1 / (down - 1), ROWS))
        steps[stays] = 0
        steps[0] = 0
        return np.cumsum(steps)

    def _level(self, number: int) -> np.ndarray:
        """All that moves slowly, MiB, float64."""
        t = np.arange(number * ROWS, (number + 1) * ROWS)
        weekday = np.where(t // DAY % 7 < 5, 1.0, WEEKEND)
        users = USERS * weekday * (0.5 - 0.5 * np.cos(2 * np.pi * (t / DAY - 4 / 24)))
        cache = CACHE * (t % RECLAIM) / RECLAIM
        return self._since_reboot(t, BASE + users + cache)

    def _since_reboot(self, t: np.ndarray, level: np.ndarray) -> np.ndarray:
        """The level, with what has leaked since the last reboot, and after one with what is back by then."""
        period = t // PERIOD + 1  # period 0 is the one before the first reading
        reboots, rates = np.array([self._reboot(p) for p in range(int(period[-1]) + 2)]).T
        last = np.where(t >= reboots[period], period, period - 1)
        since, until_next = t - reboots[last], reboots[last + 1] - t
        runaway = RUNAWAY * np.maximum(0.0, 1 - until_next / HOURS) ** 2
        return np.minimum(1.0, since / FILLING) * (level + rates[last] * since / DAY + runaway)

    def _reboot(self, period: int) -> tuple[float, float]:
        draw = stream(self.seed, period, REBOOTS)
        return float((period - 1) * PERIOD + draw.integers(12 * DAY, 18 * DAY)), draw.uniform(*LEAKS)

    def _jobs(self, number: int) -> np.ndarray:
        """MiB held by the jobs that began in this chunk or in the one before; none lasts longer than a chunk."""
        held = np.zeros(2 * ROWS + 1)
        for begin, chunk in ((0, number - 1), (ROWS, number)):
            if chunk < 0:
                continue
            draw = stream(self.seed, chunk, STARTS)
            jobs = draw.poisson(JOBS)
            starts = begin + draw.integers(0, ROWS, jobs)
            sizes = np.rint(SIZE * np.exp(SPREAD * draw.standard_normal(jobs)))
            lasts = 1 + np.minimum(draw.exponential(LASTS, jobs).astype(np.int64), ROWS - 2)
            np.add.at(held, starts, sizes)
            np.add.at(held, np.minimum(starts + lasts, 2 * ROWS), -sizes)
        return np.cumsum(held)[ROWS : 2 * ROWS].astype(np.int64)


def _mean_around(x: np.ndarray, width: int) -> np.ndarray:
    """The mean of up to `width` entries around each, fewer at the ends. O(n)."""
    sums = np.concatenate(([0], np.cumsum(x)))
    first = np.maximum(np.arange(len(x)) - width // 2, 0)
    last = np.minimum(np.arange(len(x)) + width // 2, len(x))
    return (sums[last] - sums[first]) / (last - first)
