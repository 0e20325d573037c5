"""Measure one repetition of one cell, in the process that this is called in: an executor's worker.

Outside the clock: compiling, allocating, filling the window, and the first rounds, whose answers make the checksum that
every algorithm must agree on. Inside it: one compiled loop of at least the profile's duration.
"""

import datetime
import functools
import json
import os
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import Slots, slots
from algorithms.window import card
from experiments import drivers, provenance
from experiments.cell import LATENCY, REPLAY, Cell
from workloads import Trace, distance_report, distance_text, make, workload
from workloads.distance import FIRST_HIGH

CHECKED_ROUNDS = 1000
"""Rounds whose answers are summed into the checksum: the same for every algorithm, whatever its speed."""


class DoesNotFitError(MemoryError):
    """A window larger than the memory of this machine."""


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """One repetition. `task`: cell (fields of Cell), operations (rounds; None: calibrate), minimum_ns.

    The result holds the row's columns that only the measuring process knows.
    """
    cell = Cell.of(task["cell"])
    started = datetime.datetime.now(datetime.UTC)
    values = _replay(cell, task) if cell.drive == REPLAY else _rounds(cell, task)
    return {"started": started, **provenance.of_this_process(), **values}


def operator_of(cell: Cell) -> Any:
    """The operator of a cell: whole numbers where it has that form, as the papers' generators produce them."""
    return operators.make(cell.operator, "int64")


def required_bytes(cell: Cell, capacity: int) -> int:
    """Memory that the cell's window takes at most."""
    return card(cell.algorithm).bytes(operator_of(cell), capacity, **cell.algorithm_parameters())


def refuse_what_does_not_fit(cell: Cell, capacity: int) -> None:
    """Raise DoesNotFitError, with the estimate, before anything is allocated."""
    needed, there = required_bytes(cell, capacity), os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there:
        raise DoesNotFitError(
            f"{cell.label} needs up to {needed / 2**30:,.1f} GiB for {capacity:,} entries; "
            f"this machine has {there / 2**30:,.1f} GiB: take a smaller window or profile"
        )


def _new_window(cell: Cell, capacity: int) -> Any:
    refuse_what_does_not_fit(cell, capacity)
    return card(cell.algorithm).new(operator_of(cell), capacity, **cell.algorithm_parameters())


def _filled_column(array: np.ndarray) -> Slots:
    column = slots(len(array), array.dtype, "column")
    column[:] = array
    return column


def _clocked(run: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
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


def _compiled(run: Callable[[], Any]) -> float:
    """Seconds that a call without work takes the first time: compiling, or loading what was compiled before."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _calibrated(run: Callable[[int], Any], minimum_ns: int) -> int:
    """How many rounds take at least the given time: a tenth is tried first, and what it took is scaled up."""
    count = 256
    while True:
        clocked, _ = _clocked(lambda: run(count))
        if clocked["value"] * 10 >= minimum_ns:
            return max(count, int(count * minimum_ns / clocked["value"] * 1.1) + 1)
        count *= 4


def _rounds(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Rounds of the distance protocol, timed as a whole or one by one."""
    protocol = workload(cell.workload_settings())
    values = _filled_column(protocol.values_table())
    period, n, d = len(values), protocol.window, protocol.distance
    w = _new_window(cell, n + 1)
    state = {"time": n - d, "serial": n}
    sampled = cell.drive == LATENCY

    def run(count: int, samples: Slots | None = None) -> float:
        arguments = (w, state["time"], count, state["serial"], values, period)
        total = drivers.rounds(*arguments) if samples is None else drivers.latencies(*arguments, samples)
        state["time"] += count
        state["serial"] += count
        return float(total)

    samples = slots(task["operations"] or 0, np.int64, "samples") if sampled else None
    seconds = _compiled(lambda: drivers.insert_run(w, 0, 0, 0, values, period))
    seconds += _compiled(lambda: run(0, samples))
    drivers.insert_run(w, FIRST_HIGH, d, 0, values, period)
    drivers.insert_run(w, 0, n - d, d, values, period)
    checksum = run(CHECKED_ROUNDS) if not sampled else None
    count = task["operations"] or _calibrated(run, task["minimum_ns"])
    clocked, _ = _clocked(lambda: run(count, samples))
    result = {**clocked, "operations": count, "checksum": checksum, "compile_seconds": seconds, "facts": {}}
    if sampled:
        result |= {"value": None, "unit": "cycles", "samples": np.asarray(samples, float)}
    return result


@functools.lru_cache(maxsize=2)
def trace_of(name: str, parameters: str) -> Trace:
    """The trace of a workload, made once in this process: repetitions and algorithms share it."""
    return make({"name": name, **json.loads(parameters)})


def _replay(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The whole trace through an empty window, again and again until the minimum duration is reached."""
    trace = trace_of(cell.workload, cell.workload_parameters)
    times, values = _filled_column(trace.times), _filled_column(trace.values)
    span, items = cell.window * trace.ticks_per_unit, len(trace)
    capacity = most_in_window(trace, span)
    seconds = _compiled(lambda: drivers.replay(_new_window(cell, 1), times, values, 0, span))
    total, late = drivers.replay(_new_window(cell, capacity), times, values, items, span)
    laps: list[dict[str, Any]] = []
    while len(laps) * items < (task["operations"] or 1) or sum(lap["value"] for lap in laps) < task["minimum_ns"]:
        w = _new_window(cell, capacity)
        laps.append(_clocked(lambda w=w: drivers.replay(w, times, values, items, span))[0])
    report = distance_report(trace)
    facts = {"distances": distance_text(report), "late": int(late), "notes": list(trace.notes), **report}
    return {
        **{name: sum(lap[name] for lap in laps) for name in ("value", "cpu_seconds", "involuntary_switches")},
        "unit": "ns",
        "operations": len(laps) * items,
        "checksum": float(total),
        "compile_seconds": seconds,
        "facts": {**facts, "skipped_records": trace.skipped, "entries": capacity},
    }


def most_in_window(trace: Trace, span: int) -> int:
    """The most distinct times that any stretch of the span holds: the capacity that a replay needs."""
    distinct = np.unique(trace.times)
    return int((np.arange(len(distinct)) - np.searchsorted(distinct, distinct - span, side="right")).max()) + 1
