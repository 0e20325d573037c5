"""One arrival that evicts m of n elements at once (MTA paper, experiment 2): its time, its combines, its reads.

The window holds n elements; one arrives whose max_size is n + 1 - m, and the policy evicts m. Then the window is filled
again, outside the clock, by elements whose max_size is n.
"""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.windows import slide_policies as policies
from algorithms.windows.contract import storage
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.cycle_counter import nanoseconds_of_cycle
from experiments.harness.measuring.rig import clocked, compiled, room_for
from experiments.mta.measuring.arrivals import NAIVE, Kept, bulk_arrivals, dimensions, kept, run, takes, traffic

CHECKED = 4
"""Arrivals whose answers make the checksum, and arrivals that are timed at least."""

REFILLED, MOST, MOST_NAIVE = 1 << 22, 1000, 8
"""Arrivals that are timed: as many as refill so many elements, but no more than MOST; each of Naive touches all n."""

WAITED = {"misses": 1, "waits": 1, "handed": -1}
"""Counts of a window's traffic that add up to the reads it waited for: what was handed over is still in memory."""

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of the window in the evictions that are counted."""


@measurement("bulk_arrivals.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of arrivals that evict cell.batch elements each, all together and one by one."""
    n, m = cell.window, cell.batch
    full = kept(cell, dimensions(), policies.max_size(), n + 1)
    nothing = room_for(0)
    seconds = compiled(lambda: run(full, 0, 0, n)) + compiled(lambda: bulk_arrivals(*full, 0, n, m, 0, nothing))
    run(full, 0, n, n)
    samples = room_for(CHECKED)
    checksum = float(bulk_arrivals(*full, n, n, m, CHECKED, samples))
    count = max(CHECKED, min(REFILLED // m, MOST_NAIVE if cell.algorithm == NAIVE else MOST))
    samples = room_for(count)
    clock, _ = clocked(lambda: bulk_arrivals(*full, n + CHECKED * m, n, m, count, samples))
    each = np.asarray(samples, float) * nanoseconds_of_cycle()
    facts = traffic(full)
    if facts:
        facts |= _awaited(full, n + (CHECKED + count) * m, n, m)
    return {
        **clock,
        "value": float(each.sum()),
        "samples": each,
        "operations": count,
        "checksum": checksum,
        "compile_seconds": seconds,
        "facts": facts,
    }


def _awaited(full: Kept, done: int, n: int, m: int) -> dict[str, int]:
    """The reads of the store that CHECKED further arrivals waited for, without those of filling the window again."""
    awaited = 0
    for first in range(done, done + CHECKED * m, m):
        before = traffic(full)
        run(full, first, 1, n + 1 - m)
        after = traffic(full)
        awaited += sum(sign * (after[name] - before[name]) for name, sign in WAITED.items())
        run(full, first + 1, m - 1, n)
    return {"awaited": awaited, "watched": CHECKED}


# -------------------------------------------------------------------------------------------------------------- counts


def _counting(cell: Cell) -> tuple[Kept, Any]:
    """A full window with a counting operator, and that operator."""
    op = operators.counting(dimensions())
    full = kept(cell, op, policies.max_size(), cell.window + 1)
    run(full, 0, cell.window, cell.window)
    op.reset()
    return full, op


@measurement("bulk_arrivals.combines", counted=True, takes=takes)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of n arrivals in a window of constant size n, the policy's included."""
    (full, op), n = _counting(cell), cell.window
    checksum = run(full, n, n, n)
    return {"value": float(op.combines()), "operations": n, "checksum": checksum}


@measurement("bulk_arrivals.worst_bulk", counted=True, takes=takes)
def worst_bulk(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The most combines of one arrival that evicts many elements, the policy's included."""
    (full, op), n, done, most = _counting(cell), cell.window, cell.window, 0
    for m in (max(1, int(share * n)) for share in SHARES):
        op.reset()
        run(full, done, 1, n + 1 - m)
        most = max(most, op.combines())
        run(full, done + 1, m - 1, n)
        done += m
    return {"value": float(most), "operations": 1, "checksum": None}


@measurement("bulk_arrivals.local_size", counted=True, takes=takes)
def local_size(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Partial aggregates for which this process has room, in a full window that goes on sliding."""
    full, checksum = _slid(cell)
    return {"value": float(len(full.window.agg)), "operations": 1, "checksum": checksum}


@measurement("bulk_arrivals.size", counted=True, takes=takes)
def size(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Partial aggregates for which this process has room, and those in the store if there is one."""
    full, checksum = _slid(cell)
    return {"value": float(len(full.window.agg) + elsewhere(full.window)), "operations": 1, "checksum": checksum}


def _slid(cell: Cell) -> tuple[Kept, float]:
    """A full window after a quarter as many arrivals as fill it; and the sum of their answers."""
    full, n = kept(cell, dimensions(), policies.max_size(), cell.window + 1), cell.window
    run(full, 0, n, n)
    return full, run(full, n, max(1, n // 4), n)


def elsewhere(w: Any) -> int:
    """Partial aggregates in the key-value store of a window; 0 for a window in memory."""
    if type(w) not in storage.table:
        return 0
    storage(w).flush()
    return int((w.level["stored"] - w.level["trimmed"] * storage(w).block).sum())
