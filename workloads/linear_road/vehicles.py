"""The vehicles of one expressway: when and where each enters, how long it drives, how fast it would like to go.

All of it is drawn before any journey is driven, so the number of reports is known, and met exactly, before the first
one is made: the vehicles are as few as can reach it, and the last one enters so late that there are none too many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workloads.linear_road.layout import EVERY, LENGTH, STRIDE
from workloads.record_sets import stream

FIRST, LAST, BEND = 13, 61, 0.7
"""Vehicles a second that enter a full expressway at its start and at its end; in between the inflow grows as the time
to the power of BEND. With journeys of a quarter of an hour that makes about 1,700 reports a second at the end, and
FULL in all."""

SHORTEST, MEAN, LONGEST = 4, 28, 110
"""Reports of a journey that no accident interrupts."""

DESIRED, DEVIATION, SLOWEST, QUICKEST = 70, 10, 45, 92
WANDER = 8
"""Speeds that drivers would like, mph, and the most that one is above it at times."""

EVERY_ACCIDENT = 1200
DRIVES, STANDS = (4, 16), (20, 40)
"""Seconds in which there is one accident; reports before one, and reports at speed 0 in it: ten to twenty minutes."""

ACCIDENTS, NOISE, QUERIES, DRAWS = range(4)
"""Purposes of random numbers; from DRAWS on one for each quantity that is drawn of a vehicle."""

NOISES = 1 << 16


class Vehicles(NamedTuple):
    """Arrays of shape (vehicles,), in order of entry.

    enters   int32, seconds from the start of the stream
    journey  uint8, reports from entry to exit
    reports  uint8, those of them that it makes before the stream ends
    way      int32, 0 or 1: the direction
    start    int32, feet from where its direction begins to where it enters
    desired  uint8, mph
    place    uint16, where it begins to read the table of `noise`
    clock    int32, `enters`, but of the second vehicle of an accident that of the first
    """

    enters: np.ndarray
    journey: np.ndarray
    reports: np.ndarray
    way: np.ndarray
    start: np.ndarray
    desired: np.ndarray
    place: np.ndarray
    clock: np.ndarray


class Accidents(NamedTuple):
    """Pairs of vehicles that enter one after the other at the same place. The second drives as the first did, at its
    own time, so it comes to stand exactly where that one stands, and both are off the scale of what traffic allows:
    they drive as fast as they like until they stand. int64, shape (accidents,).

    leader  number of the first vehicle; the second is the next, if there is one
    drives  reports before the first one of speed 0
    stands  reports of speed 0
    """

    leader: np.ndarray
    drives: np.ndarray
    stands: np.ndarray

    def both(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number, `drives` and `drives + stands` of all vehicles in accidents, of each pair one after the other."""
        numbers = np.stack((self.leader, self.leader + 1), axis=1).ravel()
        return numbers, np.repeat(self.drives, 2), np.repeat(self.drives + self.stands, 2)


