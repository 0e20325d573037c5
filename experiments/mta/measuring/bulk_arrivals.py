"""One arrival that lets m of n elements go at once (MTA paper, experiment 2): its time, its combines, what it reads.

The window holds n elements; one arrives whose max_size is n + 1 - m, and the policy lets m go. Then the window is
filled again, outside the clock, by elements whose max_size is n.
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
"""Arrivals whose answers make the checksum; as many are made at least."""

REFILLED, MOST, MOST_NAIVE = 1 << 22, 1000, 8
"""Arrivals that are timed: as many as refill so many elements, but no more than this; each of Naive touches all n."""

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Of the window, that go in the evictions that are counted."""

ENDS_OF_LEVEL = 4
"""Nodes of the first and the last pair of a level."""


@measurement("bulk_arrivals.time", unit="ns", takes=takes)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of arrivals that let cell.batch elements go, all together and one by one."""
    n, m = cell.window, cell.batch
    made = kept(cell, dimensions(), policies.max_size(), n + 1)
    nothing = slots(0, np.int64, "samples")
    seconds = compiled(lambda: run(made, 0, 0, n)) + compiled(lambda: bulk_arrivals(*made, 0, n, m, 0, nothing))
    run(made, 0, n, n)
    samples = slots(CHECKED, np.int64, "samples")
    checksum = float(bulk_arrivals(*made, n, n, m, CHECKED, samples))
    count = max(CHECKED, min(REFILLED // m, MOST_NAIVE if cell.algorithm == NAIVE else MOST))
    samples = slots(count, np.int64, "samples")
    bulk_arrivals(*made, n + CHECKED * m, n, m, count, samples)
    each = np.asarray(samples, float) * nanoseconds_of_cycle()
    return {
        "value": float(each.sum()),
        "samples": each,
        "operations": count,
        "checksum": checksum,
        "compile_seconds": seconds,
        "facts": traffic(made),
    }


# -------------------------------------------------------------------------------------------------------------- counts


def _counting(cell: Cell) -> tuple[Kept, Any]:
    """A full window whose operator counts, and that operator."""
    op = operators.counting(dimensions())
    made = kept(cell, op, policies.max_size(), cell.window + 1)
    run(made, 0, cell.window, cell.window)
    op.reset()
    return made, op


@measurement("bulk_arrivals.combines", counted=True, takes=takes)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of n arrivals in a window of constant size n, those of the policy among them."""
    (made, op), n = _counting(cell), cell.window
    checksum = run(made, n, n, n)
    return {"value": float(op.combines()), "operations": n, "checksum": checksum}


@measurement("bulk_arrivals.worst_bulk", counted=True, takes=takes)
def worst_bulk(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The most combines of one arrival that lets many go, those of the policy among them."""
    (made, op), n, done, most = _counting(cell), cell.window, cell.window, 0
    for m in (max(1, int(share * n)) for share in SHARES):
        op.reset()
        run(made, done, 1, n + 1 - m)
        most = max(most, op.combines())
        run(made, done + 1, m - 1, n)
        done += m
    return {"value": float(most), "operations": 1, "checksum": None}


@measurement("bulk_arrivals.local_size", counted=True, takes=takes)
def local_size(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Partial aggregates that must be at hand for any arrival.

    Of a Monoid Tree Aggregator in memory those at the ends of its levels, its stack and its result pair, the most of n
    arrivals; of another window all that it keeps here.
    """
    (made, _), n = _counting(cell), cell.window
    w, most = made.window, 0
    for done in range(n, 2 * n, max(1, n // 64)):
        run(made, done, max(1, n // 64), n)
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
