"""Monoid Tree Aggregator, section 5.4, Figure 6: arrivals in a window of constant size, over its size.

With the traffic of the key-value store in these windows, which the sizes printed in section 5.1 bound.
"""

from experiments.harness.cell import Cell
from experiments.harness.fitting import identity, largest, smallest, straightness
from experiments.harness.grid import in_order_only, windows_of
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_number
from experiments.mta.measuring.arrivals import NAIVE
from experiments.mta.series import (
    AMORTISED,
    DABA,
    LOG,
    MICROSECOND,
    beside_memory,
    in_memory,
    in_stores,
    points,
    stored,
)

LARGER_THAN_BUFFERS = 4096
"""Elements: four times what a level has here, so that most of the window is in the store."""


@experiment("mta_constant")
def mta_constant(settings: Settings) -> list[Cell]:
    """Time of an arrival over n; Naive only up to a window that it is not too slow for."""
    in_order_only(settings)
    most = whole_number("sizes.recomputed", settings.sizes["recomputed"], 1)
    return [
        cell
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
        if algorithm["name"] != NAIVE or n <= most
        for cell in points(settings, algorithm, operator, n, measurement="constant_size.time")
    ]


def times(measured: Measured) -> Table:
    """Nanoseconds of an arrival."""
    return measured.each("time", "algorithm", "store", "window")


def others_of(table: Table, name: str) -> Table:
    """All lines but those of one algorithm."""
    return where(table, algorithm=lambda other: other != name)


@mta_constant.quantity
def naive_straightness(measured: Measured) -> Table:
    """How straight Naive's time is over n: R^2, negative where it falls."""
    return straightness(in_memory(times(measured), NAIVE), "window", identity)


@mta_constant.quantity
def naive_over_fastest_other(measured: Measured) -> Table:
    """Time of Naive over that of the fastest other algorithm, in each window."""
    table = times(measured)
    return ratio(in_memory(table, NAIVE), smallest(smallest(others_of(table, NAIVE), "store"), "algorithm"))


@mta_constant.quantity
def naive_over_slowest_other(measured: Measured) -> Table:
    """Time of Naive over that of the slowest other algorithm, in the largest window that Naive was measured in."""
    table = times(measured)
    naive = in_memory(table, NAIVE)
    slowest = largest(largest(others_of(table, NAIVE), "store"), "algorithm")
    return where(ratio(naive, slowest), window=[values_of(naive, "window")[-1]])


@mta_constant.quantity
def times_in_memory(measured: Measured) -> Table:
    """Nanoseconds of an arrival in the windows that are in memory."""
    return lines_of(times(measured), store="")


@mta_constant.quantity
def times_in_stores(measured: Measured) -> Table:
    """Nanoseconds of an arrival in the windows in key-value stores that are larger than what is kept here."""
    return where(in_stores(times(measured)), window=lambda n: n >= LARGER_THAN_BUFFERS)


@mta_constant.quantity
def tree_straightness(measured: Measured) -> Table:
    """How straight Log MTA's time is over log2 n, in memory and in stores: R^2, negative where it falls."""
    return straightness(where(times(measured), algorithm=(LOG, f"kvs_{LOG}")), "window")


@mta_constant.quantity
def amortised_over_fastest_other(measured: Measured) -> Table:
    """Time of AMTA in memory over that of the fastest other algorithm, in each window."""
    table = times(measured)
    return ratio(in_memory(table, AMORTISED), smallest(smallest(others_of(table, AMORTISED), "store"), "algorithm"))


@mta_constant.quantity
def amortised_over_daba(measured: Measured) -> Table:
    """Time of AMTA in memory over that of DABA, in each window."""
    table = times(measured)
    return ratio(in_memory(table, AMORTISED), in_memory(table, DABA))


def _in_largest(table: Table) -> Table:
    return where(table, window=[values_of(table, "window")[-1]])


@mta_constant.quantity
def store_costs(measured: Measured) -> Table:
    """Microseconds by which an arrival is slower with the tree in a store than in memory, in the largest window."""
    return _in_largest(beside_memory(times(measured), lambda there, here: (there - here) / MICROSECOND))


@mta_constant.quantity
def store_costs_log_over_amortised(measured: Measured) -> Table:
    """What the store costs an arrival in Log MTA over what it costs in AMTA, in the largest window, for each store."""
    table = store_costs(measured)
    return ratio(lines_of(table, algorithm=f"kvs_{LOG}"), lines_of(table, algorithm=f"kvs_{AMORTISED}"))


@mta_constant.quantity
def store_behind_daba(measured: Measured) -> Table:
    """Nanoseconds by which an arrival in AMTA in a store is slower than in DABA, in the largest window."""
    table = times(measured)
    daba = in_memory(table, DABA)
    return _in_largest(beside_memory(table, lambda there, here: there - here, {f"kvs_{AMORTISED}": daba}))


@mta_constant.reason(store_costs)
def waits_for_the_store(measured: Measured) -> str:
    """How often windows waited for their store."""
    facts = [stored(measured, name) for name in ("misses", "waits", "arrivals")]
    misses, waits, arrivals = (float(table.to_numpy()[:, 0].sum()) for table in facts)
    return f"the windows waited for {misses + waits:,.0f} reads of the store in {arrivals:,.0f} arrivals"


# ------------------------------------------------------------------------------------------------------------- traffic


def _above_buffers(measured: Measured, name: str, *added: str) -> Table:
    """Facts of the windows that are larger than what is kept here, added up, for each arrival."""
    total = sum((stored(measured, other) for other in added), stored(measured, name))
    large = where(total / stored(measured, "arrivals"), window=lambda n: n >= LARGER_THAN_BUFFERS)
    if large.isna().all(axis=None):
        raise NotMeasuredError(f"needs a window of {LARGER_THAN_BUFFERS:,} elements in a store")
    return large


@mta_constant.quantity
def commits_in_512(measured: Measured) -> Table:
    """Commits in 512 arrivals."""
    return 512 * _above_buffers(measured, "commits")


@mta_constant.quantity
def reads_in_256(measured: Measured) -> Table:
    """Requests that read nodes, in 256 arrivals."""
    return 256 * _above_buffers(measured, "ahead", "misses", "waits")


@mta_constant.quantity
def share_waited_for(measured: Measured) -> Table:
    """The share of the reads of the store that an arrival waited for."""
    return _above_buffers(measured, "misses", "waits") / _above_buffers(measured, "ahead", "misses", "waits")


@mta_constant.quantity
def nodes_read(measured: Measured) -> Table:
    """Nodes read from the store for each arrival, by their bytes."""
    return _above_buffers(measured, "bytes_read") / stored(measured, "node_bytes")