def vehicles(reports: int, seconds: int, seed: int, xway: int) -> tuple[Vehicles, Accidents]:
    """The vehicles of an expressway that make exactly so many reports in so many seconds.

    O(reports / MEAN), a few times: each round adds vehicles for 99 % of what is missing, so that little is too much.
    """
    count = -(-reports // (2 * MEAN))
    while True:
        drawn, accidents = _draw(count, seconds, seed, xway)
        total = int(drawn.reports.sum(dtype=np.int64))
        if total >= reports:
            break
        count += max(1, int(0.99 * (reports - total) / total * count))
    if total > reports:
        drawn = _shortened(drawn, total - reports, seconds)
    is_entered = accidents.leader < len(drawn.enters)
    return drawn, Accidents(*(column[is_entered] for column in accidents))


def noise(seed: int, xway: int) -> np.ndarray:
    """By how many mph drivers miss the speed they want: float32, shape (NOISES,), from -WANDER to WANDER."""
    return np.clip(3 * stream(seed, xway, NOISE).standard_normal(NOISES, np.float32), -WANDER, WANDER)


def _draw(count: int, seconds: int, seed: int, xway: int) -> tuple[Vehicles, Accidents]:
    """`count` vehicles. Each has the same random numbers whatever the count, and only enters earlier where there are
    more."""
    draw = [stream(seed, xway, purpose) for purpose in range(DRAWS, DRAWS + 6)]
    enters = _entries(draw[0].random(count), seconds)
    legs = draw[1].geometric(2 / (MEAN - SHORTEST + 2), (count, 2)).sum(axis=1) - 2
    journey = np.minimum(SHORTEST + legs, LONGEST)
    desired = np.clip(np.rint(DESIRED + DEVIATION * draw[2].standard_normal(count)), SLOWEST, QUICKEST).astype(np.int64)
    share, way, place = draw[3].random(count), draw[4].integers(0, 2, count), draw[5].integers(0, NOISES, count)
    clock, moves = enters.copy(), journey.copy()

    accidents = _accidents(enters, seconds, seed, xway)
    for column in (desired, share, way, place, clock):
        column[accidents.leader + 1] = column[accidents.leader]
    both, drives, goes_on = accidents.both()
    journey[both], moves[both] = goes_on + SHORTEST, drives + SHORTEST

    # So far from the end of the road that even who drives as fast as ever possible leaves before it.
    start = share * (LENGTH - STRIDE * (desired + WANDER) * (moves - 1))
    reports = np.minimum(journey, 1 + (seconds - 1 - enters) // EVERY)
    dtypes = (np.int32, np.uint8, np.uint8, np.int32, np.int32, np.uint8, np.uint16, np.int32)
    columns = (enters, journey, reports, way, start, desired, place, clock)
    return Vehicles(*(column.astype(dtype) for column, dtype in zip(columns, dtypes, strict=True))), accidents


def _entries(chances: np.ndarray, seconds: int) -> np.ndarray:
    """Times of entry, int64, in order: one in each of equal shares of the inflow."""
    x = np.linspace(0, 1, 1025)
    entered = FIRST * x + (LAST - FIRST) * x ** (1 + BEND) / (1 + BEND)
    shares = (np.arange(len(chances)) + chances) * (entered[-1] / max(len(chances), 1))
    return np.minimum(np.interp(shares, entered, x) * seconds, seconds - 1).astype(np.int64)


def _accidents(enters: np.ndarray, seconds: int, seed: int, xway: int) -> Accidents:
    """One at a random time in every period of EVERY_ACCIDENT.

    A pair begins with an even number, so that no vehicle is in two.
    """
    draw = stream(seed, xway, ACCIDENTS)
    count = -(-seconds // EVERY_ACCIDENT)
    times = ((np.arange(count) + draw.random(count)) * EVERY_ACCIDENT).astype(np.int64)
    drives, stands = (draw.integers(low, high, count, endpoint=True) for low, high in (DRIVES, STANDS))
    leader = np.searchsorted(enters, np.maximum(times - EVERY * drives, 0)) & ~1
    leader, first = np.unique(leader, return_index=True)
    exists = (leader + 1 < len(enters)) & (times[first] < seconds)
    return Accidents(leader[exists], drives[first][exists], stands[first][exists])


def _shortened(drawn: Vehicles, surplus: int, seconds: int) -> Vehicles:
    """The vehicles with `surplus` fewer reports: the last to enter are dropped, and the last one left enters later."""
    up_to = np.cumsum(drawn.reports, dtype=np.int64)
    reports = int(up_to[-1]) - surplus
    count = int(np.searchsorted(up_to, reports)) + 1
    kept = Vehicles(*(column[:count].copy() for column in drawn))
    if excess := int(up_to[count - 1]) - reports:
        kept.reports[-1] -= excess
        kept.enters[-1] = kept.clock[-1] = seconds - 1 - EVERY * (int(kept.reports[-1]) - 1)
    return kept
