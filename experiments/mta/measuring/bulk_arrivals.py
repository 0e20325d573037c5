"""One arrival that evicts m of n elements at once (MTA paper, experiment 2): its time, its combines, its reads.

The window holds n elements; one arrives whose max_size is n + 1 - m, and the policy evicts m. Then the window is filled
again, outside the clock, by elements whose max_size is n.
"""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import slots
from algorithms.windows import slide_policies as policies
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.cycle_counter import nanoseconds_of_cycle
from experiments.harness.measuring.rig import compiled
from experiments.mta.measuring.arrivals import NAIVE, Kept, bulk_arrivals, dimensions, kept, run, takes, traffic

CHECKED = 4
"""Arrivals whose answers make the checksum, and arrivals that are timed at least."""

REFILLED, MOST, MOST_NAIVE = 1 << 22, 1000, 8
"""Arrivals that are timed: as many as refill so many elements, but no more than MOST; each of Naive touches all n."""

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of the window in the evictions that are counted."""

ENDS_OF_LEVEL = 4
"""Nodes of the first and the last pair of a level."""


@measurement("bulk_arrivals.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of arrivals that evict cell.batch elements each, all together and one by one."""
    n, m = cell.window, cell.batch
    full = kept(cell, dimensions(), policies.max_size(), n + 1)
    nothing = slots(0, np.int64, "samples")
    seconds = compiled(lambda: run(full, 0, 0, n)) + compiled(lambda: bulk_arrivals(*full, 0, n, m, 0, nothing))
    run(full, 0, n, n)
    samples = slots(CHECKED, np.int64, "samples")
    checksum = float(bulk_arrivals(*full, n, n, m, CHECKED, samples))
    count = max(CHECKED, min(REFILLED // m, MOST_NAIVE if cell.algorithm == NAIVE else MOST))
    samples = slots(count, np.int64, "samples")
    bulk_arrivals(*full, n + CHECKED * m, n, m, count, samples)
    each = np.asarray(samples, float) * nanoseconds_of_cycle()
    return {
        "value": float(each.sum()),
        "samples": each,
        "operations": count,
        "checksum": checksum,
        "compile_seconds": seconds,
        "facts": traffic(full),
    }


# -------------------------------------------------------------------------------------------------------------- counts


def _counting(cell: Cell) -> tuple[Kept, Any]:
    """A full window with a counting operator, and that operator."""
    op = operators.counting(dimensions())
    full = kept(cell, op, policies.max_size(), cell.window + 1)
    run(full, 0, cell.window, cell.window)
    op.reset()
    return full, op


@measurement("bulk_arrivals.combines", counted=True, takes=takes)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of n arrivals in a window of constant size n, the policy's included."""
    (full, op), n = _counting(cell), cell.window
    checksum = run(full, n, n, n)
    return {"value": float(op.combines()), "operations": n, "checksum": checksum}


@measurement("bulk_arrivals.worst_bulk", counted=True, takes=takes)
def worst_bulk(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The most combines of one arrival that evicts many elements, the policy's included."""
    (full, op), n, done, most = _counting(cell), cell.window, cell.window, 0
    for m in (max(1, int(share * n)) for share in SHARES):
        op.reset()
        run(full, done, 1, n + 1 - m)
        most = max(most, op.combines())
        run(full, done + 1, m - 1, n)
        done += m
    return {"value": float(most), "operations": 1, "checksum": None}


@measurement("bulk_arrivals.local_size", counted=True, takes=takes)
def local_size(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Partial aggregates that must be at hand for any arrival.

    For a Monoid Tree Aggregator in memory those at the ends of its levels, its stack and its result pair, the most over
    n arrivals; for another window all that it keeps.
    """
    (full, _), n = _counting(cell), cell.window
    w, most = full.window, 0
    for done in range(n, 2 * n, max(1, n // 64)):
        run(full, done, max(1, n // 64), n)
        most = max(most, at_hand(cell.algorithm, w))
    return {"value": float(most), "operations": 1, "checksum": None}


def at_hand(algorithm: str, w: Any) -> int:
    """See `local_size`."""
    ends = w.ends[0]
    if algorithm == "log_mta":
        return ENDS_OF_LEVEL * (int(ends.top) + 1)
    if algorithm == "amta":
        return ENDS_OF_LEVEL * (int(ends.top) + 1) + int(ends.stacked) + 2
    return len(w.agg)
