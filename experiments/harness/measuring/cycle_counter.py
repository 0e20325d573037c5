"""The processor's time-stamp counter, and how long it takes from one value to the next."""

import functools
import time

from algorithms.kernel import cycles, driver


@driver
def counter():
    """The counter as it stands."""
    return cycles()


@functools.cache
def nanoseconds_of_cycle() -> float:
    """From one value of the counter to the next, by the wall clock over a twentieth of a second."""
    counter()
    begun, first = time.perf_counter_ns(), counter()
    while time.perf_counter_ns() - begun < 50_000_000:
        pass
    return (time.perf_counter_ns() - begun) / (counter() - first)
