"""Arrivals that let one element go each, in a window of constant size (MTA paper, experiments 1 and 5)."""

from typing import Any

from algorithms.windows import slide_policies as policies
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import compiled, timed
from experiments.mta.measuring.arrivals import NAIVE, dimensions, kept, run, takes, traffic

SEPARATE = "separate"
"""In the parameter `sharing`: k windows of one dimension, one after the other, instead of one window of k."""

CHECKED, LEAST_CHECKED, CHECKED_ENTRIES = 1000, 4, 1 << 22
"""Arrivals whose answers make the checksum: fewer where Naive would touch more entries than this."""


def checked(n: int) -> int:
    """Arrivals that make the checksum in a window of n: the same for every algorithm."""
    return max(LEAST_CHECKED, min(CHECKED, CHECKED_ENTRIES // n))


@measurement("constant_size.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of arrivals in a window of constant size; all that it may look like is passed through.

    With `dimensions` in the workload's parameters, of so many counts; SEPARATE in as many windows.
    """
    n, k = cell.window, cell.asked.get("dimensions", 1)
    apart = cell.uses.get("sharing") == SEPARATE
    op, policy = dimensions(1 if apart else k), policies.max_size()
    windows = [kept(cell, op, policy, n + 1) for _ in range(k if apart else 1)]
    done = 0

    def run_all(count: int) -> float:
        nonlocal done
        begin, done = done, done + count
        return sum(run(made, begin, count, n) for made in windows)

    seconds = compiled(lambda: run_all(0))
    run_all(n)
    checksum = run_all(checked(n))
    burst = 1 if cell.algorithm == NAIVE else n
    clock = timed(run_all, task, burst, first=max(1, min(256, CHECKED_ENTRIES // n)))
    known = {"checksum": None if k > 1 else checksum, "compile_seconds": seconds, "facts": traffic(windows[0])}
    return clock | known
