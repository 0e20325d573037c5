"""The processor's time-stamp counter, and the length of a cycle."""

import functools
import time

from algorithms.kernel import cycles, driver


@driver
def counter():
    """The present value of the counter."""
    return cycles()


@functools.cache
def nanoseconds_of_cycle() -> float:
    """The time between two values of the counter, by the wall clock over a twentieth of a second."""
    counter()
    begin, first = time.perf_counter_ns(), counter()
    while time.perf_counter_ns() - begin < 50_000_000:
        pass
    return (time.perf_counter_ns() - begin) / (counter() - first)
