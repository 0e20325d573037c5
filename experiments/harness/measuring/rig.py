"""The measuring rig: windows, columns, the clock and its calibration. What is timed is one compiled loop.

Outside the clock: compiling, allocating, filling the window, and the first rounds, whose answers make the checksum that
every algorithm must agree on. Inside it: one compiled loop of at least the profile's duration.
"""

import mmap
import resource
import time
from collections.abc import Callable, Mapping, Sequence
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

FIRST_ITEMS = 256
"""Operations that calibration begins with."""


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


def calibrated(run: Callable[[int], Any], minimum_ns: int, count: int = FIRST_ITEMS) -> int:
    """Rounds that take at least the given time: what took at least a tenth of it, scaled up with some to spare.

    `count` rounds are tried first.
    """
    while True:
        elapsed = clocked(lambda: run(count))[0]["value"]  # noqa: B023 - called at once
        if elapsed * 10 >= minimum_ns:
            return max(count, int(count * minimum_ns / elapsed * 1.2) + 1)
        count *= 4


def timed(
    run: Callable[[int], Any], task: Mapping[str, Any], burst: int = 1, items: int = 1, first: int = FIRST_ITEMS
) -> dict[str, Any]:
    """Time as many rounds as the task says; where it does not, as many as take the minimum duration at least.

    What is done in bursts (two-stacks flips once in n rounds) is timed in whole multiples of `burst` rounds. The task
    and the row count operations: of one round so many as `items`. Calibration begins with the rounds of `first`.
    """
    told = (task["operations"] or 0) // items
    count = -(-(told or calibrated(run, task["minimum_ns"], max(1, first // items))) // burst) * burst
    while True:
        clock = clocked(lambda: run(count))[0]  # noqa: B023 - called at once
        if told or clock["value"] >= task["minimum_ns"]:
            return clock | {"operations": count * items}
        count = 2 * count


def together(laps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the clock said of several laps, summed."""
    return {name: sum(lap[name] for lap in laps) for name in ("value", "cpu_seconds", "involuntary_switches")}


def lapped(
    start: Callable[[], Callable[[], Any]], items: int, task: Mapping[str, Any], least: int = 1
) -> dict[str, Any]:
    """Time a whole stream of so many items again and again, each lap what a new `start` gives.

    As many laps as the task says; where it does not, `least` or as long as so many times the minimum duration.
    """
    laps: list[dict[str, Any]] = []
    told, minimum = task["operations"], task["minimum_ns"]
    while True:
        laps.append(clocked(start())[0])
        clock = together(laps)
        enough = len(laps) * items >= told if told else len(laps) >= least or clock["value"] >= least * minimum
        if enough and clock["value"] >= minimum:
            return clock | {"operations": len(laps) * items}


class Rig:
    """Windows and the loop over their rounds, on the way to the clock: compiled and filled, then checked, then timed.

    `fill(count)` inserts the first `count` of the `entries` that are there before the first round. `loop(done, count)`
    does `count` rounds when `done` are done, and gives the sum of the answers; where rounds are `sampled`, it takes the
    slots for their cycles as well. `row` has the columns that are known before the clock starts.
    """

    def __init__(self, fill: Callable[[int], Any], entries: int, loop: Callable[..., Any], sampled: bool = False):
        self._loop, self._done = loop, 0
        seconds = compiled(lambda: fill(0)) + compiled(lambda: self.run(0))
        if sampled:
            seconds += compiled(lambda: self.run(0, slots(0, np.int64, "samples")))
        self.row: dict[str, Any] = {"checksum": None, "compile_seconds": seconds}
        fill(entries)

    def run(self, count: int, *samples: Slots) -> Any:
        """So many rounds more."""
        begin, self._done = self._done, self._done + count
        return self._loop(begin, count, *samples)

    def check(self, count: int = CHECKED_ROUNDS) -> None:
        """The first rounds, which make the checksum."""
        self.row["checksum"] = float(self.run(count))

    def timed(self, task: Mapping[str, Any], **how: Any) -> dict[str, Any]:
        """The row of rounds that are timed as a whole. `how`: see the function `timed`."""
        return self.row | timed(self.run, task, **how)

    def sampled(self, task: Mapping[str, Any], first: int = FIRST_ITEMS) -> tuple[dict[str, Any], Any]:
        """The row of rounds that are timed one by one, its value the time of all; and what the loop gives."""
        count = min(task["operations"] or calibrated(self.run, task["minimum_ns"], first), MOST_SAMPLES)
        samples = slots(count, np.int64, "samples")
        clock, answer = clocked(lambda: self.run(count, samples))
        return self.row | clock | {"samples": np.asarray(samples, float), "operations": count}, answer

    def counted(self, op: Any, count: int, items: int = 1) -> dict[str, Any]:
        """The row of the combines of `count` rounds, after as many that bring the window into its steady state."""
        self.run(count)
        op.reset()
        checksum = float(self.run(count))
        return {"value": float(op.combines()), "operations": count * items, "checksum": checksum}
