"""Rounds that evict the m oldest entries and insert m new ones, in bulk or one by one, at the distance of the protocol.

The window is that of the distance protocol: d entries with high times, n - d with consecutive low ones. A round evicts
the m oldest low times and inserts the next m. With bulk eviction the time to cut at is the m-th oldest, computed from
the protocol's own times in signed 64-bit integers.
"""

from typing import Any

from algorithms.kernel import driver, kernel, row, slots
from algorithms.windows.contract import bulk_evict, bulk_insert, evict, insert, query
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.rig import calibrated, clocked, column, compiled, new_window, touch
from workloads import workload
from workloads.distance.generator import FIRST_HIGH

CHECKED_ITEMS = 1 << 16
"""Items whose rounds make the checksum, four rounds at least: the same for every algorithm."""

BULK, LOOP = "bulk", "loop"


@kernel
def fill_batch(times, values, time, count, k, table, period):
    """Write a batch to its columns: consecutive times, and values from entry k of the table on; gives the next k."""
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
    table, n, d = column(protocol.values_table()), protocol.window, protocol.distance
    times, values = slots(m, "i8", "times"), slots(m, table.dtype, "values")
    uses = cell.uses
    rounds = LOOPS[uses["evict"], uses["insert"]]
    w = new_window(cell)
    touch(w)  # nodes cut off are used again only when those never used before are spent
    done = 0

    def run(items: int) -> float:
        nonlocal done
        count, serial = -(-items // m), n + done
        answers = rounds(w, n - d + done, done, count, m, serial, times, values, table, len(table))
        done += count * m
        return float(answers)

    seconds = compiled(lambda: drivers.insert_run(w, 0, 0, 0, table, len(table))) + compiled(lambda: run(0))
    drivers.insert_run(w, FIRST_HIGH, d, 0, table, len(table))
    drivers.insert_run(w, 0, n - d, d, table, len(table))
    checksum = run(max(4 * m, CHECKED_ITEMS))
    items = task["operations"] or -(-calibrated(run, task["minimum_ns"]) // m) * m
    clock = clocked(lambda: run(items))[0]
    return {**clock, "operations": items, "checksum": checksum, "compile_seconds": seconds}
