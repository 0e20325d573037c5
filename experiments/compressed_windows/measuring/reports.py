"""Vehicles' reports as the columns that A_C is fed, and the traffic that they are of in words."""

import functools
from typing import NamedTuple

import numpy as np

from experiments.harness.traces import trace_of
from workloads.linear_road.layout import EVERY, VEHICLE_BITS


class Reports(NamedTuple):
    """Columns of the stream: event times in seconds, speeds, and keys of vehicles, int64 each."""

    times: np.ndarray
    speeds: np.ndarray
    vehicles: np.ndarray


@functools.lru_cache(maxsize=1)
def reports_of(name: str, parameters: str) -> Reports:
    """The stream of a cell, made once in a process."""
    trace = trace_of(name, parameters)
    return Reports(trace.times, trace.values, trace.keys)


@functools.lru_cache(maxsize=1)
def traffic(name: str, parameters: str, one_in: int) -> str:
    """How many expressways there are, how many vehicles are on them when the stream ends, and how fast they are.

    A vehicle reports every 30 s, so those on the road are those of the last 30 s, `one_in` for each that reports.
    O(records).
    """
    times, speeds, vehicles = reports_of(name, parameters)
    roads = len(np.unique(vehicles >> VEHICLE_BITS))
    ends = times > times[-1] - EVERY
    on_road = one_in * len(np.unique(vehicles[ends]))
    begins = times < times[0] + (times[-1] - times[0]) // 10
    reporting = f", of which one in {one_in:,} reports" if one_in > 1 else ""
    return (
        f"{roads:,} expressway{'s' * (roads > 1)} with {on_road:,} vehicles on the road at the end{reporting}; "
        f"mean speed {speeds[begins].mean():.0f} mph in the first tenth of the stream and "
        f"{speeds[ends].mean():.0f} at its end"
    )
