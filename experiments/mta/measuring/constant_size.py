"""Arrivals that evict one element each, in a window of constant size (MTA paper, experiments 1 and 5)."""

from typing import Any

from algorithms.windows import slide_policies as policies
from algorithms.windows.contract import storage
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import FIRST_ITEMS, Rig
from experiments.mta.measuring.arrivals import NAIVE, dimensions, kept, run, takes, traffic

SEPARATE = "separate"
"""A value of the parameter `sharing`: k windows of one dimension, one after the other, not one window of k."""

CHECKED, LEAST_CHECKED, CHECKED_ENTRIES = 1000, 4, 1 << 22
"""Arrivals whose answers make the checksum: fewer where Naive would touch more entries than this."""


def checked(n: int) -> int:
    """Arrivals that make the checksum in a window of n: the same for every algorithm."""
    return max(LEAST_CHECKED, min(CHECKED, CHECKED_ENTRIES // n))


@measurement("constant_size.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of arrivals in a window of constant size, which passes through all of its states.

    `dimensions` in the workload's parameters: how many counts the window has, or, if SEPARATE, how many windows.
    """
    n, k = cell.window, cell.asked.get("dimensions", 1)
    apart = cell.uses.get("sharing") == SEPARATE
    op, policy = dimensions(1 if apart else k), policies.max_size()
    windows = [kept(cell, op, policy, n + 1) for _ in range(k if apart else 1)]

    def arrive(begin: int, count: int) -> float:
        return sum(run(window, begin, count, n) for window in windows)

    rig = Rig(lambda count: arrive(0, count), n, lambda done, count: arrive(n + done, count))
    rig.check(checked(n))
    burst = 1 if cell.algorithm == NAIVE else n
    first = max(1, min(FIRST_ITEMS, CHECKED_ENTRIES // n))
    row = rig.timed(task, burst=burst, first=first, in_laps=type(windows[0].window) not in storage.table)
    return row | {"facts": traffic(windows[0])} | ({"checksum": None} if k > 1 else {})
