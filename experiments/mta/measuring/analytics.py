"""The memory-usage stream through windows that slide by themselves (MTA paper, experiment 3), a chunk at a time.

Every window holds n elements at most. That of max lets go what is older than its maximum, that of LIS what is older
than its longest run.
"""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import slots
from algorithms.windows import slide_policies as policies
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked, compiled, together
from experiments.mta.measuring.arrivals import NAIVE, kept, takes, timed_updates, traffic, updates
from workloads import workload

BEYOND = 256
"""Arrivals in the full window whose answers, with those that fill it, make the checksum."""

NAIVE_ENTRIES, LEAST_NAIVE = 1 << 27, 64
"""Where every arrival lets one go, all cost Naive the same: it is measured on as many as touch so many entries."""


LOOPS = {"lis": timed_updates}
"""By operator, if it is not `updates`."""


def aggregation(operator: str, n: int) -> tuple[Any, Any]:
    """The product of count and an operator, and the policy that the paper gives it in a window of at most n."""
    name, policy = {"max": ("max", policies.maximum), "lis": ("lis", policies.longest_run)}.get(
        operator, ("value", policies.count)
    )
    count, value = (operators.make(one, "int64") for one in ("count", operator))
    return operators.product(count=count, **{name: value}), policy(n)


@measurement("analytics.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the arrivals after those that fill the window; the chunks are made outside the clock."""
    stream, n = workload(cell.workload_settings), cell.window
    op, policy = aggregation(cell.operator, n)
    made, loop = kept(cell, op, policy, n + 1), LOOPS.get(cell.operator, updates)
    checked = n + BEYOND
    if stream.records <= checked:
        raise ValueError(f"records is {stream.records}; a window of {n} needs more than {checked}")
    least = max(LEAST_NAIVE, NAIVE_ENTRIES // n)
    all_alike = cell.algorithm == NAIVE and cell.operator not in ("max", "lis")
    last = min(stream.records, checked + least) if all_alike else stream.records
    column = slots(1 << 20, np.int64, "values")
    seconds = compiled(lambda: loop(*made, 0, 0, 0, column))
    laps: list[dict[str, Any]] = []
    checksum, done = 0.0, 0
    for values in stream.chunks():
        column[: len(values)] = values
        before = min(max(checked - done, 0), len(values))
        checksum += float(loop(*made, 0, before, done, column))
        count = min(done + len(values), last) - done - before
        if count > 0:
            laps.append(clocked(lambda: loop(*made, before, count, done + before, column))[0])  # noqa: B023 - called at once
        done += len(values)
        if done >= last:
            break
    return {
        **together(laps),
        "operations": last - checked,
        "checksum": checksum,
        "compile_seconds": seconds,
        "facts": traffic(made),
    }
