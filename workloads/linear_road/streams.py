"""Tuples in order of time over all expressways, some at a time: of a record set, made or not, or of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from workloads import record_sets
from workloads.linear_road.generator import Traffic
from workloads.linear_road.layout import LARGEST, REPORT, SPEED, TIME, TYPE, VEHICLE_BITS, VID, XWAY
from workloads.record_sets.chunks import read_chunk

AT_A_TIME = 1 << 20
"""Tuples of a file."""


class Reports(NamedTuple):
    """Position reports in order of time, int64: times in seconds, keys XWay * 2^32 + VID, speeds in mph."""

    times: np.ndarray
    keys: np.ndarray
    speeds: np.ndarray


def of_traffic(traffic: Traffic, folder: str, names: Sequence[str]) -> Iterator[dict[str, np.ndarray]]:
    """Columns of a record set, ten minutes at a time: read if it was made under `folder`, otherwise generated.

    Ten minutes of these columns are in memory. Raises RecordsError for a damaged record set.
    """
    manifest = record_sets.find(traffic, folder)
    names_read = list(dict.fromkeys([*names, TIME]))
    for first in range(0, traffic.chunks, traffic.expressways):
        chunks = []
        for number in range(first, first + traffic.expressways):
            if manifest:
                chunks.append(read_chunk(manifest.folder, manifest.chunks[number], names_read))
            else:
                chunk = traffic.chunk(number)
                chunks.append({name: chunk[name] for name in names_read})
        yield _merged(chunks, names)


def of_columns(columns: Mapping[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """The columns, AT_A_TIME rows at a time."""
    for first in range(0, len(columns[TIME]), AT_A_TIME):
        yield {name: column[first : first + AT_A_TIME] for name, column in columns.items()}


def mixed(vehicles: np.ndarray) -> np.ndarray:
    """Sixteen bits of each number, as if random: numbers of one expressway have a common step. Fibonacci hashing."""
    return (vehicles.astype(np.int64) * 0x9E3779B1 & 0xFFFFFFFF) >> 16


def reports(tuples: Mapping[str, np.ndarray], one_in: int = 1) -> Reports:
    """The position reports among the tuples, of one in so many vehicles."""
    is_report = np.flatnonzero((tuples[TYPE] == REPORT) & (mixed(tuples[VID]) % one_in == 0))
    times, vid, speed, xway = (tuples[name][is_report].astype(np.int64) for name in (TIME, VID, SPEED, XWAY))
    return Reports(times, xway << VEHICLE_BITS | vid, speed)


REPORT_COLUMNS = (TYPE, TIME, VID, SPEED, XWAY)
"""What `reports` needs."""


def _merged(chunks: Sequence[Mapping[str, np.ndarray]], names: Sequence[str]) -> dict[str, np.ndarray]:
    """Columns of chunks of the same ten minutes, in order of time; at equal times in the order of the chunks."""
    if len(chunks) == 1:
        return {name: chunks[0][name] for name in names}
    times = np.concatenate([chunk[TIME] for chunk in chunks])
    order = np.argsort((times - times.min(initial=LARGEST)).astype(np.uint16), kind="stable")
    return {name: np.concatenate([chunk[name] for chunk in chunks])[order] for name in names}
