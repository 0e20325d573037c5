"""A stream fed at a rate, block by block: in real time, or in compressed time on a virtual clock.

In compressed time tuple i arrives at i / rate on a clock that nobody waits for. A block begins when its last tuple has
arrived and the block before it is done, and ends after the time that it really took: an aggregate slower than its
stream falls behind as it would, and a faster one is measured without the waiting. Event time is that of the tuples in
either case. With a rate of infinity no tuple is waited for: all have arrived when the clock starts.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

MARGIN = 0.1
"""The share of the time that is dropped at the beginning and at the end: a minute of the paper's ten."""

LEAST_BLOCK, MOST_BLOCK = 256, 8192
BLOCKS_A_SECOND, BLOCKS = 50, 200
"""Blocks of a stream, a second if it has a rate, in all if it has none; within the sizes above."""

Feed = Callable[[int, int], None]


class Course(NamedTuple):
    """Tuples done after each block (int64), at which time, in ns from the beginning (float64); ns of work in all; and
    when each block began (float64)."""

    done: np.ndarray
    at: np.ndarray
    busy: float
    began: np.ndarray

    def kept(self) -> tuple[int, int]:
        """The blocks between whose ends is measured: without the first and the last MARGIN of the time.

        Raises ValueError if that leaves nothing.
        """
        end = self.at[-1]
        first = max(int(np.searchsorted(self.at, MARGIN * end, side="right")) - 1, 0)
        last = int(np.searchsorted(self.at, (1 - MARGIN) * end, side="right")) - 1
        if last <= first:
            raise ValueError(
                f"{len(self.at)} blocks of tuples were done in {end / 1e9:.3g} s, too few to drop the first and the "
                "last tenth: choose a longer sizes.duration"
            )
        return first, last


def block_of(rate: float, tuples: int) -> int:
    """Tuples of a block: a fiftieth of a second's, or a two-hundredth of all where none is waited for."""
    size = tuples / BLOCKS if math.isinf(rate) else rate / BLOCKS_A_SECOND
    return int(min(max(size, LEAST_BLOCK), MOST_BLOCK))


def in_compressed_time(feed: Feed, tuples: int, rate: float, seconds: float, after: Callable[[int], None]) -> Course:
    """Feed until the stream or the time ends; `seconds` counts for streams with a rate only. O(tuples / block) calls.

    `feed` takes tuples first .. last - 1 and is timed; `after` is called with the tuples done, outside the clock.
    """
    block, now, busy = block_of(rate, tuples), 0.0, 0.0
    done, at, began, end = [], [], [], math.inf if math.isinf(rate) else seconds * 1e9
    for first in range(0, tuples, block):
        last = min(first + block, tuples)
        begin = max(now, last / rate * 1e9)
        if begin > end and done:
            break
        before = time.perf_counter_ns()
        feed(first, last)
        elapsed = time.perf_counter_ns() - before
        now, busy = begin + elapsed, busy + elapsed
        began.append(begin)
        done.append(last)
        at.append(now)
        after(last)
    return Course(np.array(done), np.array(at), busy, np.array(began))


def in_real_time(feed: Feed, tuples: int, rate: float, seconds: float, after: Callable[[int], None]) -> Course:
    """As `in_compressed_time` by the wall clock: tuples are waited for, and `after` is inside it."""
    block, busy, end = block_of(rate, tuples), 0.0, seconds * 1e9
    done, at, began, origin = [], [], [], time.perf_counter_ns()
    for first in range(0, tuples, block):
        last = min(first + block, tuples)
        early = last / rate * 1e9 - (time.perf_counter_ns() - origin)
        if early > 0:
            time.sleep(early / 1e9)
        before = time.perf_counter_ns()
        if before - origin > end and done:
            break
        feed(first, last)
        now = time.perf_counter_ns()
        busy += now - before
        began.append(float(before - origin))
        done.append(last)
        at.append(float(now - origin))
        after(last)
    return Course(np.array(done), np.array(at), busy, np.array(began))


CLOCKS = {"compressed": in_compressed_time, "real": in_real_time}
