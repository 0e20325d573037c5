"""How many rows a library is given: as many as it does in its budget, so that a slow one neither hangs nor delays.

Time per row is what is compared, so the numbers of rows may differ. They grow in steps, and how long the next one takes
is foretold by the power of the number of rows that the last two differ by, so that what is quadratic is noticed early.
"""

import math
import time
from collections.abc import Callable, Iterator

from experiments.harness.measuring.rig import TooSlowError
from experiments.peers.measuring.libraries import Call

FIRST, STEP = 2_000, 4
"""Rows of the first step, and how many times as many the next one has."""

LEAST_POWER, MOST_POWER = 0.3, 2.0
"""Powers of the number of rows: a moment in which the machine was slow must not look like a cubic algorithm."""


def rows_for(
    make: Callable[[int], Call], rows: int, least: int, budget: float, limit: float, first: int = FIRST
) -> int:
    """How many of the rows a call gets: all, or as many as take about `budget` seconds, but at least `least`.

    The first step has `first` rows. Raises TooSlowError where that many would take longer than `limit`.
    """
    make(min(first, rows)).run()  # compiles
    steps = sorted({*_steps(first, rows), least, rows})
    before, power = 0.0, 0.0
    for step, last, after in zip(steps, [0, *steps], [*steps[1:], 0]):
        seconds = _seconds(make(step))
        if last:
            power = min(MOST_POWER, max(LEAST_POWER, math.log(seconds / before) / math.log(step / last)))
        foretold = seconds * (after / step) ** power if after else math.inf
        if foretold > (budget if step >= least else limit):
            break
        before = seconds
    if step < least:
        raise TooSlowError(f"a call with {least:,} rows would take more than {limit:g} s")
    return step


def _steps(first: int, rows: int) -> Iterator[int]:
    while first < rows:
        yield first
        first *= STEP


def _seconds(call: Call) -> float:
    start = time.perf_counter()
    call.run()
    return time.perf_counter() - start
