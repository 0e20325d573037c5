"""Journeys: where vehicles are and how fast they go, from report to report.

Speeds are whole mph, and between two reports a speed changes steadily. So a vehicle that reports s and then t has moved
22 (s + t) feet in the 30 s between them: positions are the exact integral of speeds, in whole feet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workloads.linear_road.layout import EVERY, FASTEST, FEET, SEGMENTS, STRIDE
from workloads.linear_road.vehicles import Accidents, Vehicles

RAMP = (10, 30)
"""mph at which vehicles enter and leave."""

PACE = 7
"""Places of the table of noise between one report and the next."""


class Driven(NamedTuple):
    """Reports, arrays of shape (reports,): vehicle int64, step (of its journey, from 0) and speed int16, feet int32
    from where the vehicle's direction begins."""

    vehicle: np.ndarray
    step: np.ndarray
    feet: np.ndarray
    speed: np.ndarray


def ramp(place: np.ndarray) -> np.ndarray:
    """The speed at which vehicles with these places in the noise enter and leave, mph."""
    return RAMP[0] + place % (RAMP[1] - RAMP[0] + 1)


def speed(
    desired: np.ndarray, place: np.ndarray, step: int, noise: np.ndarray, share: np.ndarray | float
) -> np.ndarray:
    """The speed at a step where traffic allows that share of the desired one, mph, int16."""
    deviation = noise[place + np.uint16(PACE * step)]  # wraps around: the table has 2^16 entries
    return np.clip(np.rint(desired * share + deviation), 0, FASTEST).astype(np.int16)


def drive(
    vehicles: Vehicles, accidents: Accidents, noise: np.ndarray, allowed: np.ndarray, begin: int, end: int
) -> Driven:
    """All reports from second `begin` to before `end`, in no order of time.

    Vehicles that are on the road by then are driven from their entry on, all at once, step by step. Those that report
    longest stand first, so the ones under way are always the first so many, and nothing is moved when others leave.
    `allowed`: see `congestion`. O(vehicles * reports until `end`).
    """
    first, last = np.searchsorted(vehicles.enters, (begin - EVERY * 255, end))
    entered = vehicles.enters[first:last]
    since = np.maximum((begin - entered + EVERY - 1) // EVERY, 0)
    until = np.minimum(vehicles.reports[first:last], (end - 1 - entered) // EVERY + 1)
    on_road = np.flatnonzero(since < until)
    on_road = on_road[np.argsort((255 - until[on_road]).astype(np.uint8), kind="stable")]
    since, until = since[on_road].astype(np.uint8), until[on_road]
    _, journey, _, way, start, desired, place, clock = (column[first:last][on_road] for column in vehicles)

    desired = desired.astype(np.float32)
    road = (clock // EVERY * 2 + way) * SEGMENTS
    shares = allowed.ravel()
    crashed = _Crashed.of(accidents, first, on_road, len(entered))
    feet, speeds = start.copy(), ramp(place).astype(np.int16)
    under_way = np.searchsorted(-until, -np.arange(int(until.max(initial=0)) + 1)).tolist()
    pieces = []
    for step, (n, stay) in enumerate(zip(under_way, under_way[1:])):
        if step:
            share = shares[road[:n] + (2 * SEGMENTS * step + feet[:n] // FEET)]
            current = speed(desired[:n], place[:n], step, noise, share)
            crashed.brake(current, desired, place, step, noise)
            current[stay:] = np.where(journey[stay:n] == step + 1, ramp(place[stay:n]), current[stay:])
            feet[:n] += STRIDE // 2 * (speeds[:n] + current)
            speeds[:n] = current
        due = np.flatnonzero(since[:n] <= step)
        pieces.append((on_road[due] + first, np.full(len(due), step, np.int16), feet[due], speeds[due]))
    if not pieces:
        pieces = [(on_road, since.astype(np.int16), feet, speeds)]
    return Driven(*(np.concatenate(columns) for columns in zip(*pieces)))


class _Crashed(NamedTuple):
    """Vehicles of accidents by their places among those that are driven, from the last to the first."""

    places: np.ndarray
    drives: np.ndarray
    goes_on: np.ndarray

    @classmethod
    def of(cls, accidents: Accidents, first: int, on_road: np.ndarray, count: int) -> _Crashed:
        numbers, drives, goes_on = accidents.both()
        place = np.full(count, -1)
        place[on_road] = np.arange(len(on_road))
        in_range = (numbers >= first) & (numbers < first + count)
        places = place[numbers[in_range] - first]
        is_driven = places >= 0
        return cls(places[is_driven], drives[in_range][is_driven], goes_on[in_range][is_driven])

    def brake(self, current: np.ndarray, desired: np.ndarray, place: np.ndarray, step: int, noise: np.ndarray) -> None:
        """Put their speeds into `current`: those they like before the accident, 0 in it."""
        under_way = (self.places < len(current)) & (step < self.goes_on)
        places, drives = self.places[under_way], self.drives[under_way]
        free = speed(desired[places], place[places], step, noise, 1.0)
        current[places] = np.where(step < drives, free, 0)
