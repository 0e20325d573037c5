"""SlidingAggregate.batch beside the compiled loop inside it, and beside pandas: python -m benchmarks.sliding_batch

Nanoseconds per row of a rolling maximum over 1,000 rows or 1,000 units of time, and ratios to the loop. A case's
programs take turns, so that a busy machine slows all of them; the median of each is printed.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from algorithms import SlidingAggregate
from algorithms.kernel import as_slots
from algorithms.streams.sliding.events import run

ROWS, SIZE, REPETITIONS = 1_000_000, 1_000, 9

CASES: dict[str, dict[str, Any]] = {
    "by count, a result per row": {"by": "count", "slide": "row"},
    "by time, a result per row": {"slide": "row"},
    "by time, a result per 10": {"slide": 10},
    "by time, a result per row, 100 keys": {"slide": "row", "key": True},
}
WINDOWS = ("two_stacks_lite", "slick_deque")


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times one after another, values at random, one of 100 keys at random."""
    random = np.random.default_rng(1)
    return np.arange(ROWS), random.normal(size=ROWS), random.integers(0, 100, ROWS)


def batch(window: str, case: dict[str, Any]) -> Callable[[], Any]:
    """A function that passes all rows to a new aggregate, once made."""
    times, values, keys = data()
    given = (None if case.get("by") else times, values, keys if case.get("key") else None)
    return lambda: SlidingAggregate(window, operator="max", size=SIZE, **case).batch(*given)


def loop(window: str, case: dict[str, Any]) -> Callable[[], Any]:
    """A function that passes the same rows to the compiled loop: no checks, no keys, results are overwritten."""
    times, values, _ = data()
    case = {name: setting for name, setting in case.items() if name != "key"}

    def go() -> None:
        made = SlidingAggregate(window, operator="max", size=SIZE, capacity=4 * SIZE, **case)
        made._make_room([0], [1])
        [partition], [results] = made._partitions[0], made._results
        i = 0
        while i < ROWS:
            i = run(partition.events, results.out, as_slots(times), as_slots(times), as_slots(values), i, ROWS, 0)

    return go


def in_pandas(case: dict[str, Any]) -> Callable[[], Any]:
    """A function that does the same with pandas, where it can: a result per row."""
    times, values, keys = data()
    index = None if case.get("by") else pd.to_datetime(times, unit="s")
    size = SIZE if case.get("by") else f"{SIZE}s"
    if case.get("key"):
        groups = pd.DataFrame({"value": values, "key": keys}, index=index).groupby("key")
        return lambda: groups.rolling(size).max()
    series = pd.Series(values, index=index)
    return lambda: series.rolling(size).max()


def median_ns(programs: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Nanoseconds per row of each program, taking turns; the first turn, which compiles, does not count."""
    samples: dict[str, list[int]] = {name: [] for name in programs}
    for turn in range(REPETITIONS + 1):
        for name, program in programs.items():
            start = time.perf_counter_ns()
            program()
            if turn:
                samples[name].append(time.perf_counter_ns() - start)
    return {name: float(np.median(taken)) / ROWS for name, taken in samples.items()}


def main() -> None:
    """Print a line for each case and window."""
    for name, case in CASES.items():
        for window in WINDOWS:
            programs = {"loop": loop(window, case), "batch": batch(window, case)}
            if case["slide"] == "row":
                programs["pandas"] = in_pandas(case)
            taken = median_ns(programs)
            shown = "   ".join(f"{one} {ns:6.1f} ns ({ns / taken['loop']:.2f})" for one, ns in taken.items())
            print(f"{name:36} {window:16} {shown}", flush=True)


if __name__ == "__main__":
    main()
