"""Measure one repetition of one cell, in the process that this is called in: an executor's worker.

Outside the clock: compiling, allocating, filling the window, and the first rounds, whose answers make the checksum that
every algorithm must agree on. Inside it: one compiled loop of at least the profile's duration.
"""

import datetime
import functools
import importlib
import mmap
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.kernel import Slots, slots
from algorithms.window import IN_ORDER, card
from experiments import provenance
from experiments.cell import LATENCY, REPLAY, ROUNDS, Cell
from experiments.measuring import drivers
from experiments.refusals import estimate, operator_of
from experiments.traces import entries_of, facts_of, span_of, trace_of
from workloads import workload
from workloads.distance.generator import FIRST_HIGH

CHECKED_ROUNDS = 1000
"""Rounds whose answers are summed into the checksum: the same for every algorithm, whatever its speed."""

MOST_SAMPLES = 1 << 20
"""Latencies kept of one repetition."""


class DoesNotFitError(MemoryError):
    """A window larger than the memory of this machine."""


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """One repetition. `task`: cell (fields of Cell), trace_hash, operations (rounds; None: calibrate), minimum_ns.

    The result holds the row's columns that only the measuring process knows.
    """
    cell = Cell.of(task["cell"])
    started = datetime.datetime.now(datetime.UTC)
    values = _measuring(cell.drive)(cell, task)
    return {"started": started, **provenance.of_this_process(), **values}


def _measuring(drive: str) -> Callable[[Cell, dict[str, Any]], dict[str, Any]]:
    """The function for a drive (see experiments.cell)."""
    if ":" in drive:
        module, _, name = drive.partition(":")
        return getattr(importlib.import_module(module), name)
    return {ROUNDS: measure_rounds, LATENCY: measure_rounds, REPLAY: measure_replay}[drive]


def new_window(cell: Cell) -> Any:
    """An empty window of the cell's algorithm and operator, large enough for its workload.

    Raises DoesNotFitError, with the estimate, before anything is allocated.
    """
    memory = estimate(cell)
    if memory.too_much:
        raise DoesNotFitError(str(memory))
    w = card(cell.algorithm).new(operator_of(cell), memory.entries, **cell.algorithm_parameters())
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
        "unit": "ns",
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


def measure_rounds(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Rounds of the distance protocol, timed as a whole or, for latencies, one by one."""
    protocol = workload(cell.workload_settings())
    values = column(protocol.values_table())
    period, n, d = len(values), protocol.window, protocol.distance
    w = new_window(cell)
    done = 0

    def run(count: int, samples: Slots | None = None) -> float:
        nonlocal done
        arguments = (w, n - d + done, count, n + done, values, period)
        done += count
        return float(drivers.rounds(*arguments) if samples is None else drivers.latencies(*arguments, samples))

    sampled = cell.drive == LATENCY
    seconds = compiled(lambda: drivers.insert_run(w, 0, 0, 0, values, period))
    seconds += compiled(lambda: run(0))
    if sampled:
        seconds += compiled(lambda: run(0, slots(0, np.int64, "samples")))
    drivers.insert_run(w, FIRST_HIGH, d, 0, values, period)
    drivers.insert_run(w, 0, n - d, d, values, period)
    checksum = run(CHECKED_ROUNDS)
    result = {"checksum": checksum, "compile_seconds": seconds}
    if not sampled:
        burst = n if card(cell.algorithm).order == IN_ORDER else 1
        return result | timed(run, task, burst)
    count = min(task["operations"] or calibrated(run, task["minimum_ns"]), MOST_SAMPLES)
    samples = slots(count, np.int64, "samples")
    clock = clocked(lambda: run(count, samples))[0]
    taken = {"value": None, "unit": "cycles", "samples": np.asarray(samples, float), "operations": count}
    return result | clock | taken


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


@functools.lru_cache(maxsize=1)
def _columns_of(name: str, parameters: str) -> tuple[Slots, Slots]:
    """Times since the earliest and values of a trace, for compiled loops.

    Since none is negative, newest - span stays within 64 bits.
    """
    trace = trace_of(name, parameters)
    return column(trace.times - trace.times.min()), column(trace.values)


def measure_replay(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The whole trace through an empty window, again and again until the minimum duration is reached."""
    source = cell.workload, cell.workload_parameters
    trace = trace_of(*source)
    if trace.hash != task["trace_hash"]:
        raise ValueError(f"the data of workload {cell.workload} changed while the experiment was running")
    (times, values), items, span = _columns_of(*source), len(trace), span_of(cell)
    seconds = compiled(lambda: drivers.replay(new_window(cell), times, values, 0, span))
    total, late = drivers.replay(new_window(cell), times, values, items, span)
    laps: list[dict[str, Any]] = []
    while len(laps) * items < (task["operations"] or 1) or sum(lap["value"] for lap in laps) < task["minimum_ns"]:
        w = new_window(cell)
        laps.append(clocked(lambda w=w: drivers.replay(w, times, values, items, span))[0])
    return {
        **{name: sum(lap[name] for lap in laps) for name in ("value", "cpu_seconds", "involuntary_switches")},
        "unit": "ns",
        "operations": len(laps) * items,
        "checksum": float(total),
        "compile_seconds": seconds,
        "facts": {**facts_of(*source), "late": int(late), "entries": entries_of(cell)},
    }
