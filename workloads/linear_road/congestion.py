"""How much of the speed that drivers want traffic lets them have, by time, direction and segment of an expressway.

A stream of cars, not cars: each segment holds a density (vehicles a mile and direction, over the three lanes), which
moves on at the speed that it allows, grows where vehicles enter and shrinks as they leave. Speed falls with the density
as 1 - (density / JAM)^2; where an accident is it is at most BLOCKED, and what cannot move on queues up behind it.
Journeys are then driven in what comes out, each for itself. Assumed: the law, JAM and BLOCKED.
"""

from __future__ import annotations

import numpy as np

from workloads.linear_road.journeys import ramp, speed
from workloads.linear_road.layout import EVERY, FEET, SEGMENTS, STRIDE
from workloads.linear_road.vehicles import DESIRED, MEAN, Accidents, Vehicles

JAM = 600
"""Vehicles a mile and direction that stand: 200 in each of three lanes."""

LEAST, BLOCKED = 0.03, 0.08
"""Shares of the wanted speed: in a jam, and past an accident."""

MOVES = DESIRED * STRIDE / FEET
"""Segments that free traffic moves on between two reports; below 1, so that none is left out."""


def allowed(vehicles: Vehicles, accidents: Accidents, noise: np.ndarray, seconds: int) -> np.ndarray:
    """Share of the wanted speed, float32, shape (steps, 2, SEGMENTS): steps of EVERY seconds, segments in the order of
    the direction. O(steps * SEGMENTS + vehicles), about 20 ms for three hours.
    """
    steps = seconds // EVERY + 1
    shares = np.ones((steps, 2, SEGMENTS), np.float32)
    for step, way, segment, lasts in blocked(vehicles, accidents, noise):
        shares[step : step + lasts, way, segment] = BLOCKED
    entering = np.bincount(
        (vehicles.enters // EVERY * 2 + vehicles.way) * SEGMENTS + vehicles.start // FEET, minlength=shares.size
    ).reshape(shares.shape)
    density = np.zeros((2, SEGMENTS))
    for share, entered in zip(shares, entering, strict=True):
        np.minimum(share, np.maximum(1 - (density / JAM) ** 2, LEAST), out=share)
        moved = density * share * MOVES
        moved[:, :-1] = np.minimum(moved[:, :-1], np.maximum(JAM - density[:, 1:], 0))
        density += entered - moved
        density[:, 1:] += moved[:, :-1]
        density *= 1 - 1 / MEAN
    return shares


def blocked(vehicles: Vehicles, accidents: Accidents, noise: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Of each accident the step at which it happens, direction, segment (in its order) and steps that it lasts."""
    blocks = []
    for leader, drives, stands in zip(*(column.tolist() for column in accidents)):
        # Of one vehicle, but as arrays: only in those do places in the noise wrap around without a warning.
        enters, _, _, way, start, desired, place, _ = (column[leader : leader + 1] for column in vehicles)
        speeds = [int(ramp(place)[0])]
        speeds += [int(speed(desired.astype(np.float32), place, step, noise, 1.0)[0]) for step in range(1, drives)]
        # Each speed counts in the steps before and after it, but the first, and then the vehicle stands.
        feet = STRIDE // 2 * (2 * sum(speeds) - speeds[0])
        blocks.append((int(enters[0]) // EVERY + drives, int(way[0]), (int(start[0]) + feet) // FEET, stands))
    return blocks
