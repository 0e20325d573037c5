"""The measuring rig: new windows, the clock, its calibration, and the steps from a new window to a timed loop.

Compiling, allocating, filling the window and the first rounds are not timed; the answers of these rounds make the
checksum, on which all algorithms must agree. One compiled loop is timed, in laps that together take the profile's
minimum duration at least.
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
from experiments.harness.surroundings import wait_for_a_quick_moment

CHECKED_ROUNDS = 1000
"""Rounds whose answers make the checksum: the same number for every algorithm, whatever its speed."""

MOST_SAMPLES = 1 << 20
"""The most latencies that one repetition keeps."""

FIRST_ITEMS = 256
"""Operations in the first trial of the calibration."""

TRIALS, LONG = 5, 4
"""A trial of the calibration that seems to be long is made so often, or until all take so many times the minimum."""

LAP_NS = 2_000_000
"""Of one lap, unless its burst takes longer. A machine's slow moments are often shorter than 10 ms: see results.laps.

Calling the compiled loop takes about 5 microseconds, a quarter of a per cent of a lap.
"""


class DoesNotFitError(MemoryError):
    """A window is larger than the memory of this machine."""


class NotHereError(RuntimeError):
    """What a cell needs is not on this machine; the message says what, and what to do."""


class TooSlowError(RuntimeError):
    """What is measured takes longer than is allowed for it; the message says how long."""


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


def touch(*parts: Any) -> None:
    """Write to every page of all slots in these windows, so that the memory is there before the clock starts.

    An in-order window uses all slots of its ring in turn; a tree uses the same few nodes again and again.
    """
    for part in parts:
        if isinstance(part, Slots):
            memory = part.view(np.ndarray).view(np.uint8)
            for pages in (memory[:: mmap.PAGESIZE], memory[-1:]):  # an array may begin within a page
                pages += 0  # assigning the pages to themselves would write nothing
        elif isinstance(part, tuple):
            touch(*part)


def room_for(count: int) -> Slots:
    """Slots for the cycles of `count` operations, whose memory is there."""
    samples = slots(count, np.int64, "samples")
    touch(samples)
    return samples


OF_THE_CLOCK = ("value", "cpu_seconds", "involuntary_switches", "page_faults")
"""The row columns that the clock fills in."""


def clocked(run: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    """The wall-clock time of a call as a row column, with what shows whether it can be trusted; and the call's result.

    That is its processor time, how often the system interrupted it, and how many pages of memory it had to wait for.
    """
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter_ns()
    result = run()
    elapsed = time.perf_counter_ns() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    faults = after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt
    columns = float(elapsed), cpu, after.ru_nivcsw - before.ru_nivcsw, faults
    return dict(zip(OF_THE_CLOCK, columns, strict=True)), result


def compiled(run: Callable[[], Any]) -> float:
    """Seconds of the first call, one without work: compiling, or loading code that was compiled before."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def calibrated(run: Callable[[int], Any], minimum_ns: int, count: int = FIRST_ITEMS) -> int:
    """How many rounds to time so that they take at least `minimum_ns`.

    Trials begin with `count` rounds and grow until one takes a tenth of that time; its rounds are scaled up, with a
    fifth to spare. One that seems to be long enough is made again: if another process only held it up, all repetitions
    would have laps of some microseconds, in which the call is a good part of what is timed.
    """
    while True:
        elapsed = _quickest(lambda: clocked(lambda: run(count))[0]["value"], minimum_ns)  # noqa: B023 - called at once
        if elapsed * 10 >= minimum_ns:
            return max(count, int(count * minimum_ns / elapsed * 1.2) + 1)
        count *= 4


def _quickest(trial: Callable[[], float], minimum_ns: int) -> float:
    """Nanoseconds of the quickest trial: TRIALS of them, or fewer if one is short, or if together they are long."""
    trials = [trial()]
    while len(trials) < TRIALS and min(trials) * 10 >= minimum_ns and sum(trials) < LONG * minimum_ns:
        trials.append(trial())
    return min(trials)


