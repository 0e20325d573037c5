"""What is documented of Linear Road's traffic, beside the same of a stream."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workloads.linear_road.layout import ENTRY, EVERY, EXIT, LANES, TIME, VEHICLE_BITS
from workloads.linear_road.rules import Stream


class Known(NamedTuple):
    """What is documented of a quantity, in words, and the range of values that agrees with it."""

    words: str
    low: float
    high: float


STATISTICS = {
    "queries, % of all tuples": Known("1", 0.9, 1.1),
    "reports a second in the first 30 s": Known("about 13", 10, 16),
    "reports a second in the last minute": Known("about 1,700 after three hours", 1_450, 1_950),
    "mph at entry, least": Known("10", 10, 12),
    "mph at entry, greatest": Known("30", 28, 30),
    "mph above 40 in lanes 1 to 3, first third, mean": Known("70", 66, 74),
    "mph above 40 in lanes 1 to 3, first third, deviation": Known("10", 8, 12),
    "minutes of a journey, 1st percentile": Known("a few", 1.5, 9),
    "minutes of a journey, 99th percentile": Known("tens", 20, 60),
    "accidents an hour and expressway": Known("3", 2, 4),
    "minutes of an accident, least": Known("10", 9, 14),
    "minutes of an accident, greatest": Known("20", 14, 21),
}
"""What is said of three hours of one expressway."""

BEGINS, ENDS = 30, 60
"""Seconds that are the beginning and the end of a stream."""

FLOWS = 40
"""mph above which nothing is in the way."""

LONG = 4
"""Reports of speed 0 in a row from which on a vehicle has stopped; two that stop in one place have collided."""


class Stops(NamedTuple):
    """Runs of reports of speed 0, as the compressed-windows paper counts stops. int64, shape (stops,).

    begin, end  places among the stream's journeys, of the first report and of the last
    vehicle     number of the vehicle, from 0
    vehicles    how many there are
    """

    begin: np.ndarray
    end: np.ndarray
    vehicle: np.ndarray
    vehicles: int


class Accidents(NamedTuple):
    """Pairs of vehicles that stand in one place. int64, shape (accidents,); `begin` is when the second one stands, and
    `end` when the first is last seen there."""

    xway: np.ndarray
    way: np.ndarray
    position: np.ndarray
    begin: np.ndarray
    end: np.ndarray


def stops(stream: Stream) -> Stops:
    """All stops of all vehicles. O(n)."""
    j = stream.journeys
    still = j.speed == 0
    goes_on = np.concatenate(([False], still[1:] & still[:-1])) & ~j.starts
    begin, end = np.flatnonzero(still & ~goes_on), np.flatnonzero(still & ~np.concatenate((goes_on[1:], [False])))
    vehicle = np.cumsum(j.starts) - 1
    return Stops(begin, end, vehicle[begin], int(vehicle[-1]) + 1)


def accidents(stream: Stream) -> Accidents:
    """Long stops in one place of which the next begins before the one before ends. O(n)."""
    j, stopped = stream.journeys, stops(stream)
    is_long = stopped.end - stopped.begin >= LONG - 1
    begin, end = stopped.begin[is_long], stopped.end[is_long]
    xway = j.key[begin] >> VEHICLE_BITS
    place = np.stack((xway, j.way[begin], j.position[begin], j.time[begin], j.time[end])).astype(np.int64)
    place = place[:, np.lexsort(place[3::-1])]
    meets = (place[:3, 1:] == place[:3, :-1]).all(axis=0) & (place[3, 1:] <= place[4, :-1])
    later = np.flatnonzero(meets) + 1
    return Accidents._make((*place[:4, later], np.minimum(place[4, later], place[4, later - 1])))


def span(stream: Stream) -> tuple[int, int]:
    """The first second of a stream, and the number of seconds up to its last."""
    times = stream.columns[TIME]
    return int(times[0]), int(times[-1]) - int(times[0]) + 1


def expressways(stream: Stream) -> int:
    """How many expressways there are reports of."""
    return len(np.unique(stream.journeys.key >> VEHICLE_BITS))


def statistics(stream: Stream, full: float = 1.0) -> dict[str, float]:
    """Those of STATISTICS that the stream has: without an accident, or a vehicle that left, theirs are missing.

    `full`: of a synthetic stream, how full its road is made (see LinearRoad.full); its rates are scaled to a full road.
    Recorded tuples have the rates that they have, over the seconds that they cover. O(n log n) time.
    """
    (first, seconds), j, roads = span(stream), stream.journeys, expressways(stream)
    begins, ends = min(BEGINS, seconds), min(ENDS, seconds)
    elapsed = j.time.astype(np.int64) - first
    cruising = j.speed[np.isin(j.lane, LANES) & (j.speed > FLOWS) & (elapsed * 3 < seconds)]
    entering = j.speed[j.lane == ENTRY]
    entered = np.maximum.accumulate(np.where(j.starts, np.arange(len(j.starts)), 0))
    exits = np.flatnonzero(j.lane == EXIT)
    minutes = (j.time[exits] - j.time[entered[exits]]) / 60
    collided = accidents(stream)
    cleared = collided.end + EVERY < first + seconds
    stood = (collided.end - collided.begin)[cleared] / 60
    measured = {
        "queries, % of all tuples": 100 * (1 - len(j.key) / len(stream)),
        "reports a second in the first 30 s": (elapsed < begins).sum() / begins / roads / full,
        "reports a second in the last minute": (elapsed >= seconds - ends).sum() / ends / roads / full,
        "accidents an hour and expressway": len(cleared) / (seconds / 3600) / roads,
    }
    if len(entering):
        measured |= {"mph at entry, least": entering.min(), "mph at entry, greatest": entering.max()}
    if len(cruising):
        measured["mph above 40 in lanes 1 to 3, first third, mean"] = cruising.mean()
        measured["mph above 40 in lanes 1 to 3, first third, deviation"] = cruising.std()
    if len(minutes):
        low, high = np.quantile(minutes, (0.01, 0.99))
        measured |= {"minutes of a journey, 1st percentile": low, "minutes of a journey, 99th percentile": high}
    if len(stood):
        measured |= {"minutes of an accident, least": stood.min(), "minutes of an accident, greatest": stood.max()}
    return {name: float(measured[name]) for name in STATISTICS if name in measured}
