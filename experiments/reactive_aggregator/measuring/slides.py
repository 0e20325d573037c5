"""Sliding by m items between two firings: each item evicts the oldest entry and is inserted, every m-th fires a query.

m = 1 is a round of the distance protocol in order; m = n is a tumbling window, which keeps nothing from one firing to
the next. The window holds n items all the time, as a count-based window does that evicts when an item arrives.
"""

from typing import Any

from algorithms.kernel import driver, row
from algorithms.windows.contract import IN_ORDER, card, evict, insert, query
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import counting_window, prefill, table_of
from experiments.harness.measuring.rig import FIRST_ITEMS, Rig, new_window
from workloads import workload

CHECKED_ITEMS, MOST_CHECKED, LEAST_CHECKED = 1 << 16, 1000, 4
"""The checksum is of the firings of so many items, with these limits on their number."""


@driver
def firings(w, time, count, batch, serial, values, period):
    """`count` firings of `batch` items each; the sum of the answers."""
    k, total = serial % period, 0
    for _ in range(count):
        for _ in range(batch):
            evict(w)
            insert(w, time, row(values, k))
            time += 1
            k = k + 1 if k + 1 < period else 0
        total += query(w)
    return total


@measurement("slides.time", unit="ns")
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of firings; an operation is an item."""
    return _timed(cell, task, items=cell.batch)


@measurement("slides.firing", unit="ns")
def firing(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of firings; an operation is a firing with the m items before it."""
    return _timed(cell, task, first=max(1, FIRST_ITEMS // cell.batch))


def _timed(cell: Cell, task: dict[str, Any], **options: Any) -> dict[str, Any]:
    m, rig = cell.batch, _rig(cell, new_window(cell))
    rig.check(max(LEAST_CHECKED, min(MOST_CHECKED, CHECKED_ITEMS // m)))
    burst = turn(cell.window, m) if card(cell.algorithm).order == IN_ORDER else 1
    return rig.timed(task, burst=burst, **options)


@measurement("slides.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of one turn; an operation is an item."""
    w, op = counting_window(cell)
    return _rig(cell, w).counted(op, turn(cell.window, cell.batch), items=cell.batch)


def _rig(cell: Cell, w: Any) -> Rig:
    n, m, table = workload(cell.workload_settings).window, cell.batch, table_of(cell)

    def loop(done: int, count: int) -> Any:
        begin = n + done * m
        return firings(w, begin, count, m, begin, table, len(table))

    return Rig(lambda count: prefill(w, count, table), n, loop)


def turn(n: int, m: int) -> int:
    """Firings until each entry is replaced: the cost of a firing depends on where in its ring the window begins."""
    return -(-n // m)