def timed(
    run: Callable[[int], Any],
    task: Mapping[str, Any],
    burst: int = 1,
    items: int = 1,
    first: int = FIRST_ITEMS,
    in_laps: bool = True,
) -> dict[str, Any]:
    """Time laps of equally many rounds: as many laps and rounds as the task says, or for its minimum duration.

    Tasks and rows count operations: a round is `items` of them. The rounds of a lap are a multiple of `burst`, for
    windows whose work comes in bursts (two-stacks flips once in n rounds), so that all laps do the same work; where
    they cannot (a store is read and written now and then), `in_laps` is false and the sum is what counts. Calibration
    begins with `first` operations.
    """
    if task["operations"]:
        count = task["operations"] // items // max(1, task["laps"])
    else:
        duration = min(LAP_NS, task["minimum_ns"]) if in_laps else task["minimum_ns"]
        count = calibrated(run, duration, max(1, first // items))
        count = -(-count // burst) * burst
    clock = repeated(lambda: clocked(lambda: run(count))[0], count * items, task)
    return clock if in_laps else clock | {"laps": 0, "samples": None}


def summed(laps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums of the clock's columns over several laps."""
    return {name: sum(lap[name] for lap in laps) for name in OF_THE_CLOCK}


def timed_laps(
    start: Callable[[], Callable[[], Any]], items: int, task: Mapping[str, Any], least: int = 1
) -> dict[str, Any]:
    """Time a whole stream of `items` again and again; `start` prepares a lap and returns the call that is timed."""
    return repeated(lambda: clocked(start())[0], items, task, least)


def repeated(
    lap: Callable[[], Mapping[str, Any]], items: int, task: Mapping[str, Any], least: int = 1
) -> dict[str, Any]:
    """The sum of the clocks of laps of `items` operations, and their times as samples; `lap` does one.

    Laps go on until they have the task's number of operations; if it has none, for its minimum duration, and until
    there are `least` laps or they have taken `least` times that duration.
    """
    laps: list[Mapping[str, Any]] = []
    required, minimum, total = task["operations"], task["minimum_ns"], 0.0
    while True:
        wait_for_a_quick_moment()
        laps.append(lap())
        total += laps[-1]["value"]
        long = total >= minimum and (len(laps) >= least or total >= least * minimum)
        if len(laps) * items >= required if required else long:
            times = np.array([lap["value"] for lap in laps])
            return summed(laps) | {"operations": len(laps) * items, "laps": len(laps), "samples": times}


class Rig:
    """Compiles the loop over the rounds of one or more windows and fills these; then checks and times rounds.

    `fill(count)` inserts the first `count` of the `entries` that the windows hold before the first round.
    `loop(done, count)` does `count` rounds after the `done` earlier ones and returns the sum of their answers; with
    `sampled`, it also takes slots for the cycles of each round. `row` has the columns that are known before the timing.
    """

    def __init__(self, fill: Callable[[int], Any], entries: int, loop: Callable[..., Any], sampled: bool = False):
        self._loop, self._done = loop, 0
        seconds = compiled(lambda: fill(0)) + compiled(lambda: self.run(0))
        if sampled:
            seconds += compiled(lambda: self.run(0, room_for(0)))
        self.row: dict[str, Any] = {"checksum": None, "compile_seconds": seconds}
        fill(entries)

    def run(self, count: int, *samples: Slots) -> Any:
        """Do the next `count` rounds."""
        begin, self._done = self._done, self._done + count
        return self._loop(begin, count, *samples)

    def check(self, count: int = CHECKED_ROUNDS) -> None:
        """Do the first rounds, whose answers make the checksum."""
        self.row["checksum"] = float(self.run(count))

    def timed(self, task: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """The row of rounds that are timed as a whole. `options`: see the function `timed`."""
        return self.row | timed(self.run, task, **options)

    def sampled(self, task: Mapping[str, Any], first: int = FIRST_ITEMS) -> tuple[dict[str, Any], Any]:
        """The row of rounds that are timed one by one, whose value is the time of all; and the loop's result."""
        count = min(task["operations"] or calibrated(self.run, task["minimum_ns"], first), MOST_SAMPLES)
        samples = room_for(count)
        clock, result = clocked(lambda: self.run(count, samples))
        return self.row | clock | {"samples": np.asarray(samples, float), "operations": count}, result

    def counted(self, op: Any, count: int, items: int = 1) -> dict[str, Any]:
        """The row of the combines of `count` rounds, after as many that bring the window to its steady state."""
        self.run(count)
        op.reset()
        checksum = float(self.run(count))
        return {"value": float(op.combines()), "operations": count * items, "checksum": checksum}
