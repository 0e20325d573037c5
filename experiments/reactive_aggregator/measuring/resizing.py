"""The Reactive Aggregator while its capacity swings between n and 2 n, beside one whose capacity stays n.

A swing starts with n/2 - 1 entries in a ring of n. It inserts n/2 + 2 items, each followed by a query; the last finds
the ring full, which doubles it. Then it evicts as many, and the last leaves less than a quarter of the ring in use,
which halves it. n is a power of two from 8 on, so that the ring is full at n. (Section 5.1.1, and 6.2 on Figure 9.)
"""

from typing import Any

import numpy as np

from algorithms.kernel import Slots, cycles, driver, kernel, row
from algorithms.windows.contract import evict, insert, query, size
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import counting_window, prefill, table_of
from experiments.harness.measuring.rig import CHECKED_ROUNDS, LAP_NS, Rig, calibrated, new_window
from experiments.harness.measuring.rounds import rig_of_rounds

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


def swinging(cell: Cell, w: Any, sampled: bool = False) -> Rig:
    """The rig of a window before its first swing."""
    n, swing, table = cell.window, swing_of(cell.window), table_of(cell)

    def loop(done: int, count: int, *samples: Slots) -> Any:
        begin = n + 1 + done * swing
        return (sampled_swings if samples else swings)(w, begin, count, swing, begin, table, len(table), *samples)

    rig = Rig(lambda count: prefill(w, count, table), n + 1, loop, sampled)  # doubles the ring: the evictions halve it
    while size(w) > n // 2 - 1:
        evict(w)
    return rig


def steady(cell: Cell, w: Any) -> Rig:
    """The rig of a full window before rounds in which its capacity stays."""
    return rig_of_rounds(w, table_of(cell), cell.window)


def _is_fixed(cell: Cell) -> bool:
    return cell.uses["capacity"] == FIXED


@measurement("resizing.time", unit="ns")
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of items, each inserted, followed by a query, and evicted; how often the ring was resized."""
    w, fixed, swing = new_window(cell), _is_fixed(cell), swing_of(cell.window)
    rig = steady(cell, w) if fixed else swinging(cell, w)
    rig.check(CHECKED_ROUNDS if fixed else CHECKED_SWINGS)
    if not fixed and not task["operations"]:  # calibrated here, so that only resizes of timed swings are counted
        lap = swing * calibrated(rig.run, min(LAP_NS, task["minimum_ns"]), count=1)
        laps = -(-task["minimum_ns"] // LAP_NS)
        task = {**task, "operations": lap * laps, "laps": laps}
    before = int(w.state[0].resizes)
    clock = rig.timed(task, burst=cell.window) if fixed else rig.timed(task, items=swing)
    facts = {"resizes": int(w.state[0].resizes) - before}
    return clock | {"facts": facts if fixed else facts | {"swings": clock["operations"] // swing}}


@measurement("resizing.combines", counted=True)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of items, over a turn of the ring or two swings."""
    w, op = counting_window(cell)
    if _is_fixed(cell):
        rig, count, items = steady(cell, w), cell.window, 1
    else:
        rig, count, items = swinging(cell, w), 2, swing_of(cell.window)
    return rig.counted(op, count, items) | {"compile_seconds": rig.row["compile_seconds"]}


@measurement("resizing.resize", unit="ns")
def resize(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of each single insert that doubles the ring from n to 2 n, by the cycle counter.

    The length of a cycle is measured with it, over all the swings.
    """
    row, (_, spent) = swinging(cell, new_window(cell), sampled=True).sampled(task, first=1)
    nanoseconds = row["samples"] * (row["value"] / int(spent))
    return row | {"value": None, "samples": nanoseconds, "facts": {"median_ns": float(np.median(nanoseconds))}}
