"""The Reactive Aggregator while its capacity swings between n and 2 n, beside one whose capacity stays n.

A swing starts with n/2 - 1 entries in a ring of n. It inserts n/2 + 2 items, each followed by a query; the last finds
the ring full, which doubles it. Then it evicts as many, and the last leaves less than a quarter of the ring in use,
which halves it. n is a power of two from 8 on, so that the ring is full at n. (Section 5.1.1, and 6.2 on Figure 9.)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import Slots, cycles, driver, kernel, row, slots
from algorithms.windows.contract import card, evict, insert, query, size
from experiments.harness.cell import Cell
from experiments.harness.feasibility import estimate, operator_of
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.rig import (
    CHECKED_ROUNDS,
    MOST_SAMPLES,
    calibrated,
    clocked,
    column,
    compiled,
    new_window,
    timed,
)
from workloads import workload

FIXED, OSCILLATING = "fixed", "oscillating"
LEAST = 8
"""The smallest ring that is halved and doubled again."""

CHECKED_SWINGS = 4
"""Swings whose answers make the checksum."""


def swing_of(n: int) -> int:
    """Items that a swing inserts, and evicts."""
    return n // 2 + 2


@kernel
def rise(w, time, count, k, values, period):
    """Insert `count` items, each followed by a query; the sum of the answers and the next k."""
    total = 0
    for i in range(count):
        insert(w, time + i, row(values, k))
        total += query(w)
        k = k + 1 if k + 1 < period else 0
    return total, k


@driver
def swings(w, time, count, swing, serial, values, period):
    """`count` swings; the sum of the answers."""
    k, total = serial % period, 0
    for _ in range(count):
        answers, k = rise(w, time, swing, k, values, period)
        total += answers
        time += swing
        for _ in range(swing):
            evict(w)
    return total


@driver
def sampled_swings(w, time, count, swing, serial, values, period, samples):
    """As `swings`; samples[i] = cycles of the insert that doubles the ring. The cycles of all swings as well."""
    k, total, begin = serial % period, 0, cycles()
    for i in range(count):
        answers, k = rise(w, time, swing - 1, k, values, period)
        time += swing
        before = cycles()
        insert(w, time - 1, row(values, k))
        samples[i] = cycles() - before
        total += answers + query(w)
        k = k + 1 if k + 1 < period else 0
        for _ in range(swing):
            evict(w)
    return total, cycles() - begin


def _start(cell: Cell, w: Any) -> tuple[Callable[..., Any], float]:
    """Bring an empty window to before its first swing; how to run some, and the seconds that compiling took."""
    table, n = _table(cell), cell.window
    swing, done = swing_of(n), n + 1

    def run(count: int, samples: Slots | None = None) -> Any:
        nonlocal done
        arguments = (w, done, count, swing, done, table, len(table))
        done += count * swing
        return swings(*arguments) if samples is None else sampled_swings(*arguments, samples)

    seconds = compiled(lambda: drivers.insert_run(w, 0, 0, 0, table, len(table))) + compiled(lambda: run(0))
    drivers.insert_run(w, 0, n + 1, 0, table, len(table))  # doubles the ring, so that the evictions halve it
    while size(w) > n // 2 - 1:
        evict(w)
    return run, seconds


def _start_fixed(cell: Cell, w: Any) -> tuple[Callable[[int], Any], float]:
    """Fill a window; how to run rounds, and the seconds that compiling took."""
    table, done = _table(cell), cell.window

    def run(count: int) -> Any:
        nonlocal done
        begin = done
        done += count
        return drivers.rounds(w, begin, count, begin, table, len(table))

    seconds = compiled(lambda: drivers.insert_run(w, 0, 0, 0, table, len(table))) + compiled(lambda: run(0))
    drivers.insert_run(w, 0, cell.window, 0, table, len(table))
    return run, seconds


def _table(cell: Cell) -> Slots:
    return column(workload(cell.workload_settings).values_table())


def _is_fixed(cell: Cell) -> bool:
    return cell.uses["capacity"] == FIXED


@measurement("resizing.time", unit="ns")
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of items, each inserted, followed by a query, and evicted; how often the ring was resized."""
    w, state = new_window(cell), {}
    run, seconds = (_start_fixed if _is_fixed(cell) else _start)(cell, w)
    checksum = float(run(CHECKED_ROUNDS if _is_fixed(cell) else CHECKED_SWINGS))
    if _is_fixed(cell):
        before = int(w.state[0].resizes)
        clock = timed(run, task, burst=cell.window)
    else:
        swing = swing_of(cell.window)
        count = (task["operations"] or 0) // swing or calibrated(run, task["minimum_ns"], count=1)
        before = int(w.state[0].resizes)
        clock = clocked(lambda: run(count))[0] | {"operations": count * swing}
        state = {"swings": count}
    facts = {"resizes": int(w.state[0].resizes) - before, **state}
    return clock | {"checksum": checksum, "compile_seconds": seconds, "facts": facts}


@measurement("resizing.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of items, over a turn of the ring or two swings."""
    op = operators.counting(operator_of(cell))
    w = card(cell.algorithm).new(op, estimate(cell).entries, **cell.parameters)
    if _is_fixed(cell):
        count = items = cell.window
        run, seconds = _start_fixed(cell, w)
    else:
        count, items = 2, 2 * swing_of(cell.window)
        run, seconds = _start(cell, w)
    run(count)
    op.reset()
    checksum = float(run(count))
    return {"value": float(op.combines()), "operations": items, "checksum": checksum, "compile_seconds": seconds}


@measurement("resizing.resize", unit="ns")
def resize(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of each single insert that doubles the ring from n to 2 n, by the cycle counter.

    What a cycle takes is measured beside it, over all the swings.
    """
    run, seconds = _start(cell, new_window(cell))
    seconds += compiled(lambda: run(0, slots(0, np.int64, "samples")))
    count = min(task["operations"] or calibrated(run, task["minimum_ns"], count=1), MOST_SAMPLES)
    samples = slots(count, np.int64, "samples")
    clock, (_, spent) = clocked(lambda: run(count, samples))
    taken = np.asarray(samples, float) * (clock["value"] / int(spent))
    facts = {"median_ns": float(np.median(taken))}
    result = {"value": None, "samples": taken, "operations": count, "checksum": None, "facts": facts}
    return clock | result | {"compile_seconds": seconds}
