"""Rounds that evict the m oldest entries and insert m new ones, in bulk or one by one, at the distance of the protocol.

The window is that of the distance protocol: d entries with high times, n - d with consecutive low ones. A round evicts
the m oldest low times and inserts the next m. With bulk eviction the cut is at the m-th oldest time, computed from
the protocol's own times in signed 64-bit integers.
"""

from typing import Any

from algorithms.kernel import driver, kernel, row, slots
from algorithms.windows.contract import bulk_evict, bulk_insert, evict, insert, query
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import prefill, table_of
from experiments.harness.measuring.rig import Rig, new_window, touch
from workloads import workload

CHECKED_ITEMS, LEAST_CHECKED = 1 << 16, 4
"""The checksum is of the rounds of so many items, and of so many rounds at least: the same for every algorithm."""

BULK, LOOP = "bulk", "loop"


@kernel
def fill_batch(times, values, time, count, k, table, period):
    """Write a batch to its columns: consecutive times, and values from entry k of the table on; returns the next k."""
    for i in range(count):
        times[i] = time + i
        values[i] = table[k]
        k = k + 1 if k + 1 < period else 0
    return k


@driver
def bulk_rounds(w, time, oldest, count, batch, serial, times, values, table, period):
    """Rounds of bulk evict, bulk insert and query; the sum of the answers."""
    k, total = serial % period, 0
    for _ in range(count):
        k = fill_batch(times, values, time, batch, k, table, period)
        bulk_evict(w, oldest + batch - 1)
        bulk_insert(w, times, values, 0, batch)
        total += query(w)
        time, oldest = time + batch, oldest + batch
    return total


@driver
def bulk_evict_rounds(w, time, oldest, count, batch, serial, times, values, table, period):
    """Rounds of bulk evict, `batch` inserts and query; the sum of the answers."""
    k, total = serial % period, 0
    for _ in range(count):
        k = fill_batch(times, values, time, batch, k, table, period)
        bulk_evict(w, oldest + batch - 1)
        for i in range(batch):
            insert(w, times[i], row(values, i))
        total += query(w)
        time, oldest = time + batch, oldest + batch
    return total


@driver
def single_rounds(w, time, oldest, count, batch, serial, times, values, table, period):
    """Rounds of `batch` evicts, `batch` inserts and query; the sum of the answers."""
    k, total = serial % period, 0
    for _ in range(count):
        k = fill_batch(times, values, time, batch, k, table, period)
        for _ in range(batch):
            evict(w)
        for i in range(batch):
            insert(w, times[i], row(values, i))
        total += query(w)
        time += batch
    return total


LOOPS = {(BULK, BULK): bulk_rounds, (BULK, LOOP): bulk_evict_rounds, (LOOP, LOOP): single_rounds}
"""By how a round evicts and how it inserts."""


@measurement("bulk.time", unit="ns")
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of rounds; an item is one entry evicted and one inserted."""
    protocol, m = workload(cell.workload_settings), cell.batch
    n, d, table, w = protocol.window, protocol.distance, table_of(cell), new_window(cell)
    times, values = slots(m, "i8", "times"), slots(m, table.dtype, "values")
    loop = LOOPS[cell.uses["evict"], cell.uses["insert"]]
    touch(w)  # a tree reuses evicted nodes only after all others

    def rounds(done: int, count: int) -> Any:
        evicted = done * m
        return loop(w, n - d + evicted, evicted, count, m, n + evicted, times, values, table, len(table))

    rig = Rig(lambda count: prefill(w, count, table, d), n, rounds)
    rig.check(max(LEAST_CHECKED, -(-CHECKED_ITEMS // m)))
    return rig.timed(task, items=m)
