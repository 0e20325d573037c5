"""Search for the smallest window in which incremental computation pays off against recomputing every answer.

Both are timed in pairs, back to back and in alternating order, so that what disturbs the machine disturbs both; a pair
gives how many times faster the incremental one was. The search doubles n from ten until the median over some pairs
reaches the target, and then halves the gap in multiples of ten. Every pair that was timed is in the row.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from experiments.harness.cell import ROUNDS, Cell
from experiments.harness.feasibility import estimate
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import calibrated, clocked, compiled
from experiments.reactive_aggregator.measuring.contestants import BASELINE, burst_of, contestant, takes

STEP = 10
PAIRS = 7
CLEARLY = 1.5
"""Times the target that ends the doubling."""

SHARE = 4
"""A timing takes a fourth of the profile's minimum, as the number of pairs matters more."""


def smallest_entries(cell: Cell) -> int:
    """The entries of the smallest window: what memory refuses ends a search, and not the cell."""
    return STEP + 1


@measurement("breakeven.break_even", unit="items", takes=takes, entries=smallest_entries)
def break_even(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The smallest window, up to the cell's, in which the cell's algorithm is not slower than recomputing."""
    return _search(cell, task, 1.0)


@measurement("breakeven.ten_times", unit="items", takes=takes, entries=smallest_entries)
def ten_times(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The smallest window, up to the cell's, in which the cell's algorithm is ten times faster than recomputing."""
    return _search(cell, task, 10.0)


def _search(cell: Cell, task: dict[str, Any], target: float) -> dict[str, Any]:
    """The row of a search. `value`: the window, none if there is none up to the largest that was tried.

    `samples`: all pairs, nanoseconds a round of the baseline and of the incremental window in turn. `facts`: the window
    of each pair, the result in words; and of the largest window the items, how many times faster the incremental one
    was, and what recomputing took for an entry.
    """
    measured: list[tuple[int, float, float]] = []
    seconds = []

    def speed_up(n: int) -> float:
        timed, compiling = pairs(cell, n, task["minimum_ns"] // SHARE)
        seconds.append(compiling)
        measured.extend((n, *pair) for pair in timed)
        return float(np.median([baseline / incremental for baseline, incremental in timed]))

    limit, refused = limit_of(cell)
    window = smallest(speed_up, target, limit)
    largest = max(n for n, *_ in measured)
    there = np.array([pair for n, *pair in measured if n == largest])
    return {
        "value": None if window is None else float(window),
        "samples": [ns for _, *pair in measured for ns in pair],
        "operations": len(measured),
        "checksum": None,
        "compile_seconds": sum(seconds),
        "facts": {
            "found": f"never up to {largest:,}{refused}" if window is None else f"{window:,}",
            "windows": [n for n, *_ in measured],
            "samples": f"ns a round: {BASELINE}, {cell.algorithm}, ...",
            "largest": largest,
            "speed_up": float(np.median(there[:, 0] / there[:, 1])),
            "ns_of_an_entry": float(np.median(there[:, 0])) / largest,
        },
    }


def limit_of(cell: Cell) -> tuple[int, str]:
    """The largest window to try: the cell's, halved until memory has room for it; and, if so, what was refused."""
    n, refused = cell.window, ""
    while True:
        memory = estimate(replace(cell, window=n, stream={**cell.stream, "window": n}, measurement=ROUNDS))
        if not memory.too_much:
            return n, refused
        refused = f" ({n:,} items need {memory.needed / 2**30:,.0f} GiB)"
        n //= 2


def smallest(speed_up: Callable[[int], float], target: float, limit: int) -> int | None:
    """The smallest multiple of ten, up to the limit, from which on the target is reached; None if there is none.

    n is doubled until the target is passed by far: where two curves touch, one measurement decides nothing.
    """
    below, tried, high = 0, 0, None
    while tried < limit:
        tried = min(max(2 * tried, STEP), limit)
        reached = speed_up(tried)
        if reached < target:
            below, high = tried, None
        else:
            high = high or tried
        if reached > CLEARLY * target:
            break
    while high is not None and high - below > STEP:
        middle = (below + high) // 2 // STEP * STEP
        below, high = (below, middle) if speed_up(middle) >= target else (middle, high)
    return high


def pairs(cell: Cell, n: int, minimum_ns: int) -> tuple[list[tuple[float, float]], float]:
    """Nanoseconds a round in windows of n items, of the baseline and of the cell's algorithm, timed in turn.

    And the seconds that it took to make both, nearly all of them for compiling: lists have a type for each n.
    """
    names, contestants = (BASELINE, cell.algorithm), []
    seconds = compiled(lambda: contestants.extend(contestant(cell, name, n) for name in names))
    bursts = [burst_of(cell, name, n) for name in names]
    counts = [-(-calibrated(run, minimum_ns) // burst) * burst for run, burst in zip(contestants, bursts, strict=True)]
    timed = []
    for i in range(PAIRS):
        ns = [0.0, 0.0]
        for k in (0, 1) if i % 2 == 0 else (1, 0):
            ns[k] = clocked(partial(contestants[k], counts[k]))[0]["value"] / counts[k]
        timed.append((ns[0], ns[1]))
    return timed, seconds
