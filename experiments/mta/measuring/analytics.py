"""The memory-usage stream through windows that slide by themselves (MTA paper, experiment 3), a chunk at a time.

Every window holds at most n elements. That of max evicts the elements older than its maximum, that of LIS those older
than its longest run.
"""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import slots
from algorithms.windows import slide_policies as policies
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked, compiled, summed
from experiments.mta.measuring.arrivals import NAIVE, kept, takes, timed_updates, traffic, updates
from workloads import workload

BEYOND = 256
"""Arrivals in the full window whose answers, with those that fill it, make the checksum."""

NAIVE_ENTRIES, LEAST_NAIVE = 1 << 27, 64
"""Arrivals that evict one element each all cost Naive the same: it is measured on as many as touch so many entries."""


FALLING = "down"
"""The pattern of readings of which the oldest is the maximum, so that each arrival evicts one."""

LOOPS = {"lis": timed_updates}
"""The loops of operators, where not `updates`."""


def aggregation(operator: str, n: int) -> tuple[Any, Any]:
    """The product of count and an operator, and the policy that the paper gives it in a window of at most n."""
    name, policy = {"max": ("max", policies.maximum), "lis": ("lis", policies.longest_run)}.get(
        operator, ("value", policies.count)
    )
    count, value = operators.make("count", "int64"), operators.make(operator, "int64")
    return operators.product(count=count, **{name: value}), policy(n)


@measurement("analytics.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the arrivals after those that fill the window; the stream's chunks are made outside the clock."""
    stream, n = workload(cell.workload_settings), cell.window
    op, policy = aggregation(cell.operator, n)
    w, loop = kept(cell, op, policy, n + 1), LOOPS.get(cell.operator, updates)
    checked = n + BEYOND
    if stream.records <= checked:
        raise ValueError(f"records is {stream.records}; a window of {n} needs more than {checked}")
    least = max(LEAST_NAIVE, NAIVE_ENTRIES // n)
    one_leaves = cell.operator not in ("max", "lis") or cell.stream.get("pattern") == FALLING
    all_alike = cell.algorithm == NAIVE and one_leaves
    last = min(stream.records, checked + least) if all_alike else stream.records
    column = slots(1 << 20, np.int64, "values")
    seconds = compiled(lambda: loop(*w, 0, 0, 0, column))
    laps: list[dict[str, Any]] = []
    checksum, done = 0.0, 0
    for values in stream.chunks():
        column[: len(values)] = values
        before = min(max(checked - done, 0), len(values))
        checksum += float(loop(*w, 0, before, done, column))
        count = min(done + len(values), last) - done - before
        if count > 0:
            laps.append(clocked(lambda: loop(*w, before, count, done + before, column))[0])  # noqa: B023 - called at once
        done += len(values)
        if done >= last:
            break
    return {
        **summed(laps),
        "operations": last - checked,
        "checksum": checksum,
        "compile_seconds": seconds,
        "facts": traffic(w),
    }
