"""Out-of-order distance: how far from its window's end each item of a trace is inserted (FiBA, sections 2 and 5.1).

The distance d of an item is the number of earlier arrivals with a strictly greater event time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workloads.traces.trace import Trace


def distances(times: np.ndarray) -> np.ndarray:
    """Number of earlier arrivals with a strictly greater event time, for each item.

    `times` is int64 (or any sortable dtype), shape (n,), in arrival order; the result is int64, shape (n,).
    O(n log n) time in whole-array operations, O(n) space: 0.1 s for 336,000 items.

    It is the merge step of counting inversions, taken from the top. Arrival numbers are put in falling order of time,
    then split by one bit of the arrival number after the other, most significant first. When a block is split, what
    stands before an item of the later half and itself goes to the earlier half arrived before it and has a greater
    time. Each such pair of items is parted by exactly one bit, so the counts of all bits add up to d.
    """
    times = np.asarray(times)
    counts = np.zeros(len(times), np.int64)
    if (times[1:] >= times[:-1]).all():
        return counts  # in order: 33,000,000 records need no sorting
    # Falling times; among equal times the later arrival first, so that it does not count the earlier ones.
    order = np.argsort(times, kind="stable")[::-1]
    places = np.arange(len(times))
    for bit in reversed(range(max(len(times) - 1, 0).bit_length())):
        late = (order >> bit) & 1 == 1
        start = places >> (bit + 1) << (bit + 1)
        # Every block before this one is full, and half of it went to the lower half.
        early_before = np.cumsum(~late) - (start >> 1)
        counts[order[late]] += early_before[late]
        split = np.empty_like(order)
        split[np.where(late, places - early_before + (1 << bit), start + early_before - 1)] = order
        order = split
    return counts


def distance_report(trace: Trace) -> dict[str, Any]:
    """Statistics of a trace's order, as plain numbers.

    items; out_of_order (share of items with d > 0); mean, p50, p90, p99, p999 and max of d (the quantiles are distances
    that occur: the smallest d that the share of items does not exceed); ties (share of items whose time an earlier
    arrival already had); first_time, last_time (smallest and largest) and late_by (the most that an item lags
    behind the largest time before it), in `time_unit`.
    """
    measured = distances(trace.times)
    p50, p90, p99, p999 = np.quantile(measured, [0.5, 0.9, 0.99, 0.999], method="inverted_cdf").tolist()
    times = trace.times // trace.ticks_per_unit
    lag = (np.maximum.accumulate(times) - times).view(np.uint64)  # unsigned: a difference may need all 64 bits
    return {
        "items": len(trace),
        "out_of_order": float(np.count_nonzero(measured) / len(trace)),
        "mean": float(measured.mean()),
        "p50": int(p50),
        "p90": int(p90),
        "p99": int(p99),
        "p999": int(p999),
        "max": int(measured.max()),
        "ties": 1 - len(np.unique(times)) / len(trace),
        "first_time": int(times.min()),
        "last_time": int(times.max()),
        "late_by": int(lag.max()),
        "time_unit": trace.time_unit,
    }


def distance_text(report: dict[str, Any]) -> str:
    """A report as a few words for a figure's caption: "59 % out of order; d: mean 10, p99 128, max 770"."""
    if report["max"] == 0:
        return "in order"
    mean = f"{report['mean']:.0f}" if report["mean"] >= 10 else f"{report['mean']:.2g}"
    return f"{_percent(report['out_of_order'])} out of order; d: mean {mean}, p99 {report['p99']}, max {report['max']}"


def _percent(share: float) -> str:
    if share < 0.001:
        return "under 0.1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %" if share >= 0.0095 else f"{100 * share:.1f} %"
