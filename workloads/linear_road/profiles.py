"""What figures show of a stream: rates over time, speeds, stops, and how speed depends on density and accidents."""

from __future__ import annotations

import numpy as np

from workloads.linear_road import layout
from workloads.linear_road.layout import DIRECTION, EVERY, FEET, LANE, LANES, POSITION, SEGMENT, SPEED, TIME, XWAY
from workloads.linear_road.rules import Stream
from workloads.linear_road.statistics import accidents, expressways, span, stops

PROFILES = {
    "rate": (range(5, 180, 10), ("reports", "entries")),
    "speeds": (range(0, 101, 5), ("first", "last")),
    "stops": (range(6), ("vehicles",)),
    "density": (range(25, 600, 50), ("segments",)),
    "accident": (range(-6, 3), ("before", "during")),
}
"""What each goes over, and its series.

rate      by time, the whole stream scaled to 180 minutes, in steps of ten: reports, and vehicles that enter, a second
          on one expressway
speeds    by mph, up to 4 more: percent of the reports in travel lanes of the first or last third of the stream
stops     by their number (the last: or more): vehicles
density   by vehicles in a segment and direction in a minute, 25 less to 25 more: mean mph in travel lanes
accident  by segments from an accident, negative behind it: mean mph in the ten minutes before, and from five minutes
          after it until it is cleared, without those that collided
"""

SETTLED = 300
"""Seconds from an accident until traffic has come to it."""

Profile = dict[tuple[int, str], float]
"""Values by place and series; points about which the stream says nothing are not there."""


def profile(stream: Stream, quantity: str) -> Profile:
    """One of PROFILES. O(n log n)."""
    functions = {"rate": _rate, "speeds": _speeds, "stops": _stops, "density": _density, "accident": _accident}
    return functions[quantity](stream)


def _rate(stream: Stream) -> Profile:
    (first, seconds), j = span(stream), stream.journeys
    middles = PROFILES["rate"][0]
    points: Profile = {}
    for series, times in (("reports", j.time), ("entries", j.time[j.starts])):
        slot = (times.astype(np.int64) - first) * len(middles) // seconds
        rates = np.bincount(slot, minlength=len(middles)) / (seconds / len(middles)) / expressways(stream)
        points |= {(middle, series): float(rate) for middle, rate in zip(middles, rates)}
    return points


def _speeds(stream: Stream) -> Profile:
    (first, seconds), j = span(stream), stream.journeys
    travel, third = np.isin(j.lane, LANES), (j.time.astype(np.int64) - first) * 3 // seconds
    points: Profile = {}
    for series, number in (("first", 0), ("last", 2)):
        speeds = j.speed[travel & (third == number)]
        if len(speeds):
            counts = np.bincount(speeds // 5, minlength=21)
            points |= {(5 * k, series): 100 * float(counts[k]) / len(speeds) for k in range(21)}
    return points


def _stops(stream: Stream) -> Profile:
    stopped, largest = stops(stream), PROFILES["stops"][0][-1]
    stop_counts = np.minimum(np.bincount(stopped.vehicle, minlength=stopped.vehicles), largest)
    vehicles = np.bincount(stop_counts, minlength=largest + 1)
    return {(count, "vehicles"): float(vehicles[count]) for count in range(largest + 1)}


def _density(stream: Stream) -> Profile:
    first, seconds = span(stream)
    columns, minutes = {name: column[stream.is_report] for name, column in stream.columns.items()}, -(-seconds // 60)
    road = (columns[XWAY].astype(np.int64) * 2 + columns[DIRECTION]) * layout.SEGMENTS + columns[SEGMENT]
    place = road * minutes + (columns[TIME] - first) // 60
    travel = np.isin(columns[LANE], LANES)
    reports, travelling = np.bincount(place), np.bincount(place[travel])
    miles = np.bincount(place[travel], columns[SPEED][travel])
    # Whoever is in a segment for a minute reports twice in it.
    vehicles = reports[: len(travelling)] * EVERY / 60
    points: Profile = {}
    for middle in PROFILES["density"][0]:
        near = np.abs(vehicles - middle) <= PROFILES["density"][0].step / 2
        if travelling[near].sum():
            points[middle, "segments"] = float(miles[near].sum() / travelling[near].sum())
    return points


def _accident(stream: Stream) -> Profile:
    columns, around = stream.columns, PROFILES["accident"][0]
    total = {series: np.zeros((2, len(around))) for series in PROFILES["accident"][1]}
    for xway, way, position, begin, end in zip(*(column.tolist() for column in accidents(stream))):
        for series, since, until in (("before", begin - 600, begin), ("during", begin + SETTLED, end)):
            low, high = np.searchsorted(columns[TIME], (since, until))
            rows = {name: column[low:high] for name, column in columns.items()}
            moving = (rows[XWAY] == xway) & (rows[DIRECTION] == way) & np.isin(rows[LANE], LANES)
            moving &= rows[POSITION] != position
            from_it = (rows[SEGMENT][moving].astype(np.int64) - position // FEET) * (1 if way == 0 else -1) - around[0]
            in_range = (from_it >= 0) & (from_it < len(around))
            total[series][0] += np.bincount(from_it[in_range], rows[SPEED][moving][in_range], len(around))
            total[series][1] += np.bincount(from_it[in_range], minlength=len(around))
    return {
        (place, series): float(miles[k] / reports[k])
        for series, (miles, reports) in total.items()
        for k, place in enumerate(around)
        if reports[k]
    }
