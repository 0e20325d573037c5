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
    made = {"rate": _rate, "speeds": _speeds, "stops": _stops, "density": _density, "accident": _accident}
    return made[quantity](stream)


def _rate(stream: Stream) -> Profile:
    (first, seconds), j = span(stream), stream.journeys
    middles = PROFILES["rate"][0]
    found: Profile = {}
    for series, times in (("reports", j.time), ("entries", j.time[j.starts])):
        part = (times.astype(np.int64) - first) * len(middles) // seconds
        rates = np.bincount(part, minlength=len(middles)) / (seconds / len(middles)) / expressways(stream)
        found |= {(middle, series): float(rate) for middle, rate in zip(middles, rates)}
    return found


def _speeds(stream: Stream) -> Profile:
    (first, seconds), j = span(stream), stream.journeys
    travel, third = np.isin(j.lane, LANES), (j.time.astype(np.int64) - first) * 3 // seconds
    found: Profile = {}
    for series, number in (("first", 0), ("last", 2)):
        mine = j.speed[travel & (third == number)]
        if len(mine):
            counts = np.bincount(mine // 5, minlength=21)
            found |= {(5 * k, series): 100 * float(counts[k]) / len(mine) for k in range(21)}
    return found


def _stops(stream: Stream) -> Profile:
    found, most = stops(stream), PROFILES["stops"][0][-1]
    often = np.minimum(np.bincount(found.vehicle, minlength=found.vehicles), most)
    vehicles = np.bincount(often, minlength=most + 1)
    return {(count, "vehicles"): float(vehicles[count]) for count in range(most + 1)}


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
    found: Profile = {}
    for middle in PROFILES["density"][0]:
        mine = np.abs(vehicles - middle) <= PROFILES["density"][0].step / 2
        if travelling[mine].sum():
            found[middle, "segments"] = float(miles[mine].sum() / travelling[mine].sum())
    return found


def _accident(stream: Stream) -> Profile:
    columns, around = stream.columns, PROFILES["accident"][0]
    total = {series: np.zeros((2, len(around))) for series in PROFILES["accident"][1]}
    for xway, way, position, begin, end in zip(*(column.tolist() for column in accidents(stream))):
        for series, since, until in (("before", begin - 600, begin), ("during", begin + SETTLED, end)):
            low, high = np.searchsorted(columns[TIME], (since, until))
            part = {name: column[low:high] for name, column in columns.items()}
            mine = (part[XWAY] == xway) & (part[DIRECTION] == way) & np.isin(part[LANE], LANES)
            mine &= part[POSITION] != position
            from_it = (part[SEGMENT][mine].astype(np.int64) - position // FEET) * (1 if way == 0 else -1) - around[0]
            near = (from_it >= 0) & (from_it < len(around))
            total[series][0] += np.bincount(from_it[near], part[SPEED][mine][near], len(around))
            total[series][1] += np.bincount(from_it[near], minlength=len(around))
    return {
        (place, series): float(miles[k] / reports[k])
        for series, (miles, reports) in total.items()
        for k, place in enumerate(around)
        if reports[k]
    }
