"""The measuring rig: windows, columns, the clock and its calibration. What is timed is one compiled loop.

Outside the clock: compiling, allocating, filling the window, and the first rounds, whose answers make the checksum that
every algorithm must agree on. Inside it: one compiled loop of at least the profile's duration.
"""

import mmap
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.kernel import Slots, slots
from algorithms.windows.contract import IN_ORDER, card
from experiments.harness.cell import Cell
from experiments.harness.feasibility import estimate, operator_of

CHECKED_ROUNDS = 1000
"""Rounds whose answers are summed into the checksum: the same for every algorithm, whatever its speed."""

MOST_SAMPLES = 1 << 20
"""Latencies kept of one repetition."""


class DoesNotFitError(MemoryError):
    """A window larger than the memory of this machine."""


def new_window(cell: Cell) -> Any:
    """An empty window of the cell's algorithm and operator, large enough for its workload.

    Raises DoesNotFitError, with the estimate, before anything is allocated.
    """
    memory = estimate(cell)
    if memory.too_much:
        raise DoesNotFitError(str(memory))
    w = card(cell.algorithm).new(operator_of(cell), memory.entries, **cell.parameters)
    if card(cell.algorithm).order == IN_ORDER:
        touch(w)
    return w


def touch(w: Any) -> None:
    """Write to every page of the window's slots, so that the system has given them before the clock starts.

    The rings of in-order windows come by all of their slots; a tree takes its nodes from the same few again and again.
    """
    for field in w:
        if isinstance(field, Slots):
            pages = field.view(np.ndarray).view(np.uint8)[:: mmap.PAGESIZE]
            pages += 0  # (an assignment to itself would write nothing)


def column(array: np.ndarray) -> Slots:
    """A copy of the array as slots, which compiled loops take."""
    made = slots(len(array), array.dtype, "column")
    made[:] = array
    return made


def clocked(run: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    """Time a call by the wall clock, with the processor time and the switches that tell whether to trust it."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter_ns()
    answer = run()
    elapsed = time.perf_counter_ns() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "value": float(elapsed),
        "cpu_seconds": cpu,
        "involuntary_switches": after.ru_nivcsw - before.ru_nivcsw,
    }, answer


def compiled(run: Callable[[], Any]) -> float:
    """Seconds that a call without work takes the first time: compiling, or loading what was compiled before."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def calibrated(run: Callable[[int], Any], minimum_ns: int, count: int = 256) -> int:
    """Rounds that take at least the given time: what took at least a tenth of it, scaled up with some to spare.

    `count` rounds are tried first.
    """
    while True:
        elapsed = clocked(lambda: run(count))[0]["value"]  # noqa: B023 - called at once
        if elapsed * 10 >= minimum_ns:
            return max(count, int(count * minimum_ns / elapsed * 1.2) + 1)
        count *= 4


def timed(run: Callable[[int], Any], task: dict[str, Any], burst: int = 1, first: int = 256) -> dict[str, Any]:
    """Time as many rounds as the task says; where it does not, as many as take the minimum duration at least.

    What is done in bursts (two-stacks flips once in n rounds) is timed in whole multiples of `burst` rounds.
    Calibration begins with `first` rounds.
    """
    count = -(-(task["operations"] or calibrated(run, task["minimum_ns"], first)) // burst) * burst
    while True:
        clock = clocked(lambda: run(count))[0]  # noqa: B023 - called at once
        if task["operations"] or clock["value"] >= task["minimum_ns"]:
            return clock | {"operations": count}
        count = 2 * count
