"""Synthetic Linear Road tuples, made in chunks of ten minutes of one expressway.

Documented are the format, and by and large the traffic: a vehicle reports every 30 s, for a few to some tens of
minutes; it enters at 10 to 30 mph in lane 0, cruises at 70 mph +- 10 in lanes 1 to 3 and leaves in lane 4; the inflow
grows over three hours, to about 12,000,000 tuples of an expressway; every 20 minutes two vehicles of an expressway
collide and stand for 10 to 20 minutes; one tuple in a hundred is a query. Assumed is the rest:

- Inflow, lengths of journeys and wishes: `vehicles`. Journeys are long in time, not in distance: who
  is held up leaves earlier on the road, at any place, since every mile has ramps.
- Congestion by density and behind accidents: `congestion`. In a queue vehicles stop and go.
- Slow vehicles keep to lane 1 and fast ones to lane 3; entering and leaving is at random places in both directions.
- The records are met exactly: of each expressway's, one in a hundred, rounded down, is a query, and all others are
  reports. Queries come in the second of a report of their vehicle, spread evenly over all reports of all vehicles.
  Five in six are of type 2 and the others of type 3; where type 4 is asked for, types 2, 3 and 4 have shares of 50, 10
  and 40 %.

Every chunk stands for itself: what a vehicle is like and when it enters is drawn for the whole expressway, in
milliseconds, and a chunk drives those vehicles that are on the road in its ten minutes from their entries on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from workloads.linear_road import layout
from workloads.linear_road.congestion import allowed
from workloads.linear_road.journeys import Driven, drive
from workloads.linear_road.vehicles import QUERIES, Accidents, Vehicles, noise, vehicles
from workloads.record_sets import RecordSet, stream

SLICE = 600
"""Seconds of a chunk: at most about 1,050,000 tuples of a full expressway."""

ONE_IN = 100
"""Of so many records of an expressway one is a query."""

KEPT = 256_000_000
"""Bytes of expressways that a process keeps for its next chunks: 20 full ones, or 250 with few vehicles."""

LANES_FROM = (66, 74)
"""Desired mph above which vehicles drive in lane 2, and in lane 3."""

KINDS = {
    layout.TIME: np.int32,
    layout.VID: np.int32,
    layout.POSITION: np.int32,
    layout.QID: np.int32,
    layout.XWAY: np.int16,
    layout.MINUTE: np.int16,
}
"""Types of the columns; those of all others are int8."""


class Road(NamedTuple):
    """All that a chunk of an expressway needs; `query_vehicle`, `query_step`: of each query, in order."""

    vehicles: Vehicles
    accidents: Accidents
    noise: np.ndarray
    allowed: np.ndarray
    query_vehicle: np.ndarray
    query_step: np.ndarray

    @property
    def bytes(self) -> int:
        """Memory of all arrays."""
        return sum(array.nbytes for array in (*self.vehicles, *self.accidents, *self[2:]))


@dataclass(frozen=True)
class Traffic(RecordSet):
    """The record set: exactly `records` tuples on so many expressways in so many seconds."""

    records: int
    expressways: int
    seconds: int
    seed: int
    offset: int
    travel_time: bool
    name: str = "linear_road"

    @property
    def slices(self) -> int:
        """Ten minutes each, the last one maybe less."""
        return -(-self.seconds // SLICE)

    @property
    def chunks(self) -> int:
        return self.slices * self.expressways

    def records_of(self, xway: int) -> int:
        """Tuples of an expressway: all have equally many, or one less."""
        return (xway + 1) * self.records // self.expressways - xway * self.records // self.expressways

    def chunk(self, number: int) -> dict[str, np.ndarray]:
        """All columns (see `layout`) of slice number div expressways on expressway number mod expressways,
        in order of time. About 100 ms for a million tuples.
        """
        slice_number, xway = divmod(number, self.expressways)
        road = self._road(xway)
        begin, end = SLICE * slice_number, min(SLICE * (slice_number + 1), self.seconds)
        driven = drive(road.vehicles, road.accidents, road.noise, road.allowed, begin, end)
        query_times = road.vehicles.enters[road.query_vehicle] + layout.EVERY * road.query_step.astype(np.int32)
        in_chunk = np.flatnonzero((query_times >= begin) & (query_times < end))
        reports, queries = self._reports(road, driven, xway), self._queries(road, in_chunk, query_times[in_chunk], xway)
        times = np.concatenate((reports[layout.TIME], queries[layout.TIME]))
        order = np.argsort((times - (begin + self.offset)).astype(np.uint16), kind="stable")
        unused = np.full(len(reports[layout.TIME]), layout.UNUSED, np.int8)
        columns = {}
        for name in layout.COLUMNS:
            both = np.concatenate((reports.get(name, unused), queries[name]))
            columns[name] = both[order].astype(KINDS.get(name, np.int8), copy=False)
        return columns

    def _road(self, xway: int) -> Road:
        """The first expressways that fit into KEPT stay. Chunks ask for one after the other, again and again: if the
        latest stayed instead, each would be gone when its turn comes."""
        kept = _kept(self)
        if (road := kept.get(xway)) is None:
            road = road_of(self.records_of(xway), self.seconds, self.seed, xway)
            # A copy, since another thread may put one in.
            if sum(stored.bytes for stored in (*kept.values(), road)) <= KEPT:
                kept[xway] = road
        return road

    def _reports(self, road: Road, driven: Driven, xway: int) -> dict[str, np.ndarray]:
        cars, vehicle, step = road.vehicles, driven.vehicle, driven.step
        travel = (np.int8(1) + (cars.desired > LANES_FROM[0]) + (cars.desired > LANES_FROM[1])).astype(np.int8)
        lane = np.where(step + 1 == cars.journey[vehicle], np.int8(layout.EXIT), travel[vehicle])
        way = cars.way[vehicle].astype(np.int8)
        position = np.where(way == 0, driven.feet, layout.LENGTH - 1 - driven.feet).astype(np.int32)
        return {
            layout.TYPE: np.full(len(vehicle), layout.REPORT, np.int8),
            layout.TIME: self.offset + cars.enters[vehicle] + layout.EVERY * step.astype(np.int32),
            layout.VID: self._numbered(vehicle, xway),
            layout.SPEED: driven.speed,
            layout.XWAY: np.full(len(vehicle), xway, np.int16),
            layout.LANE: np.where(step == 0, np.int8(layout.ENTRY), lane),
            layout.DIRECTION: way,
            layout.SEGMENT: (position // layout.FEET).astype(np.int8),
            layout.POSITION: position,
        }

    def _queries(self, road: Road, numbers: np.ndarray, times: np.ndarray, xway: int) -> dict[str, np.ndarray]:
        """The queries with these numbers, from 0, of the expressway's."""
        count = len(road.query_vehicle)
        draw = stream(self.seed, xway, QUERIES)
        chances = draw.random(count)[numbers]
        if self.travel_time:
            kinds = np.select([chances < 0.5, chances < 0.6], [layout.BALANCE, layout.EXPENDITURE], layout.TRAVEL_TIME)
        else:
            kinds = np.where(chances < 5 / 6, layout.BALANCE, layout.EXPENDITURE)
        fixed = {
            layout.TIME: self.offset + times,
            layout.VID: self._numbered(road.query_vehicle[numbers], xway),
            layout.XWAY: np.full(len(numbers), xway),
            layout.QID: self._numbered(numbers, xway),
        }
        columns = {layout.TYPE: kinds}
        for name in layout.COLUMNS[1:]:
            drawn = fixed.get(name)
            if drawn is None and name in layout.QUERIED:
                low, high = layout.DOMAINS[name]
                drawn = draw.integers(low, high, count, endpoint=True)[numbers]
            using = [
                kind for kind in (layout.BALANCE, layout.EXPENDITURE, layout.TRAVEL_TIME) if name in layout.USED[kind]
            ]
            columns[name] = np.where(np.isin(kinds, using), layout.UNUSED if drawn is None else drawn, layout.UNUSED)
        return columns

    def _numbered(self, numbers: np.ndarray, xway: int) -> np.ndarray:
        """What is numbered from 0 on each expressway, numbered over all of them."""
        return (numbers * self.expressways + xway).astype(np.int32)


@lru_cache(maxsize=1)
def _kept(traffic: Traffic) -> dict[int, Road]:
    """Expressways of the record set that this process makes, by number."""
    return {}


def road_of(records: int, seconds: int, seed: int, xway: int) -> Road:
    """An expressway with so many records, of 12 MB when it is full; about 200 ms."""
    queries = records // ONE_IN
    reports = records - queries
    cars, accidents = vehicles(reports, seconds, seed, xway)
    noise_table = noise(seed, xway)
    report = np.arange(queries, dtype=np.int64) * reports // max(queries, 1)
    reports_up_to = np.cumsum(cars.reports, dtype=np.int64)
    query_vehicle = np.searchsorted(reports_up_to, report, side="right")
    query_step = report - (reports_up_to - cars.reports)[query_vehicle]
    return Road(cars, accidents, noise_table, allowed(cars, accidents, noise_table, seconds), query_vehicle, query_step)
