"""One tree for two windows, or a tree for each: a big window, and a small one of its youngest entries.

Each round evicts the oldest entry in order, inserts one at the distance of the protocol, and queries both windows. Of
the big window d entries have high times, the rest consecutive low ones. The small window holds the youngest s entries
by time, s > d: all high ones, and the s - d youngest low ones. One tree answers for it with a range query from its
oldest entry on; a twin holds its entries in a second tree. The answers are the same. The cell's window is the small
one.
"""

from typing import Any

from algorithms.kernel import driver, row
from algorithms.windows.contract import card, evict, insert, query, range_query
from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_of
from experiments.harness.measurement import measurement
from experiments.harness.measuring.prefill import prefill, table_of
from experiments.harness.measuring.rig import Rig
from workloads import workload
from workloads.distance.generator import FIRST_HIGH

RANGE, TWIN = "range", "twin"

YOUNGEST = 2 * FIRST_HIGH
"""No entry is younger."""


@driver
def shared_rounds(w, time, count, low, serial, values, period):
    """Rounds of one tree: the small window reaches back to the low time `low` - 1 before the newest."""
    k, total = serial % period, 0
    for _ in range(count):
        evict(w)
        insert(w, time, row(values, k))
        total += query(w)
        total += range_query(w, time - low + 1, YOUNGEST)
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total


@driver
def twin_rounds(w, small, time, count, serial, values, period):
    """Rounds of two trees."""
    k, total = serial % period, 0
    for _ in range(count):
        evict(w)
        insert(w, time, row(values, k))
        evict(small)
        insert(small, time, row(values, k))
        total += query(w)
        total += query(small)
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total


def _sizes(cell: Cell) -> list[int]:
    """Entries of each tree: the big window, and the small one if it has a tree of its own."""
    big = workload(cell.workload_settings).window
    return [big] if cell.uses["sharing"] == RANGE else [big, cell.window]


def entries(cell: Cell) -> int:
    """The most entries of all trees."""
    return cell.entries_of_one + (cell.window + 1 if cell.uses["sharing"] == TWIN else 0)


@measurement("sharing.time", unit="ns", entries=entries)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of rounds."""
    protocol, table = workload(cell.workload_settings), table_of(cell)
    n, d, low, period = protocol.window, protocol.distance, cell.window - protocol.distance, len(table)
    sizes = _sizes(cell)
    trees = [card(cell.algorithm).new(operator_of(cell), size + 1, **cell.parameters) for size in sizes]

    def fill(count: int) -> None:
        for tree, size in zip(trees, sizes, strict=True):
            prefill(tree, min(count, size), table, d, oldest=n - size)  # older ones are too old for the small window

    def rounds(done: int, count: int) -> Any:
        begin, serial = n - d + done, n + done
        if len(trees) == 1:
            return shared_rounds(*trees, begin, count, low, serial, table, period)
        return twin_rounds(*trees, begin, count, serial, table, period)

    rig = Rig(fill, n, rounds)
    rig.check()
    return rig.timed(task)


@measurement("sharing.bytes", unit="bytes", counted=True, entries=entries)
def bytes(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Memory of the trees, each made for as many entries as it holds."""
    tree, op = card(cell.algorithm), operator_of(cell)
    sizes = _sizes(cell)
    total = sum(tree.bytes(op, size + 1, **cell.parameters) for size in sizes)
    return {"value": float(total), "operations": sum(sizes), "checksum": None, "compile_seconds": 0.0}
