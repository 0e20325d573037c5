"""The record set of random disorder: items in order of arrival, in chunks that are made apart from each other.

A chunk has the items that arrive within a stretch of time. The stretches are cut where a sample of arrivals says, so
that chunks have about ROWS items whatever the delays, and the last one has no end.

What arrives in a stretch began in it or earlier, how much earlier depends on the delay. For most items a bound can be
given: delays above `near` are left to at most about LATE items. Chunks of draws from `near` before the stretch on are
drawn with it, each chunk of draws by one chunk of the record set or two where `near` is small. An item that is later
than that may come from anywhere: a heavy tail has no bound but the trace's own length. So these few are found once by
each worker, which draws all items for it and keeps only the late ones. A worker thus needs memory for some chunks and
LATE items, whatever the delays and the number of items; where nearly all delays are longer than many chunks, each chunk
draws many, and time grows with the square of their number.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from workloads.record_sets import RecordSet
from workloads.traces.values import values

ROWS = 500_000
"""Items of a chunk, about."""

LATE = 1 << 20
"""Items, about, that a worker keeps because they are too late for the chunks around theirs."""

NEVER = (1 << 63) - 1


class Delayed(Protocol):
    """Items numbered in order of event time, drawn in chunks of `drawn` items: workloads.delay.parameters.Delay."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __hash__(self) -> int:
        """Of all its parameters."""

    @property
    def items(self) -> int:
        """How many there are."""

    @property
    def interval(self) -> int:
        """Ticks from one to the next."""

    @property
    def draw_size(self) -> int:
        """Items of a chunk of draws, but of the last."""

    def chunk(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Event times and delays of a chunk of draws, int64."""

    def longest(self, share: float) -> int:
        """A delay that at most about this share of the items exceeds; none does with share 0."""


@dataclass(frozen=True)
class Arrivals(RecordSet):
    """The record set: what `source` draws, in order of arrival, equal ones in order of event time."""

    source: Delayed
    name: str = "delay"

    @property
    def chunks(self) -> int:
        return -(-self.source.items // ROWS)

    def parameters(self) -> dict[str, Any]:
        """See workloads.record_sets.RecordSet."""
        return {key: value for key, value in asdict(self.source).items() if key != "folder"}

    def chunk(self, number: int) -> dict[str, np.ndarray]:
        """Event times and values of the items that arrive in one stretch of time, int64."""
        begin, end = cuts(self.source, self.chunks)[number : number + 2]
        pieces = list(self._arriving(begin, end))
        serial, arrival = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
        serial = serial[np.argsort(arrival, kind="stable")]  # they were in order of event time
        return {"time": serial * self.source.interval, "value": values(serial)}

    def _arriving(self, begin: int, end: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Numbers and arrival times of what arrives from `begin` to before `end`, int64, in order of event time."""
        source, near = self.source, near_of(self.source)
        span, last = source.draw_size * source.interval, (source.items - 1) // source.draw_size
        first = min(max(begin - near, 0) // span, last)
        if near < source.longest(0):
            serial, arrival = late(source, near)
            arrives = (serial < first * source.draw_size) & (arrival >= begin) & (arrival < end)
            yield serial[arrives], arrival[arrives]
        for number in range(first, max(first, min((end - 1) // span, last)) + 1):
            times, delays = source.chunk(number)
            arrival = times + delays
            places = np.flatnonzero((arrival >= begin) & (arrival < end))
            yield places + number * source.draw_size, arrival[places]


@functools.lru_cache(maxsize=4)
def cuts(source: Delayed, chunks: int) -> list[int]:
    """Where chunks begin in time of arrival, and a time that nothing arrives at.

    The quantiles of a sample: delays of the first items, given to as many items spread over the whole trace.
    """
    delays = source.chunk(0)[1]
    spread = np.arange(len(delays)) * source.items // len(delays) * source.interval
    sample = np.sort(spread + delays)
    places = np.arange(1, chunks) * (len(sample) / chunks)
    return [0, *np.interp(places, np.arange(len(sample)), sample).astype(np.int64).tolist(), NEVER]


def near_of(source: Delayed) -> int:
    """The delay up to which chunks find their own items, in ticks: at least the span of a chunk of draws."""
    span = source.draw_size * source.interval
    return min(source.longest(0), max(span, source.longest(LATE / source.items)))


@functools.lru_cache(maxsize=4)
def late(source: Delayed, near: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and arrival times of all items with a delay above `near`, int64, in order of event time. O(items)."""
    pieces = []
    for number in range((source.items - 1) // source.draw_size + 1):
        times, delays = source.chunk(number)
        places = np.flatnonzero(delays > near)
        pieces.append((places + number * source.draw_size, times[places] + delays[places]))
    serial, arrival = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
    return serial, arrival
