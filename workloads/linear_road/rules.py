"""The rules that Linear Road tuples obey, and how many of a stream's tuples break each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workloads.linear_road import layout
from workloads.linear_road.layout import DIRECTION, EVERY, FEET, LANE, POSITION, QID, SPEED, TIME, TYPE, VID, XWAY

NEAR = layout.STRIDE
"""Feet by which a distance may differ from what two speeds say that are rounded to whole mph."""


class Journeys(NamedTuple):
    """The reports of a stream, vehicle by vehicle, each vehicle's in order of time. `starts`: the first of a vehicle;
    `follows`: places of all others. Keys are XWay * 2^32 + VID."""

    key: np.ndarray
    time: np.ndarray
    speed: np.ndarray
    lane: np.ndarray
    way: np.ndarray
    position: np.ndarray
    starts: np.ndarray
    follows: np.ndarray


class Stream:
    """All tuples of a stream in memory: about 30 bytes each, and twice that when rules about journeys are looked at."""

    def __init__(self, chunks: Iterable[Mapping[str, np.ndarray]]):
        chunk_list = list(chunks)
        self.columns = {name: np.concatenate([chunk[name] for chunk in chunk_list]) for name in chunk_list[0]}

    def __len__(self) -> int:
        return len(self.columns[TYPE])

    @cached_property
    def is_report(self) -> np.ndarray:
        """Which tuples are position reports."""
        return self.columns[TYPE] == layout.REPORT

    @cached_property
    def journeys(self) -> Journeys:
        """O(n log n)."""
        reports = np.flatnonzero(self.is_report)
        key = self.columns[XWAY][reports].astype(np.int64) << layout.VEHICLE_BITS | self.columns[VID][reports]
        order = np.argsort(key, kind="stable")
        reports, key = reports[order], key[order]
        starts = np.concatenate(([True], key[1:] != key[:-1]))[: len(key)]
        columns = (self.columns[name][reports] for name in (TIME, SPEED, LANE, DIRECTION, POSITION))
        return Journeys._make((key, *columns, starts, np.flatnonzero(~starts)))


class Breaches(NamedTuple):
    """How many tuples break a rule, of how many that it is about."""

    broken: int
    of: int

    def __str__(self) -> str:
        return f"broken by {self.broken:,} of {self.of:,}"


def _in_order(stream: Stream) -> np.ndarray:
    return np.diff(stream.columns[TIME]) >= 0


def _using(stream: Stream, name: str) -> np.ndarray:
    """Which tuples are of a type that uses a field."""
    types = [kind for kind, fields in layout.USED.items() if name in fields]
    return np.logical_or.reduce([stream.columns[TYPE] == kind for kind in types])


def _within(name: str) -> Callable[[Stream], np.ndarray]:
    def good(stream: Stream) -> np.ndarray:
        if name not in stream.columns:
            return np.ones(0, bool)
        values, (low, high) = stream.columns[name][_using(stream, name)], layout.DOMAINS[name]
        return (values >= low) & (values <= high)

    return good


def _domain_in_words(low: int, high: int) -> str:
    return f"at least {low}" if high == layout.LARGEST else f"from {low:,} to {high:,}"


def _unused(stream: Stream) -> np.ndarray:
    good = np.ones(len(stream), bool)
    for name in stream.columns.keys() - {TYPE}:
        good &= _using(stream, name) | (stream.columns[name] == layout.UNUSED)
    return good


def _segment(stream: Stream) -> np.ndarray:
    is_report = stream.is_report
    return stream.columns[layout.SEGMENT][is_report] == stream.columns[POSITION][is_report] // FEET


def _spacing(stream: Stream) -> np.ndarray:
    j = stream.journeys
    return j.time[j.follows] - j.time[j.follows - 1] == EVERY


def _first_lane(stream: Stream) -> np.ndarray:
    return (stream.journeys.lane == layout.ENTRY) == stream.journeys.starts


def _last_lane(stream: Stream) -> np.ndarray:
    j = stream.journeys
    last = np.concatenate((j.starts[1:], [True]))[: len(j.starts)]
    may_go_on = j.time + EVERY > stream.columns[TIME][-1]  # its next report would come after the stream
    return np.where(last, (j.lane == layout.EXIT) | may_go_on, j.lane != layout.EXIT)


def _direction(stream: Stream) -> np.ndarray:
    j = stream.journeys
    return j.way[j.follows] == j.way[j.follows - 1]


def _moved(stream: Stream) -> np.ndarray:
    """Feet in the vehicle's direction since its last report."""
    j = stream.journeys
    feet = j.position[j.follows].astype(np.int64) - j.position[j.follows - 1]
    return np.where(j.way[j.follows] == 0, feet, -feet)


def _forwards(stream: Stream) -> np.ndarray:
    return _moved(stream) >= 0


def _as_speeds_say(stream: Stream) -> np.ndarray:
    j = stream.journeys
    speeds = j.speed[j.follows].astype(np.int64) + j.speed[j.follows - 1]
    return np.abs(_moved(stream) - speeds * layout.STRIDE // 2) <= NEAR


def _asked_in_time(stream: Stream) -> np.ndarray:
    moments = stream.columns[TIME].astype(np.int64) << 32 | stream.columns[VID]
    queried, place_of_query = np.unique(moments[~stream.is_report], return_inverse=True)
    if not len(queried):
        return np.ones(0, bool)
    reported = moments[stream.is_report]
    places = np.minimum(np.searchsorted(queried, reported), len(queried) - 1)
    answered = np.zeros(len(queried), bool)
    answered[places[queried[places] == reported]] = True
    return answered[place_of_query]


def _numbers(stream: Stream) -> np.ndarray:
    if QID not in stream.columns:
        return np.ones(0, bool)
    numbers = np.sort(stream.columns[QID][~stream.is_report])
    return np.concatenate(([True], numbers[1:] != numbers[:-1]))[: len(numbers)]


RULES: dict[str, Callable[[Stream], np.ndarray]] = {
    f"Type is {', '.join(map(str, layout.TYPES[:-1]))} or {layout.TYPES[-1]}": lambda stream: np.isin(
        stream.columns[TYPE], layout.TYPES
    ),
    "Times do not go back": _in_order,
    **{f"{name} is {_domain_in_words(*domain)}": _within(name) for name, domain in layout.DOMAINS.items()},
    f"Fields that a type does not use are {layout.UNUSED}": _unused,
    f"Seg is Pos div {FEET}": _segment,
    f"Reports of a vehicle are {EVERY} s apart": _spacing,
    f"Lane is {layout.ENTRY} in the first report of a vehicle only": _first_lane,
    f"Lane is {layout.EXIT} in its last report only, if it leaves": _last_lane,
    "A vehicle keeps its direction": _direction,
    "Vehicles do not go backwards": _forwards,
    "Positions change as speeds say, to 1 mph": _as_speeds_say,
    "Queries come in the second of a report": _asked_in_time,
    "No QID comes twice": _numbers,
}
"""By name in figures: which tuples (or steps from a vehicle's report to its next) obey it, of those it is about.

Distances: between reports speeds change steadily, so a vehicle moves by the mean of two speeds.
"""


def check(stream: Stream, rule: str) -> Breaches:
    """How often a rule is broken. O(n), the first of those about journeys O(n log n)."""
    good = RULES[rule](stream)
    return Breaches(int(np.count_nonzero(~good)), len(good))
