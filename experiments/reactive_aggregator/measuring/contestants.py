"""Incremental and recomputing windows that compete: in a compiled loop of nothing else, or both in SlidingAggregate.

The paper's baseline is a streaming engine that recomputes every answer, and its Reactive Aggregator runs in the same
engine. The loop is recomputation at its best, vector instructions over one array; the framework adds to both the work
of an engine around the window: columns in, policies of eviction and firing, columns out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.kernel import as_slots, driver, row, slots
from algorithms.streams.sliding.aggregate import SlidingAggregate
from algorithms.windows.contract import card, evict, insert, size
from algorithms.windows.in_order.recalc import RING, place
from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.prefill import prefill
from experiments.harness.measuring.rig import Rig, compiled, timed
from workloads import workload

BASELINE = "recalc"
LOOP, FRAMEWORK = "loop", "sliding_aggregate"
"""Values of the parameter `framework`, which keeps the windows; LOOP by default."""

Run = Callable[[int], Any]

READS = ("count", "collect")
"""Operators that the baseline answers from its container, as the paper's does: its size, and a copy of it."""

KEEPS = "soe"
"""The window that keeps such a container in the framework: a count, and a list from which the oldest is taken off."""

BATCH, BATCH_BYTES = 8192, 16 << 20
"""Records that the framework takes at once, whichever the window, so that a batch costs both the same; fewer where the
results, such as lists that are as long as the window, would take more bytes."""


@driver
def size_rounds(w, time, count, serial, values, period):
    """As drivers.rounds, but read the number of entries: the cost of a count that needs no computing."""
    k, total = serial % period, 0
    for _ in range(count):
        evict(w)
        insert(w, time, row(values, k))
        total += size(w)
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total


@driver
def copy_rounds(w, time, count, serial, values, period, out):
    """As drivers.rounds of a recalc whose partials are values, but write them all to `out`, as a list of the window."""
    k, total = serial % period, 0
    for _ in range(count):
        evict(w)
        insert(w, time, row(values, k))
        for i in range(size(w)):
            out[i] = w.agg[RING + place(w, i)]
        total += out[0]
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total


def takes(cell: Cell) -> tuple[str, ...]:
    """The window that is compared with, and the operator under which its answers are read from its container."""
    return BASELINE, KEEPS, "sum"


def contestant(cell: Cell, algorithm: str, n: int) -> Run:
    """A call that does rounds of evict, insert and query in a window of the algorithm that holds n items."""
    in_framework = cell.uses.get("framework") == FRAMEWORK
    return (_in_framework if in_framework else _in_loop)(cell, algorithm, n)


def _in_loop(cell: Cell, algorithm: str, n: int) -> Run:
    name = cell.operator.partition(":")[0]
    reads = algorithm == BASELINE and name in READS
    op = operator_called("sum" if reads else cell.operator, n + 1)  # of sum, partials are the values
    table = as_slots(workload(cell.workload_settings).values_table().astype(op.takes))
    w = card(algorithm).new(op, n + 1, **(cell.parameters if algorithm == cell.algorithm else {}))
    rounds, extra = drivers.rounds, ()
    if reads:
        rounds, extra = (size_rounds, ()) if name == "count" else (copy_rounds, (slots(n, op.dtype, "out"),))

    def loop(done: int, count: int) -> Any:
        return rounds(w, n + done, count, n + done, table, len(table), *extra)

    return Rig(lambda count: prefill(w, count, table), n, loop).run


def _in_framework(cell: Cell, algorithm: str, n: int) -> Run:
    name = cell.operator.partition(":")[0]
    kept = KEEPS if algorithm == BASELINE and name in READS else algorithm
    op = operator_called(cell.operator, n + 1)
    table = workload(cell.workload_settings).values_table().astype(op.takes)
    parameters = cell.parameters if kept == cell.algorithm else {}
    stream = SlidingAggregate(kept, size=n, slide=1, by="count", operator=op, capacity=n + 1, **parameters)
    at_once = batch_of(cell, n)
    column = np.resize(table, at_once)

    def run(count: int) -> Any:
        for done in range(0, count, at_once):
            results = stream.batch(None, column[: min(at_once, count - done)])
        return results

    run(n)
    run(1)
    return run


def batch_of(cell: Cell, n: int) -> int:
    """Records of a batch in the framework."""
    return max(1, min(BATCH, BATCH_BYTES // operator_called(cell.operator, n + 1).dtype.itemsize))


def burst_of(cell: Cell, algorithm: str, n: int) -> int:
    """Rounds to time together: of the incremental window a turn of its ring, as a round's cost depends on where in it
    the window begins; in the framework whole batches."""
    turn = n if algorithm != BASELINE else 1
    batch = batch_of(cell, n) if cell.uses.get("framework") == FRAMEWORK else 1
    return -(-turn // batch) * batch


@measurement("contestants.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of rounds of the cell's algorithm, in the framework or in the loop."""
    runs: list[Run] = []
    seconds = compiled(lambda: runs.append(contestant(cell, cell.algorithm, cell.window)))
    clock = timed(runs[0], task, burst=burst_of(cell, cell.algorithm, cell.window))
    return clock | {"checksum": None, "compile_seconds": seconds}
