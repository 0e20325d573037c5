"""Sliding by m items between two firings: each item evicts the oldest entry and is inserted, every m-th fires a query.

m = 1 is a round of the distance protocol in order; m = n is a tumbling window, of which nothing is left from one firing
to the next. The window holds n items all the time, as a count-based window does that evicts when an item arrives.
"""

import re
from typing import Any

from algorithms import operators
from algorithms.kernel import driver, row
from algorithms.windows.contract import IN_ORDER, card, evict, insert, query
from experiments.harness.cell import Cell
from experiments.harness.feasibility import estimate, operator_of
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.rig import column, compiled, new_window, timed
from experiments.harness.settings import SettingsError
from workloads import workload

CHECKED_ITEMS, MOST_CHECKED, LEAST_CHECKED = 1 << 16, 1000, 4
"""Firings whose answers make the checksum: of so many items, but so many at most and so many at least."""

FIRST_ITEMS = 256
"""Items that calibration begins with."""

SLIDE = re.compile(r"[1-9][0-9]*|n(/[1-9][0-9]*)?")


def batch_of(slide: str, n: int) -> int:
    """The m of a slide such as "64" or "n/16" in a window of n items, 0 where there is none: m < 1 or m > n.

    Raises SettingsError for a slide that is neither.
    """
    if not SLIDE.fullmatch(slide):
        raise SettingsError(f"slides has {slide!r}; a slide is a number of items such as 64, or n, or n/16")
    m = n // int(slide[2:] or 1) if slide[0] == "n" else int(slide)
    return m if m <= n else 0


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
    answer = firing(cell, {**task, "operations": task["operations"] and task["operations"] // cell.batch})
    return answer | {"operations": answer["operations"] * cell.batch}


@measurement("slides.firing", unit="ns")
def firing(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of firings; an operation is a firing with the m items before it."""
    protocol, m = workload(cell.workload_settings), cell.batch
    table, n = column(protocol.values_table()), protocol.window
    w = new_window(cell)
    done = 0

    def run(count: int) -> float:
        nonlocal done
        begin = n + done
        done += count * m
        return float(firings(w, begin, count, m, begin, table, len(table)))

    seconds = compiled(lambda: drivers.insert_run(w, 0, 0, 0, table, len(table))) + compiled(lambda: run(0))
    drivers.insert_run(w, 0, n, 0, table, len(table))
    checksum = run(max(LEAST_CHECKED, min(MOST_CHECKED, CHECKED_ITEMS // m)))
    burst = turn(n, m) if card(cell.algorithm).order == IN_ORDER else 1
    clock = timed(run, task, burst, first=max(1, FIRST_ITEMS // m))
    return clock | {"checksum": checksum, "compile_seconds": seconds}


@measurement("slides.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of one turn; an operation is an item."""
    protocol, m = workload(cell.workload_settings), cell.batch
    table, n = column(protocol.values_table()), protocol.window
    op = operators.counting(operator_of(cell))
    w = card(cell.algorithm).new(op, estimate(cell).entries, **cell.parameters)
    count = turn(n, m)
    drivers.insert_run(w, 0, n, 0, table, len(table))
    firings(w, n, count, m, n, table, len(table))
    op.reset()
    begin = n + count * m
    checksum = firings(w, begin, count, m, begin, table, len(table))
    return {"value": float(op.combines()), "operations": count * m, "checksum": float(checksum)}


def turn(n: int, m: int) -> int:
    """Firings until each entry was replaced: what a firing costs depends on where in its ring the window begins."""
    return -(-n // m)
